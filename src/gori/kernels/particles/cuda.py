"""Sub-steps of all particles on a GPU.

A particle's thread goes through all of its contacts, those with lower rows too: no motion depends on the order of
threads, nor does the wrench on a body; the last bits of that on one primitive of a wall do. There are two ways through
many sub-steps:

march                 one kernel, all threads of the device with two barriers a sub-step: no launches, for small systems
inner, walls, outer   kernels for a sub-step, many of them launched as one graph: for large systems. Walls take many
                      registers, so particles near them are finished apart, and the others run with more threads at
                      once. When lists are due, or something is wrong, the kernels that follow do nothing

Two particles can touch only when one of them has moved by half of their gap. So neighbours stand by levels of their
gaps, and a particle that comes to a level raises its neighbours to that level: all compute contacts up to their level.

Tried on an H200, with a million particles: a thread for each contact and then one for each particle, no faster; a block
that computes the contacts of some particles and adds them up, a third as fast; eight threads for a particle, a third as
fast; motion asked for one turn ahead, no faster. In `march`: four threads for a particle, no faster; fewer registers
for more threads, half as fast; particles near no wall moved at once, before the barrier, a fifth slower; as many
particles in each block, and the walls between them, a twentieth slower; positions and low
bits kept by the threads between lists, no faster.
"""

import numba
from numba import cuda

from gori.kernels.particles import columns as c
from gori.kernels.particles import drift
from gori.kernels.particles import skin as skins
from gori.kernels.particles.cuda_device import SubStep, barrier, on_device, sub_step
from gori.kernels.particles.cuda_flags import (
    BASE,
    CODE,
    COUNT,
    COUNT_BITS,
    DONE,
    DUE,
    FRESH,
    LEVELS,
    LISTS,
    NOW,
    ROW_BITS,
    SINCE,
    STOP,
    TOTAL,
    WALL_PARTICLES,
    WALL_SLOTS,
)
from gori.kernels.particles.cuda_forces import pair_forces, step_inner, step_outer
from gori.kernels.particles.cuda_lists import fail, gather_blocks, gather_threads, make_lists
from gori.kernels.particles.cuda_rows import over, reset_wrenches
from gori.kernels.particles.cuda_walls import get_load, put_load, step_wall

i8 = numba.int64
way_back, walls_moved = on_device(drift.way_back), on_device(drift.walls_moved)
too_wide = on_device(skins.too_wide)

THREADS = 512
"""of a block, at most"""
SHARED = 6 * THREADS
"""numbers that a block shares"""
QUICK: dict = {} if numba.config.ENABLE_CUDASIM else {"fastmath": True}
LEAN, LEANER = QUICK | {"max_registers": 128}, QUICK | {"max_registers": 96}
"""quotients and roots to the last bit but one; and for kernels that need more threads at once, fewer registers"""
if numba.config.ENABLE_CUDASIM:
    LEAN = LEANER = QUICK


@cuda.jit(device=True)
def raise_level(g, own, at, before, level):
    """Raise the level of the neighbour of an entry of `other`, if a particle that comes from one level to another can
    touch it now.
    """
    at = at if at >= 0 else ~at
    gap = at >> ROW_BITS
    if before < gap and gap <= level:
        cuda.atomic.or_(g.count, own + (at & ((1 << ROW_BITS) - 1)), ((1 << gap) - 1) << COUNT_BITS)


@cuda.jit(device=True)
def raise_levels(g, step, i, before, level):
    """Raise the levels of a particle and its neighbours to that to which it has moved. Returns whether no other
    sub-step may follow with
    these lists.
    """
    if level == 0:
        return False
    if level >= LEVELS:
        return True
    n = step.n
    own, slot = step.lists * n, step.lists * g.settings[0].neighbours * n + i
    last = (g.count[own + i] & ((1 << COUNT_BITS) - 1)) - 1
    cuda.atomic.or_(g.count, own + i, ((1 << level) - 1) << COUNT_BITS)
    for k in range(0, last + 1, 8):  # eight at a time, none of which waits for another: all particles wait for this one
        a, b = g.other[slot + k * n], g.other[slot + min(k + 1, last) * n]
        d, e = g.other[slot + min(k + 2, last) * n], g.other[slot + min(k + 3, last) * n]
        p, q = g.other[slot + min(k + 4, last) * n], g.other[slot + min(k + 5, last) * n]
        u, v = g.other[slot + min(k + 6, last) * n], g.other[slot + min(k + 7, last) * n]
        raise_level(g, own, a, before, level)
        raise_level(g, own, b, before, level)
        raise_level(g, own, d, before, level)
        raise_level(g, own, e, before, level)
        raise_level(g, own, p, before, level)
        raise_level(g, own, q, before, level)
        raise_level(g, own, u, before, level)
        raise_level(g, own, v, before, level)
    return False


