"""Sub-steps of all grains on a GPU, and their lists.

A grain's thread goes through all of its contacts, those with lower rows too: no motion depends on the order of threads,
nor does what pushes a body; of what pushes one primitive of a wall the last bits do. There are two ways through many
sub-steps:

march                 one kernel whose threads meet on the device, twice a sub-step: no launches, for small systems
inner, walls, outer   kernels for a sub-step, many of them launched as one graph: for large systems. Walls take many
                      registers, so grains near them are finished apart, and the others run with more threads at once.
                      When lists are due, or something is wrong, the kernels that follow do nothing

Two grains can touch only when one of them has moved by half of their gap. So neighbours stand by levels of their gaps,
and a grain that comes to a level tells its neighbours: all look at contacts up to the level they have heard of.

Tried on an H200, with a million grains: a thread for each contact and then one for each grain, no faster; a block that
computes the contacts of some grains and adds them up, a third as fast; eight threads for a grain, a third as fast;
motion asked for one turn ahead, no faster. In `march`: four threads for a grain, no faster; fewer registers for more
threads, half as fast; grains near no wall moved at once, without the second meeting, a tenth slower.
Lists are made as on the CPU (`lists.py`), in one kernel. All that speaks of threads and blocks stands in this file: the
simulator sees it only here.
"""

import math

import numba
from numba import cuda

from gori.kernels.particles import drift, wall_contacts
from gori.kernels.particles import grains as gr
from gori.kernels.particles import lists as cpu_lists
from gori.kernels.particles import tables as c
from gori.kernels.particles import walls as shells
from gori.kernels.particles.cuda_forces import (
    apart,
    find_gap,
    level_of,
    on_device,
    pair_forces,
    put_load,
    row_of,
    step_inner,
    step_outer,
    step_wall,
)
from gori.kernels.particles.cuda_rows import (
    cell_of,
    is_near,
    keep_history,
    move_rows,
    over,
    put_wall,
    reset_push,
    sort_cells,
)
from gori.kernels.particles.cuda_tables import (
    BASE,
    CODE,
    COUNT_BITS,
    CULPRIT,
    DONE,
    DUE,
    FRESH,
    LEVELS,
    LISTS,
    NOW,
    REBUILDS,
    ROW_BITS,
    SLOTS,
    STOP,
    TOTAL,
    WALL_GRAINS,
    WALL_SLOTS,
)
from gori.kernels.particles.cuda_wide import read2, read4

f4 = numba.float32
bin_range, within = on_device(shells.bin_range), on_device(shells.within)
cell_rank, seen_from = on_device(cpu_lists.cell_rank), on_device(wall_contacts.seen_from)
way_back, walls_moved = on_device(drift.way_back), on_device(drift.walls_moved)

THREADS = 512
"""of a block, at most"""
ROOM, FOUND, NEIGHBOURS = 6 * THREADS, 16, 48
"""numbers that a block shares; walls and grains that a thread remembers"""
QUICK: dict = {} if numba.config.ENABLE_CUDASIM else {"fastmath": True}
LEAN, LEANER = QUICK | {"max_registers": 128}, QUICK | {"max_registers": 96}
"""quotients and roots to the last bit but one; and for kernels that need more threads at once, fewer registers"""
if numba.config.ENABLE_CUDASIM:
    LEAN = LEANER = QUICK


@cuda.jit(device=True)
def fail(flags, code, culprit):
    """Tell a result code; the first one counts."""
    if cuda.atomic.cas(flags, CODE, gr.OK, code) == gr.OK:
        flags[CULPRIT] = culprit


