"""Forces and motion of one grain on a GPU: the same laws and walls as on the CPU.

Places are double, the rest single; the low bits of velocities are kept apart, so that gravity adds up. Forces of a pair
are equal and opposite to the last bit.
"""

import math

import numba
from numba import cuda

from gori.kernels.particles import drift
from gori.kernels.particles import grains as gr
from gori.kernels.particles import law as laws
from gori.kernels.particles import tables as c
from gori.kernels.particles.cuda_device import on_device
from gori.kernels.particles.cuda_tables import COUNT_BITS, IN_SKINS, LEVELS, ROW_BITS
from gori.kernels.particles.cuda_walls import put_load, wall_forces
from gori.kernels.particles.cuda_wide import read2, read4, write2, write4

f4, i4 = numba.float32, numba.int32


contact, rolling = on_device(laws.contact), on_device(laws.rolling)
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
def spot_of(g, x, y, z, r):
    """A place and a radius in units."""
    per = g.run_f[gr.PER_UNIT]
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
def pair_forces(g, i, n, now, lists, law, nm, rolls, dt):
    """Contacts of grain i with grains: whether one is too deep, force (3), torque (3).

    A thread waits for memory most of the time, and a GPU for lines of memory that 32 threads ask for at once: so spots
    are asked for one turn ahead, and motion only of those that touched before. Those that cannot touch yet, as neither
    has moved so far, stand at the end.
    """
    spot, motion, other, history, p = g.spot, g.motion, g.other, g.history, g.pair_f
    half, one, zero, tiny, unit = p[0, c.HALF], p[0, c.ONE], p[0, c.ZERO], p[0, c.TINY], f4(g.run_f[gr.UNIT])
    kn, cn, kt, ct, mu, pair = p[0, c.KN], p[0, c.CN], p[0, c.KT], p[0, c.CT], p[0, c.MU], 0
    most, deep, first = p[0, c.DEEP], False, now * n
    slot, numbers = lists * g.run_i[gr.SLOTS] * n + i, g.run_i[gr.HISTORY]
    row = first + i
    xi, yi, zi, ri = read4(spot, 4 * row)
    ax, ay, az, mi = read4(motion, 8 * row)
    bx, by, bz, kind = read4(motion, 8 * row + 4)
    si = unit * f4(ri)
    uniform, R, m = g.run_i[gr.UNIFORM] == 1, half * si, half * mi
    Fx, Fy, Fz, Tx, Ty, Tz = zero, zero, zero, zero, zero, zero
    count = g.count[lists * n + i]
    level = level_in(count)
    at, following = other[slot], other[slot + n]
    xj, yj, zj, rj = read4(spot, 4 * (first + row_of(at)))
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
        x, y, z, r = read4(spot, 4 * (first + row_of(following)))
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
            arm, mean, skew = si - half * d, half * distance, half * (si - sj)
            wx = mean * (bx + fx) + skew * (bx - fx)
            wy = mean * (by + fy) + skew * (by - fy)
            wz = mean * (bz + fz) + skew * (bz - fz)
            ux = ax - ex + wy * nz - wz * ny
            uy = ay - ey + wz * nx - wx * nz
            uz = az - ez + wx * ny - wy * nx
            spin = half * ((bx + fx) * nx + (by + fy) * ny + (bz + fz) * nz)
            if nm > 1:
                pair = int(kind) * nm + int(partner)
                kn, cn, kt, ct, mu = p[pair, c.KN], p[pair, c.CN], p[pair, c.KT], p[pair, c.CT], p[pair, c.MU]
            Fn, px, py, pz, hx, hy, hz = contact(
                law, kn, cn, kt, ct, mu, half, one, zero, tiny, dt, d, R, m, nx, ny, nz, ux, uy, uz, spin, hx, hy, hz
            )
            write4(history, numbers * slot, (hx, hy, hz, zero))
            Tx += arm * (ny * pz - nz * py)
            Ty += arm * (nz * px - nx * pz)
            Tz += arm * (nx * py - ny * px)
            Fx += px - Fn * nx
            Fy += py - Fn * ny
            Fz += pz - Fn * nz
            if rolls:
                gx, gy, gz = zero, zero, zero
                if at < 0:
                    gx, gy, gz, _ = read4(history, numbers * slot + 4)
                mx, my, mz, hx, hy, hz = rolling(
                    kt, p[pair, c.MU_ROLL], p[pair, c.C_ROLL], one, tiny, dt, d, R, m, Fn, nx, ny, nz,
                    bx - fx, by - fy, bz - fz, spin, gx, gy, gz,
                )  # fmt: skip
                write4(history, numbers * slot + 4, (hx, hy, hz, zero))
                Tx, Ty, Tz = Tx + mx, Ty + my, Tz + mz
        elif at < 0:
            other[slot] = ~at
        slot, at, following = slot + n, following, further
        xj, yj, zj, rj = x, y, z, r
    return deep, Fx, Fy, Fz, Tx, Ty, Tz


