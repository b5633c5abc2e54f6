"""Forces on the grains of one chunk: of each other, and of walls."""

import math

from gori.kernels.jit import part
from gori.kernels.lanes import any_above, read8, read_4_4, smaller, transpose8, write8, write_4
from gori.kernels.particles import tables as c
from gori.kernels.particles.grains import HISTORY, LAW, MATERIALS, POS, ROT, SPIN, STEP, VEL
from gori.kernels.particles.law import contact, rolling
from gori.kernels.particles.walls import nearest


@part
def find_touching(g, x, first, last, hits):
    """Slots of grains first to last - 1 that touch, into hits; the others forget their history. Returns the count."""
    count = 0
    for s in range(g.begin[first], g.end[last - 1]):
        i, j = g.owner[s], g.other[s]
        dx, dy, dz = x[j, c.X] - x[i, c.X], x[j, c.Y] - x[i, c.Y], x[j, c.Z] - x[i, c.Z]
        reach = x[i, c.R] + x[j, c.R]
        near = dx * dx + dy * dy + dz * dz < reach * reach
        hits[count] = s
        count += near  # without a jump, which would be guessed wrongly half of the time
        if (not near) & (g.touching[s] != 0):
            g.touching[s] = 0
            for q in range(g.history.shape[1]):
                g.history[s, q] = 0.0
    return count


@part
def rows8(a, k):
    """Eight rows of an array (n, 8), by column."""
    return transpose8((
        read8(a, k[0], 0), read8(a, k[1], 0), read8(a, k[2], 0), read8(a, k[3], 0),
        read8(a, k[4], 0), read8(a, k[5], 0), read8(a, k[6], 0), read8(a, k[7], 0),
    ))  # fmt: skip


@part
def rows4(a, i, b, j):
    """Eight rows of two arrays (n, 4), by column: four of a, four of b."""
    return transpose8((
        read_4_4(a, i[0], b, j[0]), read_4_4(a, i[1], b, j[1]), read_4_4(a, i[2], b, j[2]), read_4_4(a, i[3], b, j[3]),
        read_4_4(a, i[4], b, j[4]), read_4_4(a, i[5], b, j[5]), read_4_4(a, i[6], b, j[6]), read_4_4(a, i[7], b, j[7]),
    ))  # fmt: skip


@part
def add_row(load, k, row):
    write8(load, k, 0, read8(load, k, 0) + row)


@part
def put_one(g, first, last, rolls, s, i, j, kept, mine, yours):
    """What came out of the contact in slot s, into its history and the sums of the chunk's own grains."""
    g.touching[s] = 1
    if rolls:
        write8(g.history, s, 0, kept)
    else:
        write_4(g.history, s, kept)
    add_row(g.load, i, mine)
    if first <= j and j < last:
        add_row(g.load, j, yours)


@part
def pair_row(v, i, j, nm):
    """Row of the table of pairs for the materials of grains i and j."""
    return int(v[i, c.MATERIAL]) * nm + int(v[j, c.MATERIAL])


