"""Forces and motion of one particle on a GPU: the same laws and walls as on the CPU.

Positions are double, the rest single; the low bits of velocities are kept apart, so that gravity adds up. Forces of a
pair are equal and opposite to the last bit.
"""

import math

import numba
from numba import cuda

from gori.kernels.particles import columns as c
from gori.kernels.particles import drift, geometry
from gori.kernels.particles import law as laws
from gori.kernels.particles.cuda_device import on_device
from gori.kernels.particles.cuda_flags import COUNT_BITS, LEVELS, ROW_BITS
from gori.kernels.particles.cuda_walls import put_load, wall_forces
from gori.kernels.particles.cuda_wide import read2, read4, write2, write4
from gori.kernels.particles.law import Constants, Touch

f4, f8, i4 = numba.float32, numba.float64, numba.int32


contact, rolling, pair_law = on_device(laws.contact), on_device(laws.rolling), on_device(laws.pair_law)
surface_velocity, slip, spin_about = (
    on_device(geometry.surface_velocity),
    on_device(geometry.slip),
    on_device(geometry.spin_about),
)
moment, whole_force = on_device(geometry.moment), on_device(geometry.whole_force)
put_back = on_device(drift.put_back)


@cuda.jit(device=True)
def wrapped(k):
    """The last 32 bits of a whole number, with a sign."""
    return ((int(k) + 0x80000000) & 0xFFFFFFFF) - 0x80000000


@cuda.jit(device=True)
def apart(a, b):
    """From a to b, both in units."""
    return i4(wrapped(int(b) - int(a)))


@cuda.jit(device=True)
def fixed_point_of(g, x, y, z, r):
    """A position and a radius in units."""
    per = g.settings[0].per_unit
    return wrapped(math.floor(x * per)), wrapped(math.floor(y * per)), wrapped(math.floor(z * per)), int(r * per)


@cuda.jit(device=True)
def row_of(at):
    """The row in an entry of `other`."""
    return (at if at >= 0 else ~at) & ((1 << ROW_BITS) - 1)


@cuda.jit(device=True)
def level_of(square):
    """Level of a way or a gap, of which the square is given in skins; LEVELS if it is longer than the skin."""
    if square < f4(1.0 / 8.0**2):
        return 0 if square < f4(1.0 / 32.0**2) else 1
    if square < f4(1.0 / 2.0**2):
        return 2 if square < f4(1.0 / 4.0**2) else 3
    if square < f4(1.0):
        return 4 if square < f4(3.0**2 / 4.0**2) else 5
    return LEVELS


@cuda.jit(device=True)
def level_in(count):
    """The level that a number of `count` holds: as many bits are set."""
    bits, level = count >> COUNT_BITS, 0
    for k in range(LEVELS):
        level += (bits >> k) & 1
    return level


