"""Neighbour lists: particles sorted by cells, lists of neighbours and of walls.

Lists hold all pairs closer than the skin, and stay good until a particle has moved by half of it.
"""

import math

from gori.kernels.jit import part
from gori.kernels.particles import columns as c
from gori.kernels.particles.arrays import ACROSS, CLASSES, MIDDLE, SMALL
from gori.kernels.particles.cells import (
    cell_of,
    cell_rank,
    cells_along,
    cells_of,
    cells_per_metre,
    count_sort,
    level_of_size,
    lost,
    sort_particles,
)
from gori.kernels.particles.geometry import in_frame
from gori.kernels.particles.history import keep_contacts, keep_walls, recall
from gori.kernels.particles.skin import WALL
from gori.kernels.particles.team import barrier, chunk_rows, chunks_of, rows_of, share
from gori.kernels.particles.walls import bin_range, within


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
        if g.settings[0].levels > 1:
            level = level_of_size(g, y[i, c.R])
            g.cell[i] = g.bucket_first[level] + cell_of(g, level, y[i, c.X], y[i, c.Y], y[i, c.Z])


@part
def pair_space(g):
    """Slots of a chunk."""
    return g.owner.shape[0] // chunks_of(g) & ~7


@part
def class_of(gap, skin):
    """Class of a gap within a chunk."""
    return 0 if gap <= 0.0 else 1 if gap < SMALL * skin else 2 if gap < MIDDLE * skin else 3


@part
def put_pair(x, skin, found, at, full, i, j, first, last):
    """Particles i and j into `found`, if they are near and the pair is the chunk's; returns the next free row, past
    `full` if there is none.
    """
    dx, dy, dz = x[j, c.X] - x[i, c.X], x[j, c.Y] - x[i, c.Y], x[j, c.Z] - x[i, c.Z]
    reach = x[i, c.R] + x[j, c.R]
    square = dx * dx + dy * dy + dz * dz
    # of a pair within the chunk the first particle owns the slot
    if square < (reach + skin) * (reach + skin) and (j > i or j < first):
        if at < full:
            kind = class_of(math.sqrt(square) - reach, skin)
            found[at, 0], found[at, 1] = i, j
            found[at, 2] = kind + ACROSS if j < first or j >= last else kind
        at += 1
    return at


@part
def pairs_of(g, x, level, i, first, last, found, at, full):
    """All pairs of particle i with those of a level of sizes into `found`; returns as `put_pair`."""
    skin, grid, several = g.skin[0], g.grid_i[level], g.settings[0].levels > 1
    per, far = cells_per_metre(g, level), x[i, c.R] + g.level_radius[level] + skin
    ix, nx = cells_along(x[i, c.X], far, per, grid[c.GRID_X])
    iy, ny = cells_along(x[i, c.Y], far, per, grid[c.GRID_Y])
    iz, nz = cells_along(x[i, c.Z], far, per, grid[c.GRID_Z])
    for cz in range(iz, iz + nz):
        for cy in range(iy, iy + ny):
            for cx in range(ix, ix + nx):
                k = cell_rank(grid, cx, cy, cz)
                if several:
                    k += g.bucket_first[level]
                    for t in range(g.bucket_start[k], g.bucket_start[k + 1]):
                        at = put_pair(x, skin, found, at, full, i, g.bucket[t], first, last)
                else:
                    start, stop = g.cell_start[k], g.cell_start[k + 1]
                    if start >= first:
                        start = max(start, i + 1)
                    for j in range(start, stop):
                        at = put_pair(x, skin, found, at, full, i, j, first, last)
    return at


@part
def find_pairs(g, chunk, found):
    """All pairs of a chunk with their classes into `found`. Returns their number, -1 if there is no space for them."""
    x = g.sphere[g.progress[0].now]
    first, last = rows_of(g, chunk)
    full, at = min(found.shape[0], pair_space(g)) - 8 * CLASSES, 0
    for i in range(first, last):
        for level in range(g.settings[0].levels):
            at = pairs_of(g, x, level, i, first, last, found, at, full)
        if at > full:
            return -1
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
    at = chunk * pair_space(g)
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
        reach = x[i, c.R] + g.skin[0]
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
def count_far(g, pose, chunk):
    """Pairs of a chunk in the farther half of the skin, and WALL times the walls there."""
    x, found = g.sphere[g.progress[0].now], 0
    for k in (ACROSS - 1, CLASSES - 1):
        found += g.class_end[chunk, k] - g.class_begin[chunk, k]
    first, last = rows_of(g, chunk)
    for i in range(first, last):
        reach = x[i, c.R] + 0.5 * g.skin[0]
        for s in range(g.wall_begin[i], g.wall_end[i]):
            k = g.wall[s]
            lx, ly, lz = in_frame(pose, g.wall_i[k, c.BODY], x[i, c.X], x[i, c.Y], x[i, c.Z])
            if not within(g.wall_i, g.wall_f, g.rim_i, g.rim_f, k, lx, ly, lz, reach):
                found += WALL
    return found


