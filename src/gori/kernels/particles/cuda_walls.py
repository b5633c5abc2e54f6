"""Forces of walls on one particle on a GPU, and the wrenches on the walls: the same walls as on the CPU."""

import numba
from numba import cuda

from gori.kernels.particles import columns as c
from gori.kernels.particles import geometry, wall_contacts
from gori.kernels.particles import law as laws
from gori.kernels.particles.cuda_device import here, on_device
from gori.kernels.particles.cuda_wide import read2, read4, write2, write4
from gori.kernels.particles.law import Constants, Touch
from gori.kernels.particles.wall_contacts import SAME

f4 = numba.float32
contact, rolling = on_device(laws.contact), on_device(laws.rolling)
gap_to, follows = on_device(wall_contacts.gap_to), on_device(wall_contacts.follows)
pair_law, lies_in_plane = on_device(laws.pair_law), on_device(geometry.lies_in_plane)
wall_motion, react = on_device(geometry.wall_motion), on_device(geometry.react)
moment, whole_force = on_device(geometry.moment), on_device(geometry.whole_force)

MANY = 62
"""walls of a particle before those that share a bit"""


@cuda.jit(device=True)
def forget(g, lists, s):
    for q in range(g.wall_history.shape[2]):
        g.wall_history[lists, s, q] = f4(0.0)


@cuda.jit(device=True)
def bit_of(k):
    """Bit of wall k of a particle; those from MANY on share one."""
    return 1 << min(k, MANY)


@cuda.jit(device=True)
def acts(g, s, first, last, ri):
    """Whether the wall of slot s touches, and its contact is not part of a deeper one, of slots first to last - 1."""
    gap, nx = read2(g.wall_near, 4 * s)
    if gap >= ri:
        return False
    ny, nz = read2(g.wall_near, 4 * s + 2)
    for k in range(first, last):
        near, ex = read2(g.wall_near, 4 * k)
        if near < ri and (near < gap or (near == gap and k < s)):
            ey, ez = read2(g.wall_near, 4 * k + 2)
            if lies_in_plane(near, ex, ey, ez, gap, nx, ny, nz, SAME * ri):
                return False
    return True


@cuda.jit(device=True)
def hand_over(g, i, lists, ri):
    """Which walls act on particle i now, after `step_wall`: their bits. A contact that goes on from one wall to the
    next of the same body keeps its history, at best within a shape.
    """
    first = g.wall_at[lists, 0, i]
    last, bits = first + g.wall_at[lists, 1, i], 0
    for s in range(first, last):
        now = g.wall[lists, s]
        if now >= 0 and acts(g, s, first, last, ri):
            left = -1
            for k in range(first, last):
                before = ~g.wall[lists, k]
                if before >= 0 and follows(g, before, now, left) and not acts(g, k, first, last, ri):
                    left = k
            if left >= 0:
                for q in range(g.wall_history.shape[2]):
                    g.wall_history[lists, s, q] = g.wall_history[lists, left, q]
                forget(g, lists, left)
            g.wall[lists, s] = ~now
    for s in range(first, last):
        before = ~g.wall[lists, s]
        if before >= 0:
            if acts(g, s, first, last, ri):
                bits |= bit_of(s - first)
            else:
                forget(g, lists, s)
                g.wall[lists, s] = before
    return bits


