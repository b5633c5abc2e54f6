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
from gori.kernels.particles import walls

f4 = numba.float32

FASTEST = 0.25
"""radii that a grain may move in a sub-step; more is an error"""

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


contact, rolling, nearest = on_device(laws.contact), on_device(laws.rolling), on_device(walls.nearest)


@cuda.jit(device=True)
def seen(pose, b, px, py, pz):
    """A point of the world in the frame of body b."""
    dx, dy, dz = px - pose[b, gr.POS], py - pose[b, gr.POS + 1], pz - pose[b, gr.POS + 2]
    return (
        pose[b, 0] * dx + pose[b, 3] * dy + pose[b, 6] * dz,
        pose[b, 1] * dx + pose[b, 4] * dy + pose[b, 7] * dz,
        pose[b, 2] * dx + pose[b, 5] * dy + pose[b, 8] * dz,
    )


@cuda.jit(device=True)
def wall_gap(g, pose, k, px, py, pz):
    """Distance of a point from primitive k, and the unit vector to the closest point, world axes."""
    b = g.wall_i[k, c.BODY]
    lx, ly, lz = seen(pose, b, px, py, pz)
    gap, ex, ey, ez = nearest(g.wall_i, g.wall_f, g.rim_i, g.rim_f, k, lx, ly, lz)
    return (
        gap,
        pose[b, 0] * ex + pose[b, 1] * ey + pose[b, 2] * ez,
        pose[b, 3] * ex + pose[b, 4] * ey + pose[b, 5] * ez,
        pose[b, 6] * ex + pose[b, 7] * ey + pose[b, 8] * ez,
    )


@cuda.jit(device=True)
def pair_forces(i, law, nm, rolls, dt, x, v, count, other, history, pair_f):
    """Contacts of grain i with grains: whether one is too deep, force (3), torque (3)."""
    half, one, zero, tiny = pair_f[0, c.HALF], pair_f[0, c.ONE], pair_f[0, c.ZERO], pair_f[0, c.TINY]
    most, deep = pair_f[0, c.DEEP], False
    xi, yi, zi, si = x[i, 0], x[i, 1], x[i, 2], f4(x[i, 3])
    ax, ay, az, mi = v[i, 0], v[i, 1], v[i, 2], v[i, 3]
    bx, by, bz, row = v[i, 4], v[i, 5], v[i, 6], 0
    Fx, Fy, Fz, Tx, Ty, Tz = zero, zero, zero, zero, zero, zero
    for k in range(count[i]):
        at = other[k, i]
        j = at if at >= 0 else ~at
        nx, ny, nz, sj = f4(x[j, 0] - xi), f4(x[j, 1] - yi), f4(x[j, 2] - zi), f4(x[j, 3])
        square, reach = nx * nx + ny * ny + nz * nz, si + sj
        if square >= reach * reach:
            if at < 0:
                other[k, i] = j
                for q in range(history.shape[0]):
                    history[q, k, i] = zero
            continue
        if at >= 0:
            other[k, i] = ~j
        distance = math.sqrt(square)
        to_one = one / distance
        nx, ny, nz = nx * to_one, ny * to_one, nz * to_one
        d = reach - distance
        deep = deep or d > most * min(si, sj)
        mj = v[j, 3]
        R, m = si * sj / reach, mi * mj / (mi + mj)
        arm, mean, skew = si - half * d, half * distance, half * (si - sj)
        fx, fy, fz = v[j, 4], v[j, 5], v[j, 6]
        wx = mean * (bx + fx) + skew * (bx - fx)
        wy = mean * (by + fy) + skew * (by - fy)
        wz = mean * (bz + fz) + skew * (bz - fz)
        ux = ax - v[j, 0] + wy * nz - wz * ny
        uy = ay - v[j, 1] + wz * nx - wx * nz
        uz = az - v[j, 2] + wx * ny - wy * nx
        spin = half * ((bx + fx) * nx + (by + fy) * ny + (bz + fz) * nz)
        if nm > 1:
            row = int(v[i, 7]) * nm + int(v[j, 7])
        Fn, px, py, pz, hx, hy, hz = contact(
            law, pair_f[row, c.KN], pair_f[row, c.CN], pair_f[row, c.KT], pair_f[row, c.CT], pair_f[row, c.MU],
            half, one, zero, tiny, dt, d, R, m, nx, ny, nz, ux, uy, uz, spin,
            history[0, k, i], history[1, k, i], history[2, k, i],
        )  # fmt: skip
        history[0, k, i], history[1, k, i], history[2, k, i] = hx, hy, hz
        Tx += arm * (ny * pz - nz * py)
        Ty += arm * (nz * px - nx * pz)
        Tz += arm * (nx * py - ny * px)
        Fx += px - Fn * nx
        Fy += py - Fn * ny
        Fz += pz - Fn * nz
        if rolls:
            mx, my, mz, hx, hy, hz = rolling(
                pair_f[row, c.KT], pair_f[row, c.MU_ROLL], pair_f[row, c.C_ROLL], one, tiny, dt, d, R, m, Fn,
                nx, ny, nz, bx - fx, by - fy, bz - fz, spin,
                history[3, k, i], history[4, k, i], history[5, k, i],
            )  # fmt: skip
            history[3, k, i], history[4, k, i], history[5, k, i] = hx, hy, hz
            Tx, Ty, Tz = Tx + mx, Ty + my, Tz + mz
    return deep, Fx, Fy, Fz, Tx, Ty, Tz


