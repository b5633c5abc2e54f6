"""Forces of walls on the particles of one chunk, and their wrenches on the walls.

Two walls that meet may both answer where there is one surface: shapes side by side, one shape on another, a fold so
slight that it is none. A contact whose point lies in the tangent plane of a deeper one, to SAME radii, is part of that
(faces before edges before corners: Hu et al. 2013, for one mesh): it has no force, and hands over its history when the
other one becomes the deeper. Where a particle goes from one wall to the next both are equally deep, so nothing jumps.
"""

from gori.kernels.jit import part
from gori.kernels.particles import columns as c
from gori.kernels.particles.columns import ROT
from gori.kernels.particles.geometry import in_frame, lies_in_plane, moment, react, wall_motion, whole_force
from gori.kernels.particles.law import Constants, Touch, contact, pair_law, rolling
from gori.kernels.particles.walls import nearest

SAME = 2e-3
"""radii by which the point of a contact may lie off the tangent plane of a deeper one, and yet be part of it: that of a
fold of 3.6 deg"""
ACTS, COVERED = 1, 2
"""bits of `wall_touching`: a contact acts; and while contacts of a particle are compared, it is part of another one"""


@part
def gap_to(g, pose, k, px, py, pz, reach):
    """Distance of a point from primitive k, and the unit vector to the closest one, world axes; FAR beyond `reach`."""
    b = g.wall_i[k, c.BODY]
    lx, ly, lz = in_frame(pose, b, px, py, pz)
    gap, ex, ey, ez = nearest(g.wall_i, g.wall_f, g.rim_i, g.rim_f, k, lx, ly, lz, reach)
    return (
        gap,
        pose[b, ROT] * ex + pose[b, ROT + 1] * ey + pose[b, ROT + 2] * ez,
        pose[b, ROT + 3] * ex + pose[b, ROT + 4] * ey + pose[b, ROT + 5] * ez,
        pose[b, ROT + 6] * ex + pose[b, ROT + 7] * ey + pose[b, ROT + 8] * ez,
    )


@part
def covered(g, s, first, last, ri):
    """Whether the contact of slot s is part of a deeper one, of slots first to last - 1."""
    mine = g.wall_near[s]
    for k in range(first, last):
        near = g.wall_near[k]
        deeper = near[0] < ri and (near[0] < mine[0] or (near[0] == mine[0] and k < s))
        if deeper and lies_in_plane(near[0], near[1], near[2], near[3], mine[0], mine[1], mine[2], mine[3], SAME * ri):
            return True
    return False


@part
def hand_over(g, first, last, ri, count):
    """Which of slots first to last - 1 act. A contact that goes on from one wall to the next of the same body keeps its
    history, at best within a shape.

    count   of them that touch
    """
    if count > 1:
        for s in range(first, last):
            if g.wall_near[s, 0] < ri and covered(g, s, first, last, ri):
                g.wall_touching[s] |= COVERED
    for s in range(first, last):
        if g.wall_near[s, 0] < ri and g.wall_touching[s] == 0:
            left = -1
            for k in range(first, last):
                ends = g.wall_near[k, 0] >= ri or g.wall_touching[k] & COVERED != 0
                if g.wall_touching[k] & ACTS != 0 and ends and follows(g, g.wall[k], g.wall[s], left):
                    left = k
            if left >= 0:
                for q in range(g.wall_history.shape[1]):
                    g.wall_history[s, q] = g.wall_history[left, q]
                    g.wall_history[left, q] = 0.0


@part
def follows(g, before, now, other):
    """Whether a contact with primitive `now` may go on from one with `before`; rather than from another if there is
    one, other >= 0.
    """
    if g.wall_i[before, c.BODY] != g.wall_i[now, c.BODY]:
        return False
    return other < 0 or g.wall_i[before, c.SHAPE] == g.wall_i[now, c.SHAPE]


