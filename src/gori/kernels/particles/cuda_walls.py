"""Forces of walls on one grain on a GPU, and what pushes the walls: the same walls as on the CPU."""

import numba
from numba import cuda

from gori.kernels.particles import grains as gr
from gori.kernels.particles import law as laws
from gori.kernels.particles import tables as c
from gori.kernels.particles import wall_contacts
from gori.kernels.particles.cuda_device import on_device
from gori.kernels.particles.cuda_wide import read2, read4, write2, write4

f4 = numba.float32
contact, rolling, gap_to = on_device(laws.contact), on_device(laws.rolling), on_device(wall_contacts.gap_to)

MANY = 62
"""walls of a grain before those that share a bit"""


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
def put_load(load, k, Fx, Fy, Fz, Tx, Ty, Tz):
    write4(load, 8 * k, (Fx, Fy, Fz, Fx))
    write4(load, 8 * k + 4, (Tx, Ty, Tz, Tx))


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
