"""Sub-steps of all grains on a GPU.

A grain's thread goes through all of its contacts, those with lower rows too: no motion depends on the order of threads,
nor does what pushes a body; of what pushes one primitive of a wall the last bits do. There are two ways through many
sub-steps:

march                 one kernel whose threads meet on the device, twice a sub-step: no launches, for small systems
inner, walls, outer   kernels for a sub-step, many of them launched as one graph: for large systems. Walls take many
                      registers, so grains near them are finished apart, and the others run with more threads at once.
                      When lists are due, or something is wrong, the kernels that follow do nothing

Two grains can touch only when one of them has moved by half of their gap. So neighbours stand by levels of their gaps,
and a grain that comes to a level tells its neighbours of that level: all look at contacts up to the level they have
heard of.

Tried on an H200, with a million grains: a thread for each contact and then one for each grain, no faster; a block that
computes the contacts of some grains and adds them up, a third as fast; eight threads for a grain, a third as fast;
motion asked for one turn ahead, no faster. In `march`: four threads for a grain, no faster; fewer registers for more
threads, half as fast; grains near no wall moved at once, before threads meet, a fifth slower; as many grains in each
block, and the walls between them, a twentieth slower; places and low bits kept by the threads between lists, no faster.
"""

import numba
from numba import cuda

from gori.kernels.particles import drift
from gori.kernels.particles import grains as gr
from gori.kernels.particles import tables as c
from gori.kernels.particles.cuda_device import meet, on_device
from gori.kernels.particles.cuda_forces import pair_forces, step_inner, step_outer
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
    ROW_BITS,
    STOP,
    TOTAL,
    WALL_GRAINS,
    WALL_SLOTS,
)
from gori.kernels.particles.cuda_walls import get_load, put_load, step_wall

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
def tell(g, own, at, before, level):
    """Tell the neighbour of an entry of `other`, if a grain that comes from one level to another can touch it now."""
    at = at if at >= 0 else ~at
    gap = at >> ROW_BITS
    if before < gap and gap <= level:
        cuda.atomic.or_(g.count, own + (at & ((1 << ROW_BITS) - 1)), ((1 << gap) - 1) << COUNT_BITS)


@cuda.jit(device=True)
def told(g, n, lists, i, before, level):
    """Tell a grain and its neighbours to which level it has moved. Returns whether no other sub-step may follow with
    these lists.
    """
    if level == 0:
        return False
    if level >= LEVELS:
        return True
    own, slot = lists * n, lists * g.run_i[gr.SLOTS] * n + i
    last = (g.count[own + i] & ((1 << COUNT_BITS) - 1)) - 1
    cuda.atomic.or_(g.count, own + i, ((1 << level) - 1) << COUNT_BITS)
    for k in range(0, last + 1, 8):  # eight at a time, none of which waits for another: all grains wait for this one
        a, b = g.other[slot + k * n], g.other[slot + min(k + 1, last) * n]
        d, e = g.other[slot + min(k + 2, last) * n], g.other[slot + min(k + 3, last) * n]
        p, q = g.other[slot + min(k + 4, last) * n], g.other[slot + min(k + 5, last) * n]
        u, v = g.other[slot + min(k + 6, last) * n], g.other[slot + min(k + 7, last) * n]
        tell(g, own, a, before, level)
        tell(g, own, b, before, level)
        tell(g, own, d, before, level)
        tell(g, own, e, before, level)
        tell(g, own, p, before, level)
        tell(g, own, q, before, level)
        tell(g, own, u, before, level)
        tell(g, own, v, before, level)
    return False


@cuda.jit(device=True)
def put_way_back(g, pose):
    """`way_back` of the grains' home, into `back`, by one thread."""
    back = way_back(g, g.run_i[gr.HOME], pose)
    for k in range(12):
        g.back[k] = back[k]
    return back


@cuda.jit(device=True)
def get_way_back(g):
    b = g.back
    return b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11]


@cuda.jit(**LEAN)
def renew(g):
    """Lists at the pose of the sub-step that has come, if they are due; by all threads of the device together."""
    room = cuda.shared.array(ROOM, numba.float64)
    thread, threads = cuda.grid(1), cuda.gridsize(1)
    now, lists, fresh, code = g.flags[NOW], g.flags[LISTS], g.flags[FRESH], g.flags[CODE]
    cuda.cg.this_grid().sync()  # by which Numba knows that all blocks must run at the same time
    if fresh != 1 and code == gr.OK:
        make_lists(g, g.pose[g.flags[DONE]], now, lists, fresh, thread, threads, room)