@cuda.jit(device=True)
def hand_over(g, pose, lists, first, last, xi, yi, zi, ri):
    """A contact that goes on from one facet to the next of the same body keeps its history."""
    left, entered = -1, -1
    for s in range(first, last):
        w = g.wall[lists, s]
        gap, _, _, _ = wall_gap(g, pose, w if w >= 0 else ~w, xi, yi, zi)
        if gap < ri and w >= 0:
            entered = s
        elif gap >= ri and w < 0:
            left = s
    if left >= 0 and entered >= 0:
        if g.wall_i[~g.wall[lists, left], c.BODY] == g.wall_i[g.wall[lists, entered], c.BODY]:
            for q in range(g.wall_history.shape[2]):
                g.wall_history[lists, entered, q] = g.wall_history[lists, left, q]
                g.wall_history[lists, left, q] = f4(0.0)


@cuda.jit(device=True)
def wall_force(g, pose, lists, s, i, law, nm, rolls, dt, x, v):
    """Contact of grain i with the wall of slot s, in double but for the law: too deep, force (3), torque (3)."""
    w = g.wall[lists, s]
    touched, k = w < 0, w if w >= 0 else ~w
    zero, numbers = g.pair_f[0, c.ZERO], g.wall_history.shape[2]
    xi, yi, zi, ri = x[i, 0], x[i, 1], x[i, 2], x[i, 3]
    gap, nx, ny, nz = wall_gap(g, pose, k, xi, yi, zi)
    h = g.wall_history[lists, s]
    if gap >= ri:
        if touched:
            g.wall[lists, s] = k
            for q in range(numbers):
                h[q] = zero
        return False, zero, zero, zero, zero, zero, zero
    if not touched:
        g.wall[lists, s] = ~k
    p, b = g.pair_f[int(v[i, 7]) * nm + g.wall_i[k, c.WALL_MATERIAL]], g.wall_i[k, c.BODY]
    # the wall moves at the contact, seen from the body's origin at q
    qx, qy, qz = (
        xi + gap * nx - pose[b, gr.POS],
        yi + gap * ny - pose[b, gr.POS + 1],
        zi + gap * nz - pose[b, gr.POS + 2],
    )
    sx, sy, sz = pose[b, gr.SPIN], pose[b, gr.SPIN + 1], pose[b, gr.SPIN + 2]
    bx, by, bz = v[i, 4], v[i, 5], v[i, 6]
    ux = f4(v[i, 0] + gap * (by * nz - bz * ny) - pose[b, gr.VEL] - (sy * qz - sz * qy))
    uy = f4(v[i, 1] + gap * (bz * nx - bx * nz) - pose[b, gr.VEL + 1] - (sz * qx - sx * qz))
    uz = f4(v[i, 2] + gap * (bx * ny - by * nx) - pose[b, gr.VEL + 2] - (sx * qy - sy * qx))
    spin = f4(0.5 * ((bx + sx) * nx + (by + sy) * ny + (bz + sz) * nz))
    d, R, m, ex, ey, ez, arm = f4(ri - gap), f4(ri), v[i, 3], f4(nx), f4(ny), f4(nz), f4(gap)
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
def walls_moved(g, pose, sx, sy, sz):
    """Whether a wall may have come nearer than the lists allow for."""
    limit = 0.5 * g.run_f[gr.SKIN]
    for b in range(g.run_i[gr.BODIES]):
        if g.extent[b] < 0.0:  # no wall
            continue
        turn = 0.0
        dx = pose[b, gr.POS] - g.pose_before[b, gr.POS] - sx
        dy = pose[b, gr.POS + 1] - g.pose_before[b, gr.POS + 1] - sy
        dz = pose[b, gr.POS + 2] - g.pose_before[b, gr.POS + 2] - sz
        for k in range(9):
            e = pose[b, k] - g.pose_before[b, k]
            turn += e * e
        if math.sqrt(dx * dx + dy * dy + dz * dz) + math.sqrt(0.5 * turn) * g.extent[b] > limit:
            return True
    return False