@cuda.jit(device=True)
def pair_forces(g, step, i):
    """Contacts of particle i with particles: whether one is too deep, force (3), torque (3).

    A thread waits for memory most of the time, and a GPU for lines of memory that 32 threads ask for at once: so
    positions are asked for one turn ahead, and motion only of those that touched before. Those that cannot touch yet,
    as
    neither has moved so far, stand at the end.
    """
    point, motion, other, history, p, n = g.fixed_point, g.motion, g.other, g.history, g.pair_f, step.n
    half, one, zero, unit = p[0, c.HALF], p[0, c.ONE], p[0, c.ZERO], f4(g.settings[0].unit)
    law, constants = pair_law(p, 0), Constants(half, one, zero, p[0, c.TINY], step.dt)
    full_arm = f4(g.settings[0].full_arm)
    most, deep, first = p[0, c.DEEP], False, step.now * n
    slot, numbers = step.lists * g.settings[0].neighbours * n + i, g.settings[0].history
    row = first + i
    xi, yi, zi, ri = read4(point, 4 * row)
    ax, ay, az, mi = read4(motion, 8 * row)
    bx, by, bz, kind = read4(motion, 8 * row + 4)
    si = unit * f4(ri)
    uniform, R, m = g.settings[0].uniform == 1, half * si, half * mi
    Fx, Fy, Fz, Tx, Ty, Tz = zero, zero, zero, zero, zero, zero
    count = g.count[step.lists * n + i]
    level = level_in(count)
    at, following = other[slot], other[slot + n]
    xj, yj, zj, rj = read4(point, 4 * (first + row_of(at)))
    for _ in range(count & ((1 << COUNT_BITS) - 1)):
        if at >> ROW_BITS > level:  # nor can those that follow
            break
        j = first + row_of(at)
        ex, ey, ez, mj, fx, fy, fz, partner = zero, zero, zero, zero, zero, zero, zero, zero
        hx, hy, hz = zero, zero, zero
        if at < 0:
            ex, ey, ez, mj = read4(motion, 8 * j)
            fx, fy, fz, partner = read4(motion, 8 * j + 4)
            hx, hy, hz, _ = read4(history, numbers * slot)
        x, y, z, r = read4(point, 4 * (first + row_of(following)))
        further = other[slot + 2 * n]
        nx, ny, nz = unit * f4(apart(xi, xj)), unit * f4(apart(yi, yj)), unit * f4(apart(zi, zj))
        sj = unit * f4(rj)
        square, reach = nx * nx + ny * ny + nz * nz, si + sj
        if square < reach * reach:
            if at >= 0:
                other[slot] = ~at
                ex, ey, ez, mj = read4(motion, 8 * j)
                fx, fy, fz, partner = read4(motion, 8 * j + 4)
            distance = math.sqrt(square)
            to_one = one / distance
            nx, ny, nz = nx * to_one, ny * to_one, nz * to_one
            d = reach - distance
            deep = deep or d > most * min(si, sj)
            if not uniform:
                R, m = si * sj / reach, mi * mj / (mi + mj)
            mean, skew = half * (distance + full_arm * d), half * (si - sj)
            sx, sy, sz, qx, qy, qz = bx + fx, by + fy, bz + fz, bx - fx, by - fy, bz - fz
            wx, wy, wz = surface_velocity(mean, sx, sy, sz, skew, qx, qy, qz)
            ux, uy, uz = slip(nx, ny, nz, ax - ex, ay - ey, az - ez, wx, wy, wz)
            touch = Touch(d, R, m, nx, ny, nz, ux, uy, uz, spin_about(half, nx, ny, nz, sx, sy, sz))
            if step.materials > 1:
                law = pair_law(p, int(kind) * step.materials + int(partner))
            Fn, px, py, pz, hx, hy, hz = contact(step.law, law, constants, touch, hx, hy, hz)
            write4(history, numbers * slot, (hx, hy, hz, zero))
            tx, ty, tz = moment(nx, ny, nz, px, py, pz)
            arm = mean + skew
            Tx, Ty, Tz = Tx + arm * tx, Ty + arm * ty, Tz + arm * tz
            px, py, pz = whole_force(Fn, nx, ny, nz, px, py, pz)
            Fx, Fy, Fz = Fx + px, Fy + py, Fz + pz
            if step.rolls:
                gx, gy, gz = zero, zero, zero
                if at < 0:
                    gx, gy, gz, _ = read4(history, numbers * slot + 4)
                mx, my, mz, hx, hy, hz = rolling(law, constants, touch, Fn, qx, qy, qz, gx, gy, gz)
                write4(history, numbers * slot + 4, (hx, hy, hz, zero))
                Tx, Ty, Tz = Tx + mx, Ty + my, Tz + mz
        elif at < 0:
            other[slot] = ~at
        slot, at, following = slot + n, following, further
        xj, yj, zj, rj = x, y, z, r
    return deep, Fx, Fy, Fz, Tx, Ty, Tz


