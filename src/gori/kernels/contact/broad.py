"""Broad phase: which shapes may touch, by their boxes.

Shapes without an end stand against all others, the rest find each other in grids of cells (`grids.py`). The time grows
with the number of shapes and of pairs, whatever the sizes. Rejected: sweep and prune along one axis, whose time grows
with n^5/3 in a pile.
"""

import math
from typing import Annotated, Any

import numpy as np
from numba import types

from gori.kernels.bundle import Bundle
from gori.kernels.contact.grids import ENDLESS, SIZE_LEVELS, fill_cells, find_levels, find_near, find_strides, overlap
from gori.kernels.contact.tables import GROUND, PLANE, ContactTables
from gori.kernels.contact.terrain.ground import clear_of
from gori.kernels.jit import kernel, part
from gori.kernels.tree.columns import P_BF

HALF = 32
"""bits of the number of a shape in a pair"""

FEW = 64
"""shapes of which each is compared with all others: cells would take longer"""

_I1, _I2, _F1, _F2 = types.int64[::1], types.int64[:, ::1], types.float64[::1], types.float64[:, ::1]


class BroadWork(Bundle):
    """Work of the broad phase: n shapes, room for so many pairs; `broad_work` makes it."""

    owner: Annotated[Any, _I2]  # (n, 2) row and material of each shape, side by side
    level: Annotated[Any, _I1]  # (n,) of each shape, or ENDLESS
    cell: Annotated[Any, _I2]  # (n, 3) indices of the cell that it stands in
    bucket: Annotated[Any, _I1]  # (n,) of the hash table, -1: none
    start: Annotated[Any, _I1]  # (buckets + 1,) first of each bucket in `order`
    order: Annotated[Any, _I1]  # (n,) shapes by bucket
    rank: Annotated[Any, _I1]  # (n,) where in `order` each stands
    line: Annotated[Any, _I1]  # (n,) in that order: line of cells along x that the shape stands in
    box: Annotated[Any, _F2]  # (n, 6) in that order: its box [m]
    near: Annotated[Any, _I1]  # (n,) those whose boxes overlap one shape's
    shapes: Annotated[Any, _I1]  # (SIZE_LEVELS,) number of shapes
    width: Annotated[Any, _F1]  # (SIZE_LEVELS,) of the widest boxes [m]
    stride: Annotated[Any, _I2]  # (SIZE_LEVELS, 2) buckets from cell to cell along y and z
    first: Annotated[Any, _I1]  # (n + 1,) pairs by their first shape
    found: Annotated[Any, _I1]  # (pairs,) a << HALF | b, before they are sorted


def broad_work(shapes: int, pairs: int) -> BroadWork:
    """Work for so many shapes and pairs of them."""
    buckets = 1 << max(4, (2 * shapes - 1).bit_length())
    return BroadWork(
        owner=np.zeros((shapes, 2), np.int64),
        level=np.zeros(shapes, np.int64),
        cell=np.zeros((shapes, 3), np.int64),
        bucket=np.zeros(shapes, np.int64),
        start=np.zeros(buckets + 1, np.int64),
        order=np.zeros(shapes, np.int64),
        rank=np.zeros(shapes, np.int64),
        line=np.zeros(shapes, np.int64),
        box=np.zeros((shapes, 6)),
        near=np.zeros(shapes + 1, np.int64),
        shapes=np.zeros(SIZE_LEVELS, np.int64),
        width=np.zeros(SIZE_LEVELS),
        stride=np.zeros((SIZE_LEVELS, 2), np.int64),
        first=np.zeros(shapes + 1, np.int64),
        found=np.zeros(pairs, np.int64),
    )