@cuda.jit(device=True)
def step_grain(g, i, now, lists, pose, sx, sy, sz, law, nm, rolls, dt):
    """One sub-step of one grain, into the other buffer. Returns a result code, and whether lists are due."""
    x, v, f = g.place[now], g.motion[now], g.run_f
    deep, Fx, Fy, Fz, Tx, Ty, Tz = pair_forces(
        i, law, nm, rolls, dt, x, v, g.count[lists], g.other[lists], g.history[lists], g.pair_f
    )
    walls = g.wall_at[lists, 1, i]
    if walls > 0:
        first = g.wall_at[lists, 0, i]
        if walls > 1:
            hand_over(g, pose, lists, first, first + walls, x[i, 0], x[i, 1], x[i, 2], x[i, 3])
        for s in range(first, first + walls):
            pressed, fx, fy, fz, tx, ty, tz = wall_force(g, pose, lists, s, i, law, nm, rolls, dt, x, v)
            deep = deep or pressed
            Fx, Fy, Fz, Tx, Ty, Tz = Fx + fx, Fy + fy, Fz + fz, Tx + tx, Ty + ty, Tz + tz

    h, r, m = f[gr.STEP], x[i, 3], v[i, 3]
    per_mass = h / m
    vx = float(v[i, 0]) + g.low[now, i, 0] + per_mass * Fx + h * f[gr.GX]
    vy = float(v[i, 1]) + g.low[now, i, 1] + per_mass * Fy + h * f[gr.GY]
    vz = float(v[i, 2]) + g.low[now, i, 2] + per_mass * Fz + h * f[gr.GZ]
    per_inertia = f4(per_mass / (0.4 * r * r))
    u, y = g.motion[1 - now], g.place[1 - now]
    u[i, 0], u[i, 1], u[i, 2], u[i, 3] = f4(vx), f4(vy), f4(vz), m
    u[i, 4], u[i, 5], u[i, 6] = v[i, 4] + per_inertia * Tx, v[i, 5] + per_inertia * Ty, v[i, 6] + per_inertia * Tz
    u[i, 7] = v[i, 7]
    g.low[1 - now, i, 0] = f4(vx - float(f4(vx)))
    g.low[1 - now, i, 1] = f4(vy - float(f4(vy)))
    g.low[1 - now, i, 2] = f4(vz - float(f4(vz)))
    px, py, pz = x[i, 0] + h * vx, x[i, 1] + h * vy, x[i, 2] + h * vz
    y[i, 0], y[i, 1], y[i, 2], y[i, 3] = px, py, pz, r

    dx, dy, dz = f4(px - g.before[i, 0] - sx), f4(py - g.before[i, 1] - sy), f4(pz - g.before[i, 2] - sz)
    limit, far = f4(0.5 * f[gr.SKIN]), f4(FASTEST * r)
    due = dx * dx + dy * dy + dz * dz > limit * limit
    dx, dy, dz = f4(h * vx), f4(h * vy), f4(h * vz)
    code = gr.OK
    if deep:
        code = gr.TOO_DEEP
    elif not dx * dx + dy * dy + dz * dz < far * far:
        code = gr.RUNAWAY
    return code, due
