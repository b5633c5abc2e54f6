"""Many sub-steps of all grains on a GPU, lists included, in one kernel whose threads meet on the device.

A grain's thread goes through all of its contacts, those with lower rows too: nothing is added by two threads, and no
sum depends on their order. Lists are made as on the CPU (`lists.py`). One launch runs a macro step: launches cost more
than sub-steps of small systems.

All that speaks of threads and blocks stands in this file: the simulator sees it only here.
"""

import math
from typing import Any, NamedTuple

import numba
from numba import cuda

from gori.kernels.particles import grains as gr
from gori.kernels.particles import lists as cpu_lists
from gori.kernels.particles import tables as c
from gori.kernels.particles import walls
from gori.kernels.particles.cuda_forces import on_device, seen, step_inner, step_outer, wall_gap, walls_moved
from gori.kernels.particles.cuda_wide import read2, read4, write2, write4

f4 = numba.float32
bin_range, cell_rank = on_device(walls.bin_range), on_device(cpu_lists.cell_rank)

THREADS = 256
"""of a block, at most"""
ROOM = THREADS + 1

# flags
CODE, CULPRIT, SLOTS, WALL_SLOTS, DONE, FRESH, NOW, LISTS, REBUILDS, DUE = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
"""result code; ident of the grain behind it; slots that a list needs; slots of walls in use; sub-steps done; whether
the lists hold (-1: grains are sorted, lists are to be made); buffers of the grains, of the lists; lists made so far; three
flags in turn: lists are due"""
N_FLAGS = 16


class CudaGrains(NamedTuple):
    """Grains, their lists and walls, on the device. Single precision but for places and walls."""

    run_i: Any  # (N_RUN_I,) int32
    run_f: Any  # (N_RUN_F,) float64
    # flat, so that four numbers are one access
    place: Any  # (2 N 4,) float64
    motion: Any  # (2 N 8,)
    low: Any  # (2 N 4,) low bits of the velocities; their two buffers change with the lists
    before: Any  # (N 4,) float64
    load: Any  # (N 8,) force and torque, each with one number behind
    ident: Any  # (2, N) int32
    # lists, two of each: those of before give the history. Slot k of all grains lies side by side
    count: Any  # (2 N,) int32
    other: Any  # (2 K N + N,) int32 row of the other grain, ~row while it touches
    history: Any  # (2 H K N,)
    wall_at: Any  # (2, 2, N) int32 first slot and count
    wall: Any  # (2, slots) int32 primitive, ~primitive while it touches
    wall_history: Any  # (2, slots, H)
    wall_near: Any  # (slots, 4) float64 gap, direction
    wall_push: Any  # (slots, 6) float64 moment and force on the wall, summed over sub-steps
    push: Any  # (nbody, 6) float64 the same by bodies
    wall_sum: Any  # (primitives, 6) float64 and by primitives
    # sorting
    cell: Any  # (N,) int32
    rank: Any  # (N,) int32 among those that share a cell, as they came
    order: Any  # (N,) int32 row of before
    start: Any  # (cells + 1,) int32
    totals: Any  # (blocks,) int32
    sums: Any  # (blocks, 6) float64
    grid_i: Any  # (3,) int32
    # tables
    pair_f: Any
    wall_i: Any
    wall_f: Any
    rim_i: Any
    rim_f: Any
    bin_i: Any
    bin_f: Any
    bin_start: Any
    bin_wall: Any
    always: Any
    extent: Any
    pose: Any  # (steps + 1, nbody, N_POSE) float64
    pose_before: Any
    flags: Any  # (N_FLAGS,) int32


@cuda.jit(device=True)
def fail(flags, code, culprit):
    """Tell a result code; the first one counts."""
    if cuda.atomic.cas(flags, CODE, gr.OK, code) == gr.OK:
        flags[CULPRIT] = culprit


@cuda.jit(device=True)
def gather_push(g, lists, grid, thread, threads, room):
    """What pushed the walls since the last time, added up by bodies: by threads, blocks, and then in the blocks' order.

    All in a fixed order, so that the sum is the same each time.
    """
    own, block, n = cuda.threadIdx.x, cuda.blockIdx.x, g.run_i[gr.COUNT]
    for b in range(g.run_i[gr.BODIES]):
        for q in range(6):
            total = 0.0
            for i in range(thread, n, threads):
                first = g.wall_at[lists, 0, i]
                for s in range(first, first + g.wall_at[lists, 1, i]):
                    w = g.wall[lists, s]
                    if g.wall_i[w if w >= 0 else ~w, c.BODY] == b:
                        total += g.wall_push[s, q]
            room[own] = total
            cuda.syncthreads()
            if own == 0:
                total = 0.0
                for k in range(cuda.blockDim.x):
                    total += room[k]
                g.sums[block, q] = total
            cuda.syncthreads()
        grid.sync()
        if thread < 6:
            total = 0.0
            for k in range(cuda.gridDim.x):
                total += g.sums[k, thread]
            g.push[b, thread] += total
        grid.sync()
    for i in range(thread, n, threads):
        first = g.wall_at[lists, 0, i]
        for s in range(first, first + g.wall_at[lists, 1, i]):
            w = g.wall[lists, s]
            for q in range(6):
                if g.wall_push[s, q] != 0.0:
                    cuda.atomic.add(g.wall_sum, (w if w >= 0 else ~w, q), g.wall_push[s, q])
                    g.wall_push[s, q] = 0.0


