"""Neighbour lists: cells, particles sorted by them, lists of neighbours and of walls.

Lists hold all pairs closer than the skin, and stay good until a particle has moved by half of it. Cells lie in blocks
of 8 x 8 x 8, so that particles near in space are near in memory; within a cell particles are sorted by id, so the
order is a function of the positions alone.
"""

import math

from gori.kernels.jit import part
from gori.kernels.particles import columns as c
from gori.kernels.particles.arrays import ACROSS, CLASSES, MIDDLE, SMALL
from gori.kernels.particles.geometry import in_frame
from gori.kernels.particles.history import keep_contacts, keep_walls, recall
from gori.kernels.particles.team import barrier, chunks_of, rows_of, share
from gori.kernels.particles.walls import bin_range, within


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
def cell_of(g, x, y, z):
    """Cell of a point in x, y, z: as wide as the largest particles reach, with the skin."""
    per_cell = 1.0 / (2.0 * g.settings[0].radius + g.settings[0].skin)
    return int(math.floor(x * per_cell)), int(math.floor(y * per_cell)), int(math.floor(z * per_cell))  # noqa: RUF046


@part
def inside_domain(g, x, y, z):
    """Whether a point, in the frame of the particles' home, is inside the domain."""
    low, high = g.settings[0].low, g.settings[0].high
    inside = low[0] <= x and x <= high[0] and low[1] <= y and y <= high[1]
    return inside and low[2] <= z and z <= high[2]


@part
def lost(g, x, pose, first, last):
    """A particle outside the domain, -1 for none."""
    home = g.settings[0].home
    for i in range(first, last):
        px, py, pz = x[i, c.X], x[i, c.Y], x[i, c.Z]
        if home >= 0:
            px, py, pz = in_frame(pose, home, px, py, pz)
        if not inside_domain(g, px, py, pz):
            return i
    return -1


@part
def cells_of(g, x, first, last):
    for i in range(first, last):
        ix, iy, iz = cell_of(g, x[i, c.X], x[i, c.Y], x[i, c.Z])
        g.cell[i] = cell_rank(g.grid_i, ix, iy, iz)


@part
def sort_particles(g):
    """order: rows of before, by cell and id; cell_start: first row of each cell. By one worker."""
    n, cells = g.settings[0].count, g.grid_i[c.GRID_X] * g.grid_i[c.GRID_Y] * g.grid_i[c.GRID_Z]
    ids, start, order = g.id[g.progress[0].ids], g.cell_start, g.order
    for k in range(cells + 1):
        start[k] = 0
    for i in range(n):
        start[g.cell[i] + 1] += 1
    for k in range(cells):
        start[k + 1] += start[k]
    for i in range(n):
        k = g.cell[i]
        order[start[k]] = i
        start[k] += 1
    for k in range(cells, 0, -1):
        start[k] = start[k - 1]
    start[0] = 0
    for k in range(cells):
        for a in range(start[k] + 1, start[k + 1]):
            row, b = order[a], a - 1
            while b >= start[k] and ids[order[b]] > ids[row]:
                order[b + 1] = order[b]
                b -= 1
            order[b + 1] = row


@part
def move_rows(g, first, last):
    """Particles in their new order, into the other buffer."""
    now, named = g.progress[0].now, g.progress[0].ids
    x, v, ids = g.sphere[now], g.motion[now], g.id[named]
    y, u, new_ids = g.sphere[1 - now], g.motion[1 - now], g.id[1 - named]
    for i in range(first, last):
        o = g.order[i]
        for q in range(4):
            y[i, q] = x[o, q]
        for q in range(8):
            u[i, q] = v[o, q]
        new_ids[i] = ids[o]
        for q in range(3):
            g.listed_position[i, q] = y[i, q]
        if g.settings[0].uniform == 0:
            m, r = u[i, c.MASS], y[i, c.R]
            g.inverse_mass[i, 0], g.inverse_mass[i, 1] = 1.0 / m, 1.0 / (0.4 * m * r * r)


