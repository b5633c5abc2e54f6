"""Many sub-steps of all particles on the CPU: forces, motion, and new lists when they are due.

A sub-step is a leapfrog: v += dt a(x, v), x += dt v. Forces of a chunk, then its motion into the other buffer; one
barrier for the workers in a sub-step.
"""

from numba import types

from gori.kernels.choose import where_less
from gori.kernels.jit import kernel, part
from gori.kernels.lanes import lanes_below
from gori.kernels.particles import columns as c
from gori.kernels.particles.arrays import MIDDLE, SMALL, particles_type
from gori.kernels.particles.contacts import pair_forces
from gori.kernels.particles.drift import FASTEST, put_back, walls_moved, way_back
from gori.kernels.particles.lists import gather_wrenches, make_lists, worst
from gori.kernels.particles.skin import best_skin, too_wide
from gori.kernels.particles.team import barrier, chunks_of, rows_of, share
from gori.kernels.particles.wall_contacts import wall_forces
from gori.kernels.rows import eight_of, four_of_each, halves, join, put_halves, put_row8, row8, turn4

LISTS_DUE = 3
"""a level above that of all gaps: lists are due"""
NEARLY = 1.0 - 1e-9
"""of squares of distances that were rounded"""


@part
def new_motion(g, v, load, i, first, fall):
    """Velocity and angular velocity of particle i, with mass and material between them, after the sub-step."""
    settings = g.settings[0]
    k = 0 if settings.uniform else i
    inverse = four_of_each(g.inverse_mass[k, 0], g.inverse_mass[k, 1])
    return row8(v, i) + inverse * row8(load, i - first) * settings.step + fall


@part
def new_sphere(x, y, i, j, way):
    """Spheres of particles i and j that go a way, written."""
    spheres = halves(x, i, j) + way
    put_halves(y, i, j, spheres)
    return spheres


@part
def is_careful(g):
    """Whether a particle can be too fast and yet within the skin; otherwise one that is too fast makes lists due."""
    return g.settings[0].home >= 0 or g.skin[0] >= FASTEST * g.settings[0].least


@part
def move(g, x, v, y, u, load, first, last, back):
    """Motion of particles into the other buffer, eight at a time; loads are used up.

    Returns the level of the gaps that count from now on, LISTS_DUE if lists are due; and whether all are slow enough.
    """
    settings = g.settings[0]
    dt, limit = settings.step, 0.25 * g.skin[0] * g.skin[0]
    gx, gy, gz = settings.gravity[0], settings.gravity[1], settings.gravity[2]
    fall = eight_of(dt * gx, dt * gy, dt * gz, 0.0, 0.0, 0.0, 0.0, 0.0)
    drive = eight_of(dt, dt, dt, 0.0, dt, dt, dt, 0.0)
    none = fall * 0.0
    far, stays, slow, rides, careful = none, True, True, settings.home >= 0, is_careful(g)
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
        w0, w1 = drive * join(m[0], m[4]), drive * join(m[1], m[5])
        w2, w3 = drive * join(m[2], m[6]), drive * join(m[3], m[7])
        p0, p1 = new_sphere(x, y, k[0], k[4], w0), new_sphere(x, y, k[1], k[5], w1)
        p2, p3 = new_sphere(x, y, k[2], k[6], w2), new_sphere(x, y, k[3], k[7], w3)
        px, py, pz, r = turn4(p0, p1, p2, p3)
        if careful:
            dx, dy, dz, _ = turn4(w0, w1, w2, w3)
            slow = slow and lanes_below(dx * dx + dy * dy + dz * dz, FASTEST * FASTEST * (r * r)) == 255
        # from where the lists saw them
        dx, dy, dz, _ = turn4(
            p0 - halves(g.listed_position, k[0], k[4]), p1 - halves(g.listed_position, k[1], k[5]),
            p2 - halves(g.listed_position, k[2], k[6]), p3 - halves(g.listed_position, k[3], k[7]),
        )  # fmt: skip
        if rides:
            ex, ey, ez = put_back(back, px, py, pz)
            dx, dy, dz = dx + (ex + back[9]), dy + (ey + back[10]), dz + (ez + back[11])
        square = dx * dx + dy * dy + dz * dz
        far = where_less(far, square, square, far)
        stays = stays and lanes_below(square, none + limit) == 255  # which a NaN is not
    level = 2
    if not stays:
        level = LISTS_DUE
    elif lanes_below(far, none + NEARLY * SMALL * SMALL * limit) == 255:
        level = 0
    elif lanes_below(far, none + NEARLY * MIDDLE * MIDDLE * limit) == 255:
        level = 1
    return level, slow and (careful or stays)


