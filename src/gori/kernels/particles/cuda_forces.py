"""Forces and motion of one grain on a GPU: the same laws and walls as on the CPU.

Places are double, the rest single; the low bits of velocities are kept apart, so that gravity adds up. Forces of a pair
are equal and opposite to the last bit.
"""

import math
from types import FunctionType

import numba
from numba import cuda
from numba.core.dispatcher import Dispatcher

from gori.kernels.particles import drift, wall_contacts
from gori.kernels.particles import grains as gr
from gori.kernels.particles import law as laws
from gori.kernels.particles import tables as c
from gori.kernels.particles.cuda_tables import COUNT_BITS, LEVELS, ROW_BITS
from gori.kernels.particles.cuda_wide import read2, read4, write2, write4

f4, i4 = numba.float32, numba.int32

MANY = 62
"""walls of a grain before those that share a bit"""

_ON_DEVICE: dict = {}


def on_device(function):
    """A building block of the CPU, with all that it calls, for the GPU."""
    plain = function.py_func if isinstance(function, Dispatcher) else function
    if plain not in _ON_DEVICE:
        scope = plain.__globals__
        used = {name: scope[name] for name in plain.__code__.co_names if name in scope}
        calls = {name: on_device(f) for name, f in used.items() if isinstance(f, (Dispatcher, FunctionType))}
        _ON_DEVICE[plain] = cuda.jit(device=True)(FunctionType(plain.__code__, {**scope, **calls}, plain.__name__))
    return _ON_DEVICE[plain]


contact, rolling, gap_to = on_device(laws.contact), on_device(laws.rolling), on_device(wall_contacts.gap_to)
way_back, put_back = on_device(drift.way_back), on_device(drift.put_back)


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
def forget(g, lists, s):
    for q in range(g.wall_history.shape[2]):
        g.wall_history[lists, s, q] = f4(0.0)


@cuda.jit(device=True)
def same_body(g, lists, left, entered):
    return g.wall_i[g.wall[lists, left], c.BODY] == g.wall_i[~g.wall[lists, entered], c.BODY]


@cuda.jit(device=True)
def bit_of(k):
    """Bit of wall k of a grain; those from MANY on share one."""
    return 1 << min(k, MANY)


@cuda.jit(device=True)
def find_gap(g, s, i, n, now, lists, pose):
    """Gap and direction from grain i to the wall of slot s, into `wall_near`. Returns its bit if it touches, or 0."""
    row, w, first = now * n + i, g.wall[lists, s], g.wall_at[lists, 0, i]
    xi, yi = read2(g.place, 4 * row)
    zi, ri = read2(g.place, 4 * row + 2)
    gap, nx, ny, nz = gap_to(g, pose, w if w >= 0 else ~w, xi, yi, zi)
    write2(g.wall_near, 4 * s, (gap, nx))
    write2(g.wall_near, 4 * s + 2, (ny, nz))
    return bit_of(s - first) if gap < ri else 0


@cuda.jit(device=True)
def hand_over(g, i, lists, ri):
    """Which walls grain i touches now, after `find_gap`. A contact that goes on from one facet to the next of the same
    body keeps its history.
    """
    left, entered, first = -1, -1, g.wall_at[lists, 0, i]
    for s in range(first, first + g.wall_at[lists, 1, i]):
        w, gap = g.wall[lists, s], g.wall_near[4 * s]
        if gap < ri and w >= 0:
            entered = s
            g.wall[lists, s] = ~w
        elif gap >= ri and w < 0:
            if left >= 0:
                forget(g, lists, left)
            left = s
            g.wall[lists, s] = ~w
    if left >= 0:
        if entered >= 0 and same_body(g, lists, left, entered):
            for q in range(g.wall_history.shape[2]):
                g.wall_history[lists, entered, q] = g.wall_history[lists, left, q]
        forget(g, lists, left)


