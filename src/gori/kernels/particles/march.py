"""Many sub-steps of all grains on the CPU: forces, motion, and new lists when they are due.

A sub-step is a leapfrog: v += dt a(x, v), x += dt v. Forces of a chunk, then its motion into the other buffer; one
meeting of the workers a sub-step.
"""

from numba import types

from gori.kernels.choose import where_less
from gori.kernels.jit import kernel, part
from gori.kernels.lanes import lanes_below
from gori.kernels.particles import grains as gr
from gori.kernels.particles import tables as c
from gori.kernels.particles.contacts import pair_forces
from gori.kernels.particles.drift import FASTEST, put_back, walls_moved, way_back
from gori.kernels.particles.lists import chunks_of, gather_push, make_lists, rows_of, worst
from gori.kernels.particles.team import meet, share
from gori.kernels.particles.wall_contacts import wall_forces
from gori.kernels.rows import eight_of, four_of_each, halves, join, put_halves, put_row8, row8, turn4

DUE = 3
"""a level beyond that of all gaps: lists are due"""
NEARLY = 1.0 - 1e-9
"""of squares of distances that were rounded"""


@part
def new_motion(g, v, load, i, first, fall):
    """Velocity and spin of grain i, with mass and material between them, after the sub-step."""
    k = 0 if g.run_i[gr.UNIFORM] else i
    light = four_of_each(g.lightness[k, 0], g.lightness[k, 1])
    return row8(v, i) + light * row8(load, i - first) * g.run_f[gr.STEP] + fall


@part
def new_place(x, y, i, j, a, b, drive):
    """Places of grains i and j that move as a and b say, written."""
    place = halves(x, i, j) + drive * join(a, b)
    put_halves(y, i, j, place)
    return place


@part
def move(g, x, v, y, u, load, first, last, back):
    """Motion of grains into the other buffer, eight at a time; loads are used up.

    Returns the level of the gaps that count from now on, DUE if lists are due.
    """
    dt, f = g.run_f[gr.STEP], g.run_f
    limit = 0.25 * f[gr.SKIN] * f[gr.SKIN]
    fall = eight_of(dt * f[gr.GX], dt * f[gr.GY], dt * f[gr.GZ], 0.0, 0.0, 0.0, 0.0, 0.0)
    drive = eight_of(dt, dt, dt, 0.0, dt, dt, dt, 0.0)
    none = fall * 0.0
    far, stays, rides = none, True, g.run_i[gr.HOME] >= 0
    for i in range(first, last, 8):
        end = last - 1  # the last ones, where there are not eight, are moved more than once, from and to the same
        k = (
            i, min(i + 1, end), min(i + 2, end), min(i + 3, end),
            min(i + 4, end), min(i + 5, end), min(i + 6, end), min(i + 7, end),
        )  # fmt: skip
        m = (
            new_motion(g, v, load, k[0], first, fall), new_motion(g, v, load, k[1], first, fall),
            new_motion(g, v, load, k[2], first, fall), new_motion(g, v, load, k[3], first, fall),
            new_motion(g, v, load, k[4], first, fall), new_motion(g, v, load, k[5], first, fall),
            new_motion(g, v, load, k[6], first, fall), new_motion(g, v, load, k[7], first, fall),
        )  # fmt: skip
        put_row8(u, k[0], m[0])
        put_row8(u, k[1], m[1])
        put_row8(u, k[2], m[2])
        put_row8(u, k[3], m[3])
        put_row8(u, k[4], m[4])
        put_row8(u, k[5], m[5])
        put_row8(u, k[6], m[6])
        put_row8(u, k[7], m[7])
        put_row8(load, k[0] - first, none)
        put_row8(load, k[1] - first, none)
        put_row8(load, k[2] - first, none)
        put_row8(load, k[3] - first, none)
        put_row8(load, k[4] - first, none)
        put_row8(load, k[5] - first, none)
        put_row8(load, k[6] - first, none)
        put_row8(load, k[7] - first, none)
        p0, p1 = new_place(x, y, k[0], k[4], m[0], m[4], drive), new_place(x, y, k[1], k[5], m[1], m[5], drive)
        p2, p3 = new_place(x, y, k[2], k[6], m[2], m[6], drive), new_place(x, y, k[3], k[7], m[3], m[7], drive)
        # from where the lists saw them
        dx, dy, dz, _ = turn4(
            p0 - halves(g.before, k[0], k[4]), p1 - halves(g.before, k[1], k[5]),
            p2 - halves(g.before, k[2], k[6]), p3 - halves(g.before, k[3], k[7]),
        )  # fmt: skip
        if rides:
            px, py, pz, _ = turn4(p0, p1, p2, p3)
            ex, ey, ez = put_back(back, px, py, pz)
            dx, dy, dz = dx + (ex + back[9]), dy + (ey + back[10]), dz + (ez + back[11])
        square = dx * dx + dy * dy + dz * dz
        far = where_less(far, square, square, far)
        stays = stays and lanes_below(square, none + limit) == 255  # which a NaN is not
    if not stays:
        return DUE
    if lanes_below(far, none + NEARLY * gr.SMALL * gr.SMALL * limit) == 255:
        return 0
    if lanes_below(far, none + NEARLY * gr.MIDDLE * gr.MIDDLE * limit) == 255:
        return 1
    return 2