@cuda.jit(device=True)
def cell_of(g, x, y, z):
    per_cell = 1.0 / (2.0 * g.run_f[gr.REACH] + g.run_f[gr.SKIN])
    return int(math.floor(x * per_cell)), int(math.floor(y * per_cell)), int(math.floor(z * per_cell))  # noqa: RUF046


@cuda.jit(device=True)
def count_cells(g, now, lists, pose, thread, threads):
    """Cell of each grain and how many share it; grains outside the domain are lost."""
    home, f = g.run_i[gr.HOME], g.run_f
    n = g.run_i[gr.COUNT]
    for i in range(thread, n, threads):
        px, py = read2(g.place, 4 * (now * n + i))
        pz, _ = read2(g.place, 4 * (now * n + i) + 2)
        ix, iy, iz = cell_of(g, px, py, pz)
        k = cell_rank(g.grid_i, ix, iy, iz)
        g.cell[i] = k
        g.rank[i] = cuda.atomic.add(g.start, k + 1, 1)
        if home >= 0:
            px, py, pz = seen(pose, home, px, py, pz)
        inside = f[gr.LOW] <= px and px <= f[gr.HIGH] and f[gr.LOW + 1] <= py and py <= f[gr.HIGH + 1]
        if not (inside and f[gr.LOW + 2] <= pz and pz <= f[gr.HIGH + 2]):
            fail(g.flags, gr.LOST, g.ident[lists, i])


@cuda.jit(device=True)
def add_up(g, grid, room):
    """start: from counts to first rows. Each block adds up a stretch of cells, then what lies before it."""
    own, block, size = cuda.threadIdx.x, cuda.blockIdx.x, cuda.blockDim.x
    cells = g.start.shape[0] - 1
    stretch = (cells + cuda.gridDim.x - 1) // cuda.gridDim.x
    piece = (stretch + size - 1) // size
    first = block * stretch + own * piece
    last = min(min(first + piece, (block + 1) * stretch), cells)
    total = 0
    for k in range(first, last):
        total += g.start[k + 1]
    room[own + 1] = float(total)
    cuda.syncthreads()
    if own == 0:
        room[0] = 0.0
        for k in range(size):
            room[k + 1] += room[k]
        g.totals[block] = int(room[size])
    grid.sync()
    total = int(room[own])
    for k in range(block):
        total += g.totals[k]
    for k in range(first, last):
        total += g.start[k + 1]
        g.start[k + 1] = total
    grid.sync()


@cuda.jit(device=True)
def sort_cells(g, names, thread, threads):
    """Within a cell by ident, so that the order is a function of the places alone."""
    for k in range(thread, g.start.shape[0] - 1, threads):
        first = g.start[k]
        for a in range(first + 1, g.start[k + 1]):
            row, b = g.order[a], a - 1
            while b >= first and names[g.order[b]] > names[row]:
                g.order[b + 1] = g.order[b]
                b -= 1
            g.order[b + 1] = row


@cuda.jit(device=True)
def move_rows(g, now, lists, thread, threads):
    """Grains in their new order, into the other buffer; idents go with the lists."""
    n = g.run_i[gr.COUNT]
    for i in range(thread, n, threads):
        o, row = now * n + g.order[i], (1 - now) * n + i
        for q in range(0, 4, 2):
            xy = read2(g.place, 4 * o + q)
            write2(g.place, 4 * row + q, xy)
            write2(g.before, 4 * i + q, xy)
        write4(g.motion, 8 * row, read4(g.motion, 8 * o))
        write4(g.motion, 8 * row + 4, read4(g.motion, 8 * o + 4))
        write4(g.low, 4 * ((1 - lists) * n + i), read4(g.low, 4 * (lists * n + g.order[i])))
        g.ident[1 - lists, i] = g.ident[lists, g.order[i]]