@cuda.jit(device=True)
def told(g, n, lists, i, code, level):
    """Tell what came of a grain's sub-step: to all if it went wrong, and to the grain and its neighbours to which level
    it has moved. Returns whether no other sub-step may follow with these lists.
    """
    if code != gr.OK:
        fail(g.flags, code, g.ident[lists, i])
        return True
    if level == 0:
        return False
    if level >= LEVELS:
        return True
    own, bits, slot = lists * n, ((1 << level) - 1) << COUNT_BITS, lists * g.run_i[gr.SLOTS] * n + i
    count = g.count[own + i] & ((1 << COUNT_BITS) - 1)
    cuda.atomic.or_(g.count, own + i, bits)
    for k in range(0, count, 4):  # four at a time, none of which waits for another, as all others wait for this grain
        one, two = g.other[slot + k * n], g.other[slot + min(k + 1, count - 1) * n]
        three, four = g.other[slot + min(k + 2, count - 1) * n], g.other[slot + min(k + 3, count - 1) * n]
        cuda.atomic.or_(g.count, own + row_of(one), bits)
        cuda.atomic.or_(g.count, own + row_of(two), bits)
        cuda.atomic.or_(g.count, own + row_of(three), bits)
        cuda.atomic.or_(g.count, own + row_of(four), bits)
    return False


@cuda.jit(device=True)
def add_wrenches(room, Mx, My, Mz, Fx, Fy, Fz):
    """Sums over the threads of a block, a power of two, at numbers 0, size, 2 size, ... of the room."""
    own, size = cuda.threadIdx.x, cuda.blockDim.x
    room[own], room[size + own], room[2 * size + own] = Mx, My, Mz
    room[3 * size + own], room[4 * size + own], room[5 * size + own] = Fx, Fy, Fz
    half = size >> 1
    cuda.syncthreads()
    while half > 0:
        if own < half:
            for k in range(own, 6 * size, size):
                room[k] += room[k + half]
        half >>= 1
        cuda.syncthreads()


@cuda.jit(device=True)
def gather_blocks(g, blocks, room):
    """Sums of the blocks, added to those of the bodies: each by one block."""
    own, size = cuda.threadIdx.x, cuda.blockDim.x
    for b in range(cuda.blockIdx.x, g.run_i[gr.BODIES], cuda.gridDim.x):
        if g.extent[b] < 0.0:
            continue
        Mx, My, Mz, Fx, Fy, Fz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(own, blocks, size):
            s = g.sums[b, k]
            Mx, My, Mz, Fx, Fy, Fz = Mx + s[0], My + s[1], Mz + s[2], Fx + s[3], Fy + s[4], Fz + s[5]
        add_wrenches(room, Mx, My, Mz, Fx, Fy, Fz)
        if own < 6:
            g.push[b, own] += room[own * size]
        cuda.syncthreads()


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
        add_wrenches(room, Mx, My, Mz, Fx, Fy, Fz)
        if own < 6:
            g.sums[b, block, own] = room[own * size]
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
def sum_before(room, number):
    """Sum of the numbers of all threads of the block before this one."""
    own, size, at, reach = cuda.threadIdx.x, cuda.blockDim.x, 0, 1
    cuda.syncthreads()
    room[own] = float(number)
    cuda.syncthreads()
    while reach < size:  # each adds what the one `reach` before it has, from one half of the room into the other
        room[size - at + own] = room[at + own] + (room[at + own - reach] if own >= reach else 0.0)
        at, reach = size - at, 2 * reach
        cuda.syncthreads()
    return int(room[at + own]) - number


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
    before = sum_before(room, total)
    if own == size - 1:
        g.totals[block] = before + total
    grid.sync()
    total = 0
    for k in range(own, block, size):
        total += g.totals[k]
    last_one = sum_before(room, total) + total  # of the last thread: all blocks before
    if own == size - 1:
        room[0] = float(last_one)
    cuda.syncthreads()
    total = before + int(room[0])
    for k in range(first, last):
        total += g.start[k + 1]
        g.start[k + 1] = total
    grid.sync()