@part
def eight_contacts(g, x, v, first, last, hits, at, count):
    """Contacts in slots hits[at] to hits[at + 7], of which `count` count, added to `load`. Whether one is too deep."""
    law, nm, dt, rolls = g.run_i[LAW], g.run_i[MATERIALS], g.run_f[STEP], g.run_i[HISTORY] > 4
    p, h, end = g.pair_f, g.history, at + count - 1
    s = (
        hits[at], hits[min(at + 1, end)], hits[min(at + 2, end)], hits[min(at + 3, end)],
        hits[min(at + 4, end)], hits[min(at + 5, end)], hits[min(at + 6, end)], hits[min(at + 7, end)],
    )  # fmt: skip
    i = (
        g.owner[s[0]], g.owner[s[1]], g.owner[s[2]], g.owner[s[3]],
        g.owner[s[4]], g.owner[s[5]], g.owner[s[6]], g.owner[s[7]],
    )  # fmt: skip
    j = (
        g.other[s[0]], g.other[s[1]], g.other[s[2]], g.other[s[3]],
        g.other[s[4]], g.other[s[5]], g.other[s[6]], g.other[s[7]],
    )  # fmt: skip
    xi, yi, zi, ri, xj, yj, zj, rj = rows4(x, i, x, j)
    ax, ay, az, mi, bx, by, bz, _ = rows8(v, i)
    ex, ey, ez, mj, fx, fy, fz, _ = rows8(v, j)
    none = xi * 0.0
    kn, cn, kt, ct = none + p[0, c.KN], none + p[0, c.CN], none + p[0, c.KT], none + p[0, c.CT]
    mu, mu_roll, c_roll = none + p[0, c.MU], none + p[0, c.MU_ROLL], none + p[0, c.C_ROLL]
    if nm > 1:
        kn, cn, kt, ct, mu, mu_roll, c_roll, _ = rows8(p, (
            pair_row(v, i[0], j[0], nm), pair_row(v, i[1], j[1], nm), pair_row(v, i[2], j[2], nm),
            pair_row(v, i[3], j[3], nm), pair_row(v, i[4], j[4], nm), pair_row(v, i[5], j[5], nm),
            pair_row(v, i[6], j[6], nm), pair_row(v, i[7], j[7], nm),
        ))  # fmt: skip
    if rolls:
        hx, hy, hz, _, gx, gy, gz, _ = rows8(h, s)
    else:
        hx, hy, hz, _, gx, gy, gz, _ = rows4(h, s, h, s)

    # where, and how fast
    nx, ny, nz = xj - xi, yj - yi, zj - zi
    distance = math.sqrt(nx * nx + ny * ny + nz * nz)
    to_one = 1.0 / distance
    nx, ny, nz = nx * to_one, ny * to_one, nz * to_one
    d = ri + rj - distance
    R, m = ri * rj / (ri + rj), mi * mj / (mi + mj)
    arm_i, arm_j = ri - 0.5 * d, rj - 0.5 * d
    # arm_i w_i + arm_j w_j, so written that both grains find the same to the last bit
    mean, half = 0.5 * distance, 0.5 * (ri - rj)
    wx, wy, wz = (
        mean * (bx + fx) + half * (bx - fx),
        mean * (by + fy) + half * (by - fy),
        mean * (bz + fz) + half * (bz - fz),
    )
    ux = ax - ex + wy * nz - wz * ny
    uy = ay - ey + wz * nx - wx * nz
    uz = az - ez + wx * ny - wy * nx
    spin = 0.5 * ((bx + fx) * nx + (by + fy) * ny + (bz + fz) * nz)
    too_deep = any_above(d - p[0, c.DEEP] * smaller(ri, rj), 0.0)

    Fn, px, py, pz, hx, hy, hz = contact(
        law, kn, cn, kt, ct, mu, none + 0.5, none + 1.0, none, none + p[0, c.TINY], none + dt,
        d, R, m, nx, ny, nz, ux, uy, uz, spin, hx, hy, hz,
    )  # fmt: skip
    tx, ty, tz = ny * pz - nz * py, nz * px - nx * pz, nx * py - ny * px
    px, py, pz = px - Fn * nx, py - Fn * ny, pz - Fn * nz
    ix, iy, iz = arm_i * tx, arm_i * ty, arm_i * tz
    jx, jy, jz = arm_j * tx, arm_j * ty, arm_j * tz
    if rolls:
        mx, my, mz, gx, gy, gz = rolling(
            kt, mu_roll, c_roll, none + 1.0, none + p[0, c.TINY], none + dt,
            d, R, m, Fn, nx, ny, nz, bx - fx, by - fy, bz - fz, spin, gx, gy, gz,
        )  # fmt: skip
        ix, iy, iz, jx, jy, jz = ix + mx, iy + my, iz + mz, jx - mx, jy - my, jz - mz

    # one by one into the sums: of a chunk's own grains alone
    kept = transpose8((hx, hy, hz, none, gx, gy, gz, none))
    mine = transpose8((px, py, pz, none, ix, iy, iz, none))
    yours = transpose8((-px, -py, -pz, none, jx, jy, jz, none))
    put_one(g, first, last, rolls, s[0], i[0], j[0], kept[0], mine[0], yours[0])
    if count > 1:
        put_one(g, first, last, rolls, s[1], i[1], j[1], kept[1], mine[1], yours[1])
    if count > 2:
        put_one(g, first, last, rolls, s[2], i[2], j[2], kept[2], mine[2], yours[2])
    if count > 3:
        put_one(g, first, last, rolls, s[3], i[3], j[3], kept[3], mine[3], yours[3])
    if count > 4:
        put_one(g, first, last, rolls, s[4], i[4], j[4], kept[4], mine[4], yours[4])
    if count > 5:
        put_one(g, first, last, rolls, s[5], i[5], j[5], kept[5], mine[5], yours[5])
    if count > 6:
        put_one(g, first, last, rolls, s[6], i[6], j[6], kept[6], mine[6], yours[6])
    if count > 7:
        put_one(g, first, last, rolls, s[7], i[7], j[7], kept[7], mine[7], yours[7])
    return too_deep