@part
def runaway(g, x, u, first, last):
    """A grain that moves too far in a sub-step, -1 for none."""
    dt = g.run_f[gr.STEP]
    for i in range(first, last):
        vx, vy, vz, far = u[i, c.VX], u[i, c.VY], u[i, c.VZ], FASTEST * x[i, c.R]
        if not dt * dt * (vx * vx + vy * vy + vz * vz) < far * far:
            return i
    return -1


@part
def step_chunk(g, pose, now, level, chunk, back, load, mine):
    """One sub-step of one chunk."""
    x, v, u = g.place[now], g.motion[now], g.motion[1 - now]
    first, last = rows_of(g, chunk)
    deep = pair_forces(g, x, v, load, chunk, level)
    wall_deep = wall_forces(g, x, v, pose, load, first, last)
    level = move(g, x, v, g.place[1 - now], u, load, first, last, back)
    mine[1] = max(mine[1], level)
    if deep or wall_deep >= 0:
        mine[0] = gr.TOO_DEEP
        mine[2] = g.ident[g.run_i[gr.NAMES], wall_deep] if wall_deep >= 0 else -1
    if level == DUE or g.run_i[gr.CAREFUL] != 0:
        bad = runaway(g, x, u, first, last)
        if bad >= 0:
            mine[0], mine[2] = gr.RUNAWAY, g.ident[g.run_i[gr.NAMES], bad]


MARCH = types.int64(gr.grains_type, types.int64, types.int64, types.int64, types.int64)


@kernel(MARCH)
def march(g, worker, workers, first_step, steps):
    """Sub-steps first_step to steps - 1 of the table of poses, or if there are none new lists at that pose; called by
    all workers at once. Returns a result code.

    It ends with lists that hold, so that a state saved then finds the same ones again.
    """
    meeting, code = 1, gr.OK
    a, z = share(chunks_of(g), worker, workers)
    fresh, now, level = g.run_i[gr.FRESH], g.run_i[gr.NOW], g.run_i[gr.LEVEL]
    for step in range(first_step, steps + 1):
        pose = g.pose[step]
        if fresh != 1 or first_step == steps:
            code, meeting = make_lists(g, pose, worker, workers, meeting)
            if code != gr.OK:
                break
            now, fresh, level = g.run_i[gr.NOW], 1, 0
        if step == steps:
            break
        parity = step & 1
        mine = g.flags[parity, worker]
        mine[0], mine[1] = gr.OK, 0
        back = way_back(g, g.run_i[gr.HOME], g.pose[step + 1])
        for chunk in range(a, z):
            step_chunk(g, pose, now, level, chunk, back, g.load[worker], mine)
        now, fresh = 1 - now, 1
        if walls_moved(g, g.pose[step + 1], back):
            fresh = 0
        meeting = meet(g.counters, meeting, workers)
        for w in range(workers):
            level = max(level, g.flags[parity, w, 1])
        if level == DUE:
            fresh = 0
        code = worst(g, parity, workers)
        if worker == 0:
            g.run_i[gr.DONE] = step + 1
            g.run_i[gr.FRESH], g.run_i[gr.LEVEL] = fresh, level
            g.run_i[gr.NOW] = now
        if code != gr.OK:
            break
        if fresh == 0:
            meeting = meet(g.counters, meeting, workers)
    meeting = meet(g.counters, meeting, workers)
    if worker == 0:
        gather_push(g)
    return code