@part
def runaway(g, x, u, first, last):
    """A particle that moves too far in a sub-step, -1 for none."""
    dt = g.settings[0].step
    for i in range(first, last):
        vx, vy, vz, far = u[i, c.VX], u[i, c.VY], u[i, c.VZ], FASTEST * x[i, c.R]
        if not dt * dt * (vx * vx + vy * vy + vz * vz) < far * far:
            return i
    return -1


@part
def step_chunk(g, pose, now, level, chunk, back, load, mine):
    """One sub-step of one chunk; `mine` is the report of its worker."""
    x, v, u, ids = g.sphere[now], g.motion[now], g.motion[1 - now], g.id[g.progress[0].ids]
    first, last = rows_of(g, chunk)
    deep = pair_forces(g, x, v, load, chunk, level)
    wall_deep = wall_forces(g, x, v, pose, load, first, last)
    level, slow = move(g, x, v, g.sphere[1 - now], u, load, first, last, back)
    mine.level = max(mine.level, level)
    if deep or wall_deep >= 0:
        mine.code = c.TOO_DEEP
        mine.culprit = ids[wall_deep] if wall_deep >= 0 else -1
    if not slow:
        bad = runaway(g, x, u, first, last)
        if bad >= 0:
            mine.code, mine.culprit = c.RUNAWAY, ids[bad]


MARCH = types.int64(particles_type, types.int64, types.int64, types.int64, types.int64)


@kernel(MARCH)
def march(g, worker, workers, first_step, steps):
    """Sub-steps first_step to steps - 1 of the table of poses, or if there are none new lists at that pose; called by
    all workers at once. Returns a result code.

    It ends with lists that hold, so that a state saved then finds the same ones again. Outlets act when lists are made.
    """
    barriers, code = 1, c.OK
    a, z = share(chunks_of(g), worker, workers)
    progress = g.progress[0]
    fresh, now, level, since = progress.fresh, progress.now, progress.level, progress.since
    for step in range(first_step, steps + 1):
        pose = g.pose[step]
        if fresh != 1 or first_step == steps:
            code, barriers = make_lists(g, pose, worker, workers, barriers, first_step < steps)
            if code != c.OK:
                break
            a, z = share(chunks_of(g), worker, workers)
            now, fresh, level, since = progress.now, 1, 0, 0
        if step == steps:
            break
        parity = step & 1
        mine = g.reports[parity, worker]
        mine.code, mine.level = c.OK, 0
        back = way_back(g, g.settings[0].home, g.pose[step + 1])
        for chunk in range(a, z):
            step_chunk(g, pose, now, level, chunk, back, g.load[worker], mine)
        now, fresh, since = 1 - now, 1, since + 1
        if walls_moved(g, g.pose[step + 1], back) or too_wide(g, since):
            fresh = 0
        barriers = barrier(g.counters, barriers, workers)
        for w in range(workers):
            level = max(level, g.reports[parity, w].level)
        if level == LISTS_DUE:
            fresh = 0
        code = worst(g, parity, workers)
        if worker == 0:
            progress.done, progress.fresh, progress.level, progress.now = step + 1, fresh, level, now
            progress.since = since
            if fresh == 0:  # the others wait at the next barrier
                g.skin[0] = best_skin(g, since)
        if code != c.OK:
            break
        if fresh == 0:
            barriers = barrier(g.counters, barriers, workers)
    barriers = barrier(g.counters, barriers, workers)
    if worker == 0:
        gather_wrenches(g)
    return code