@part
def find_pairs(g, chunk, found):
    """All pairs of a chunk with their classes into `found`. Returns their number, -1 if there is no space for them."""
    x, skin = g.sphere[g.progress[0].now], g.settings[0].skin
    first, last = rows_of(g, chunk)
    full, at = found.shape[0] - 8 * CLASSES, 0
    for i in range(first, last):
        xi, yi, zi, ri = x[i, c.X], x[i, c.Y], x[i, c.Z], x[i, c.R]
        ix, iy, iz = cell_of(g, xi, yi, zi)
        for cz in range(iz - 1, iz + 2):
            for cy in range(iy - 1, iy + 2):
                for cx in range(ix - 1, ix + 2):
                    k = cell_rank(g.grid_i, cx, cy, cz)
                    start, stop = g.cell_start[k], g.cell_start[k + 1]
                    if start >= first:  # of a pair within the chunk the first particle owns the slot
                        start = max(start, i + 1)
                    for j in range(start, stop):
                        dx, dy, dz, reach = x[j, c.X] - xi, x[j, c.Y] - yi, x[j, c.Z] - zi, ri + x[j, c.R]
                        square = dx * dx + dy * dy + dz * dz
                        if square < (reach + skin) * (reach + skin) and (j > i or j < first):
                            if at >= full:
                                return -1
                            gap = math.sqrt(square) - reach
                            found[at, 0], found[at, 1] = i, j
                            found[at, 2] = (
                                0 if gap <= 0.0 else 1 if gap < SMALL * skin else 2 if gap < MIDDLE * skin else 3
                            )
                            if j < first or j >= last:
                                found[at, 2] += ACROSS
                            at += 1
    return at


@part
def fill_slot(g, x, v, s, i, j):
    """What a slot says of its pair, without a history."""
    g.owner[s], g.other[s] = i, j
    row = int(v[i, c.MATERIAL]) * g.settings[0].materials + int(v[j, c.MATERIAL])
    g.kind[s] = row
    lane, at = s & 7, 0 if g.settings[0].uniform else (s >> 3) * c.N_CONSTANTS
    if lane == 0:
        g.touching[s >> 3] = 0
    columns = g.kept_history.shape[1]
    for q in range(columns):
        g.history[(s >> 3) * columns + q, lane] = 0.0
    if g.settings[0].uniform == 0:
        ri, rj, mi, mj = x[i, c.R], x[j, c.R], v[i, c.MASS], v[j, c.MASS]
        g.pair_constants[at + c.REACHED, lane] = ri + rj
        g.pair_constants[at + c.REDUCED_RADIUS, lane] = ri * rj / (ri + rj)
        g.pair_constants[at + c.REDUCED_MASS, lane] = mi * mj / (mi + mj)
        g.pair_constants[at + c.CLOSE, lane] = ri + rj - g.pair_f[0, c.DEEP] * min(ri, rj)