@part
def near_walls(g, pose, i, xi, yi, zi, ri):
    """How near the walls of particle i are, and which of those that touch act."""
    first, last, count, changed = g.wall_end[i], g.wall_begin[i], 0, False
    for s in range(g.wall_begin[i], g.wall_end[i]):
        gap, nx, ny, nz = gap_to(g, pose, g.wall[s], xi, yi, zi, ri)
        near = g.wall_near[s]
        near[0], near[1], near[2], near[3] = gap, nx, ny, nz
        touches, acts = gap < ri, g.wall_touching[s] != 0
        if touches or acts:
            first, last = min(first, s), s + 1
        count += touches
        changed = changed or touches != acts
    if changed or count > 1:
        hand_over(g, first, last, ri, count)


@part
def wall_forces(g, x, v, pose, load, first, last):
    """Contacts of particles first to last - 1 with walls, added to `load` and to the wrenches on the walls.

    Returns a particle whose overlap is too deep, or -1.
    """
    settings = g.settings[0]
    law, nm, dt, rolls = settings.law, settings.materials, settings.step, settings.history > 4
    p, h = g.pair_f, g.wall_history
    deep, start = -1, g.wall_begin[first]
    while start < g.wall_end[last - 1]:
        i = g.wall_owner[start]
        stop = g.wall_end[i]
        xi, yi, zi, ri = x[i, c.X], x[i, c.Y], x[i, c.Z], x[i, c.R]
        near_walls(g, pose, i, xi, yi, zi, ri)
        for s in range(start, stop):
            w, near = g.wall[s], g.wall_near[s]
            gap, nx, ny, nz = near[0], near[1], near[2], near[3]
            if gap >= ri or g.wall_touching[s] & COVERED != 0:
                if g.wall_touching[s] != 0:
                    g.wall_touching[s] = 0
                    for q in range(h.shape[1]):
                        h[s, q] = 0.0
                continue
            g.wall_touching[s] = ACTS
            d, b = ri - gap, g.wall_i[w, c.BODY]
            k = int(v[i, c.MATERIAL]) * nm + g.wall_i[w, c.WALL_MATERIAL]
            if d > p[k, c.DEEP] * ri:
                deep = i
            wx, wy, wz = v[i, c.WX], v[i, c.WY], v[i, c.WZ]
            lever = gap + settings.full_arm * d
            arm, (ux, uy, uz), spin = wall_motion(
                pose, b, lever, (nx, ny, nz), (xi, yi, zi), (v[i, c.VX], v[i, c.VY], v[i, c.VZ]), (wx, wy, wz)
            )
            pair, constants = pair_law(p, k), Constants(0.5, 1.0, 0.0, p[k, c.TINY], dt)
            touch = Touch(d, ri, v[i, c.MASS], nx, ny, nz, ux, uy, uz, spin)
            Fn, fx, fy, fz, h[s, 0], h[s, 1], h[s, 2] = contact(law, pair, constants, touch, h[s, 0], h[s, 1], h[s, 2])
            mx, my, mz = 0.0, 0.0, 0.0
            if rolls:
                wx, wy, wz = wx - pose[b, c.OMEGA], wy - pose[b, c.OMEGA + 1], wz - pose[b, c.OMEGA + 2]
                mx, my, mz, h[s, 4], h[s, 5], h[s, 6] = rolling(
                    pair, constants, touch, Fn, wx, wy, wz, h[s, 4], h[s, 5], h[s, 6]
                )
            tx, ty, tz = moment(nx, ny, nz, fx, fy, fz)
            load[i - first, 4] += lever * tx + mx
            load[i - first, 5] += lever * ty + my
            load[i - first, 6] += lever * tz + mz
            fx, fy, fz = whole_force(Fn, nx, ny, nz, fx, fy, fz)
            load[i - first, 0] += fx
            load[i - first, 1] += fy
            load[i - first, 2] += fz
            react(g.wall_wrench, s, arm, fx, fy, fz, mx, my, mz)
        start = stop
    return deep
