"""Cells: which one a point is in, particles sorted by them, and what is not there any more.

Cells lie in blocks of 8 x 8 x 8, so that particles near in space are near in memory; within a cell particles are sorted
by id, so the order is a function of the positions alone. The grid is periodic: no position is outside.

Particles of very different sizes stand in several grids, one for each level of sizes, with cells as wide as the largest
of them reach: a large one among many small ones makes no cell larger. Each looks for its neighbours in all grids, in as
many cells as it and the largest of a level reach. Rows are sorted by the cells of the last level, the finest.
"""

import math

from gori.kernels.jit import part
from gori.kernels.particles import columns as c
from gori.kernels.particles.geometry import in_frame


@part
def cell_rank(grid_i, ix, iy, iz):
    """Number of a cell: blocks in rows, then cells in the block. The grid is periodic, so any position has a
    cell.
    """
    ix, iy, iz = ix & (grid_i[c.GRID_X] - 1), iy & (grid_i[c.GRID_Y] - 1), iz & (grid_i[c.GRID_Z] - 1)
    bx, by = grid_i[c.GRID_X] >> 3, grid_i[c.GRID_Y] >> 3
    at = ((iz >> 3) * by + (iy >> 3)) * bx + (ix >> 3)
    return (at << 9) | ((iz & 7) << 6) | ((iy & 7) << 3) | (ix & 7)


@part
def level_of_size(g, r):
    """The level of a radius."""
    level = 0
    for k in range(1, g.settings[0].levels):
        if r <= g.level_radius[k]:
            level = k
    return level


@part
def cells_per_metre(g, level):
    """One over the width of the cells of a level: as wide as its largest particles reach, with the skin."""
    return 1.0 / (2.0 * g.level_radius[level] + g.skin[0])


@part
def cell_at(x):
    """Number of a cell along one axis."""
    return int(math.floor(x))  # noqa: RUF046


@part
def cell_of(g, level, x, y, z):
    """Number of the cell of a level at a point."""
    per = cells_per_metre(g, level)
    return cell_rank(g.grid_i[level], cell_at(x * per), cell_at(y * per), cell_at(z * per))


@part
def cells_along(x, reach, per, most):
    """First cell within reach of a coordinate, and how many there are; no more than the grid has until it repeats."""
    first = cell_at((x - reach) * per)
    return first, min(cell_at((x + reach) * per) - first + 1, most)


@part
def taken_out(g, pose, x, y, z):
    """Whether a point is in an outlet."""
    for k in range(g.settings[0].outlets):
        lx, ly, lz = in_frame(pose, g.outlet_i[k], x, y, z)
        f = g.outlet_f[k]
        lx, ly, lz = lx - f[9], ly - f[10], lz - f[11]
        a, b, d = (
            f[0] * lx + f[3] * ly + f[6] * lz,
            f[1] * lx + f[4] * ly + f[7] * lz,
            f[2] * lx + f[5] * ly + f[8] * lz,
        )
        if f[12] <= a and a <= f[15] and f[13] <= b and b <= f[16] and f[14] <= d and d <= f[17]:
            return True
    return False


@part
def inside_domain(g, x, y, z):
    """Whether a point, in the frame of the particles' home, is inside the domain."""
    low, high = g.settings[0].low, g.settings[0].high
    inside = low[0] <= x and x <= high[0] and low[1] <= y and y <= high[1]
    return inside and low[2] <= z and z <= high[2]


@part
def lost(g, x, pose, first, last):
    """A particle outside the domain that was not taken out, -1 for none."""
    home = g.settings[0].home
    for i in range(first, last):
        if g.cell[i] < 0:
            continue
        px, py, pz = x[i, c.X], x[i, c.Y], x[i, c.Z]
        if home >= 0:
            px, py, pz = in_frame(pose, home, px, py, pz)
        if not inside_domain(g, px, py, pz):
            return i
    return -1


@part
def cells_of(g, x, pose, drains, first, last):
    """Cells of particles; drains: outlets take out what they find."""
    finest = g.settings[0].levels - 1
    for i in range(first, last):
        px, py, pz = x[i, c.X], x[i, c.Y], x[i, c.Z]
        g.cell[i] = cell_of(g, finest, px, py, pz)
        if drains and taken_out(g, pose, px, py, pz):
            g.cell[i] = -1


@part
def count_sort(cell, count, start, order):
    """Numbers 0 to count - 1 by their cells, those without a cell left out: `start` has the first of each cell."""
    cells = start.shape[0] - 1
    for k in range(cells + 1):
        start[k] = 0
    for i in range(count):
        if cell[i] >= 0:
            start[cell[i] + 1] += 1
    for k in range(cells):
        start[k + 1] += start[k]
    for i in range(count):
        k = cell[i]
        if k >= 0:
            order[start[k]] = i
            start[k] += 1
    for k in range(cells, 0, -1):
        start[k] = start[k - 1]
    start[0] = 0


@part
def sort_particles(g, count):
    """order: rows of before, by cell and id; cell_start: first row of each cell. By one worker."""
    ids, start, order = g.id[g.progress[0].ids], g.cell_start, g.order
    count_sort(g.cell, count, start, order)
    for k in range(start.shape[0] - 1):
        for a in range(start[k] + 1, start[k + 1]):
            row, b = order[a], a - 1
            while b >= start[k] and ids[order[b]] > ids[row]:
                order[b + 1] = order[b]
                b -= 1
            order[b + 1] = row