@cuda.jit(device=True)
def wall_force(g, pose, lists, s, law, nm, rolls, dt, xi, yi, zi, ri, ax, ay, az, m, bx, by, bz, kind):
    """Contact of a grain with the wall of slot s, after `hand_over`: too deep, force (3), torque (3) on the grain."""
    k, zero = g.wall[lists, s], g.pair_f[0, c.ZERO]
    if k >= 0:
        return False, zero, zero, zero, zero, zero, zero
    k, h = ~k, g.wall_history[lists, s]
    gap, nx = read2(g.wall_near, 4 * s)
    ny, nz = read2(g.wall_near, 4 * s + 2)
    p, b = g.pair_f[int(kind) * nm + g.wall_i[k, c.WALL_MATERIAL]], g.wall_i[k, c.BODY]
    # the wall moves at the contact, seen from the body's origin at q
    qx, qy, qz = (
        xi + gap * nx - pose[b, gr.POS],
        yi + gap * ny - pose[b, gr.POS + 1],
        zi + gap * nz - pose[b, gr.POS + 2],
    )
    sx, sy, sz = pose[b, gr.SPIN], pose[b, gr.SPIN + 1], pose[b, gr.SPIN + 2]
    ux = f4(ax + gap * (by * nz - bz * ny) - pose[b, gr.VEL] - (sy * qz - sz * qy))
    uy = f4(ay + gap * (bz * nx - bx * nz) - pose[b, gr.VEL + 1] - (sz * qx - sx * qz))
    uz = f4(az + gap * (bx * ny - by * nx) - pose[b, gr.VEL + 2] - (sx * qy - sy * qx))
    spin = f4(0.5 * ((bx + sx) * nx + (by + sy) * ny + (bz + sz) * nz))
    d, R, ex, ey, ez, arm = f4(ri - gap), f4(ri), f4(nx), f4(ny), f4(nz), f4(gap)
    Fn, fx, fy, fz, hx, hy, hz = contact(
        law, p[c.KN], p[c.CN], p[c.KT], p[c.CT], p[c.MU], p[c.HALF], p[c.ONE], zero, p[c.TINY], dt,
        d, R, m, ex, ey, ez, ux, uy, uz, spin, h[0], h[1], h[2],
    )  # fmt: skip
    h[0], h[1], h[2] = hx, hy, hz
    mx, my, mz = zero, zero, zero
    if rolls:
        mx, my, mz, hx, hy, hz = rolling(
            p[c.KT], p[c.MU_ROLL], p[c.C_ROLL], p[c.ONE], p[c.TINY], dt, d, R, m, Fn, ex, ey, ez,
            bx - f4(sx), by - f4(sy), bz - f4(sz), spin, h[4], h[5], h[6],
        )  # fmt: skip
        h[4], h[5], h[6] = hx, hy, hz
    tx, ty, tz = arm * (ey * fz - ez * fy) + mx, arm * (ez * fx - ex * fz) + my, arm * (ex * fy - ey * fx) + mz
    fx, fy, fz = fx - Fn * ex, fy - Fn * ey, fz - Fn * ez
    g.wall_push[s, 0] -= qy * fz - qz * fy + mx
    g.wall_push[s, 1] -= qz * fx - qx * fz + my
    g.wall_push[s, 2] -= qx * fy - qy * fx + mz
    g.wall_push[s, 3] -= fx
    g.wall_push[s, 4] -= fy
    g.wall_push[s, 5] -= fz
    return ri - gap > p[c.DEEP] * ri, fx, fy, fz, tx, ty, tz


@cuda.jit(device=True)
def wall_forces(g, i, bits, n, now, lists, pose, law, nm, rolls, dt):
    """Contacts of grain i with the walls that have these bits: too deep, force (3), torque (3)."""
    row, zero, before = now * n + i, g.pair_f[0, c.ZERO], g.wall_bits[n + i]
    if bits == 0 and before == 0:
        return False, zero, zero, zero, zero, zero, zero
    xi, yi = read2(g.place, 4 * row)
    zi, ri = read2(g.place, 4 * row + 2)
    if bits != before or (bits >> MANY) & 1:
        hand_over(g, i, lists, ri)
        g.wall_bits[n + i] = bits
    first = g.wall_at[lists, 0, i]
    ax, ay, az, m = read4(g.motion, 8 * row)
    bx, by, bz, kind = read4(g.motion, 8 * row + 4)
    Fx, Fy, Fz, Tx, Ty, Tz, deep = zero, zero, zero, zero, zero, zero, False
    for k in range(g.wall_at[lists, 1, i]):
        if bits & bit_of(k) == 0:
            continue
        too, fx, fy, fz, tx, ty, tz = wall_force(
            g, pose, lists, first + k, law, nm, rolls, dt, xi, yi, zi, ri, ax, ay, az, m, bx, by, bz, kind
        )
        deep = deep or too
        Fx, Fy, Fz, Tx, Ty, Tz = Fx + fx, Fy + fy, Fz + fz, Tx + tx, Ty + ty, Tz + tz
    return deep, Fx, Fy, Fz, Tx, Ty, Tz