@cuda.jit(device=True)
def move_grain(g, i, n, now, lists, back, Fx, Fy, Fz, Tx, Ty, Tz):
    """Motion of a grain into the other buffer. Returns a result code, and the levels between which it has moved, twice:
    the one that it had told of and, if that is higher, the new one, or 0.

    back   as `way_back`
    """
    f, row, own = g.run_f, now * n + i, 4 * (lists * n + i)
    xi, yi = read2(g.place, 4 * row)
    zi, ri = read2(g.place, 4 * row + 2)
    ax, ay, az, m = read4(g.motion, 8 * row)
    bx, by, bz, kind = read4(g.motion, 8 * row + 4)
    lx, ly, lz, rest = read4(g.low, own)
    qx, qy, qz, before = read4(g.mark, 4 * i)
    h = f[gr.STEP]
    per_mass = h / m
    vx = float(ax) + lx + per_mass * Fx + h * f[gr.GX]
    vy = float(ay) + ly + per_mass * Fy + h * f[gr.GY]
    vz = float(az) + lz + per_mass * Fz + h * f[gr.GZ]
    r = f4(ri)
    per_inertia = f4(per_mass) / (f4(0.4) * r * r)
    ax, ay, az = f4(vx), f4(vy), f4(vz)
    row = (1 - now) * n + i
    write4(g.motion, 8 * row, (ax, ay, az, m))
    write4(g.motion, 8 * row + 4, (bx + per_inertia * Tx, by + per_inertia * Ty, bz + per_inertia * Tz, kind))
    write4(g.low, own, (f4(vx - float(ax)), f4(vy - float(ay)), f4(vz - float(az)), rest))
    dx, dy, dz = h * vx, h * vy, h * vz
    px, py, pz = xi + dx, yi + dy, zi + dz
    write2(g.place, 4 * row, (px, py))
    write2(g.place, 4 * row + 2, (pz, ri))
    x, y, z, units = spot_of(g, px, py, pz, ri)
    write4(g.spot, 4 * row, (i4(x), i4(y), i4(z), i4(units)))

    code, far = gr.OK, drift.FASTEST * ri
    if not dx * dx + dy * dy + dz * dz < far * far:
        code = gr.RUNAWAY
    if g.run_i[gr.HOME] >= 0:
        ex, ey, ez = put_back(back, px, py, pz)
        x, y, z, _ = spot_of(g, px + (ex + back[9]), py + (ey + back[10]), pz + (ez + back[11]), ri)
    scale = f4(f[IN_SKINS])
    wx, wy, wz = scale * f4(apart(qx, x)), scale * f4(apart(qy, y)), scale * f4(apart(qz, z))
    level = level_of(f4(4.1) * (wx * wx + wy * wy + wz * wz))  # a little more than 2 x 2, as all of this is rounded
    if level <= before:
        return code, before, 0
    g.mark[4 * i + 3] = level
    return code, before, level


@cuda.jit(device=True)
def step_inner(g, i, n, now, lists, back, law, nm, rolls, dt):
    """One sub-step of a grain that is near no wall; of one that is, forces of other grains are put into `load`.

    Returns as `move_grain`.
    """
    deep, Fx, Fy, Fz, Tx, Ty, Tz = pair_forces(g, i, n, now, lists, law, nm, rolls, dt)
    if g.wall_at[lists, 1, i] > 0:
        put_load(g.load, i, (Fx, Fy, Fz, Tx, Ty, Tz))
        return gr.TOO_DEEP if deep else gr.OK, 0, 0
    code, before, level = move_grain(g, i, n, now, lists, back, Fx, Fy, Fz, Tx, Ty, Tz)
    return gr.TOO_DEEP if deep else code, before, level


@cuda.jit(device=True)
def step_outer(g, i, n, now, lists, load, pose, back, law, nm, rolls, dt):
    """The rest of the sub-step of a grain, after `step_wall`.

    load   force (3) and torque (3) of other grains

    Returns as `move_grain`.
    """
    Fx, Fy, Fz, Tx, Ty, Tz = load
    deep = False
    if g.wall_at[lists, 1, i] > 0:
        deep, fx, fy, fz, tx, ty, tz = wall_forces(g, i, n, now, lists, pose, law, nm, rolls, dt)
        Fx, Fy, Fz, Tx, Ty, Tz = Fx + fx, Fy + fy, Fz + fz, Tx + tx, Ty + ty, Tz + tz
    code, before, level = move_grain(g, i, n, now, lists, back, Fx, Fy, Fz, Tx, Ty, Tz)
    return gr.TOO_DEEP if deep else code, before, level
