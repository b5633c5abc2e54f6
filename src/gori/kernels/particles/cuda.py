"""Sub-steps of all grains on a GPU, and their lists.

A grain's thread goes through all of its contacts, those with lower rows too: nothing is added by two threads, and no
sum depends on their order. There are two ways through many sub-steps:

march          one kernel whose threads meet on the device after each sub-step: no launches, for small systems
inner, outer   two kernels for a sub-step, many of them launched as one graph: for large ones. Walls take many
               registers, so grains near them are finished apart, and the others run with more threads at once. When
               lists are due, or something is wrong, the kernels that follow do nothing

Tried: eight threads for a grain, a third as fast. Lists are made as on the CPU (`lists.py`), in one kernel. All that
speaks of threads and blocks stands in this file: the simulator sees it only here.
"""

import math
from typing import Any, NamedTuple

import numba
from numba import cuda

from gori.kernels.particles import grains as gr
from gori.kernels.particles import lists as cpu_lists
from gori.kernels.particles import tables as c
from gori.kernels.particles import walls
from gori.kernels.particles.cuda_forces import (
    on_device,
    seen,
    step_inner,
    step_outer,
    step_whole,
    walls_moved,
)
from gori.kernels.particles.cuda_wide import read2, read4, write2, write4

f4 = numba.float32
bin_range, within = on_device(walls.bin_range), on_device(walls.within)
cell_rank = on_device(cpu_lists.cell_rank)

THREADS = 256
"""of a block, at most"""
ROOM = THREADS + 1
LEAN: dict = {} if numba.config.ENABLE_CUDASIM else {"max_registers": 128}
"""for a kernel that needs more threads at once rather than more registers"""

