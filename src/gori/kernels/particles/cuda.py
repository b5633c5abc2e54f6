"""Sub-steps of all grains on a GPU, and their lists.

A grain's thread goes through all of its contacts, those with lower rows too: nothing is added by two threads, and no
sum depends on their order. There are two ways through many sub-steps:

march                  one kernel whose threads meet on the device: no launches, for small systems
inner, walls, outer    kernels for a sub-step, many of them launched as one graph: for large ones. Walls take many
                       registers, so grains near them are finished apart, and the others run with more threads at once.
                       When lists are due, or something is wrong, the kernels that follow do nothing

Tried on an H200, with a million grains: a thread for each contact and then one for each grain, no faster; a block that
computes the contacts of some grains and adds them up, a third as fast; eight threads for a grain, a third as fast.
Lists are made as on the CPU (`lists.py`), in one kernel. All that speaks of threads and blocks stands in this file: the
simulator sees it only here.
"""

import numba
from numba import cuda

from gori.kernels.particles import drift, wall_contacts
from gori.kernels.particles import grains as gr
from gori.kernels.particles import lists as cpu_lists
from gori.kernels.particles import tables as c
from gori.kernels.particles import walls as shells
from gori.kernels.particles.cuda_forces import on_device, step_inner, step_outer, wall_forces
from gori.kernels.particles.cuda_rows import (
    cell_of,
    gather_blocks,
    move_rows,
    over,
    put_wall,
    reset_push,
    sort_cells,
)
from gori.kernels.particles.cuda_tables import (
    BASE,
    CODE,
    CULPRIT,
    DONE,
    DUE,
    FRESH,
    LISTS,
    NOW,
    REBUILDS,
    SLOTS,
    STOP,
    TOTAL,
    WALL_GRAINS,
    WALL_SLOTS,
)
from gori.kernels.particles.cuda_wide import read2, read4, write4

f4 = numba.float32
bin_range, within = on_device(shells.bin_range), on_device(shells.within)
cell_rank, seen_from = on_device(cpu_lists.cell_rank), on_device(wall_contacts.seen_from)
drift_of_home, walls_moved = on_device(drift.drift_of_home), on_device(drift.walls_moved)

THREADS = 512
"""of a block, at most"""
ROOM = 6 * THREADS
QUICK: dict = {} if numba.config.ENABLE_CUDASIM else {"fastmath": True}
LEAN, LEANER = QUICK | {"max_registers": 128}, QUICK | {"max_registers": 80}
"""quotients and roots to the last bit but one; and for kernels that need more threads at once, fewer registers"""
if numba.config.ENABLE_CUDASIM:
    LEAN = LEANER = QUICK


@cuda.jit(device=True)
def fail(flags, code, culprit):
    """Tell a result code; the first one counts."""
    if cuda.atomic.cas(flags, CODE, gr.OK, code) == gr.OK:
        flags[CULPRIT] = culprit


@cuda.jit(device=True)
def gather_threads(g, lists, thread, threads, room):
    """What pushed the walls since the last time, by bodies: sums of each block, in a fixed order."""
    own, size, block, n = cuda.threadIdx.x, cuda.blockDim.x, cuda.blockIdx.x, g.run_i[gr.COUNT]
    for b in range(g.run_i[gr.BODIES]):
        if g.extent[b] < 0.0:  # it has no walls
            continue
        Mx, My, Mz, Fx, Fy, Fz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(thread, n, threads):
            count = g.wall_at[lists, 1, i]
            if count > 0:
                first = g.wall_at[lists, 0, i]
                for s in range(first, first + count):
                    w, push = g.wall[lists, s], g.wall_push[s]
                    k = w if w >= 0 else ~w
                    if g.wall_i[k, c.BODY] == b and push[3] * push[3] + push[4] * push[4] + push[5] * push[5] > 0.0:
                        Mx, My, Mz = Mx + push[0], My + push[1], Mz + push[2]
                        Fx, Fy, Fz = Fx + push[3], Fy + push[4], Fz + push[5]
                        for q in range(6):
                            cuda.atomic.add(g.wall_sum, (k, q), push[q])
                            push[q] = 0.0
        room[own], room[size + own], room[2 * size + own] = Mx, My, Mz
        room[3 * size + own], room[4 * size + own], room[5 * size + own] = Fx, Fy, Fz
        cuda.syncthreads()
        if own < 6:
            total = 0.0
            for k in range(own * size, (own + 1) * size):
                total += room[k]
            g.sums[b, block, own] = total
        cuda.syncthreads()


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
            px, py, pz = seen_from(pose, home, px, py, pz)
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
def find_neighbours(g, now, lists, thread, threads):
    """Neighbours of each grain: those that touch from the front, the others from the back, then closed up."""
    n, room, numbers = g.run_i[gr.COUNT], g.run_i[gr.SLOTS], g.run_i[gr.HISTORY]
    plane, skin = room * n, g.run_f[gr.SKIN]
    for i in range(thread, n, threads):
        slot, row = lists * plane + i, now * n
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
        old, slots = (1 - lists) * plane + o, g.count[(1 - lists) * n + o]
        for t in range(slots):
            if g.other[old + t * n] < 0:  # it touched; where is it now?
                j = g.rank[~g.other[old + t * n]]
                for k in range(touch + near):
                    if g.other[slot + k * n] == j:
                        g.other[slot + k * n] = ~j
                        for q in range(0, numbers, 4):
                            kept = read4(g.history, numbers * (old + t * n) + q)
                            write4(g.history, numbers * (slot + k * n) + q, kept)
                        break


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
                lx, ly, lz = seen_from(pose, b, px, py, pz)
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


