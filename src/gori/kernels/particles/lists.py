"""Who may touch whom: cells, grains sorted by them, lists of neighbours and of walls, history carried over.

Lists hold all pairs closer than the skin, and stay good until a grain has moved by half of it. Cells lie in blocks of
8 x 8 x 8, so that grains near in space are near in memory; within a cell grains stand by their ident, so the order is a
function of the places alone.
"""

import math

from gori.kernels.jit import part
from gori.kernels.particles import grains as gr
from gori.kernels.particles import tables as c
from gori.kernels.particles.team import meet, share
from gori.kernels.particles.wall_contacts import seen_from
from gori.kernels.particles.walls import bin_range, within


@part
def cell_rank(grid_i, ix, iy, iz):
    """Number of a cell: blocks in rows, then cells in the block. The grid repeats for ever, so any place has a cell."""
    ix, iy, iz = ix & (grid_i[gr.G_NX] - 1), iy & (grid_i[gr.G_NY] - 1), iz & (grid_i[gr.G_NZ] - 1)
    bx, by = grid_i[gr.G_NX] >> 3, grid_i[gr.G_NY] >> 3
    at = ((iz >> 3) * by + (iy >> 3)) * bx + (ix >> 3)
    return (at << 9) | ((iz & 7) << 6) | ((iy & 7) << 3) | (ix & 7)


@part
def chunks_of(g):
    return (g.run_i[gr.COUNT] + g.run_i[gr.ROWS] - 1) // g.run_i[gr.ROWS]


@part
def rows_of(g, chunk):
    """First grain of a chunk and the one after its last."""
    return chunk * g.run_i[gr.ROWS], min(g.run_i[gr.COUNT], (chunk + 1) * g.run_i[gr.ROWS])


@part
def touches(g, s):
    """Whether the pair of slot s touches."""
    return (g.touching[s >> 3] >> (s & 7)) & 1


@part
def keep(g, i, j, s, sign):
    """The history of slot s, as one of grain i, into `kept`."""
    a, columns = g.kept_end[i], g.kept_history.shape[1]
    g.kept[a] = j
    for q in range(columns):
        g.kept_history[a, q] = sign * g.history[(s >> 3) * columns + q, s & 7]
    g.kept_end[i] = a + 1


@part
def keep_contacts(g, chunk):
    """The touching contacts of a chunk, seen from both grains, into `kept`. Returns a result code."""
    first, last = rows_of(g, chunk)
    room = g.kept.shape[0] // chunks_of(g)
    for i in range(first, last):
        g.kept_end[i] = 0
    for k in range(gr.CLASSES):
        for s in range(g.class_begin[chunk, k], g.class_end[chunk, k]):
            if touches(g, s):
                g.kept_end[g.owner[s]] += 1
                if k < gr.ACROSS:
                    g.kept_end[g.other[s]] += 1
    at = chunk * room
    for i in range(first, last):
        size = g.kept_end[i]
        g.kept_begin[i] = g.kept_end[i] = at
        at += size
    if at > (chunk + 1) * room:
        return gr.TOUCH_FULL
    for k in range(gr.CLASSES):
        for s in range(g.class_begin[chunk, k], g.class_end[chunk, k]):
            if touches(g, s):
                i, j = g.owner[s], g.other[s]
                keep(g, i, j, s, 1.0)
                if k < gr.ACROSS:
                    keep(g, j, i, s, -1.0)
    return gr.OK


@part
def keep_walls(g, chunk):
    """The touching contacts of a chunk with walls into `kept_wall`; what pushed walls goes to their bodies later."""
    first, last = rows_of(g, chunk)
    at = g.wall_begin[first]
    for i in range(first, last):
        g.kept_wall_begin[i] = at
        for s in range(g.wall_begin[i], g.wall_end[i]):
            if g.wall_touching[s] != 0:
                g.kept_wall[at] = g.wall[s]
                for q in range(g.wall_history.shape[1]):
                    g.kept_wall_history[at, q] = g.wall_history[s, q]
                at += 1
        g.kept_wall_end[i] = at