@part
def pair_forces(g, x, v, first, last, hits):
    """Contacts of grains first to last - 1 with grains, added to `load`. Whether an overlap is too deep."""
    count, deep = find_touching(g, x, first, last, hits), False
    for at in range(0, count, 8):
        deep = eight_contacts(g, x, v, first, last, hits, at, min(8, count - at)) or deep
    return deep


@part
def seen_from(pose, b, px, py, pz):
    """A point of the world in the frame of body b."""
    dx, dy, dz = px - pose[b, POS], py - pose[b, POS + 1], pz - pose[b, POS + 2]
    return (
        pose[b, ROT] * dx + pose[b, ROT + 3] * dy + pose[b, ROT + 6] * dz,
        pose[b, ROT + 1] * dx + pose[b, ROT + 4] * dy + pose[b, ROT + 7] * dz,
        pose[b, ROT + 2] * dx + pose[b, ROT + 5] * dy + pose[b, ROT + 8] * dz,
    )


@part
def gap_to(g, pose, k, px, py, pz):
    """Distance of a point from primitive k, and the unit vector to the closest point, world axes."""
    b = g.wall_i[k, c.BODY]
    lx, ly, lz = seen_from(pose, b, px, py, pz)
    gap, ex, ey, ez = nearest(g.wall_i, g.wall_f, g.rim_i, g.rim_f, k, lx, ly, lz)
    return (
        gap,
        pose[b, ROT] * ex + pose[b, ROT + 1] * ey + pose[b, ROT + 2] * ez,
        pose[b, ROT + 3] * ex + pose[b, ROT + 4] * ey + pose[b, ROT + 5] * ez,
        pose[b, ROT + 6] * ex + pose[b, ROT + 7] * ey + pose[b, ROT + 8] * ez,
    )


@part
def hand_over(g, pose, i, xi, yi, zi, ri):
    """A contact that goes on from one facet to the next of the same body keeps its history."""
    left, entered = -1, -1
    for s in range(g.wall_begin[i], g.wall_end[i]):
        gap, _, _, _ = gap_to(g, pose, g.wall[s], xi, yi, zi)
        if gap < ri and g.wall_touching[s] == 0:
            entered = s
        elif gap >= ri and g.wall_touching[s] != 0:
            left = s
    if left >= 0 and entered >= 0 and g.wall_i[g.wall[left], c.BODY] == g.wall_i[g.wall[entered], c.BODY]:
        for q in range(g.wall_history.shape[1]):
            g.wall_history[entered, q] = g.wall_history[left, q]
            g.wall_history[left, q] = 0.0


