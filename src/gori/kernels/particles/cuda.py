"""Sub-steps of all grains on a GPU.

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
"""

import numba
from numba import cuda

from gori.kernels.particles import drift
from gori.kernels.particles import grains as gr
from gori.kernels.particles.cuda_device import on_device
from gori.kernels.particles.cuda_forces import pair_forces, row_of, step_inner, step_outer
from gori.kernels.particles.cuda_lists import fail, gather_blocks, gather_threads, make_lists
from gori.kernels.particles.cuda_rows import over, reset_push
from gori.kernels.particles.cuda_tables import (
    BASE,
    CODE,
    COUNT_BITS,
    DONE,
    DUE,
    FRESH,
    LEVELS,
    LISTS,
    NOW,
    STOP,
    TOTAL,
    WALL_GRAINS,
    WALL_SLOTS,
)
from gori.kernels.particles.cuda_walls import find_gap, put_load, step_wall

f4 = numba.float32
way_back, walls_moved = on_device(drift.way_back), on_device(drift.walls_moved)

THREADS = 512
"""of a block, at most"""
ROOM = 6 * THREADS
"""numbers that a block shares"""
QUICK: dict = {} if numba.config.ENABLE_CUDASIM else {"fastmath": True}
LEAN, LEANER = QUICK | {"max_registers": 128}, QUICK | {"max_registers": 96}
"""quotients and roots to the last bit but one; and for kernels that need more threads at once, fewer registers"""
if numba.config.ENABLE_CUDASIM:
    LEAN = LEANER = QUICK


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