@cuda.jit(device=True)
def wall_force(g, at, i, s, k, pose, sphere, near):
    """Contact of particle i with primitive k, the wall of slot s: too deep, force (3), torque (3) on the particle.

    sphere   centre and radius (4)
    near     gap and direction of the wall (4)
    """
    xi, yi, zi, ri = sphere
    gap, nx, ny, nz = near
    h, zero, row = g.wall_history[at.lists, s], g.pair_f[0, c.ZERO], at.now * at.n + i
    vx, vy, vz, m = read4(g.motion, 8 * row)
    wx, wy, wz, kind = read4(g.motion, 8 * row + 4)
    pair, b = int(kind) * at.materials + g.wall_i[k, c.WALL_MATERIAL], g.wall_i[k, c.BODY]
    arm, (ux, uy, uz), spin = wall_motion(pose, b, gap, (nx, ny, nz), (xi, yi, zi), (vx, vy, vz), (wx, wy, wz))
    law, p = pair_law(g.pair_f, pair), g.pair_f[pair]
    constants = Constants(p[c.HALF], p[c.ONE], zero, p[c.TINY], at.dt)
    ex, ey, ez = f4(nx), f4(ny), f4(nz)
    touch = Touch(f4(ri - gap), f4(ri), m, ex, ey, ez, f4(ux), f4(uy), f4(uz), f4(spin))
    Fn, fx, fy, fz, hx, hy, hz = contact(at.law, law, constants, touch, h[0], h[1], h[2])
    h[0], h[1], h[2] = hx, hy, hz
    mx, my, mz = zero, zero, zero
    if at.rolls:
        wx, wy, wz = wx - f4(pose[b, c.OMEGA]), wy - f4(pose[b, c.OMEGA + 1]), wz - f4(pose[b, c.OMEGA + 2])
        mx, my, mz, hx, hy, hz = rolling(law, constants, touch, Fn, wx, wy, wz, h[4], h[5], h[6])
        h[4], h[5], h[6] = hx, hy, hz
    tx, ty, tz = moment(ex, ey, ez, fx, fy, fz)
    tx, ty, tz = f4(gap) * tx + mx, f4(gap) * ty + my, f4(gap) * tz + mz
    fx, fy, fz = whole_force(Fn, ex, ey, ez, fx, fy, fz)
    react(g.wall_wrench, s, arm, fx, fy, fz, mx, my, mz)
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
def step_wall(g, at, s, i, pose):
    """The wall of slot s, near particle i: its gap, its bit if it touches, and if it has touched before, its force,
    into
    `wall_load`. Returns whether it is too deep.
    """
    row, w, number = at.now * at.n + i, g.wall[at.lists, s], s - g.wall_at[at.lists, 0, i]
    xi, yi = read2(g.sphere, 4 * row)
    zi, ri = read2(g.sphere, 4 * row + 2)
    k = w if w >= 0 else ~w
    gap, nx, ny, nz = gap_to(g, pose, k, xi, yi, zi, ri)
    write2(g.wall_near, 4 * s, (gap, nx))
    write2(g.wall_near, 4 * s + 2, (ny, nz))
    if gap >= ri:
        return False
    here.atomic.or_(g.wall_bits, i, bit_of(number))
    deep = False
    if w < 0 and number < MANY:
        deep, Fx, Fy, Fz, Tx, Ty, Tz = wall_force(g, at, i, s, k, pose, (xi, yi, zi, ri), (gap, nx, ny, nz))
        put_load(g.wall_load, s, (Fx, Fy, Fz, Tx, Ty, Tz))
    return deep


@cuda.jit(device=True)
def wall_forces(g, at, i, pose):
    """Contacts of particle i with walls, after `step_wall`: too deep, force (3), torque (3). Those that are new come
    here, as they may go on from another.
    """
    n, lists = at.n, at.lists
    bits, before, zero = g.wall_bits[i], g.wall_bits[n + i], g.pair_f[0, c.ZERO]
    first, count = g.wall_at[lists, 0, i], g.wall_at[lists, 1, i]
    Fx, Fy, Fz, Tx, Ty, Tz, deep = zero, zero, zero, zero, zero, zero, False
    if bits == 0 and before == 0:
        return deep, Fx, Fy, Fz, Tx, Ty, Tz
    g.wall_bits[i] = 0
    row, old = at.now * n + i, before & bits & (bit_of(MANY) - 1)
    xi, yi = read2(g.sphere, 4 * row)
    zi, ri = read2(g.sphere, 4 * row + 2)
    if bits != before or bits & (bits - 1) != 0 or bits & bit_of(MANY) != 0:
        g.wall_bits[n + i] = hand_over(g, i, lists, ri)
    for k in range(count):
        if bits & bit_of(k) == 0:
            continue
        s = first + k
        w = ~g.wall[lists, s]
        if old & bit_of(k) != 0:
            fx, fy, fz, tx, ty, tz = get_load(g.wall_load, s)
            if w < 0:  # part of another contact from now on: taken back
                b = g.wall_i[~w, c.BODY]
                arm = xi - pose[b, c.POS], yi - pose[b, c.POS + 1], zi - pose[b, c.POS + 2]
                react(g.wall_wrench, s, arm, -fx, -fy, -fz, -tx, -ty, -tz)
                continue
        else:
            if w < 0:  # it does not act; or of those that share a bit, it does not touch
                continue
            gap, nx = read2(g.wall_near, 4 * s)
            ny, nz = read2(g.wall_near, 4 * s + 2)
            too, fx, fy, fz, tx, ty, tz = wall_force(g, at, i, s, w, pose, (xi, yi, zi, ri), (gap, nx, ny, nz))
            deep = deep or too
        Fx, Fy, Fz, Tx, Ty, Tz = Fx + fx, Fy + fy, Fz + fz, Tx + tx, Ty + ty, Tz + tz
    return deep, Fx, Fy, Fz, Tx, Ty, Tz