@part
def find_neighbours(g, chunk, worker):
    """Slots of a chunk, with the history of what touched before. Returns a result code."""
    now, found = g.progress[0].now, g.found[worker]
    x, v, begin, end = g.sphere[now], g.motion[now], g.class_begin[chunk], g.class_end[chunk]
    count = find_pairs(g, chunk, found)
    if count < 0:
        return c.LIST_FULL
    for k in range(CLASSES):
        end[k] = 0
    for t in range(count):
        end[found[t, 2]] += 1
    at = chunk * (g.owner.shape[0] // chunks_of(g))
    for k in range(CLASSES):
        size = end[k]
        begin[k] = end[k] = at
        at += (size + 7) & ~7
    for t in range(count):
        i, j, k = found[t, 0], found[t, 1], found[t, 2]
        s = end[k]
        fill_slot(g, x, v, s, i, j)
        if k % ACROSS < 2:  # what is farther is not in contact
            recall(g, s, i, j)
        end[k] = s + 1
    for k in range(CLASSES):
        s = end[k]
        while s & 7 != 0:
            fill_slot(g, x, v, s, g.owner[s - 1], g.other[s - 1])
            s += 1
    return c.OK


@part
def add_wall(g, pose, k, i, o, at, full, px, py, pz, reach):
    """A slot for primitive k if it is near; returns the next free slot, past `full` if there is none."""
    lx, ly, lz = in_frame(pose, g.wall_i[k, c.BODY], px, py, pz)
    if not within(g.wall_i, g.wall_f, g.rim_i, g.rim_f, k, lx, ly, lz, reach):
        return at
    if at < full:
        g.wall_owner[at], g.wall[at] = i, k
        g.wall_touching[at] = 0
        for q in range(6):
            g.wall_wrench[at, q] = 0.0
        for q in range(g.wall_history.shape[1]):
            g.wall_history[at, q] = 0.0
        for t in range(g.kept_wall_begin[o], g.kept_wall_end[o]):
            if g.kept_wall[t] == k:
                g.wall_touching[at] = 1
                for q in range(g.wall_history.shape[1]):
                    g.wall_history[at, q] = g.kept_wall_history[t, q]
    return at + 1


@part
def find_walls(g, pose, chunk):
    """Walls near the particles of a chunk. Returns a result code."""
    x = g.sphere[g.progress[0].now]
    first, last = rows_of(g, chunk)
    space = g.wall.shape[0] // chunks_of(g)
    at, full = chunk * space, (chunk + 1) * space
    for i in range(first, last):
        px, py, pz, o = x[i, c.X], x[i, c.Y], x[i, c.Z], g.order[i]
        reach = x[i, c.R] + g.settings[0].skin
        g.wall_begin[i] = at
        for b in range(g.settings[0].bodies):
            start = g.bin_i[b, c.FIRST_ALWAYS]
            for t in range(start, start + g.bin_i[b, c.ALWAYS]):
                at = add_wall(g, pose, g.always[t], i, o, at, full, px, py, pz, reach)
            if g.bin_i[b, c.NX] > 0:
                lx, ly, lz = in_frame(pose, b, px, py, pz)
                start, stop = bin_range(g.bin_i, g.bin_f, g.bin_start, b, lx, ly, lz)
                for t in range(start, stop):
                    at = add_wall(g, pose, g.bin_wall[t], i, o, at, full, px, py, pz, reach)
        if at > full:
            return c.WALL_FULL
        g.wall_end[i] = at
    return c.OK


@part
def gather_wrenches(g):
    """Wrenches on the walls, added up by their holders in the order of the slots. By one worker."""
    for i in range(g.settings[0].count):
        for s in range(g.wall_begin[i], g.wall_end[i]):
            b = g.holder[g.wall[s]]
            for q in range(6):
                g.wrench[b, q] += g.wall_wrench[s, q]
                g.primitive_wrench[g.wall[s], q] += g.wall_wrench[s, q]
                g.wall_wrench[s, q] = 0.0


@part
def worst(g, parity, workers):
    """The first result code of any worker."""
    for w in range(workers):
        if g.reports[parity, w].code != c.OK:
            return g.reports[parity, w].code
    return c.OK


@part
def make_lists(g, pose, worker, workers, barriers):
    """Rebuild all lists; called by all workers together. Returns a result code and the number of the next barriers.

    Nothing is lost when a list is full: particles and `kept` stand, and the call can be repeated with more space, with
    FRESH at -1 (contacts are kept already).
    """
    n = g.settings[0].count
    a, z = share(chunks_of(g), worker, workers)
    first, last = a * g.settings[0].rows, min(n, z * g.settings[0].rows)
    mine = g.reports[0, worker]
    mine.code = c.OK
    now = g.progress[0].now
    if g.progress[0].fresh >= 0:
        if worker == 0:
            gather_wrenches(g)
        for chunk in range(a, z):
            code = keep_contacts(g, chunk)
            if code != c.OK:
                mine.code = code
            keep_walls(g, chunk)
        row = lost(g, g.sphere[now], pose, first, last)
        if row >= 0:
            mine.code, mine.culprit = c.LOST, g.id[g.progress[0].ids, row]
        cells_of(g, g.sphere[now], first, last)
        barriers = barrier(g.counters, barriers, workers)
        code = worst(g, 0, workers)
        if code != c.OK:
            return code, barrier(g.counters, barriers, workers)
        if worker == 0:
            sort_particles(g)
        barriers = barrier(g.counters, barriers, workers)
        move_rows(g, first, last)
        barriers = barrier(g.counters, barriers, workers)
        if worker == 0:
            g.progress[0].now = 1 - now
            g.progress[0].ids = 1 - g.progress[0].ids
            g.progress[0].fresh = -1
            for b in range(g.settings[0].bodies):
                for q in range(c.N_POSE):
                    g.listed_pose[b, q] = pose[b, q]
        barriers = barrier(g.counters, barriers, workers)
    for chunk in range(a, z):
        code = find_neighbours(g, chunk, worker)
        if code == c.OK:
            code = find_walls(g, pose, chunk)
        if code != c.OK:
            mine.code = code
    barriers = barrier(g.counters, barriers, workers)
    code = worst(g, 0, workers)
    if worker == 0 and code == c.OK:
        g.progress[0].fresh, g.progress[0].level = 1, 0
        g.progress[0].rebuilds += 1
    return code, barrier(g.counters, barriers, workers)
