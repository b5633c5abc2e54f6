"""Forces and motion of one grain on a GPU: the same laws and walls as on the CPU.

Places are double, the rest single; the low bits of velocities are kept apart, so that gravity adds up. Forces of a pair
are equal and opposite to the last bit.
"""

import math
from types import FunctionType

import numba
from numba import cuda
from numba.core.dispatcher import Dispatcher

from gori.kernels.particles import grains as gr
from gori.kernels.particles import law as laws
from gori.kernels.particles import tables as c
from gori.kernels.particles import wall_contacts
from gori.kernels.particles.cuda_wide import read2, read4, write2, write4
from gori.kernels.particles.drift import FASTEST

f4 = numba.float32

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


@cuda.jit(device=True)
def pair_forces(g, i, n, now, lists, law, nm, rolls, dt):
    """Contacts of grain i with grains: whether one is too deep, force (3), torque (3)."""
    place, motion, other, history, p = g.place, g.motion, g.other, g.history, g.pair_f
    half, one, zero, tiny = p[0, c.HALF], p[0, c.ONE], p[0, c.ZERO], p[0, c.TINY]
    kn, cn, kt, ct, mu, pair = p[0, c.KN], p[0, c.CN], p[0, c.KT], p[0, c.CT], p[0, c.MU], 0
    most, deep, first = p[0, c.DEEP], False, now * n
    plane = g.run_i[gr.SLOTS] * n  # from one number of history to the next
    slot, kept = lists * plane + i, lists * g.run_i[gr.HISTORY] * plane + i
    row = first + i
    xi, yi = read2(place, 4 * row)
    zi, ri = read2(place, 4 * row + 2)
    ax, ay, az, mi = read4(motion, 8 * row)
    bx, by, bz, kind = read4(motion, 8 * row + 4)
    si = f4(ri)
    Fx, Fy, Fz, Tx, Ty, Tz = zero, zero, zero, zero, zero, zero
    at = other[slot]
    for _ in range(g.count[lists * n + i]):
        j = first + (at if at >= 0 else ~at)
        # all that may be needed is asked for at once, and who comes next: waiting for memory takes most of the time
        xj, yj = read2(place, 4 * j)
        zj, rj = read2(place, 4 * j + 2)
        ex, ey, ez, mj = read4(motion, 8 * j)
        fx, fy, fz, partner = read4(motion, 8 * j + 4)
        following = other[slot + n]
        hx, hy, hz = zero, zero, zero
        if at < 0:
            hx, hy, hz = history[kept], history[kept + plane], history[kept + 2 * plane]
        nx, ny, nz, sj = f4(xj - xi), f4(yj - yi), f4(zj - zi), f4(rj)
        square, reach = nx * nx + ny * ny + nz * nz, si + sj
        if square < reach * reach:
            if at >= 0:
                other[slot] = ~at
            distance = math.sqrt(square)
            to_one = one / distance
            nx, ny, nz = nx * to_one, ny * to_one, nz * to_one
            d = reach - distance
            deep = deep or d > most * min(si, sj)
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
            history[kept], history[kept + plane], history[kept + 2 * plane] = hx, hy, hz
            Tx += arm * (ny * pz - nz * py)
            Ty += arm * (nz * px - nx * pz)
            Tz += arm * (nx * py - ny * px)
            Fx += px - Fn * nx
            Fy += py - Fn * ny
            Fz += pz - Fn * nz
            if rolls:
                a, gx, gy, gz = kept + 3 * plane, zero, zero, zero
                if at < 0:
                    gx, gy, gz = history[a], history[a + plane], history[a + 2 * plane]
                mx, my, mz, hx, hy, hz = rolling(
                    kt, p[pair, c.MU_ROLL], p[pair, c.C_ROLL], one, tiny, dt, d, R, m, Fn, nx, ny, nz,
                    bx - fx, by - fy, bz - fz, spin, gx, gy, gz,
                )  # fmt: skip
                history[a], history[a + plane], history[a + 2 * plane] = hx, hy, hz
                Tx, Ty, Tz = Tx + mx, Ty + my, Tz + mz
        elif at < 0:
            other[slot] = ~at
        slot, kept, at = slot + n, kept + n, following
    return deep, Fx, Fy, Fz, Tx, Ty, Tz