# flags
CODE, CULPRIT, SLOTS, WALL_SLOTS, WALL_GRAINS, FRESH, NOW, LISTS, REBUILDS = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""result code; ident of the grain behind it; slots that a list needs; slots of walls in use, and grains that have some;
whether the lists hold (-1: grains are sorted, lists are to be made); buffers of the grains, of the lists; lists made so
far"""
DONE, BASE, TOTAL, STOP, DUE = 9, 10, 11, 12, 13
"""sub-steps done; of a graph: those before it, those wanted, and 1 + the sub-step after which to stop, 0 for none; of
`march`: three flags in turn, lists are due"""
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
    wall_rows: Any  # (N,) int32 grains that have some, as they came
    wall: Any  # (2, slots) int32 primitive, ~primitive while it touches
    wall_history: Any  # (2, slots, H)
    wall_near: Any  # (slots, 4) float64 gap, direction
    wall_push: Any  # (slots, 6) float64 moment and force on the wall, summed over sub-steps
    push: Any  # (nbody, 6) float64 the same by bodies
    wall_sum: Any  # (primitives, 6) float64 and by primitives
    # sorting
    cell: Any  # (N,) int32
    rank: Any  # (N,) int32 among those that share a cell, as they came; then the new row of each row of before
    order: Any  # (N,) int32 row of before
    start: Any  # (cells + 1,) int32
    totals: Any  # (blocks,) int32
    sums: Any  # (nbody, blocks, 6) float64
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
def gather_threads(g, lists, thread, threads, room):
    """What pushed the walls since the last time, by bodies: sums of each block, in a fixed order."""
    own, block, n = cuda.threadIdx.x, cuda.blockIdx.x, g.run_i[gr.COUNT]
    for b in range(g.run_i[gr.BODIES]):
        for q in range(6):
            total = 0.0
            for i in range(thread, n, threads):
                count = g.wall_at[lists, 1, i]
                if count > 0:
                    first = g.wall_at[lists, 0, i]
                    for s in range(first, first + count):
                        w = g.wall[lists, s]
                        k = w if w >= 0 else ~w
                        if g.wall_i[k, c.BODY] == b and g.wall_push[s, q] != 0.0:
                            total += g.wall_push[s, q]
                            cuda.atomic.add(g.wall_sum, (k, q), g.wall_push[s, q])
                            g.wall_push[s, q] = 0.0
            room[own] = total
            cuda.syncthreads()
            if own == 0:
                total = 0.0
                for k in range(cuda.blockDim.x):
                    total += room[k]
                g.sums[b, block, q] = total
            cuda.syncthreads()


@cuda.jit(device=True)
def gather_blocks(g, blocks, thread):
    """Sums of the blocks, added to those of the bodies."""
    if thread < 6 * g.run_i[gr.BODIES]:
        b, q, total = thread // 6, thread % 6, 0.0
        for k in range(blocks):
            total += g.sums[b, k, q]
        g.push[b, q] += total


@cuda.jit(device=True)
def reset_push(g, thread, threads):
    for k in range(thread, 6 * g.push.shape[0], threads):
        g.push[k // 6, k % 6] = 0.0
    for k in range(thread, 6 * g.wall_sum.shape[0], threads):
        g.wall_sum[k // 6, k % 6] = 0.0


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
        g.rank[g.order[i]] = i


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
        for t in range(slots):
            if g.other[old + t * n] < 0:  # it touched; where is it now?
                j = g.rank[~g.other[old + t * n]]
                for k in range(touch + near):
                    if g.other[slot + k * n] == j:
                        g.other[slot + k * n] = ~j
                        for q in range(numbers):
                            g.history[kept + q * plane + k * n] = g.history[before + q * plane + t * n]
                        break


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
                lx, ly, lz = seen(pose, b, px, py, pz)
                if g.bin_i[b, c.NX] > 0:
                    binned, end = bin_range(g.bin_i, g.bin_f, g.bin_start, b, lx, ly, lz)
                    end -= binned
                for t in range(always + end):
                    k = g.always[begin + t] if t < always else g.bin_wall[binned + t - always]
                    if within(g.wall_i, g.wall_f, g.rim_i, g.rim_f, k, lx, ly, lz, reach):
                        if turn == 1:
                            put_wall(g, lists, k, i, first + count)
                        count += 1
        g.wall_at[lists, 0, i], g.wall_at[lists, 1, i] = first, count
        if count > 0:
            g.wall_rows[cuda.atomic.add(g.flags, WALL_GRAINS, 1)] = i


@cuda.jit(device=True)
def make_lists(g, pose, now, lists, fresh, grid, thread, threads, room):
    """All lists anew, by all threads together; grains go to buffer 1 - now, lists to 1 - lists.

    When a list is full, grains are sorted and the old lists stand: with more room, a call with fresh = -1 goes on.
    """
    if fresh >= 0:
        gather_threads(g, lists, thread, threads, room)
        grid.sync()
        gather_blocks(g, cuda.gridDim.x, thread)
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
            g.flags[WALL_SLOTS] = g.flags[WALL_GRAINS] = 0
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


@cuda.jit(**LEAN)
def renew(g):
    """Lists at the pose of the sub-step that has come, if they are due; by all threads of the device together."""
    grid, room = cuda.cg.this_grid(), cuda.shared.array(ROOM, numba.float64)
    thread, threads = cuda.grid(1), cuda.gridsize(1)
    now, lists, fresh, code = g.flags[NOW], g.flags[LISTS], g.flags[FRESH], g.flags[CODE]
    grid.sync()
    if fresh != 1 and code == gr.OK:
        make_lists(g, g.pose[g.flags[DONE]], now, lists, fresh, grid, thread, threads, room)


@cuda.jit(device=True)
def drift(g, after):
    """How far the body has moved whose translation the grains share, since the lists were made."""
    home = g.run_i[gr.HOME]
    if home < 0:
        return 0.0, 0.0, 0.0
    return (
        after[home, gr.POS] - g.pose_before[home, gr.POS],
        after[home, gr.POS + 1] - g.pose_before[home, gr.POS + 1],
        after[home, gr.POS + 2] - g.pose_before[home, gr.POS + 2],
    )


@cuda.jit(**LEAN)
def march(g, steps, anew):
    """Sub-steps until lists are due, or `steps` are done; by all threads of the device together.

    anew   1: sub-steps and what pushes walls count from here
    """
    grid, room = cuda.cg.this_grid(), cuda.shared.array(ROOM, numba.float64)
    thread, threads = cuda.grid(1), cuda.gridsize(1)
    if anew == 1:
        if thread == 0:
            g.flags[DONE], g.flags[CODE] = 0, gr.OK
        reset_push(g, thread, threads)
        grid.sync()
    n, law, nm = g.run_i[gr.COUNT], g.run_i[gr.LAW], g.run_i[gr.MATERIALS]
    rolls, dt = g.run_i[gr.HISTORY] > 3, f4(g.run_f[gr.STEP])
    now, lists, done, fresh, code = g.flags[NOW], g.flags[LISTS], g.flags[DONE], g.flags[FRESH], g.flags[CODE]
    grid.sync()
    while done < steps and fresh == 1 and code == gr.OK:
        pose, after, due = g.pose[done], g.pose[done + 1], DUE + done % 3
        sx, sy, sz = drift(g, after)
        if thread == 0:
            g.flags[DUE + (done + 1) % 3] = 0  # which all have read: they have met since
            if walls_moved(g, after, sx, sy, sz):
                g.flags[due] = 1
        for i in range(thread, n, threads):
            trouble, moved = step_whole(g, i, n, now, lists, pose, sx, sy, sz, law, nm, rolls, dt)
            if moved:
                g.flags[due] = 1
            if trouble != gr.OK:
                fail(g.flags, trouble, g.ident[lists, i])
        grid.sync()
        now, done, fresh, code = 1 - now, done + 1, 1 - g.flags[due], g.flags[CODE]
        if thread == 0:
            g.flags[DONE], g.flags[NOW], g.flags[FRESH] = done, now, fresh
    grid.sync()
    if done >= steps:
        gather_threads(g, lists, thread, threads, room)
        grid.sync()
        gather_blocks(g, cuda.gridDim.x, thread)


# ---- a graph: begin, (inner, outer) for each sub-step, end, gather


@cuda.jit
def reset(g, steps):
    """Sub-steps and what pushes walls count from here."""
    thread = cuda.grid(1)
    if thread == 0:
        g.flags[DONE], g.flags[CODE], g.flags[TOTAL] = 0, gr.OK, steps
    reset_push(g, thread, cuda.gridsize(1))


@cuda.jit
def begin(g):
    """By one thread: sub-steps of this graph count from here."""
    g.flags[BASE], g.flags[STOP] = g.flags[DONE], 0 if g.flags[FRESH] == 1 and g.flags[CODE] == gr.OK else -1


@cuda.jit
def end(g, count):
    """By one thread: how far the graph came of `count` sub-steps."""
    if g.flags[STOP] >= 0:
        done = min(g.flags[BASE] + count, g.flags[TOTAL])
        if g.flags[STOP] > 0:
            done = g.flags[STOP]
            g.flags[FRESH] = 0
        g.flags[NOW] = (g.flags[NOW] + done - g.flags[BASE]) & 1
        g.flags[DONE] = done


@cuda.jit
def gather_1(g):
    room = cuda.shared.array(ROOM, numba.float64)
    gather_threads(g, g.flags[LISTS], cuda.grid(1), cuda.gridsize(1), room)


@cuda.jit
def gather_2(g, blocks):
    """After `gather_1` with so many blocks: what pushed the walls, by bodies and primitives."""
    gather_blocks(g, blocks, cuda.grid(1))


@cuda.jit(device=True)
def over(g, step):
    """Whether a sub-step is not to be done any more."""
    stop = g.flags[STOP]
    return stop < 0 or step >= g.flags[TOTAL] or (stop > 0 and stop <= step)


@cuda.jit(device=True)
def tell(g, lists, i, step, code, due):
    """What came of a grain's sub-step."""
    if due or code != gr.OK:
        g.flags[STOP] = step + 1
    if code != gr.OK:
        fail(g.flags, code, g.ident[lists, i])