@part
def lost(g, x, pose, first, last):
    """A grain outside the domain, -1 for none."""
    home = g.run_i[gr.HOME]
    for i in range(first, last):
        px, py, pz = x[i, c.X], x[i, c.Y], x[i, c.Z]
        if home >= 0:
            px, py, pz = seen_from(pose, home, px, py, pz)
        f = g.run_f
        inside = f[gr.LOW] <= px and px <= f[gr.HIGH] and f[gr.LOW + 1] <= py and py <= f[gr.HIGH + 1]
        if not (inside and f[gr.LOW + 2] <= pz and pz <= f[gr.HIGH + 2]):
            return i
    return -1


@part
def cells_of(g, x, first, last):
    per_cell = 1.0 / (2.0 * g.run_f[gr.REACH] + g.run_f[gr.SKIN])
    for i in range(first, last):
        ix, iy, iz = (
            math.floor(x[i, c.X] * per_cell),
            math.floor(x[i, c.Y] * per_cell),
            math.floor(x[i, c.Z] * per_cell),
        )
        g.cell[i] = cell_rank(g.grid_i, ix, iy, iz)


@part
def sort_grains(g):
    """order: rows of before, by cell and ident; cell_start: first row of each cell. By one worker."""
    n, cells = g.run_i[gr.COUNT], g.grid_i[gr.G_NX] * g.grid_i[gr.G_NY] * g.grid_i[gr.G_NZ]
    ident, start, order = g.ident[g.run_i[gr.NAMES]], g.cell_start, g.order
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
            while b >= start[k] and ident[order[b]] > ident[row]:
                order[b + 1] = order[b]
                b -= 1
            order[b + 1] = row


@part
def move_rows(g, first, last):
    """Grains in their new order, into the other buffer."""
    now, named = g.run_i[gr.NOW], g.run_i[gr.NAMES]
    x, v, ident = g.place[now], g.motion[now], g.ident[named]
    y, u, names = g.place[1 - now], g.motion[1 - now], g.ident[1 - named]
    for i in range(first, last):
        o = g.order[i]
        for q in range(4):
            y[i, q] = x[o, q]
        for q in range(8):
            u[i, q] = v[o, q]
        names[i] = ident[o]
        for q in range(3):
            g.before[i, q] = y[i, q]
        if g.run_i[gr.UNIFORM] == 0:
            m, r = u[i, c.MASS], y[i, c.R]
            g.lightness[i, 0], g.lightness[i, 1] = 1.0 / m, 1.0 / (0.4 * m * r * r)


@part
def find_pairs(g, chunk, found):
    """All pairs of a chunk with their classes into `found`. Returns their number, -1 if there is no room for them."""
    x, skin = g.place[g.run_i[gr.NOW]], g.run_f[gr.SKIN]
    first, last = rows_of(g, chunk)
    per_cell = 1.0 / (2.0 * g.run_f[gr.REACH] + skin)
    full, at = found.shape[0] - 8 * gr.CLASSES, 0
    for i in range(first, last):
        xi, yi, zi, ri = x[i, c.X], x[i, c.Y], x[i, c.Z], x[i, c.R]
        ix, iy, iz = math.floor(xi * per_cell), math.floor(yi * per_cell), math.floor(zi * per_cell)
        for cz in range(iz - 1, iz + 2):
            for cy in range(iy - 1, iy + 2):
                for cx in range(ix - 1, ix + 2):
                    k = cell_rank(g.grid_i, cx, cy, cz)
                    start, stop = g.cell_start[k], g.cell_start[k + 1]
                    if start >= first:  # of a pair within the chunk the first grain owns the slot
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
                                0 if gap <= 0.0 else 1 if gap < gr.SMALL * skin else 2 if gap < gr.MIDDLE * skin else 3
                            )
                            if j < first or j >= last:
                                found[at, 2] += gr.ACROSS
                            at += 1
    return at