@cuda.jit(device=True)
def forget(g, lists, s):
    for q in range(g.wall_history.shape[2]):
        g.wall_history[lists, s, q] = f4(0.0)


@cuda.jit(device=True)
def same_body(g, lists, left, entered):
    return g.wall_i[g.wall[lists, left], c.BODY] == g.wall_i[~g.wall[lists, entered], c.BODY]


@cuda.jit(device=True)
def find_gaps(g, i, n, now, lists, pose):
    """Gaps and directions from grain i to its walls, into `wall_near`; which it touches now. A contact that goes on
    from one facet to the next of the same body keeps its history.
    """
    row, first = now * n + i, g.wall_at[lists, 0, i]
    xi, yi = read2(g.place, 4 * row)
    zi, ri = read2(g.place, 4 * row + 2)
    left, entered = -1, -1
    for s in range(first, first + g.wall_at[lists, 1, i]):
        w = g.wall[lists, s]
        gap, nx, ny, nz = gap_to(g, pose, w if w >= 0 else ~w, xi, yi, zi)
        g.wall_near[s, 0], g.wall_near[s, 1], g.wall_near[s, 2], g.wall_near[s, 3] = gap, nx, ny, nz
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
    """Contact of a grain with the wall of slot s, after `find_gaps`: too deep, force (3), torque (3) on the grain."""
    k, zero = g.wall[lists, s], g.pair_f[0, c.ZERO]
    if k >= 0:
        return False, zero, zero, zero, zero, zero, zero
    k, h = ~k, g.wall_history[lists, s]
    gap, nx, ny, nz = g.wall_near[s, 0], g.wall_near[s, 1], g.wall_near[s, 2], g.wall_near[s, 3]
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
            bx - f4(sx), by - f4(sy), bz - f4(sz), spin, h[3], h[4], h[5],
        )  # fmt: skip
        h[3], h[4], h[5] = hx, hy, hz
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
def wall_forces(g, i, n, now, lists, pose, law, nm, rolls, dt):
    """Contacts of grain i with walls: too deep, force (3), torque (3)."""
    find_gaps(g, i, n, now, lists, pose)
    row, zero = now * n + i, g.pair_f[0, c.ZERO]
    xi, yi = read2(g.place, 4 * row)
    zi, ri = read2(g.place, 4 * row + 2)
    first = g.wall_at[lists, 0, i]
    ax, ay, az, m = read4(g.motion, 8 * row)
    bx, by, bz, kind = read4(g.motion, 8 * row + 4)
    Fx, Fy, Fz, Tx, Ty, Tz, deep = zero, zero, zero, zero, zero, zero, False
    for s in range(first, first + g.wall_at[lists, 1, i]):
        too, fx, fy, fz, tx, ty, tz = wall_force(
            g, pose, lists, s, law, nm, rolls, dt, xi, yi, zi, ri, ax, ay, az, m, bx, by, bz, kind
        )
        deep = deep or too
        Fx, Fy, Fz, Tx, Ty, Tz = Fx + fx, Fy + fy, Fz + fz, Tx + tx, Ty + ty, Tz + tz
    return deep, Fx, Fy, Fz, Tx, Ty, Tz