@cuda.jit(device=True)
def put_way_back(g, pose):
    """`way_back` of the particles' home, into `back`, by one thread."""
    back = way_back(g, g.settings[0].home, pose)
    for k in range(12):
        g.back[k] = back[k]
    return back


@cuda.jit(device=True)
def get_way_back(g):
    b = g.back
    return b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11]


@cuda.jit(**LEAN)
def renew(g, drains):
    """Rebuild lists at the current pose, if they are due; by all threads of the device together.

    drains   1: outlets act
    """
    shared = cuda.shared.array(SHARED, numba.float64)
    thread, threads = cuda.grid(1), cuda.gridsize(1)
    now, lists, fresh, code = g.flags[NOW], g.flags[LISTS], g.flags[FRESH], g.flags[CODE]
    cuda.cg.this_grid().sync()  # by which Numba knows that all blocks must run at the same time
    if fresh != 1 and code == c.OK:
        make_lists(g, g.pose[g.flags[DONE]], now, lists, fresh, drains == 1, thread, threads, shared)


def _march(g, steps, anew):
    """Sub-steps until `steps` are done, with lists when they are due; by all threads of the device together. Lists that
    were too long for their space are made by `renew` before.

    anew    1: sub-steps and wrenches count from here
    """
    shared = cuda.shared.array(SHARED, numba.float64)
    thread, threads = cuda.grid(1), cuda.gridsize(1)
    if anew == 1:
        if thread == 0:
            g.flags[DONE], g.flags[CODE], g.flags[DUE] = 0, c.OK, 0
        reset_wrenches(g, thread, threads)
    cuda.cg.this_grid().sync()  # by which Numba knows that all blocks must run at the same time
    now, lists, done, fresh, code = g.flags[NOW], g.flags[LISTS], g.flags[DONE], g.flags[FRESH], g.flags[CODE]
    slots, zero, constant = g.flags[WALL_SLOTS], g.pair_f[0, c.ZERO], sub_step(g, now, lists)
    n, count, since = constant.n, g.flags[COUNT], g.flags[SINCE]
    while done < steps and code == c.OK:
        if fresh != 1:
            make_lists(g, g.pose[done], now, lists, fresh, True, thread, threads, shared)
            now, lists, fresh, code = g.flags[NOW], g.flags[LISTS], g.flags[FRESH], g.flags[CODE]
            if fresh != 1:
                break
            slots, count, since = g.flags[WALL_SLOTS], g.flags[COUNT], 0
        since += 1
        pose, due, failure, culprit = g.pose[done], DUE + done % 3, c.OK, 0
        step = SubStep(n, i8(now), i8(lists), constant.law, constant.materials, constant.rolls, constant.dt)
        own_load = zero, zero, zero, zero, zero, zero
        for i in range(thread, count, threads):
            deep, Fx, Fy, Fz, Tx, Ty, Tz = pair_forces(g, step, i)
            if i == thread:
                own_load = Fx, Fy, Fz, Tx, Ty, Tz
            else:
                put_load(g.load, i, (Fx, Fy, Fz, Tx, Ty, Tz))
            if deep:
                failure, culprit = c.TOO_DEEP, g.id[lists, i]
        for s in range(threads - 1 - thread, slots, threads):  # from the last block: the first are busy
            i = g.wall_owner[s]
            if step_wall(g, step, s, i, pose):
                failure, culprit = c.TOO_DEEP, g.id[lists, i]
        if thread == max(0, threads - 1 - slots):
            g.flags[DUE + (done + 1) % 3] = 0  # which all have read before the last barrier
            if walls_moved(g, g.pose[done + 1], put_way_back(g, g.pose[done + 1])) or too_wide(g, since):
                g.flags[due] = 1
        barrier(g.flags)
        back = get_way_back(g)
        for i in range(thread, count, threads):
            load = own_load if i == thread else get_load(g.load, i)
            code, before, level = step_outer(g, step, i, load, pose, back)
            if code != c.OK:
                failure, culprit = code, g.id[lists, i]
            if raise_levels(g, step, i, before, level):
                g.flags[due] = 1
        if failure != c.OK:  # after the barrier: others may still read the code of the last sub-step
            fail(g.flags, failure, culprit)
        barrier(g.flags)
        now, done, fresh, code = 1 - now, done + 1, 1 - g.flags[due], g.flags[CODE]
        if thread == 0:
            g.flags[DONE], g.flags[NOW], g.flags[FRESH], g.flags[SINCE] = done, now, fresh, since
    if done >= steps:
        gather_threads(g, lists, thread, threads, shared)
        barrier(g.flags)
        gather_blocks(g, cuda.gridDim.x, shared)