@cuda.jit(device=True)
def move_particle(g, step, i, back, load):
    """Motion of a particle into the other buffer. Returns a result code, and the levels between which it has moved,
    twice: the one that its neighbours know of and, if that is higher, the new one, or 0.

    back   as `way_back`
    load   force (3) and torque (3)
    """
    Fx, Fy, Fz, Tx, Ty, Tz = load
    s, row, own = g.settings[0], step.now * step.n + i, 4 * (step.lists * step.n + i)
    xi, yi = read2(g.sphere, 4 * row)
    zi, ri = read2(g.sphere, 4 * row + 2)
    ax, ay, az, m = read4(g.motion, 8 * row)
    bx, by, bz, kind = read4(g.motion, 8 * row + 4)
    lx, ly, lz, rest = read4(g.velocity_low, own)
    qx, qy, qz, before = read4(g.listed_point, 4 * i)
    h = s.step
    per_mass = h / m
    # f8 and not float, which leaves single precision as it is
    vx = f8(ax) + lx + per_mass * Fx + h * s.gravity[0]
    vy = f8(ay) + ly + per_mass * Fy + h * s.gravity[1]
    vz = f8(az) + lz + per_mass * Fz + h * s.gravity[2]
    r = f4(ri)
    per_inertia = f4(per_mass) / (f4(0.4) * r * r)
    ax, ay, az = f4(vx), f4(vy), f4(vz)
    row = (1 - step.now) * step.n + i
    write4(g.motion, 8 * row, (ax, ay, az, m))
    write4(g.motion, 8 * row + 4, (bx + per_inertia * Tx, by + per_inertia * Ty, bz + per_inertia * Tz, kind))
    write4(g.velocity_low, own, (f4(vx - f8(ax)), f4(vy - f8(ay)), f4(vz - f8(az)), rest))
    dx, dy, dz = h * vx, h * vy, h * vz
    px, py, pz = xi + dx, yi + dy, zi + dz
    write2(g.sphere, 4 * row, (px, py))
    write2(g.sphere, 4 * row + 2, (pz, ri))
    x, y, z, units = fixed_point_of(g, px, py, pz, ri)
    write4(g.fixed_point, 4 * row, (i4(x), i4(y), i4(z), i4(units)))

    code, far = c.OK, drift.FASTEST * ri
    if not dx * dx + dy * dy + dz * dz < far * far:
        code = c.RUNAWAY
    if s.home >= 0:
        ex, ey, ez = put_back(back, px, py, pz)
        x, y, z, _ = fixed_point_of(g, px + (ex + back[9]), py + (ey + back[10]), pz + (ez + back[11]), ri)
    scale = f4(s.unit * g.skin[1])
    wx, wy, wz = scale * f4(apart(qx, x)), scale * f4(apart(qy, y)), scale * f4(apart(qz, z))
    level = level_of(f4(4.1) * (wx * wx + wy * wy + wz * wz))  # a little more than 2 x 2, as all of this is rounded
    if level <= before:
        return code, before, 0
    g.listed_point[4 * i + 3] = level
    return code, before, level


@cuda.jit(device=True)
def step_inner(g, step, i, back):
    """One sub-step of a particle that is near no wall; of one that is, forces of other particles are put into `load`.

    Returns as `move_particle`.
    """
    deep, Fx, Fy, Fz, Tx, Ty, Tz = pair_forces(g, step, i)
    if g.wall_at[step.lists, 1, i] > 0:
        put_load(g.load, i, (Fx, Fy, Fz, Tx, Ty, Tz))
        return c.TOO_DEEP if deep else c.OK, 0, 0
    code, before, level = move_particle(g, step, i, back, (Fx, Fy, Fz, Tx, Ty, Tz))
    return c.TOO_DEEP if deep else code, before, level


@cuda.jit(device=True)
def step_outer(g, step, i, load, pose, back):
    """The rest of the sub-step of a particle, after `step_wall`.

    load   force (3) and torque (3) of other particles

    Returns as `move_particle`.
    """
    Fx, Fy, Fz, Tx, Ty, Tz = load
    deep = False
    if g.wall_at[step.lists, 1, i] > 0:
        deep, fx, fy, fz, tx, ty, tz = wall_forces(g, step, i, pose)
        Fx, Fy, Fz, Tx, Ty, Tz = Fx + fx, Fy + fy, Fz + fz, Tx + tx, Ty + ty, Tz + tz
    code, before, level = move_particle(g, step, i, back, (Fx, Fy, Fz, Tx, Ty, Tz))
    return c.TOO_DEEP if deep else code, before, level