def _march(g, steps, anew):
    """Sub-steps until `steps` are done, with lists when they are due; by all threads of the device together. Lists that
    were too long for their room are made by `renew` before.

    anew    1: sub-steps and what pushes walls count from here
    """
    room = cuda.shared.array(ROOM, numba.float64)
    thread, threads = cuda.grid(1), cuda.gridsize(1)
    if anew == 1:
        if thread == 0:
            g.flags[DONE], g.flags[CODE], g.flags[DUE] = 0, gr.OK, 0
        reset_push(g, thread, threads)
    cuda.cg.this_grid().sync()  # by which Numba knows that all blocks must run at the same time
    n, law, nm, zero = g.run_i[gr.COUNT], g.run_i[gr.LAW], g.run_i[gr.MATERIALS], g.pair_f[0, c.ZERO]
    rolls, dt = g.run_i[gr.HISTORY] > 4, f4(g.run_f[gr.STEP])
    now, lists, done, fresh, code = g.flags[NOW], g.flags[LISTS], g.flags[DONE], g.flags[FRESH], g.flags[CODE]
    slots = g.flags[WALL_SLOTS]
    while done < steps and code == gr.OK:
        if fresh != 1:
            make_lists(g, g.pose[done], now, lists, fresh, thread, threads, room)
            now, lists, fresh, code = g.flags[NOW], g.flags[LISTS], g.flags[FRESH], g.flags[CODE]
            if fresh != 1:
                break
            slots = g.flags[WALL_SLOTS]
        pose, due, trouble, culprit = g.pose[done], DUE + done % 3, gr.OK, 0
        own_load = zero, zero, zero, zero, zero, zero
        for i in range(thread, n, threads):
            deep, Fx, Fy, Fz, Tx, Ty, Tz = pair_forces(g, i, n, now, lists, law, nm, rolls, dt)
            if i == thread:
                own_load = Fx, Fy, Fz, Tx, Ty, Tz
            else:
                put_load(g.load, i, (Fx, Fy, Fz, Tx, Ty, Tz))
            if deep:
                trouble, culprit = gr.TOO_DEEP, g.ident[lists, i]
        for s in range(threads - 1 - thread, slots, threads):  # from the last: the first are busy
            i = g.wall_owner[s]
            if step_wall(g, s, i, n, now, lists, pose, law, nm, rolls, dt):
                trouble, culprit = gr.TOO_DEEP, g.ident[lists, i]
        if thread == max(0, threads - 1 - slots):
            g.flags[DUE + (done + 1) % 3] = 0  # which all have read: they have met since
            if walls_moved(g, g.pose[done + 1], put_way_back(g, g.pose[done + 1])):
                g.flags[due] = 1
        meet(g.flags)
        back = get_way_back(g)
        for i in range(thread, n, threads):
            load = own_load if i == thread else get_load(g.load, i)
            code, before, level = step_outer(g, i, n, now, lists, load, pose, back, law, nm, rolls, dt)
            if code != gr.OK:
                trouble, culprit = code, g.ident[lists, i]
            if told(g, n, lists, i, before, level):
                g.flags[due] = 1
        if trouble != gr.OK:  # not before all have met: others may still read the code of the last sub-step
            fail(g.flags, trouble, culprit)
        meet(g.flags)
        now, done, fresh, code = 1 - now, done + 1, 1 - g.flags[due], g.flags[CODE]
        if thread == 0:
            g.flags[DONE], g.flags[NOW], g.flags[FRESH] = done, now, fresh
    if done >= steps:
        gather_threads(g, lists, thread, threads, room)
        meet(g.flags)
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


@cuda.jit(device=True)
def stop(g, code, lists, i, step):
    """A sub-step of grain i has failed, and is the last."""
    fail(g.flags, code, g.ident[lists, i])
    g.flags[STOP] = step + 1


@cuda.jit(**LEANER)
def inner(g, k):
    """Sub-step k of the graph: forces between grains; motion of those that are near no wall."""
    i, n, step = cuda.grid(1), g.run_i[gr.COUNT], g.flags[BASE] + k
    if i >= n or over(g, step):
        return
    now, lists = (g.flags[NOW] + k) & 1, g.flags[LISTS]
    back = way_back(g, g.run_i[gr.HOME], g.pose[step + 1])
    if i == 0 and walls_moved(g, g.pose[step + 1], back):
        g.flags[STOP] = step + 1
    code, before, level = step_inner(
        g, i, n, now, lists, back, g.run_i[gr.LAW], g.run_i[gr.MATERIALS], g.run_i[gr.HISTORY] > 4,
        f4(g.run_f[gr.STEP]),
    )  # fmt: skip
    if told(g, n, lists, i, before, level):
        g.flags[STOP] = step + 1
    if code != gr.OK:
        stop(g, code, lists, i, step)


@cuda.jit(**QUICK)
def walls(g, k):
    """Sub-step k of the graph: how near walls are, and forces of those that have touched before."""
    n, step = g.run_i[gr.COUNT], g.flags[BASE] + k
    if over(g, step):
        return
    now, lists = (g.flags[NOW] + k) & 1, g.flags[LISTS]
    for s in range(cuda.grid(1), g.flags[WALL_SLOTS], cuda.gridsize(1)):
        i = g.wall_owner[s]
        deep = step_wall(
            g, s, i, n, now, lists, g.pose[step], g.run_i[gr.LAW], g.run_i[gr.MATERIALS], g.run_i[gr.HISTORY] > 4,
            f4(g.run_f[gr.STEP]),
        )  # fmt: skip
        if deep:
            stop(g, gr.TOO_DEEP, lists, i, step)


@cuda.jit(**QUICK)
def outer(g, k):
    """Sub-step k of the graph: other forces of walls, and motion of the grains near them."""
    n, step = g.run_i[gr.COUNT], g.flags[BASE] + k
    if over(g, step):
        return
    now, lists = (g.flags[NOW] + k) & 1, g.flags[LISTS]
    back = way_back(g, g.run_i[gr.HOME], g.pose[step + 1])
    for at in range(cuda.grid(1), g.flags[WALL_GRAINS], cuda.gridsize(1)):
        i = g.wall_rows[at]
        code, before, level = step_outer(
            g, i, n, now, lists, get_load(g.load, i), g.pose[step], back, g.run_i[gr.LAW], g.run_i[gr.MATERIALS],
            g.run_i[gr.HISTORY] > 4, f4(g.run_f[gr.STEP]),
        )  # fmt: skip
        if told(g, n, lists, i, before, level):
            g.flags[STOP] = step + 1
        if code != gr.OK:
            stop(g, code, lists, i, step)