march, march_lean = cuda.jit(**QUICK)(_march), cuda.jit(**LEAN)(_march)


# ---- a graph: begin, (inner, walls, outer) for each sub-step, end, gather


@cuda.jit
def reset(g, steps):
    """Sub-steps and wrenches count from here."""
    thread = cuda.grid(1)
    if thread == 0:
        g.flags[DONE], g.flags[CODE], g.flags[TOTAL] = 0, c.OK, steps
    reset_wrenches(g, thread, cuda.gridsize(1))


@cuda.jit
def begin(g):
    """By one thread: sub-steps of this graph count from here."""
    g.flags[BASE], g.flags[STOP] = g.flags[DONE], 0 if g.flags[FRESH] == 1 and g.flags[CODE] == c.OK else -1


@cuda.jit
def end(g, count):
    """By one thread: how far the graph came of `count` sub-steps."""
    if g.flags[STOP] >= 0:
        done = min(g.flags[BASE] + count, g.flags[TOTAL])
        if g.flags[STOP] > 0:
            done = g.flags[STOP]
            g.flags[FRESH] = 0
        g.flags[SINCE] += done - g.flags[BASE]
        g.flags[NOW] = (g.flags[NOW] + done - g.flags[BASE]) & 1
        g.flags[DONE] = done


@cuda.jit
def gather_1(g):
    shared = cuda.shared.array(SHARED, numba.float64)
    gather_threads(g, g.flags[LISTS], cuda.grid(1), cuda.gridsize(1), shared)


@cuda.jit
def gather_2(g, blocks):
    """After `gather_1` with so many blocks: the wrenches on the walls, by holders."""
    gather_blocks(g, blocks, cuda.shared.array(SHARED, numba.float64))


@cuda.jit(device=True)
def stop(g, code, lists, i, number):
    """A sub-step of particle i has failed, and is the last."""
    fail(g.flags, code, g.id[lists, i])
    g.flags[STOP] = number + 1


@cuda.jit(device=True)
def in_graph(g, k):
    """Sub-step k of the graph."""
    return sub_step(g, (g.flags[NOW] + k) & 1, g.flags[LISTS])


@cuda.jit(**LEANER)
def inner(g, k):
    """Sub-step k of the graph: forces between particles; motion of those that are near no wall."""
    i, number = cuda.grid(1), g.flags[BASE] + k
    if i >= g.flags[COUNT] or over(g, number):
        return
    step = in_graph(g, k)
    back = way_back(g, g.settings[0].home, g.pose[number + 1])
    if i == 0 and (walls_moved(g, g.pose[number + 1], back) or too_wide(g, g.flags[SINCE] + k + 1)):
        g.flags[STOP] = number + 1
    code, before, level = step_inner(g, step, i, back)
    if raise_levels(g, step, i, before, level):
        g.flags[STOP] = number + 1
    if code != c.OK:
        stop(g, code, step.lists, i, number)


@cuda.jit(**QUICK)
def walls(g, k):
    """Sub-step k of the graph: how near walls are, and forces of those that have touched before."""
    number = g.flags[BASE] + k
    if over(g, number):
        return
    step = in_graph(g, k)
    for s in range(cuda.grid(1), g.flags[WALL_SLOTS], cuda.gridsize(1)):
        i = g.wall_owner[s]
        if step_wall(g, step, s, i, g.pose[number]):
            stop(g, c.TOO_DEEP, step.lists, i, number)


@cuda.jit(**QUICK)
def outer(g, k):
    """Sub-step k of the graph: other forces of walls, and motion of the particles near them."""
    number = g.flags[BASE] + k
    if over(g, number):
        return
    step = in_graph(g, k)
    back = way_back(g, g.settings[0].home, g.pose[number + 1])
    for at in range(cuda.grid(1), g.flags[WALL_PARTICLES], cuda.gridsize(1)):
        i = g.wall_rows[at]
        code, before, level = step_outer(g, step, i, get_load(g.load, i), g.pose[number], back)
        if raise_levels(g, step, i, before, level):
            g.flags[STOP] = number + 1
        if code != c.OK:
            stop(g, code, step.lists, i, number)