def _march(g, steps, anew):
    """Sub-steps until `steps` are done, with lists when they are due; by all threads of the device together.

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
    rolls, dt = g.run_i[gr.HISTORY] > 4, f4(g.run_f[gr.STEP])
    now, lists, done, fresh, code = g.flags[NOW], g.flags[LISTS], g.flags[DONE], g.flags[FRESH], g.flags[CODE]
    grid.sync()
    while done < steps and code == gr.OK:
        if fresh != 1:
            make_lists(g, g.pose[done], now, lists, fresh, grid, thread, threads, room)
            now, lists, fresh, code = g.flags[NOW], g.flags[LISTS], g.flags[FRESH], g.flags[CODE]
            if fresh != 1:
                break
        pose, after, due, near = g.pose[done], g.pose[done + 1], DUE + done % 3, g.flags[WALL_GRAINS]
        sx, sy, sz = drift_of_home(g, after)
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
        for k in range(threads - 1 - thread, near, threads):  # from the last on: the first threads are busy
            if wall_forces(g, g.wall_rows[k], n, now, lists, pose, law, nm, rolls, dt):
                fail(g.flags, gr.TOO_DEEP, g.ident[lists, g.wall_rows[k]])
        grid.sync()
        if near > 0:
            for k in range(thread, near, threads):
                trouble, moved = step_outer(g, g.wall_rows[k], n, now, lists, sx, sy, sz)
                if moved:
                    g.flags[due] = 1
                if trouble != gr.OK:
                    fail(g.flags, trouble, g.ident[lists, g.wall_rows[k]])
            grid.sync()
        now, done, fresh, code = 1 - now, done + 1, 1 - g.flags[due], g.flags[CODE]
        if thread == 0:
            g.flags[DONE], g.flags[NOW], g.flags[FRESH] = done, now, fresh
    grid.sync()
    if done >= steps:
        gather_threads(g, lists, thread, threads, room)
        grid.sync()
        gather_blocks(g, cuda.gridDim.x, thread)


march, march_lean = cuda.jit(**QUICK)(_march), cuda.jit(**LEAN)(_march)


# ---- a graph: begin, (inner, walls, outer) for each sub-step, end, gather


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
def tell(g, lists, i, step, code, due):
    """What came of a grain's sub-step."""
    if due or code != gr.OK:
        g.flags[STOP] = step + 1
    if code != gr.OK:
        fail(g.flags, code, g.ident[lists, i])


@cuda.jit(**LEANER)
def inner(g, k):
    """Sub-step k of the graph: forces between grains; motion of those that are near no wall."""
    i, n, step = cuda.grid(1), g.run_i[gr.COUNT], g.flags[BASE] + k
    if i >= n or over(g, step):
        return
    now, lists = (g.flags[NOW] + k) & 1, g.flags[LISTS]
    after = g.pose[step + 1]
    sx, sy, sz = drift_of_home(g, after)
    if i == 0 and walls_moved(g, after, sx, sy, sz):
        g.flags[STOP] = step + 1
    code, due = step_inner(
        g, i, n, now, lists, sx, sy, sz, g.run_i[gr.LAW], g.run_i[gr.MATERIALS], g.run_i[gr.HISTORY] > 4,
        f4(g.run_f[gr.STEP]),
    )  # fmt: skip
    tell(g, lists, i, step, code, due)


@cuda.jit(**QUICK)
def walls(g, k):
    """Sub-step k of the graph: forces of walls."""
    step = g.flags[BASE] + k
    if over(g, step):
        return
    now, lists = (g.flags[NOW] + k) & 1, g.flags[LISTS]
    for at in range(cuda.grid(1), g.flags[WALL_GRAINS], cuda.gridsize(1)):
        i = g.wall_rows[at]
        if wall_forces(
            g, i, g.run_i[gr.COUNT], now, lists, g.pose[step], g.run_i[gr.LAW], g.run_i[gr.MATERIALS],
            g.run_i[gr.HISTORY] > 4, f4(g.run_f[gr.STEP]),
        ):  # fmt: skip
            tell(g, lists, i, step, gr.TOO_DEEP, False)


@cuda.jit(**QUICK)
def outer(g, k):
    """Sub-step k of the graph: motion of the grains near walls."""
    n, step = g.run_i[gr.COUNT], g.flags[BASE] + k
    if over(g, step):
        return
    now, lists = (g.flags[NOW] + k) & 1, g.flags[LISTS]
    sx, sy, sz = drift_of_home(g, g.pose[step + 1])
    for at in range(cuda.grid(1), g.flags[WALL_GRAINS], cuda.gridsize(1)):
        i = g.wall_rows[at]
        code, due = step_outer(g, i, n, now, lists, sx, sy, sz)
        tell(g, lists, i, step, code, due)
