"""Grids of cells in which shapes find their neighbours.

There is a grid of cubes for each level of sizes, with cells twice as wide from level to level: half as wide as the
widest boxes of the level. A shape stands in the one cell that holds the middle of its box, so what it overlaps on its
own level or a coarser one stands at most one such width away. Cells are found by a hash of their indices (Ericson 2005,
sections 7.1.3 and 7.2.1): space has no limits. Cells of one line along x are neighbours in the table, and are read as
one run.

`work` is BroadWork (`broad.py`), `box` (n, 6) the lowest and highest corner of the box of each shape [m], world axes.
"""

import math

from gori.kernels.jit import part
from gori.kernels.particles.cells import cell_at, count_sort

SIZE_LEVELS = 32
"""the widest cells are 2^31 times as wide as the finest"""
BASE_LEVEL = 16
"""of the boxes of most shapes"""
USUAL = 2.0
"""of the geometric mean of all widths: boxes up to this one say how wide those of the base level are"""
MOST_CELLS = 1e4
"""along x or y that a table is laid out for"""
ENDLESS = -1
"""level of shapes that stand against all others"""
_BITS = 29
_INDEX = (1 << _BITS) - 1


@part
def box_width(box):
    """Longest edge of a box (6,) [m]."""
    return max(box[3] - box[0], max(box[4] - box[1], box[5] - box[2]))


@part
def base_width(box):
    """Width of the widest of the usual boxes [m]; 0 if there is none."""
    total, count = 0.0, 0
    for s in range(box.shape[0]):
        width = box_width(box[s])
        if 0.0 < width < math.inf:
            total += math.log(width)
            count += 1
    limit, base = USUAL * math.exp(total / max(count, 1)), 0.0
    for s in range(box.shape[0]):
        width = box_width(box[s])
        if width <= limit:
            base = max(base, width)
    return base


@part
def find_levels(box, work):
    """Level of each shape, and width and number of shapes of each level."""
    base = base_width(box)
    for k in range(SIZE_LEVELS):
        work.width[k], work.shapes[k] = base * 2.0 ** (k - BASE_LEVEL), 0
    for s in range(box.shape[0]):
        width, level = box_width(box[s]), BASE_LEVEL
        while level < SIZE_LEVELS and not width <= work.width[level]:
            level += 1
        while 0 < level < SIZE_LEVELS and width <= work.width[level - 1]:
            level -= 1
        work.level[s] = level if level < SIZE_LEVELS else ENDLESS
        if level < SIZE_LEVELS:
            work.shapes[level] += 1


@part
def find_strides(box, work):
    """How many cells there are along x, and in a plane across z, of each level; odd, so that all places are used."""
    x0, x1, y0, y1 = math.inf, -math.inf, math.inf, -math.inf
    for s in range(box.shape[0]):
        if work.level[s] >= 0:
            x, y = 0.5 * (box[s, 0] + box[s, 3]), 0.5 * (box[s, 1] + box[s, 4])
            x0, x1, y0, y1 = min(x0, x), max(x1, x), min(y0, y), max(y1, y)
    for level in range(SIZE_LEVELS):
        if work.shapes[level] > 0:
            per = 2.0 / work.width[level]
            nx = int(min((x1 - x0) * per, MOST_CELLS)) + 2
            ny = int(min((y1 - y0) * per, MOST_CELLS)) + 2
            work.stride[level, 0], work.stride[level, 1] = nx | 1, (nx * ny) | 1


@part
def line_of(level, iy, iz):
    """Number of a line of cells along x."""
    return (((iz & _INDEX) << _BITS) | (iy & _INDEX)) * SIZE_LEVELS + level


@part
def bucket_of(work, level, ix, iy, iz):
    """Place of a cell in the hash table; neighbours along x are neighbours in it.

    Cells are numbered line by line, as in a dense grid, and modulo the size of the table: where shapes are close
    together no two cells have one place.
    """
    at = ix + work.stride[level, 0] * (iy & _INDEX) + work.stride[level, 1] * (iz & _INDEX)
    return (at + 83492791 * level) & (work.start.shape[0] - 2)


@part
def fill_cells(box, work):
    """Each shape into the cell that holds the middle of its box."""
    for s in range(box.shape[0]):
        level = work.level[s]
        work.bucket[s] = -1
        if level >= 0:
            per = 1.0 / work.width[level]  # cells are half as wide, and the middle is half of the sum
            for k in range(3):
                work.cell[s, k] = cell_at(per * (box[s, k] + box[s, 3 + k]))
            ix, iy, iz = work.cell[s, 0], work.cell[s, 1], work.cell[s, 2]
            work.bucket[s] = bucket_of(work, level, ix, iy, iz)
    count_sort(work.bucket, box.shape[0], work.start, work.order)
    for k in range(work.start[work.start.shape[0] - 1]):
        s = work.order[k]
        work.rank[s], work.line[k] = k, line_of(work.level[s], work.cell[s, 1], work.cell[s, 2])
        for q in range(6):
            work.box[k, q] = box[s, q]


@part
def overlap(a, b):
    """Whether two boxes (6,) overlap; never if a number in them is not one."""
    # all six at once: most boxes that are compared are near, and a branch for each would be guessed wrongly
    x, y, z = (a[0] <= b[3]) & (b[0] <= a[3]), (a[1] <= b[4]) & (b[1] <= a[4]), (a[2] <= b[5]) & (b[2] <= a[5])
    return x & y & z


@part
def overlapping(mine, work, line, low, high, count):
    """Add those of a line of cells whose boxes overlap one (6,), out of `low` to `high` in the order of cells, to
    `work.near`; returns the number of all in it. No branch depends on a box: it would be guessed wrongly.
    """
    for k in range(low, high):
        work.near[count] = work.order[k]
        count += int((work.line[k] == line) & overlap(mine, work.box[k]))
    return count


@part
def find_near(box, work, s, level):
    """Shapes of a level, its own or a coarser one, whose boxes overlap that of a shape, into `work.near`; returns how
    many. Two of one level are found once: each looks only at cells from its own one on.
    """
    per, mine, buckets, count = 2.0 / work.width[level], box[s], work.start.shape[0] - 1, 0
    # the middle of what overlaps is at most half a width, one cell, away from the box
    x0, x1 = cell_at(mine[0] * per) - 1, cell_at(mine[3] * per) + 1
    y0, y1 = cell_at(mine[1] * per) - 1, cell_at(mine[4] * per) + 1
    z0, z1 = cell_at(mine[2] * per) - 1, cell_at(mine[5] * per) + 1
    own, cx, cy, cz = work.level[s] == level, work.cell[s, 0], work.cell[s, 1], work.cell[s, 2]
    z0 = cz if own else z0
    # without a limit a number that is not one would mean all cells
    for iz in range(z0, min(z1, z0 + 5) + 1):
        first_y = cy if own and iz == cz else y0
        for iy in range(first_y, min(y1, first_y + 5) + 1):
            from_here = own and iz == cz and iy == cy
            first_x = cx if from_here else x0
            line, at = line_of(level, iy, iz), bucket_of(work, level, first_x, iy, iz)
            end = at + min(x1, first_x + 5) - first_x + 1
            low = work.rank[s] + 1 if from_here else work.start[at]
            count = overlapping(mine, work, line, low, work.start[min(end, buckets)], count)
            if end > buckets:  # the table goes on at its beginning
                count = overlapping(mine, work, line, 0, work.start[end - buckets], count)
    return count