@cuda.jit(device=True)
def move_grain(g, i, n, now, lists, sx, sy, sz, deep, Fx, Fy, Fz, Tx, Ty, Tz):
    """Motion of a grain into the other buffer. Returns a result code, and whether lists are due."""
    f, row, own = g.run_f, now * n + i, 4 * (lists * n + i)
    xi, yi = read2(g.place, 4 * row)
    zi, ri = read2(g.place, 4 * row + 2)
    ax, ay, az, m = read4(g.motion, 8 * row)
    bx, by, bz, kind = read4(g.motion, 8 * row + 4)
    h = f[gr.STEP]
    per_mass = h / m
    lx, ly, lz, rest = read4(g.low, own)
    vx = float(ax) + lx + per_mass * Fx + h * f[gr.GX]
    vy = float(ay) + ly + per_mass * Fy + h * f[gr.GY]
    vz = float(az) + lz + per_mass * Fz + h * f[gr.GZ]
    per_inertia = f4(per_mass / (0.4 * ri * ri))
    ax, ay, az = f4(vx), f4(vy), f4(vz)
    row = (1 - now) * n + i
    write4(g.motion, 8 * row, (ax, ay, az, m))
    write4(g.motion, 8 * row + 4, (bx + per_inertia * Tx, by + per_inertia * Ty, bz + per_inertia * Tz, kind))
    write4(g.low, own, (f4(vx - float(ax)), f4(vy - float(ay)), f4(vz - float(az)), rest))
    dx, dy, dz = h * vx, h * vy, h * vz
    px, py, pz = xi + dx, yi + dy, zi + dz
    write2(g.place, 4 * row, (px, py))
    write2(g.place, 4 * row + 2, (pz, ri))

    code, far = gr.OK, FASTEST * ri
    if deep:
        code = gr.TOO_DEEP
    elif not dx * dx + dy * dy + dz * dz < far * far:
        code = gr.RUNAWAY
    qx, qy = read2(g.before, 4 * i)
    qz, _ = read2(g.before, 4 * i + 2)
    dx, dy, dz = px - qx - sx, py - qy - sy, pz - qz - sz
    return code, 4.0 * (dx * dx + dy * dy + dz * dz) > f[gr.SKIN] * f[gr.SKIN]


@cuda.jit(device=True)
def step_inner(g, i, n, now, lists, sx, sy, sz, law, nm, rolls, dt):
    """One sub-step of a grain that is near no wall; of one that is, forces of other grains are put into `load`.

    Returns a result code, and whether lists are due.
    """
    deep, Fx, Fy, Fz, Tx, Ty, Tz = pair_forces(g, i, n, now, lists, law, nm, rolls, dt)
    if g.wall_at[lists, 1, i] > 0:
        one, zero = g.pair_f[0, c.ONE], g.pair_f[0, c.ZERO]
        write4(g.load, 8 * i, (Fx, Fy, Fz, one if deep else zero))
        write4(g.load, 8 * i + 4, (Tx, Ty, Tz, zero))
        return gr.OK, False
    return move_grain(g, i, n, now, lists, sx, sy, sz, deep, Fx, Fy, Fz, Tx, Ty, Tz)


@cuda.jit(device=True)
def step_outer(g, i, n, now, lists, pose, sx, sy, sz, law, nm, rolls, dt):
    """The rest of the sub-step of a grain near walls. Returns a result code, and whether lists are due."""
    deep, Fx, Fy, Fz, Tx, Ty, Tz = wall_forces(g, i, n, now, lists, pose, law, nm, rolls, dt)
    fx, fy, fz, pressed = read4(g.load, 8 * i)
    tx, ty, tz, _ = read4(g.load, 8 * i + 4)
    deep = deep or pressed > g.pair_f[0, c.ZERO]
    return move_grain(g, i, n, now, lists, sx, sy, sz, deep, Fx + fx, Fy + fy, Fz + fz, Tx + tx, Ty + ty, Tz + tz)


@cuda.jit(device=True)
def step_whole(g, i, n, now, lists, pose, sx, sy, sz, law, nm, rolls, dt):
    """One sub-step of any grain. Returns a result code, and whether lists are due."""
    deep, Fx, Fy, Fz, Tx, Ty, Tz = pair_forces(g, i, n, now, lists, law, nm, rolls, dt)
    if g.wall_at[lists, 1, i] > 0:
        pressed, fx, fy, fz, tx, ty, tz = wall_forces(g, i, n, now, lists, pose, law, nm, rolls, dt)
        deep = deep or pressed
        Fx, Fy, Fz, Tx, Ty, Tz = Fx + fx, Fy + fy, Fz + fz, Tx + tx, Ty + ty, Tz + tz
    return move_grain(g, i, n, now, lists, sx, sy, sz, deep, Fx, Fy, Fz, Tx, Ty, Tz)