@cuda.jit(device=True)
def move_grain(g, i, n, now, lists, home, after, Fx, Fy, Fz, Tx, Ty, Tz):
    """Motion of a grain into the other buffer. Returns a result code, and the level to which it has moved, twice, if
    that is higher than it was, or 0.
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
    unit = f[gr.UNIT]
    if home >= 0:
        back = way_back(g, home, after)
        ex, ey, ez = put_back(back, px, py, pz)
        x, y, z, _ = spot_of(g, px + (ex + back[9]), py + (ey + back[10]), pz + (ez + back[11]), ri)
    dx, dy, dz = unit * apart(qx, x), unit * apart(qy, y), unit * apart(qz, z)
    # a little more than 2 x 2, as all of this is rounded
    level = level_of(f4(4.1 * (dx * dx + dy * dy + dz * dz) / (f[gr.SKIN] * f[gr.SKIN])))
    if level <= before:
        return code, 0
    g.mark[4 * i + 3] = level
    return code, level


@cuda.jit(device=True)
def put_load(load, k, Fx, Fy, Fz, Tx, Ty, Tz):
    write4(load, 8 * k, (Fx, Fy, Fz, Fx))
    write4(load, 8 * k + 4, (Tx, Ty, Tz, Tx))


@cuda.jit(device=True)
def step_inner(g, i, n, now, lists, home, after, law, nm, rolls, dt):
    """One sub-step of a grain that is near no wall; of one that is, forces of other grains are put into `load`.

    Returns a result code and a level, as `move_grain`.
    """
    deep, Fx, Fy, Fz, Tx, Ty, Tz = pair_forces(g, i, n, now, lists, law, nm, rolls, dt)
    if g.wall_at[lists, 1, i] > 0:
        put_load(g.load, i, Fx, Fy, Fz, Tx, Ty, Tz)
        return gr.TOO_DEEP if deep else gr.OK, 0
    code, level = move_grain(g, i, n, now, lists, home, after, Fx, Fy, Fz, Tx, Ty, Tz)
    return gr.TOO_DEEP if deep else code, level


@cuda.jit(device=True)
def step_wall(g, s, i, few, n, now, lists, pose, law, nm, rolls, dt):
    """The wall of slot s, near grain i: its gap. If the grain has few walls, the first slot sees to all of them, and
    their forces go into `load`, behind those of other grains. Returns its bit if it touches and is to be told, or
    0, and whether a wall is too deep.
    """
    count, bits = g.wall_at[lists, 1, i], 0
    if count > few:
        return find_gap(g, s, i, n, now, lists, pose), False
    if s != g.wall_at[lists, 0, i]:
        return 0, False
    for t in range(s, s + count):
        bits |= find_gap(g, t, i, n, now, lists, pose)
    deep, Fx, Fy, Fz, Tx, Ty, Tz = wall_forces(g, i, bits, n, now, lists, pose, law, nm, rolls, dt)
    put_load(g.load, n + i, Fx, Fy, Fz, Tx, Ty, Tz)
    return 0, deep


@cuda.jit(device=True)
def step_outer(g, i, few, n, now, lists, pose, home, after, law, nm, rolls, dt):
    """The rest of the sub-step of a grain: forces of other grains stand in `load`, `step_wall` has seen to its walls.

    Returns as `step_inner`.
    """
    Fx, Fy, Fz, _ = read4(g.load, 8 * i)
    Tx, Ty, Tz, _ = read4(g.load, 8 * i + 4)
    deep, count, zero = False, g.wall_at[lists, 1, i], g.pair_f[0, c.ZERO]
    fx, fy, fz, tx, ty, tz = zero, zero, zero, zero, zero, zero
    if count > few:
        bits = g.wall_bits[i]
        deep, fx, fy, fz, tx, ty, tz = wall_forces(g, i, bits, n, now, lists, pose, law, nm, rolls, dt)
        if bits != 0:
            g.wall_bits[i] = 0
    elif count > 0:
        fx, fy, fz, _ = read4(g.load, 8 * (n + i))
        tx, ty, tz, _ = read4(g.load, 8 * (n + i) + 4)
    code, level = move_grain(g, i, n, now, lists, home, after, Fx + fx, Fy + fy, Fz + fz, Tx + tx, Ty + ty, Tz + tz)
    return gr.TOO_DEEP if deep else code, level