@part
def wall_forces(g, x, v, pose, first, last):
    """Contacts of grains first to last - 1 with walls, added to `load` and to what pushes the walls.

    Returns a grain whose overlap is too deep, or -1.
    """
    law, nm, dt, rolls = g.run_i[LAW], g.run_i[MATERIALS], g.run_f[STEP], g.run_i[HISTORY] > 4
    p, load, h, push = g.pair_f, g.load, g.wall_history, g.wall_push
    deep = -1
    for i in range(first, last):
        if g.wall_begin[i] == g.wall_end[i]:
            continue
        xi, yi, zi, ri = x[i, c.X], x[i, c.Y], x[i, c.Z], x[i, c.R]
        if g.wall_end[i] - g.wall_begin[i] > 1:
            hand_over(g, pose, i, xi, yi, zi, ri)
        for s in range(g.wall_begin[i], g.wall_end[i]):
            w = g.wall[s]
            gap, nx, ny, nz = gap_to(g, pose, w, xi, yi, zi)
            if gap >= ri:
                if g.wall_touching[s] != 0:
                    g.wall_touching[s] = 0
                    for q in range(h.shape[1]):
                        h[s, q] = 0.0
                continue
            g.wall_touching[s] = 1
            d, b = ri - gap, g.wall_i[w, c.BODY]
            k = int(v[i, c.MATERIAL]) * nm + g.wall_i[w, c.WALL_MATERIAL]
            if d > p[k, c.DEEP] * ri:
                deep = i
            # the wall moves at the contact, seen from the body's origin at
            qx, qy, qz = (
                xi + gap * nx - pose[b, POS],
                yi + gap * ny - pose[b, POS + 1],
                zi + gap * nz - pose[b, POS + 2],
            )
            sx, sy, sz = pose[b, SPIN], pose[b, SPIN + 1], pose[b, SPIN + 2]
            bx, by, bz, m = v[i, c.WX], v[i, c.WY], v[i, c.WZ], v[i, c.MASS]
            ux = v[i, c.VX] + gap * (by * nz - bz * ny) - pose[b, VEL] - (sy * qz - sz * qy)
            uy = v[i, c.VY] + gap * (bz * nx - bx * nz) - pose[b, VEL + 1] - (sz * qx - sx * qz)
            uz = v[i, c.VZ] + gap * (bx * ny - by * nx) - pose[b, VEL + 2] - (sx * qy - sy * qx)
            spin = 0.5 * ((bx + sx) * nx + (by + sy) * ny + (bz + sz) * nz)
            Fn, fx, fy, fz, h[s, 0], h[s, 1], h[s, 2] = contact(
                law, p[k, c.KN], p[k, c.CN], p[k, c.KT], p[k, c.CT], p[k, c.MU], 0.5, 1.0, 0.0, p[k, c.TINY], dt,
                d, ri, m, nx, ny, nz, ux, uy, uz, spin, h[s, 0], h[s, 1], h[s, 2],
            )  # fmt: skip
            mx, my, mz = 0.0, 0.0, 0.0
            if rolls:
                mx, my, mz, h[s, 4], h[s, 5], h[s, 6] = rolling(
                    p[k, c.KT], p[k, c.MU_ROLL], p[k, c.C_ROLL], 1.0, p[k, c.TINY], dt,
                    d, ri, m, Fn, nx, ny, nz, bx - sx, by - sy, bz - sz, spin, h[s, 4], h[s, 5], h[s, 6],
                )  # fmt: skip
            load[i, 4] += gap * (ny * fz - nz * fy) + mx
            load[i, 5] += gap * (nz * fx - nx * fz) + my
            load[i, 6] += gap * (nx * fy - ny * fx) + mz
            fx, fy, fz = fx - Fn * nx, fy - Fn * ny, fz - Fn * nz
            load[i, 0] += fx
            load[i, 1] += fy
            load[i, 2] += fz
            push[s, 0] -= qy * fz - qz * fy + mx
            push[s, 1] -= qz * fx - qx * fz + my
            push[s, 2] -= qx * fy - qy * fx + mz
            push[s, 3] -= fx
            push[s, 4] -= fy
            push[s, 5] -= fz
    return deep
