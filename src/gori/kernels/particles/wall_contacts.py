"""Forces of walls on the grains of one chunk, and what pushes the walls."""

from gori.kernels.jit import part
from gori.kernels.particles import tables as c
from gori.kernels.particles.grains import HISTORY, LAW, MATERIALS, POS, ROT, SPIN, STEP, VEL
from gori.kernels.particles.law import contact, rolling
from gori.kernels.particles.walls import nearest


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
def near_walls(g, pose, i, xi, yi, zi, ri):
    """How near the walls of grain i are. A contact that goes on from one facet to the next of the same body keeps its
    history.
    """
    left, entered = -1, -1
    for s in range(g.wall_begin[i], g.wall_end[i]):
        gap, nx, ny, nz = gap_to(g, pose, g.wall[s], xi, yi, zi)
        near = g.wall_near[s]
        near[0], near[1], near[2], near[3] = gap, nx, ny, nz
        if gap < ri and g.wall_touching[s] == 0:
            entered = s
        elif gap >= ri and g.wall_touching[s] != 0:
            left = s
    if left >= 0 and entered >= 0 and g.wall_i[g.wall[left], c.BODY] == g.wall_i[g.wall[entered], c.BODY]:
        for q in range(g.wall_history.shape[1]):
            g.wall_history[entered, q] = g.wall_history[left, q]
            g.wall_history[left, q] = 0.0


@part
def wall_forces(g, x, v, pose, load, first, last):
    """Contacts of grains first to last - 1 with walls, added to `load` and to what pushes the walls.

    Returns a grain whose overlap is too deep, or -1.
    """
    law, nm, dt, rolls = g.run_i[LAW], g.run_i[MATERIALS], g.run_f[STEP], g.run_i[HISTORY] > 4
    p, h, push = g.pair_f, g.wall_history, g.wall_push
    deep, start = -1, g.wall_begin[first]
    while start < g.wall_end[last - 1]:
        i = g.wall_owner[start]
        stop = g.wall_end[i]
        xi, yi, zi, ri = x[i, c.X], x[i, c.Y], x[i, c.Z], x[i, c.R]
        near_walls(g, pose, i, xi, yi, zi, ri)
        for s in range(start, stop):
            w, near = g.wall[s], g.wall_near[s]
            gap, nx, ny, nz = near[0], near[1], near[2], near[3]
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
            # the wall moves at the contact, seen from the body's origin at q
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
            load[i - first, 4] += gap * (ny * fz - nz * fy) + mx
            load[i - first, 5] += gap * (nz * fx - nx * fz) + my
            load[i - first, 6] += gap * (nx * fy - ny * fx) + mz
            fx, fy, fz = fx - Fn * nx, fy - Fn * ny, fz - Fn * nz
            load[i - first, 0] += fx
            load[i - first, 1] += fy
            load[i - first, 2] += fz
            push[s, 0] -= qy * fz - qz * fy + mx
            push[s, 1] -= qz * fx - qx * fz + my
            push[s, 2] -= qx * fy - qy * fx + mz
            push[s, 3] -= fx
            push[s, 4] -= fy
            push[s, 5] -= fz
        start = stop
    return deep