@part
def fill_slot(g, x, v, s, i, j):
    """What a slot says of its pair, without a history."""
    g.owner[s], g.other[s] = i, j
    row = int(v[i, c.MATERIAL]) * g.run_i[gr.MATERIALS] + int(v[j, c.MATERIAL])
    g.kind[s] = row
    lane, at = s & 7, 0 if g.run_i[gr.UNIFORM] else (s >> 3) * gr.N_FIXED
    if lane == 0:
        g.touching[s >> 3] = 0
    columns = g.kept_history.shape[1]
    for q in range(columns):
        g.history[(s >> 3) * columns + q, lane] = 0.0
    if g.run_i[gr.UNIFORM] == 0:
        ri, rj, mi, mj = x[i, c.R], x[j, c.R], v[i, c.MASS], v[j, c.MASS]
        g.fixed[at + gr.REACHED, lane] = ri + rj
        g.fixed[at + gr.REDUCED_RADIUS, lane] = ri * rj / (ri + rj)
        g.fixed[at + gr.REDUCED_MASS, lane] = mi * mj / (mi + mj)
        g.fixed[at + gr.CLOSE, lane] = ri + rj - g.pair_f[0, c.DEEP] * min(ri, rj)


@part
def recall(g, s, i, j):
    """The history of what touched before."""
    o, partner, columns = g.order[i], g.order[j], g.kept_history.shape[1]
    for t in range(g.kept_begin[o], g.kept_end[o]):
        if g.kept[t] == partner:
            g.touching[s >> 3] |= 1 << (s & 7)
            for q in range(columns):
                g.history[(s >> 3) * columns + q, s & 7] = g.kept_history[t, q]