@part
def gather_wrenches(g):
    """Wrenches on the walls, added up by their holders in the order of the slots. By one worker."""
    for i in range(g.progress[0].count):
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
def far_of_each(g, workers):
    """What all workers have counted in the farther half of the skin, of a particle."""
    found = 0
    for w in range(workers):
        found += g.reports[0, w].far
    return found / max(1, g.progress[0].count)


@part
def join_added(g, pose, drains, x):
    """What came since the lists were made has no contacts yet; its cells. By one worker. Returns one that is lost."""
    first = g.progress[0].count
    last = first + g.progress[0].added
    for i in range(first, last):
        g.kept_begin[i] = g.kept_end[i] = g.kept_wall_begin[i] = g.kept_wall_end[i] = 0
    cells_of(g, x, pose, drains, first, last)
    return lost(g, x, pose, first, last)


@part
def make_lists(g, pose, worker, workers, barriers, drains):
    """Rebuild all lists; called by all workers together. Returns a result code and the number of the next barriers.

    Particles that were added join them, and with `drains` those in outlets are left out. Nothing is lost when a list is
    full: particles and `kept` stand, and the call can be repeated with more space, with FRESH at -1 (contacts are kept
    already).
    """
    a, z = share(chunks_of(g), worker, workers)
    progress, mine = g.progress[0], g.reports[0, worker]
    mine.code = c.OK
    now = progress.now
    if progress.fresh >= 0:
        first, last = a * progress.rows, min(progress.count, z * progress.rows)
        if worker == 0:
            gather_wrenches(g)
        for chunk in range(a, z):
            code = keep_contacts(g, chunk)
            if code != c.OK:
                mine.code = code
            keep_walls(g, chunk)
        cells_of(g, g.sphere[now], pose, drains, first, last)
        row = lost(g, g.sphere[now], pose, first, last)
        if worker == 0 and progress.added > 0:
            row = max(row, join_added(g, pose, drains, g.sphere[now]))
        if row >= 0:
            mine.code, mine.culprit = c.LOST, g.id[progress.ids, row]
        barriers = barrier(g.counters, barriers, workers)
        code = worst(g, 0, workers)
        if code != c.OK:
            return code, barrier(g.counters, barriers, workers)
        if worker == 0:
            sort_particles(g, progress.count + progress.added)
            progress.count, progress.added = g.cell_start[g.cell_start.shape[0] - 1], 0
            progress.rows = chunk_rows(progress.count)
        barriers = barrier(g.counters, barriers, workers)
        a, z = share(chunks_of(g), worker, workers)
        move_rows(g, a * progress.rows, min(progress.count, z * progress.rows))
        barriers = barrier(g.counters, barriers, workers)
        if worker == 0:
            if g.settings[0].levels > 1:
                count_sort(g.cell, progress.count, g.bucket_start, g.bucket)
            progress.now, progress.ids, progress.fresh = 1 - now, 1 - progress.ids, -1
            for b in range(g.settings[0].bodies):
                for q in range(c.N_POSE):
                    g.listed_pose[b, q] = pose[b, q]
        barriers = barrier(g.counters, barriers, workers)
    mine.far = 0
    for chunk in range(a, z):
        code = find_neighbours(g, chunk, worker)
        if code == c.OK:
            code = find_walls(g, pose, chunk)
        if code != c.OK:
            mine.code = code
        elif g.settings[0].follow != 0.0:
            mine.far += count_far(g, pose, chunk)
    barriers = barrier(g.counters, barriers, workers)
    code = worst(g, 0, workers)
    if worker == 0 and code == c.OK:
        progress.fresh, progress.level, progress.since = 1, 0, 0
        progress.rebuilds += 1
        g.skin[2] = far_of_each(g, workers)
    return code, barrier(g.counters, barriers, workers)