@cuda.jit(device=True)
def rows_in(g, ix, iy, iz):
    """Grains in a cell: the first, and the one after the last."""
    k = cell_rank(g.grid_i, ix, iy, iz)
    return g.start[k], g.start[k + 1]


@cuda.jit(device=True)
def candidate(g, begin, always, binned, t):
    """Number t of the walls that may be near."""
    return g.always[begin + t] if t < always else g.bin_wall[binned + t - always]


@cuda.jit(device=True)
def find_neighbours(g, now, lists, thread, threads):
    """Neighbours of each grain: those that touch first, then by the levels of their gaps.

    What has been found once is remembered and then put in order; if it is too much for that, it is looked for again and
    stands as it comes, at level 0.
    """
    n, room, skin, unit = g.run_i[gr.COUNT], g.run_i[gr.SLOTS], f4(g.run_f[gr.SKIN]), f4(g.run_f[gr.UNIT])
    found = cuda.local.array(NEIGHBOURS, numba.int32)
    for i in range(thread, n, threads):
        slot, row = lists * room * n + i, now * n
        px, py = read2(g.place, 4 * (row + i))
        pz, _ = read2(g.place, 4 * (row + i) + 2)
        ix, iy, iz = cell_of(g, px, py, pz)
        xi, yi, zi, ri = read4(g.spot, 4 * (row + i))
        si = unit * f4(ri)
        count, ends = 0, 0  # of those found: all; those that touch, and those of each level, in 8 bits each
        for turn in range(2):
            if turn == 1:
                if count <= NEIGHBOURS:
                    break
                count = 0
            first, last = rows_in(g, ix - 1, iy - 1, iz - 1)
            for cell in range(1, 28):
                following = rows_in(g, ix - 1 + cell % 3, iy - 1 + cell // 3 % 3, iz - 1 + cell // 9)  # one ahead
                for j in range(first, last):
                    xj, yj, zj, rj = read4(g.spot, 4 * (row + j))
                    dx, dy, dz = unit * f4(apart(xi, xj)), unit * f4(apart(yi, yj)), unit * f4(apart(zi, zj))
                    reach = si + unit * f4(rj)
                    square, far = dx * dx + dy * dy + dz * dz, reach + skin
                    if square < far * far and j != i and is_near(g, row + j, px, py, pz):
                        if turn == 1:
                            if count < room:
                                g.other[slot + count * n] = j
                        elif count < NEIGHBOURS:
                            level = 0
                            if square >= reach * reach:
                                gap = (math.sqrt(square) - reach) / skin
                                level = 1 + min(LEVELS - 1, level_of(gap * gap))
                            found[count] = (level << ROW_BITS) | j
                            ends += 1 << 8 * level
                        count += 1
                first, last = following
        if count > room:
            cuda.atomic.max(g.flags, SLOTS, count)
            fail(g.flags, gr.LIST_FULL, 0)
            continue
        if count <= NEIGHBOURS:
            begins, before = 0, 0
            for level in range(LEVELS + 1):
                begins |= before << 8 * level
                before += (ends >> 8 * level) & 255
            for t in range(count):
                level = int(found[t]) >> ROW_BITS
                at = (begins >> 8 * level) & 255
                begins += 1 << 8 * level
                g.other[slot + at * n] = found[t] - ((1 << ROW_BITS) if level > 0 else 0)
        g.count[lists * n + i] = count
        keep_history(g, lists, i, count)


@cuda.jit(device=True)
def find_walls(g, now, pose, lists, thread, threads):
    """Walls near each grain. Slots are taken as they come; a grain's own lie side by side."""
    n, found = g.run_i[gr.COUNT], cuda.local.array(FOUND, numba.int32)
    for i in range(thread, n, threads):
        px, py = read2(g.place, 4 * (now * n + i))
        pz, r = read2(g.place, 4 * (now * n + i) + 2)
        reach = r + g.run_f[gr.SKIN]
        count, first, binned, bits = 0, 0, 0, 0
        for turn in range(2):  # count, then write; what has been found in the first turn need not be looked for again
            if turn == 1:
                if count == 0:
                    break
                first = cuda.atomic.add(g.flags, WALL_SLOTS, count)
                if first + count > g.wall.shape[1]:
                    fail(g.flags, gr.WALL_FULL, 0)
                    count = 0
                    break
                if count <= FOUND:
                    for t in range(count):
                        bits |= put_wall(g, lists, found[t], i, first + t, t)
                    break
                count = 0
            for b in range(g.run_i[gr.BODIES]):
                begin, always, end = g.bin_i[b, c.FIRST_ALWAYS], g.bin_i[b, c.ALWAYS], 0
                lx, ly, lz = seen_from(pose, b, px, py, pz)
                if g.bin_i[b, c.NX] > 0:
                    binned, end = bin_range(g.bin_i, g.bin_f, g.bin_start, b, lx, ly, lz)
                    end -= binned
                following = candidate(g, begin, always, binned, 0) if always + end > 0 else 0
                for t in range(1, always + end + 1):
                    k = following
                    following = candidate(g, begin, always, binned, min(t, always + end - 1))  # one ahead
                    if within(g.wall_i, g.wall_f, g.rim_i, g.rim_f, k, lx, ly, lz, reach):
                        if turn == 1:
                            bits |= put_wall(g, lists, k, i, first + count, count)
                        elif count < FOUND:
                            found[count] = k
                        count += 1
        g.wall_at[lists, 0, i], g.wall_at[lists, 1, i] = first, count
        g.wall_bits[i], g.wall_bits[n + i] = 0, bits
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
        gather_blocks(g, cuda.gridDim.x, room)
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
    find_walls(g, now, pose, 1 - lists, threads - 1 - thread, threads)  # from the last: the first are busy
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


def _march(g, steps, anew, few):
    """Sub-steps until `steps` are done, with lists when they are due; by all threads of the device together.

    anew    1: sub-steps and what pushes walls count from here
    few     walls of a grain that one thread sees to
    """
    grid, room = cuda.cg.this_grid(), cuda.shared.array(ROOM, numba.float64)
    thread, threads = cuda.grid(1), cuda.gridsize(1)
    if anew == 1:
        if thread == 0:
            g.flags[DONE], g.flags[CODE], g.flags[DUE] = 0, gr.OK, 0
        reset_push(g, thread, threads)
        grid.sync()
    n, law, nm = g.run_i[gr.COUNT], g.run_i[gr.LAW], g.run_i[gr.MATERIALS]
    rolls, dt = g.run_i[gr.HISTORY] > 4, f4(g.run_f[gr.STEP])
    now, lists, done, fresh, code = g.flags[NOW], g.flags[LISTS], g.flags[DONE], g.flags[FRESH], g.flags[CODE]
    slots, home = g.flags[WALL_SLOTS], g.run_i[gr.HOME]
    grid.sync()
    while done < steps and code == gr.OK:
        if fresh != 1:
            make_lists(g, g.pose[done], now, lists, fresh, grid, thread, threads, room)
            now, lists, fresh, code = g.flags[NOW], g.flags[LISTS], g.flags[FRESH], g.flags[CODE]
            if fresh != 1:
                break
            slots = g.flags[WALL_SLOTS]
        pose, after, due, culprit = g.pose[done], g.pose[done + 1], DUE + done % 3, -1
        for i in range(thread, n, threads):
            deep, Fx, Fy, Fz, Tx, Ty, Tz = pair_forces(g, i, n, now, lists, law, nm, rolls, dt)
            put_load(g.load, i, Fx, Fy, Fz, Tx, Ty, Tz)
            if deep:
                culprit = g.ident[lists, i]
        for s in range(threads - 1 - thread, slots, threads):  # from the last: the first are busy
            i = g.wall_owner[s]
            bits, deep = step_wall(g, s, i, few, n, now, lists, pose, law, nm, rolls, dt)
            if bits != 0:
                cuda.atomic.or_(g.wall_bits, i, bits)
            if deep:
                culprit = g.ident[lists, i]
        if thread == threads - 1:
            g.flags[DUE + (done + 1) % 3] = 0  # which all have read: they have met since
            if walls_moved(g, after, way_back(g, home, after)):
                g.flags[due] = 1
        grid.sync()
        if culprit >= 0:  # not before: others may still read the code of the last sub-step
            fail(g.flags, gr.TOO_DEEP, culprit)
        for i in range(thread, n, threads):
            trouble, level = step_outer(g, i, few, n, now, lists, pose, home, after, law, nm, rolls, dt)
            if told(g, n, lists, i, trouble, level):
                g.flags[due] = 1
        grid.sync()
        now, done, fresh, code = 1 - now, done + 1, 1 - g.flags[due], g.flags[CODE]
        if thread == 0:
            g.flags[DONE], g.flags[NOW], g.flags[FRESH] = done, now, fresh
    grid.sync()
    if done >= steps:
        gather_threads(g, lists, thread, threads, room)
        grid.sync()
        gather_blocks(g, cuda.gridDim.x, room)


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
    """After `gather_1` with so many blocks: what pushed the walls, by bodies."""
    gather_blocks(g, blocks, cuda.shared.array(ROOM, numba.float64))


@cuda.jit(**LEANER)
def inner(g, k):
    """Sub-step k of the graph: forces between grains; motion of those that are near no wall."""
    i, n, step = cuda.grid(1), g.run_i[gr.COUNT], g.flags[BASE] + k
    if i >= n or over(g, step):
        return
    now, lists = (g.flags[NOW] + k) & 1, g.flags[LISTS]
    after, home = g.pose[step + 1], g.run_i[gr.HOME]
    if i == 0 and walls_moved(g, after, way_back(g, home, after)):
        g.flags[STOP] = step + 1
    code, level = step_inner(
        g, i, n, now, lists, home, after, g.run_i[gr.LAW], g.run_i[gr.MATERIALS], g.run_i[gr.HISTORY] > 4,
        f4(g.run_f[gr.STEP]),
    )  # fmt: skip
    if told(g, n, lists, i, code, level):
        g.flags[STOP] = step + 1


@cuda.jit(**QUICK)
def walls(g, k):
    """Sub-step k of the graph: how near walls are."""
    step = g.flags[BASE] + k
    if over(g, step):
        return
    now, lists = (g.flags[NOW] + k) & 1, g.flags[LISTS]
    for s in range(cuda.grid(1), g.flags[WALL_SLOTS], cuda.gridsize(1)):
        i = g.wall_owner[s]
        bits = find_gap(g, s, i, g.run_i[gr.COUNT], now, lists, g.pose[step])
        if bits != 0:
            cuda.atomic.or_(g.wall_bits, i, bits)


@cuda.jit(**QUICK)
def outer(g, k):
    """Sub-step k of the graph: forces of walls and motion of the grains near them."""
    n, step = g.run_i[gr.COUNT], g.flags[BASE] + k
    if over(g, step):
        return
    now, lists = (g.flags[NOW] + k) & 1, g.flags[LISTS]
    home, after = g.run_i[gr.HOME], g.pose[step + 1]
    for at in range(cuda.grid(1), g.flags[WALL_GRAINS], cuda.gridsize(1)):
        i = g.wall_rows[at]
        code, level = step_outer(
            g, i, 0, n, now, lists, g.pose[step], home, after, g.run_i[gr.LAW], g.run_i[gr.MATERIALS],
            g.run_i[gr.HISTORY] > 4, f4(g.run_f[gr.STEP]),
        )  # fmt: skip
        if told(g, n, lists, i, code, level):
            g.flags[STOP] = step + 1
