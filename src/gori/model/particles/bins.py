"""Which facets a sphere may touch: a grid of cells in the frame of each body that carries many."""

from typing import NamedTuple

import numpy as np

from gori.kernels.particles import columns as t

FEW_FACETS = 32
"""as many facets are tested faster than a cell is found"""
MOST_CELLS, MOST_ENTRIES = 4_000_000, 8_000_000


class Bins(NamedTuple):
    """The grids of all bodies, as `columns.py` describes them."""

    bin_i: np.ndarray
    bin_f: np.ndarray
    bin_start: np.ndarray
    bin_wall: np.ndarray
    always: np.ndarray


def make_bins(wall_i: np.ndarray, corners: np.ndarray, reach: float, bodies: int) -> Bins:
    """Facets of each body by cell, grown by the reach [m] of a sphere's centre; what else there is, in `always`.

    corners   (n, 4, 3) of the facets, a triangle's last one twice; of other primitives not used
    """
    bin_i = np.zeros((bodies, t.N_BIN_I), np.int32)
    bin_f = np.zeros((bodies, t.N_BIN_F))
    bin_f[:, t.CELL] = 1.0
    counts, walls, always = [np.zeros(0, int)], [np.zeros(0, int)], []
    cells = 0
    for b in range(bodies):
        mine = wall_i[:, t.BODY] == b
        facets = np.flatnonzero(mine & (wall_i[:, t.KIND] >= t.RECT))
        if len(facets) < FEW_FACETS:
            facets = facets[:0]
        mine[facets] = False
        rest = np.flatnonzero(mine)
        bin_i[b, t.FIRST_CELL], bin_i[b, t.FIRST_ALWAYS], bin_i[b, t.ALWAYS] = cells, len(always), len(rest)
        always += rest.tolist()
        if len(facets) == 0:
            continue
        origin, cell, shape, of_cell, of_facet = _grid(corners[facets], reach)
        bin_i[b, t.NX : t.NZ + 1] = shape
        bin_f[b, t.X0 : t.Z0 + 1], bin_f[b, t.CELL] = origin, cell
        counts.append(np.bincount(of_cell, minlength=int(np.prod(shape))))
        walls.append(facets[of_facet])
        cells += len(counts[-1])
    start = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    return Bins(
        bin_i, bin_f, start.astype(np.int32), np.concatenate(walls).astype(np.int32), np.array(always, np.int32)
    )


def _grid(corners: np.ndarray, reach: float) -> tuple[np.ndarray, float, np.ndarray, np.ndarray, np.ndarray]:
    """Origin, size of a cell, cells along x y z, and pairs of a cell and a facet, by cell and then by facet."""
    low, high = corners.min(axis=1) - reach, corners.max(axis=1) + reach
    origin, end = low.min(axis=0), high.max(axis=0)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, -1] - corners[:, 0])
    area = np.linalg.norm(normal, axis=1)
    normal /= area[:, None]

    # cells half as large as a usual facet; larger ones where that makes too many
    cell = max(reach, 0.5 * float(np.sqrt(np.median(area))))
    while True:
        shape = np.floor((end - origin) / cell).astype(int) + 1
        first = np.floor((low - origin) / cell).astype(int)
        spans = np.floor((high - origin) / cell).astype(int) - first + 1
        count = spans.prod(axis=1)
        if np.prod(shape.astype(float)) <= MOST_CELLS and count.sum() <= MOST_ENTRIES:
            break
        cell *= 1.25

    facet = np.repeat(np.arange(len(corners)), count)
    k = np.arange(len(facet)) - np.repeat(np.cumsum(count) - count, count)
    x, k = k % spans[facet, 0], k // spans[facet, 0]
    place = first[facet] + np.stack([x, k % spans[facet, 1], k // spans[facet, 1]], axis=1)

    # of a slanting facet's box, the cells that its plane passes
    middle = origin + (place + 0.5) * cell
    off = np.abs(np.einsum("ni,ni->n", middle - corners[facet, 0], normal[facet]))
    near = off <= 0.5 * cell * np.abs(normal[facet]).sum(axis=1) + reach * (1.0 + 1e-9)
    facet, place = facet[near], place[near]
    index = (place[:, 2] * shape[1] + place[:, 1]) * shape[0] + place[:, 0]
    order = np.lexsort((facet, index))
    return origin, cell, shape, index[order], facet[order]
