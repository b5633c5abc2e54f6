"""Pieces of sorting and of adding up on a GPU that ask nothing of threads but their number."""

import numba
from numba import cuda

from gori.kernels.particles.cuda_flags import COUNT_BITS, STOP, TOTAL
from gori.kernels.particles.cuda_forces import fixed_point_of, row_of
from gori.kernels.particles.cuda_walls import bit_of
from gori.kernels.particles.cuda_wide import read2, read4, write2, write4

f4, i4 = numba.float32, numba.int32


@cuda.jit(device=True)
def reset_wrenches(g, thread, threads):
    for k in range(thread, 6 * g.wrench.shape[0], threads):
        g.wrench[k // 6, k % 6] = 0.0
    copies, walls, _ = g.primitive_wrench.shape
    for k in range(thread, 6 * copies * walls, threads):
        g.primitive_wrench[k // (6 * walls), k // 6 % walls, k % 6] = 0.0


@cuda.jit(device=True)
def sort_cells(g, ids, thread, threads):
    """Within a cell by id, so that the order is a function of the positions alone."""
    for k in range(thread, g.cell_start.shape[0] - 1, threads):
        first = g.cell_start[k]
        for a in range(first + 1, g.cell_start[k + 1]):
            row, b = g.order[a], a - 1
            while b >= first and ids[g.order[b]] > ids[row]:
                g.order[b + 1] = g.order[b]
                b -= 1
            g.order[b + 1] = row


@cuda.jit(device=True)
def sort_buckets(g, thread, threads):
    """Within a bucket by row, likewise."""
    for k in range(thread, g.bucket_start.shape[0] - 1, threads):
        first = g.bucket_start[k]
        for a in range(first + 1, g.bucket_start[k + 1]):
            row, b = g.bucket[a], a - 1
            while b >= first and g.bucket[b] > row:
                g.bucket[b + 1] = g.bucket[b]
                b -= 1
            g.bucket[b + 1] = row


@cuda.jit(device=True)
def move_rows(g, now, lists, thread, threads):
    """Particles in their new order, into the other buffer; ids and low bits go with the lists."""
    n = g.settings[0].count
    for i in range(thread, g.cell_start[g.cell_start.shape[0] - 1], threads):
        o, row = now * n + g.order[i], (1 - now) * n + i
        px, py = read2(g.sphere, 4 * o)
        pz, r = read2(g.sphere, 4 * o + 2)
        write2(g.sphere, 4 * row, (px, py))
        write2(g.sphere, 4 * row + 2, (pz, r))
        write2(g.listed_position, 4 * i, (px, py))
        write2(g.listed_position, 4 * i + 2, (pz, r))
        x, y, z, units = fixed_point_of(g, px, py, pz, r)
        write4(g.fixed_point, 4 * row, (i4(x), i4(y), i4(z), i4(units)))
        write4(g.listed_point, 4 * i, (i4(x), i4(y), i4(z), i4(0)))
        write4(g.motion, 8 * row, read4(g.motion, 8 * o))
        write4(g.motion, 8 * row + 4, read4(g.motion, 8 * o + 4))
        write4(g.velocity_low, 4 * ((1 - lists) * n + i), read4(g.velocity_low, 4 * (lists * n + g.order[i])))
        g.id[1 - lists, i] = g.id[lists, g.order[i]]
        g.rank[g.order[i]] = i


@cuda.jit(device=True)
def is_near(g, row, x, y, z):
    """Whether a position is so near that the difference in fixed point is the true one: it repeats."""
    px, py = read2(g.sphere, 4 * row)
    pz, _ = read2(g.sphere, 4 * row + 2)
    once = 2.0**31 * g.settings[0].unit
    return abs(px - x) < once and abs(py - y) < once and abs(pz - z) < once


@cuda.jit(device=True)
def keep_history(g, lists, i, count):
    """Contacts of particle i that go on keep their history."""
    n, numbers = g.settings[0].count, g.settings[0].history
    plane, o = g.settings[0].neighbours * n, g.order[i]
    slot, old = lists * plane + i, (1 - lists) * plane + o
    for t in range(g.count[(1 - lists) * n + o] & ((1 << COUNT_BITS) - 1)):
        if g.other[old + t * n] < 0:  # it touched; where is it now?
            j = g.rank[row_of(g.other[old + t * n])]
            if j < 0:  # it was taken out
                continue
            for k in range(count):
                if g.other[slot + k * n] == j:  # of level 0: what is farther is not in contact
                    g.other[slot + k * n] = ~g.other[slot + k * n]
                    for q in range(0, numbers, 4):
                        kept = read4(g.history, numbers * (old + t * n) + q)
                        write4(g.history, numbers * (slot + k * n) + q, kept)
                    break


@cuda.jit(device=True)
def put_wall(g, lists, k, i, s, number):
    """Slot s for primitive k, with its history. Returns its bit, as wall `number` of its particle, if it touches, or
    0.
    """
    o, numbers = g.order[i], g.wall_history.shape[2]
    found, first = -1, g.wall_at[1 - lists, 0, o]
    for t in range(first, first + g.wall_at[1 - lists, 1, o]):
        if g.wall[1 - lists, t] == ~k:
            found = t
    g.wall[lists, s], g.wall_owner[s] = k if found < 0 else ~k, i
    for q in range(numbers):
        g.wall_history[lists, s, q] = g.wall_history[1 - lists, found, q] if found >= 0 else f4(0.0)
    for q in range(6):
        g.wall_wrench[s, q] = 0.0
    return bit_of(number) if found >= 0 else 0


@cuda.jit(device=True)
def over(g, step):
    """Whether a sub-step must be skipped."""
    stop = g.flags[STOP]
    return stop < 0 or step >= g.flags[TOTAL] or (stop > 0 and stop <= step)