@cuda.jit
def inner(g, k):
    """Sub-step k of the graph: forces between grains; motion of those that are near no wall."""
    i, n, step = cuda.grid(1), g.run_i[gr.COUNT], g.flags[BASE] + k
    if i >= n or over(g, step):
        return
    now, lists = (g.flags[NOW] + k) & 1, g.flags[LISTS]
    after = g.pose[step + 1]
    sx, sy, sz = drift(g, after)
    if i == 0 and walls_moved(g, after, sx, sy, sz):
        g.flags[STOP] = step + 1
    code, due = step_inner(
        g, i, n, now, lists, sx, sy, sz, g.run_i[gr.LAW], g.run_i[gr.MATERIALS], g.run_i[gr.HISTORY] > 3,
        f4(g.run_f[gr.STEP]),
    )  # fmt: skip
    tell(g, lists, i, step, code, due)


@cuda.jit
def outer(g, k):
    """Sub-step k of the graph: forces of walls, and motion of the grains near them."""
    n, step = g.run_i[gr.COUNT], g.flags[BASE] + k
    if over(g, step):
        return
    now, lists = (g.flags[NOW] + k) & 1, g.flags[LISTS]
    sx, sy, sz = drift(g, g.pose[step + 1])
    for at in range(cuda.grid(1), g.flags[WALL_GRAINS], cuda.gridsize(1)):
        i = g.wall_rows[at]
        code, due = step_outer(
            g, i, n, now, lists, g.pose[step], sx, sy, sz, g.run_i[gr.LAW], g.run_i[gr.MATERIALS],
            g.run_i[gr.HISTORY] > 3, f4(g.run_f[gr.STEP]),
        )  # fmt: skip
        tell(g, lists, i, step, code, due)