@part
def is_excluded(excluded, key):
    """Whether a sorted array holds a number."""
    low, high = 0, excluded.shape[0]
    while low < high:
        middle = (low + high) // 2
        if excluded[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low < excluded.shape[0] and excluded[low] == key


@part
def may_touch(tables, owner, a, b):
    """Whether two shapes, a < b, can ever touch: on different rows, of materials that touch, and not excluded."""
    if owner[a, 0] == owner[b, 0] or tables.law[owner[a, 1], owner[b, 1]].touches == 0:
        return False
    return not is_excluded(tables.excluded, a * owner.shape[0] + b)


@part
def add_pair(tables, owner, i, j, count, found):
    """Note a pair if it can touch, and count it even where there is no room."""
    a, b = min(i, j), max(i, j)
    if not may_touch(tables, owner, a, b):
        return count
    if count < found.shape[0]:
        found[count] = a << HALF | b
    return count + 1


@part
def before_plane(shape, pose, box):
    """Whether a box (6,) lies wholly in front of a plane that rests; pose (12,) of the plane."""
    if shape.kind != PLANE or shape.row != 0:
        return False
    height = 0.0
    for k in range(3):
        n = pose[3 * k + 2]
        height += n * ((box[k] if n > 0.0 else box[3 + k]) - pose[P_BF + k])
    return height > 0.0


@part
def in_front(tables, s, pose, box):
    """Whether a box (6,) lies wholly in front of shape s, a plane that rests or the terrain."""
    if tables.shape[s].kind == GROUND:
        return clear_of(tables, tables.shape[s], box)
    return before_plane(tables.shape[s], pose, box)


@part
def endless_pairs(tables, pose, box, work, found):
    """Pairs of shapes without an end with all others; returns their number."""
    count = 0
    for e in range(box.shape[0]):
        if work.level[e] == ENDLESS:
            for s in range(box.shape[0]):
                # of two such shapes the first one finds the other; half-spaces and the ground do not touch each other
                twice = work.level[s] == ENDLESS and (s <= e or (math.isinf(box[e, 0]) and math.isinf(box[s, 0])))
                if twice or not overlap(box[e], box[s]):
                    continue
                if not (in_front(tables, e, pose[e], box[s]) or in_front(tables, s, pose[s], box[e])):
                    count = add_pair(tables, work.owner, e, s, count, found)
    return count


@part
def cell_pairs(tables, box, work, count, found):
    """Pairs of shapes in cells; returns the number of all so far."""
    for s in range(box.shape[0]):
        if work.level[s] >= 0:
            for level in range(work.level[s], SIZE_LEVELS):
                if work.shapes[level] > 0:
                    for k in range(find_near(box, work, s, level)):
                        count = add_pair(tables, work.owner, s, work.near[k], count, found)
    return count


@part
def sort_pairs(found, count, first, pair):
    """Pairs by their first shape, then by their second."""
    n = first.shape[0] - 1
    for k in range(n + 1):
        first[k] = 0
    for k in range(count):
        first[(found[k] >> HALF) + 1] += 1
    for k in range(n):
        first[k + 1] += first[k]
    for k in range(count):
        a = found[k] >> HALF
        pair[first[a], 0], pair[first[a], 1] = a, found[k] & ((1 << HALF) - 1)
        first[a] += 1
    # now each has the end of its own; those of one first shape are few, or almost in order
    for k in range(1, count):
        a, b, at = pair[k, 0], pair[k, 1], k
        while at > 0 and pair[at - 1, 0] == a and pair[at - 1, 1] > b:
            pair[at, 1] = pair[at - 1, 1]
            at -= 1
        pair[at, 1] = b


@part
def few_pairs(tables, pose, box, owner, pair):
    """Pairs of a few shapes, each with all others; returns their number."""
    count = 0
    for a in range(box.shape[0]):
        endless = math.isinf(box[a, 0])
        for b in range(a + 1, box.shape[0]):
            if not overlap(box[a], box[b]) or (endless and math.isinf(box[b, 0])):
                continue
            if in_front(tables, a, pose[a], box[b]) or in_front(tables, b, pose[b], box[a]):
                continue
            if may_touch(tables, owner, a, b):
                if count < pair.shape[0]:
                    pair[count, 0], pair[count, 1] = a, b
                count += 1
    return count


@part
def candidate_pairs(tables, pose, box, work, pair):
    """Pairs of shapes whose boxes overlap, after `shape_boxes`; returns their number.

    tables   ContactTables of n shapes
    pose     (n, 12) of the shapes; box (n, 6) that hold them [m]
    pair     (most, 2) out: shapes a < b, sorted. Where the number returned is larger than `most` there was no room:
             nothing is in it then, and both it and `work` must be larger
    """
    for s in range(box.shape[0]):
        work.owner[s, 0], work.owner[s, 1] = tables.shape[s].row, tables.shape[s].material
    if box.shape[0] <= FEW:
        return few_pairs(tables, pose, box, work.owner, pair)
    find_levels(box, work)
    find_strides(box, work)
    fill_cells(box, work)
    count = endless_pairs(tables, pose, box, work, work.found)
    count = cell_pairs(tables, box, work, count, work.found)
    if count <= min(pair.shape[0], work.found.shape[0]):
        sort_pairs(work.found, count, work.first, pair)
    return count


@kernel(types.int64(ContactTables.type, _F2, _F2, BroadWork.type, _I2))
def broad_pairs(tables, pose, box, work, pair):
    """See `candidate_pairs`."""
    return candidate_pairs(tables, pose, box, work, pair)
