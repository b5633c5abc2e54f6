"""Forces of walls on one grain on a GPU, and what pushes the walls: the same walls as on the CPU."""

import numba
from numba import cuda

from gori.kernels.particles import grains as gr
from gori.kernels.particles import law as laws
from gori.kernels.particles import tables as c
from gori.kernels.particles import wall_contacts
from gori.kernels.particles.cuda_device import here, on_device
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
def hand_over(g, i, lists, ri):
    """Which walls grain i touches now, after `step_wall`. A contact that goes on from one facet to the next of the same
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
def wall_force(g, row, s, k, pose, lists, law, nm, rolls, dt, xi, yi, zi, ri, gap, nx, ny, nz):
    """Contact of a grain with primitive k, the wall of slot s: too deep, force (3), torque (3) on the grain."""
    h, zero = g.wall_history[lists, s], g.pair_f[0, c.ZERO]
    ax, ay, az, m = read4(g.motion, 8 * row)
    bx, by, bz, kind = read4(g.motion, 8 * row + 4)
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
def put_load(load, k, wrench):
    """Force (3) and torque (3) into row k."""
    write4(load, 8 * k, (wrench[0], wrench[1], wrench[2], wrench[2]))
    write4(load, 8 * k + 4, (wrench[3], wrench[4], wrench[5], wrench[5]))


@cuda.jit(device=True)
def get_load(load, k):
    Fx, Fy, Fz, _ = read4(load, 8 * k)
    Tx, Ty, Tz, _ = read4(load, 8 * k + 4)
    return Fx, Fy, Fz, Tx, Ty, Tz


@cuda.jit(device=True)
def step_wall(g, s, i, n, now, lists, pose, law, nm, rolls, dt):
    """The wall of slot s, near grain i: its gap, its bit if it touches, and if it has touched before, its force, into
    `wall_load`. Returns whether it is too deep.
    """
    row, w, number = now * n + i, g.wall[lists, s], s - g.wall_at[lists, 0, i]
    xi, yi = read2(g.place, 4 * row)
    zi, ri = read2(g.place, 4 * row + 2)
    k = w if w >= 0 else ~w
    gap, nx, ny, nz = gap_to(g, pose, k, xi, yi, zi)
    write2(g.wall_near, 4 * s, (gap, nx))
    write2(g.wall_near, 4 * s + 2, (ny, nz))
    if gap >= ri:
        return False
    here.atomic.or_(g.wall_bits, i, bit_of(number))
    deep = False
    if w < 0 and number < MANY:
        deep, Fx, Fy, Fz, Tx, Ty, Tz = wall_force(
            g, row, s, k, pose, lists, law, nm, rolls, dt, xi, yi, zi, ri, gap, nx, ny, nz
        )
        put_load(g.wall_load, s, (Fx, Fy, Fz, Tx, Ty, Tz))
    return deep


@cuda.jit(device=True)
def wall_forces(g, i, n, now, lists, pose, law, nm, rolls, dt):
    """Contacts of grain i with walls, after `step_wall`: too deep, force (3), torque (3). Those that are new come here,
    as they may go on from another.
    """
    bits, before, zero = g.wall_bits[i], g.wall_bits[n + i], g.pair_f[0, c.ZERO]
    first, count = g.wall_at[lists, 0, i], g.wall_at[lists, 1, i]
    Fx, Fy, Fz, Tx, Ty, Tz, deep = zero, zero, zero, zero, zero, zero, False
    if bits == 0 and before == 0:
        return deep, Fx, Fy, Fz, Tx, Ty, Tz
    g.wall_bits[i] = 0
    row, old = now * n + i, before & bits & (bit_of(MANY) - 1)
    xi, yi = read2(g.place, 4 * row)
    zi, ri = read2(g.place, 4 * row + 2)
    if bits != before or bits & bit_of(MANY) != 0:
        hand_over(g, i, lists, ri)
        g.wall_bits[n + i] = bits
    for k in range(count):
        if bits & bit_of(k) == 0:
            continue
        s = first + k
        if old & bit_of(k) != 0:
            fx, fy, fz, tx, ty, tz = get_load(g.wall_load, s)
        else:
            gap, nx = read2(g.wall_near, 4 * s)
            if gap >= ri:  # of those that share a bit
                continue
            ny, nz = read2(g.wall_near, 4 * s + 2)
            too, fx, fy, fz, tx, ty, tz = wall_force(
                g, row, s, ~g.wall[lists, s], pose, lists, law, nm, rolls, dt, xi, yi, zi, ri, gap, nx, ny, nz
            )
            deep = deep or too
        Fx, Fy, Fz, Tx, Ty, Tz = Fx + fx, Fy + fy, Fz + fz, Tx + tx, Ty + ty, Tz + tz
    return deep, Fx, Fy, Fz, Tx, Ty, Tz