@cuda.jit(device=True)
def find_neighbours(g, now, lists, thread, threads):
    """Neighbours of each grain: those that touch from the front, the others from the back, then closed up."""
    n, room, numbers = g.run_i[gr.COUNT], g.run_i[gr.SLOTS], g.run_i[gr.HISTORY]
    plane, skin = room * n, g.run_f[gr.SKIN]
    for i in range(thread, n, threads):
        slot, kept = lists * plane + i, lists * numbers * plane + i
        row = now * n
        xi, yi = read2(g.place, 4 * (row + i))
        zi, ri = read2(g.place, 4 * (row + i) + 2)
        ix, iy, iz = cell_of(g, xi, yi, zi)
        touch, near = 0, 0
        for cz in range(iz - 1, iz + 2):
            for cy in range(iy - 1, iy + 2):
                for cx in range(ix - 1, ix + 2):
                    k = cell_rank(g.grid_i, cx, cy, cz)
                    for j in range(g.start[k], g.start[k + 1]):
                        xj, yj = read2(g.place, 4 * (row + j))
                        zj, rj = read2(g.place, 4 * (row + j) + 2)
                        dx, dy, dz, reach = xj - xi, yj - yi, zj - zi, ri + rj
                        square, far = dx * dx + dy * dy + dz * dz, reach + skin
                        if square < far * far and j != i:
                            if square < reach * reach:
                                if touch + near < room:
                                    g.other[slot + touch * n] = j
                                touch += 1
                            else:
                                if touch + near < room:
                                    g.other[slot + (room - 1 - near) * n] = j
                                near += 1
        if touch + near > room:
            cuda.atomic.max(g.flags, SLOTS, touch + near)
            fail(g.flags, gr.LIST_FULL, 0)
            continue
        for k in range(near):
            g.other[slot + (touch + k) * n] = g.other[slot + (room - near + k) * n]
        g.count[lists * n + i] = touch + near
        o = g.order[i]
        old, before = (1 - lists) * plane + o, (1 - lists) * numbers * plane + o
        slots = g.count[(1 - lists) * n + o]
        for k in range(touch + near):
            j, found = g.other[slot + k * n], -1
            for t in range(slots):
                if g.other[old + t * n] == ~g.order[j]:
                    found = t
            for q in range(numbers):
                h = g.history[before + q * plane + found * n] if found >= 0 else f4(0.0)
                g.history[kept + q * plane + k * n] = h
            if found >= 0:
                g.other[slot + k * n] = ~j


@cuda.jit(device=True)
def put_wall(g, lists, k, i, s):
    """Slot s for primitive k, with its history."""
    o, numbers = g.order[i], g.wall_history.shape[2]
    found, first = -1, g.wall_at[1 - lists, 0, o]
    for t in range(first, first + g.wall_at[1 - lists, 1, o]):
        if g.wall[1 - lists, t] == ~k:
            found = t
    g.wall[lists, s] = k if found < 0 else ~k
    for q in range(numbers):
        g.wall_history[lists, s, q] = g.wall_history[1 - lists, found, q] if found >= 0 else f4(0.0)
    for q in range(6):
        g.wall_push[s, q] = 0.0


@cuda.jit(device=True)
def find_walls(g, now, pose, lists, thread, threads):
    """Walls near each grain. Slots are taken as they come; a grain's own lie side by side."""
    n = g.run_i[gr.COUNT]
    for i in range(thread, n, threads):
        px, py = read2(g.place, 4 * (now * n + i))
        pz, r = read2(g.place, 4 * (now * n + i) + 2)
        reach = r + g.run_f[gr.SKIN]
        count, first, binned = 0, 0, 0
        for turn in range(2):  # count, then write
            if turn == 1:
                if count == 0:
                    break
                first = cuda.atomic.add(g.flags, WALL_SLOTS, count)
                if first + count > g.wall.shape[1]:
                    fail(g.flags, gr.WALL_FULL, 0)
                    count = 0
                    break
                count = 0
            for b in range(g.run_i[gr.BODIES]):
                begin, always, end = g.bin_i[b, c.FIRST_ALWAYS], g.bin_i[b, c.ALWAYS], 0
                if g.bin_i[b, c.NX] > 0:
                    lx, ly, lz = seen(pose, b, px, py, pz)
                    binned, end = bin_range(g.bin_i, g.bin_f, g.bin_start, b, lx, ly, lz)
                    end -= binned
                for t in range(always + end):
                    k = g.always[begin + t] if t < always else g.bin_wall[binned + t - always]
                    gap, _, _, _ = wall_gap(g, pose, k, px, py, pz)
                    if gap < reach:
                        if turn == 1:
                            put_wall(g, lists, k, i, first + count)
                        count += 1
        g.wall_at[lists, 0, i], g.wall_at[lists, 1, i] = first, count