@part
def find_neighbours(g, chunk, worker):
    """Slots of a chunk, with the history of what touched before. Returns a result code."""
    now, found = g.run_i[gr.NOW], g.found[worker]
    x, v, begin, end = g.place[now], g.motion[now], g.class_begin[chunk], g.class_end[chunk]
    count = find_pairs(g, chunk, found)
    if count < 0:
        return gr.LIST_FULL
    for k in range(gr.CLASSES):
        end[k] = 0
    for t in range(count):
        end[found[t, 2]] += 1
    at = chunk * (g.owner.shape[0] // chunks_of(g))
    for k in range(gr.CLASSES):
        size = end[k]
        begin[k] = end[k] = at
        at += (size + 7) & ~7
    for t in range(count):
        i, j, k = found[t, 0], found[t, 1], found[t, 2]
        s = end[k]
        fill_slot(g, x, v, s, i, j)
        if k % gr.ACROSS < 2:  # what is farther touches no more
            recall(g, s, i, j)
        end[k] = s + 1
    for k in range(gr.CLASSES):
        s = end[k]
        while s & 7 != 0:
            fill_slot(g, x, v, s, g.owner[s - 1], g.other[s - 1])
            s += 1
    return gr.OK


@part
def add_wall(g, pose, k, i, o, at, full, px, py, pz, reach):
    """A slot for primitive k if it is near; returns the next free slot, past `full` if there is none."""
    lx, ly, lz = seen_from(pose, g.wall_i[k, c.BODY], px, py, pz)
    if not within(g.wall_i, g.wall_f, g.rim_i, g.rim_f, k, lx, ly, lz, reach):
        return at
    if at < full:
        g.wall_owner[at], g.wall[at] = i, k
        g.wall_touching[at] = 0
        for q in range(6):
            g.wall_push[at, q] = 0.0
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
    """Walls near the grains of a chunk. Returns a result code."""
    x = g.place[g.run_i[gr.NOW]]
    first, last = rows_of(g, chunk)
    room = g.wall.shape[0] // chunks_of(g)
    at, full = chunk * room, (chunk + 1) * room
    for i in range(first, last):
        px, py, pz, o = x[i, c.X], x[i, c.Y], x[i, c.Z], g.order[i]
        reach = x[i, c.R] + g.run_f[gr.SKIN]
        g.wall_begin[i] = at
        for b in range(g.run_i[gr.BODIES]):
            start = g.bin_i[b, c.FIRST_ALWAYS]
            for t in range(start, start + g.bin_i[b, c.ALWAYS]):
                at = add_wall(g, pose, g.always[t], i, o, at, full, px, py, pz, reach)
            if g.bin_i[b, c.NX] > 0:
                lx, ly, lz = seen_from(pose, b, px, py, pz)
                start, stop = bin_range(g.bin_i, g.bin_f, g.bin_start, b, lx, ly, lz)
                for t in range(start, stop):
                    at = add_wall(g, pose, g.bin_wall[t], i, o, at, full, px, py, pz, reach)
        if at > full:
            return gr.WALL_FULL
        g.wall_end[i] = at
    return gr.OK


@part
def gather_push(g):
    """What pushed the walls, added up by bodies in the order of the slots. By one worker."""
    for i in range(g.run_i[gr.COUNT]):
        for s in range(g.wall_begin[i], g.wall_end[i]):
            b = g.wall_i[g.wall[s], c.BODY]
            for q in range(6):
                g.push[b, q] += g.wall_push[s, q]
                g.wall_sum[g.wall[s], q] += g.wall_push[s, q]
                g.wall_push[s, q] = 0.0


@part
def worst(g, parity, workers):
    """The first result code that a worker tells, and who."""
    for w in range(workers):
        if g.flags[parity, w, 0] != gr.OK:
            return g.flags[parity, w, 0]
    return gr.OK


@part
def make_lists(g, pose, worker, workers, meeting):
    """All lists anew; called by all workers together. Returns a result code and the number of the next meeting.

    Nothing is lost when a list is full: grains and `kept` stand, and the call can be repeated with more room, with
    FRESH at -1 (contacts are kept already).
    """
    n = g.run_i[gr.COUNT]
    a, z = share(chunks_of(g), worker, workers)
    first, last = a * g.run_i[gr.ROWS], min(n, z * g.run_i[gr.ROWS])
    mine = g.flags[0, worker]
    mine[0] = gr.OK
    now = g.run_i[gr.NOW]
    if g.run_i[gr.FRESH] >= 0:
        if worker == 0:
            gather_push(g)
        for chunk in range(a, z):
            code = keep_contacts(g, chunk)
            if code != gr.OK:
                mine[0] = code
            keep_walls(g, chunk)
        row = lost(g, g.place[now], pose, first, last)
        if row >= 0:
            mine[0], mine[2] = gr.LOST, g.ident[g.run_i[gr.NAMES], row]
        cells_of(g, g.place[now], first, last)
        meeting = meet(g.counters, meeting, workers)
        code = worst(g, 0, workers)
        if code != gr.OK:
            return code, meet(g.counters, meeting, workers)
        if worker == 0:
            sort_grains(g)
        meeting = meet(g.counters, meeting, workers)
        move_rows(g, first, last)
        meeting = meet(g.counters, meeting, workers)
        if worker == 0:
            g.run_i[gr.NOW] = 1 - now
            g.run_i[gr.NAMES] = 1 - g.run_i[gr.NAMES]
            g.run_i[gr.FRESH] = -1
            for b in range(g.run_i[gr.BODIES]):
                for q in range(gr.N_POSE):
                    g.pose_before[b, q] = pose[b, q]
        meeting = meet(g.counters, meeting, workers)
    for chunk in range(a, z):
        code = find_neighbours(g, chunk, worker)
        if code == gr.OK:
            code = find_walls(g, pose, chunk)
        if code != gr.OK:
            mine[0] = code
    meeting = meet(g.counters, meeting, workers)
    code = worst(g, 0, workers)
    if worker == 0 and code == gr.OK:
        g.run_i[gr.FRESH], g.run_i[gr.LEVEL] = 1, 0
        g.run_i[gr.REBUILDS] += 1
    return code, meet(g.counters, meeting, workers)