@cuda.jit(device=True)
def make_lists(g, pose, now, lists, fresh, grid, thread, threads, room):
    """All lists anew, by all threads together; grains go to buffer 1 - now, lists to 1 - lists.

    When a list is full, grains are sorted and the old lists stand: with more room, a call with fresh = -1 goes on there.
    """
    if fresh >= 0:
        gather_push(g, lists, grid, thread, threads, room)
        for k in range(thread, g.start.shape[0], threads):
            g.start[k] = 0
        grid.sync()
        count_cells(g, now, lists, pose, thread, threads)
        grid.sync()
        if g.flags[CODE] != gr.OK:
            return
        add_up(g, grid, room)
        for i in range(thread, g.run_i[gr.COUNT], threads):
            g.order[g.start[g.cell[i]] + g.rank[i]] = i
        grid.sync()
        sort_cells(g, g.ident[lists], thread, threads)
        grid.sync()
        move_rows(g, now, lists, thread, threads)
        for k in range(thread, g.run_i[gr.BODIES] * gr.N_POSE, threads):
            g.pose_before[k // gr.N_POSE, k % gr.N_POSE] = pose[k // gr.N_POSE, k % gr.N_POSE]
        if thread == 0:
            g.flags[WALL_SLOTS] = 0
            g.flags[NOW], g.flags[FRESH] = 1 - now, -1
        grid.sync()
        now = 1 - now
    find_neighbours(g, now, 1 - lists, thread, threads)
    find_walls(g, now, pose, 1 - lists, thread, threads)
    grid.sync()
    if thread == 0 and g.flags[CODE] == gr.OK:
        g.flags[LISTS], g.flags[FRESH] = 1 - lists, 1
        g.flags[REBUILDS] += 1
    grid.sync()


@cuda.jit
def renew(g):
    """Lists at the pose of the sub-step that has come, if they are due; by all threads of the device together."""
    grid, room = cuda.cg.this_grid(), cuda.shared.array(ROOM, numba.float64)
    thread, threads = cuda.grid(1), cuda.gridsize(1)
    now, lists, fresh, code = g.flags[NOW], g.flags[LISTS], g.flags[FRESH], g.flags[CODE]
    grid.sync()
    if fresh != 1 and code == gr.OK:
        make_lists(g, g.pose[g.flags[DONE]], now, lists, fresh, grid, thread, threads, room)


@cuda.jit
def gather(g):
    """What pushed the walls, by bodies and primitives; by all threads of the device together."""
    grid, room = cuda.cg.this_grid(), cuda.shared.array(ROOM, numba.float64)
    gather_push(g, g.flags[LISTS], grid, cuda.grid(1), cuda.gridsize(1), room)


@cuda.jit
def march(g, steps):
    """Sub-steps until lists are due, or `steps` are done; by all threads of the device together."""
    grid = cuda.cg.this_grid()
    thread, threads = cuda.grid(1), cuda.gridsize(1)
    n, law, nm = g.run_i[gr.COUNT], g.run_i[gr.LAW], g.run_i[gr.MATERIALS]
    rolls, dt, home = g.run_i[gr.HISTORY] > 3, f4(g.run_f[gr.STEP]), g.run_i[gr.HOME]
    now, lists, done, fresh, code = g.flags[NOW], g.flags[LISTS], g.flags[DONE], g.flags[FRESH], g.flags[CODE]
    grid.sync()
    while done < steps and fresh == 1 and code == gr.OK:
        pose, after, due = g.pose[done], g.pose[done + 1], DUE + done % 3
        sx, sy, sz = 0.0, 0.0, 0.0
        if home >= 0:
            sx = after[home, gr.POS] - g.pose_before[home, gr.POS]
            sy = after[home, gr.POS + 1] - g.pose_before[home, gr.POS + 1]
            sz = after[home, gr.POS + 2] - g.pose_before[home, gr.POS + 2]
        if thread == 0:
            g.flags[DUE + (done + 1) % 3] = 0  # which all have read: they have met since
            if walls_moved(g, after, sx, sy, sz):
                g.flags[due] = 1
        for i in range(thread, n, threads):
            trouble, moved = step_inner(g, i, n, now, lists, sx, sy, sz, law, nm, rolls, dt)
            if moved:
                g.flags[due] = 1
            if trouble != gr.OK:
                fail(g.flags, trouble, g.ident[lists, i])
        # grains near walls apart: what walls take in registers would slow down all others
        for i in range(thread, n, threads):
            if g.wall_at[lists, 1, i] > 0:
                trouble, moved = step_outer(g, i, n, now, lists, pose, sx, sy, sz, law, nm, rolls, dt)
                if moved:
                    g.flags[due] = 1
                if trouble != gr.OK:
                    fail(g.flags, trouble, g.ident[lists, i])
        grid.sync()
        now, done, fresh, code = 1 - now, done + 1, 1 - g.flags[due], g.flags[CODE]
        if thread == 0:
            g.flags[DONE], g.flags[NOW], g.flags[FRESH] = done, now, fresh
