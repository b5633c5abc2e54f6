"""Constraint equations of cuts: Phi, J, J v - nu and gamma, in relative coordinates.

A cut joins frame A on one body with frame B on another. Relative to A, point p_B moves with u and frame B rotates with
w = w_B - w_A, both linear in the velocities of the joints between the two: those that carry A and B alike drop out.
So each equation is a wrench (n; f) at p_B, its row of J is

    +-(n . s + f . (t + s x r))     for the axis (s; t), r from its origin to p_B;  + for those that carry B

and lambda (n; f) is what the cut does to A, with the opposite sign to B. On the loops, where Phi = 0 and J v = nu:

    ALONG     f = e                  gamma = e . (a_B - a_A - 2 w_A x u), both accelerations at p_B
    TILT ..   n = +-(f_B x e_A)      gamma = +-(w' . (f_B x e_A) + w . ((w_B x f_B) x e_A + f_B x (w_A x e_A)))
    TURNED    n = e                  gamma = e . w' + (w_A x e) . w
    DISTANT   f = d/|d|              gamma = f . (a_B - a_A at p_A) + (|d'|^2 - (f . d')^2)/|d|

Positions are taken from where the two ways to the ground meet, so that a machine far from the origin closes as well.
"""

import math

from gori.kernels.jit import part
from gori.kernels.loops.tables import (
    ALONG,
    APART,
    AXES,
    COUPLED,
    DISTANT,
    DRIFT,
    DRIVEN,
    EQ_A,
    EQ_B,
    EQ_DOF,
    EQ_KIND,
    EQUATIONS,
    FIRST,
    FROM_A,
    FROM_B,
    JAC,
    LENGTH,
    OFFSET,
    P_A,
    P_B,
    PATH,
    R_A,
    R_B,
    ROOT,
    ROW_A,
    ROW_B,
    TILT_X,
    TILT_Y,
    TURNED,
)
from gori.kernels.tree.columns import ACC, ARM, NDOF, PARENT, SPIN, V0, S
from gori.kernels.tree.kinematics import cross, turn


@part
def climb(body_i, body_w, row, root, x, y, z):
    """A point given from the origin of the row, from the origin of the root."""
    while row != root:
        x, y, z = x + body_w[row, ARM], y + body_w[row, ARM + 1], z + body_w[row, ARM + 2]
        row = body_i[row, PARENT]
    return x, y, z


@part
def axis_of(cut_f, c, R, k, row, body_w):
    """Axis k of the frame of cut c that stands on the row, world axes."""
    return turn(body_w, row, cut_f[c, R + k], cut_f[c, R + 3 + k], cut_f[c, R + 6 + k])


@part
def tilt(cut_f, c, kind, a, b, body_w):
    """Directions e on A and f on B, and the sign, of an equation e . f = 0."""
    fx, fy, fz = axis_of(cut_f, c, R_B, 2, b, body_w)
    if kind == TILT_X:
        ex, ey, ez = axis_of(cut_f, c, R_A, 1, a, body_w)
        return -ex, -ey, -ez, fx, fy, fz
    ex, ey, ez = axis_of(cut_f, c, R_A, 0 if kind == TILT_Y else 2, a, body_w)
    return ex, ey, ez, fx, fy, fz


@part
def turned(cut_f, c, k, a, b, body_w):
    """Twice the component k of the vector part of the quaternion of B seen from A, its scalar part positive."""
    x0, x1, x2 = axis_of(cut_f, c, R_A, 0, a, body_w)
    y0, y1, y2 = axis_of(cut_f, c, R_A, 1, a, body_w)
    z0, z1, z2 = axis_of(cut_f, c, R_A, 2, a, body_w)
    u0, u1, u2 = axis_of(cut_f, c, R_B, 0, b, body_w)
    v0, v1, v2 = axis_of(cut_f, c, R_B, 1, b, body_w)
    w0, w1, w2 = axis_of(cut_f, c, R_B, 2, b, body_w)
    xx, yy, zz = x0 * u0 + x1 * u1 + x2 * u2, y0 * v0 + y1 * v1 + y2 * v2, z0 * w0 + z1 * w1 + z2 * w2
    zy, yz = z0 * v0 + z1 * v1 + z2 * v2, y0 * w0 + y1 * w1 + y2 * w2
    xz, zx = x0 * w0 + x1 * w1 + x2 * w2, z0 * u0 + z1 * u1 + z2 * u2
    yx, xy = y0 * u0 + y1 * u1 + y2 * u2, x0 * v0 + x1 * v1 + x2 * v2
    trace = xx + yy + zz
    if trace > -0.9:
        half = math.sqrt(1.0 + trace)  # twice the scalar part
        e = zy - yz if k == 0 else xz - zx if k == 1 else yx - xy
        return e / half
    # near half a turn: by the largest component of the axis
    if xx >= yy and xx >= zz:
        big = math.sqrt(max(1.0 + xx - yy - zz, 0.0))
        scalar, e = zy - yz, big if k == 0 else (yx + xy) / big if k == 1 else (xz + zx) / big
    elif yy >= zz:
        big = math.sqrt(max(1.0 + yy - xx - zz, 0.0))
        scalar, e = xz - zx, (yx + xy) / big if k == 0 else big if k == 1 else (zy + yz) / big
    else:
        big = math.sqrt(max(1.0 + zz - xx - yy, 0.0))
        scalar, e = yx - xy, (xz + zx) / big if k == 0 else (zy + yz) / big if k == 1 else big
    return e if scalar >= 0.0 else -e


@part
def place_cuts(machine, work, q, values, body_w):
    """gap, wrench, and where the cuts are, after `place`; values: of the signals."""
    body_i, cut_i, cut_f, eq_i = machine.body_i, machine.cut_i, machine.cut_f, machine.eq_i
    for c in range(cut_i.shape[0]):
        first, a, b, root = cut_i[c, FIRST], cut_i[c, ROW_A], cut_i[c, ROW_B], cut_i[c, ROOT]
        if eq_i[first, EQ_KIND] == COUPLED:
            work.gap[first] = q[eq_i[first, EQ_A]] - cut_f[c, LENGTH] * q[eq_i[first, EQ_B]] - cut_f[c, OFFSET]
            continue
        if eq_i[first, EQ_KIND] == DRIVEN:
            work.gap[first] = q[eq_i[first, EQ_A]] - values[eq_i[first, EQ_B]]
            continue

        # d = p_B - p_A
        ax, ay, az = turn(body_w, a, cut_f[c, P_A], cut_f[c, P_A + 1], cut_f[c, P_A + 2])
        bx, by, bz = turn(body_w, b, cut_f[c, P_B], cut_f[c, P_B + 1], cut_f[c, P_B + 2])
        px, py, pz = climb(body_i, body_w, a, root, ax, ay, az)
        dx, dy, dz = climb(body_i, body_w, b, root, bx, by, bz)
        dx, dy, dz = dx - px, dy - py, dz - pz
        spot = work.spot[c]
        spot[FROM_B], spot[FROM_B + 1], spot[FROM_B + 2] = bx, by, bz
        spot[FROM_A], spot[FROM_A + 1], spot[FROM_A + 2] = ax + dx, ay + dy, az + dz
        spot[APART], spot[APART + 1], spot[APART + 2] = dx, dy, dz

        for e in range(first, first + cut_i[c, EQUATIONS]):
            kind, w = eq_i[e, EQ_KIND], work.wrench[e]
            nx, ny, nz, fx, fy, fz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            if kind == ALONG:
                fx, fy, fz = axis_of(cut_f, c, R_A, eq_i[e, EQ_A], a, body_w)
                work.gap[e] = fx * dx + fy * dy + fz * dz
            elif kind == DISTANT:
                far = math.sqrt(dx * dx + dy * dy + dz * dz)
                fx, fy, fz = (dx / far, dy / far, dz / far) if far > 0.0 else (1.0, 0.0, 0.0)
                work.gap[e] = far - cut_f[c, LENGTH]
            elif kind == TURNED:
                nx, ny, nz = axis_of(cut_f, c, R_A, eq_i[e, EQ_A], a, body_w)
                work.gap[e] = turned(cut_f, c, eq_i[e, EQ_A], a, b, body_w)
            else:
                ex, ey, ez, gx, gy, gz = tilt(cut_f, c, kind, a, b, body_w)
                nx, ny, nz = cross(gx, gy, gz, ex, ey, ez)
                work.gap[e] = ex * gx + ey * gy + ez * gz
            w[0], w[1], w[2], w[3], w[4], w[5] = nx, ny, nz, fx, fy, fz


@part
def columns_of(machine, work, c, row, rx, ry, rz, sign, place, body_w, dof_w):
    """Columns of J for the axes that carry a row, from there to the root; r from its origin to p_B.

    place: of the first of them in the path.
    """
    body_i, cut_i = machine.body_i, machine.cut_i
    first, count, axes, start = cut_i[c, FIRST], cut_i[c, EQUATIONS], cut_i[c, AXES], cut_i[c, JAC]
    while row != cut_i[c, ROOT]:
        for k in range(body_i[row, V0], body_i[row, V0] + body_i[row, NDOF]):
            sx, sy, sz = sign * dof_w[k, S], sign * dof_w[k, S + 1], sign * dof_w[k, S + 2]
            tx, ty, tz = cross(sx, sy, sz, rx, ry, rz)
            tx, ty, tz = tx + sign * dof_w[k, S + 3], ty + sign * dof_w[k, S + 4], tz + sign * dof_w[k, S + 5]
            for e in range(count):
                w = work.wrench[first + e]
                work.jac[start + e * axes + place] = (
                    w[0] * sx + w[1] * sy + w[2] * sz + w[3] * tx + w[4] * ty + w[5] * tz
                )
            place += 1
        rx, ry, rz = rx + body_w[row, ARM], ry + body_w[row, ARM + 1], rz + body_w[row, ARM + 2]
        row = body_i[row, PARENT]
    return place


@part
def drift_of(machine, root, row, rx, ry, rz, v, body_w, dof_w):
    """Velocity of p_B that the axes from a row to the root give it; r from the row's origin to p_B."""
    body_i = machine.body_i
    ux, uy, uz = 0.0, 0.0, 0.0
    while row != root:
        wx, wy, wz = 0.0, 0.0, 0.0
        for k in range(body_i[row, V0], body_i[row, V0] + body_i[row, NDOF]):
            wx += dof_w[k, S] * v[k]
            wy += dof_w[k, S + 1] * v[k]
            wz += dof_w[k, S + 2] * v[k]
            ux += dof_w[k, S + 3] * v[k]
            uy += dof_w[k, S + 4] * v[k]
            uz += dof_w[k, S + 5] * v[k]
        tx, ty, tz = cross(wx, wy, wz, rx, ry, rz)
        ux, uy, uz = ux + tx, uy + ty, uz + tz
        rx, ry, rz = rx + body_w[row, ARM], ry + body_w[row, ARM + 1], rz + body_w[row, ARM + 2]
        row = body_i[row, PARENT]
    return ux, uy, uz


@part
def slide(machine, work, v, values, body_w, dof_w):
    """slip = J v - nu, and the velocities of the cuts' points, where J stands."""
    cut_i, eq_i = machine.cut_i, machine.eq_i
    jacobian_times(machine, work, v, work.slip)
    for c in range(cut_i.shape[0]):
        first, root, spot = cut_i[c, FIRST], cut_i[c, ROOT], work.spot[c]
        if eq_i[first, EQ_KIND] == DRIVEN:
            work.slip[first] -= values[eq_i[first, EQ_B] + 1]
        elif eq_i[first, EQ_KIND] != COUPLED:
            ux, uy, uz = drift_of(
                machine, root, cut_i[c, ROW_B], spot[FROM_B], spot[FROM_B + 1], spot[FROM_B + 2], v, body_w, dof_w
            )
            tx, ty, tz = drift_of(
                machine, root, cut_i[c, ROW_A], spot[FROM_A], spot[FROM_A + 1], spot[FROM_A + 2], v, body_w, dof_w
            )
            spot[DRIFT], spot[DRIFT + 1], spot[DRIFT + 2] = ux - tx, uy - ty, uz - tz


@part
def fill_jacobian(machine, work, v, values, body_w, dof_w):
    """jac, and what `slide` gives, after `place_cuts`."""
    cut_i, cut_f, eq_i = machine.cut_i, machine.cut_f, machine.eq_i
    for c in range(cut_i.shape[0]):
        first, start, spot = cut_i[c, FIRST], cut_i[c, JAC], work.spot[c]
        if eq_i[first, EQ_KIND] == COUPLED:
            work.jac[start], work.jac[start + 1] = 1.0, -cut_f[c, LENGTH]
        elif eq_i[first, EQ_KIND] == DRIVEN:
            work.jac[start] = 1.0
        else:
            place = columns_of(
                machine,
                work,
                c,
                cut_i[c, ROW_A],
                spot[FROM_A],
                spot[FROM_A + 1],
                spot[FROM_A + 2],
                -1.0,
                0,
                body_w,
                dof_w,
            )
            columns_of(
                machine, work, c, cut_i[c, ROW_B], spot[FROM_B], spot[FROM_B + 1], spot[FROM_B + 2], 1.0, place, body_w,
                dof_w,
            )  # fmt: skip
    slide(machine, work, v, values, body_w, dof_w)


@part
def jacobian_times(machine, work, x, out):
    """out (ne,) = J x."""
    cut_i, path_i = machine.cut_i, machine.path_i
    for c in range(cut_i.shape[0]):
        place, axes, at = cut_i[c, PATH], cut_i[c, AXES], cut_i[c, JAC]
        for e in range(cut_i[c, FIRST], cut_i[c, FIRST] + cut_i[c, EQUATIONS]):
            total = 0.0
            for k in range(axes):
                total += work.jac[at + k] * x[path_i[place + k]]
            out[e] = total
            at += axes


@part
def subtract_transposed(machine, work, lam, out):
    """out (nv,) -= J' lam."""
    cut_i, path_i = machine.cut_i, machine.path_i
    for c in range(cut_i.shape[0]):
        place, axes, at = cut_i[c, PATH], cut_i[c, AXES], cut_i[c, JAC]
        for e in range(cut_i[c, FIRST], cut_i[c, FIRST] + cut_i[c, EQUATIONS]):
            for k in range(axes):
                out[path_i[place + k]] -= work.jac[at + k] * lam[e]
            at += axes


@part
def point_acceleration(row, rx, ry, rz, body_w):
    """Acceleration of the point r away from the origin of a row, with what ACC holds."""
    wx, wy, wz = body_w[row, SPIN], body_w[row, SPIN + 1], body_w[row, SPIN + 2]
    tx, ty, tz = cross(wx, wy, wz, rx, ry, rz)
    tx, ty, tz = cross(wx, wy, wz, tx, ty, tz)
    ux, uy, uz = cross(body_w[row, ACC], body_w[row, ACC + 1], body_w[row, ACC + 2], rx, ry, rz)
    return body_w[row, ACC + 3] + tx + ux, body_w[row, ACC + 4] + ty + uy, body_w[row, ACC + 5] + tz + uz


@part
def cut_accelerations(machine, work, a, values, body_w, out):
    """out (ne,) = J a + gamma for the accelerations that ACC holds (`inertia_forces` with a); gamma itself for a = 0.

    After `fill_jacobian`.
    """
    cut_i, cut_f, eq_i = machine.cut_i, machine.cut_f, machine.eq_i
    for c in range(cut_i.shape[0]):
        first, row_a, row_b, spot = cut_i[c, FIRST], cut_i[c, ROW_A], cut_i[c, ROW_B], work.spot[c]
        if eq_i[first, EQ_KIND] == COUPLED:
            place = cut_i[c, PATH]
            out[first] = a[machine.path_i[place]] - cut_f[c, LENGTH] * a[machine.path_i[place + 1]]
            continue
        if eq_i[first, EQ_KIND] == DRIVEN:
            out[first] = a[eq_i[first, EQ_DOF]] - values[eq_i[first, EQ_B] + 2]
            continue

        ax, ay, az = body_w[row_a, SPIN], body_w[row_a, SPIN + 1], body_w[row_a, SPIN + 2]
        bx, by, bz = body_w[row_b, SPIN], body_w[row_b, SPIN + 1], body_w[row_b, SPIN + 2]
        wx, wy, wz = bx - ax, by - ay, bz - az
        ux, uy, uz = spot[DRIFT], spot[DRIFT + 1], spot[DRIFT + 2]
        dx, dy, dz = spot[APART], spot[APART + 1], spot[APART + 2]
        px, py, pz = point_acceleration(row_b, spot[FROM_B], spot[FROM_B + 1], spot[FROM_B + 2], body_w)
        ox, oy, oz = point_acceleration(row_a, spot[FROM_A], spot[FROM_A + 1], spot[FROM_A + 2], body_w)
        px, py, pz = px - ox, py - oy, pz - oz
        rx, ry, rz = (
            body_w[row_b, ACC] - body_w[row_a, ACC],
            body_w[row_b, ACC + 1] - body_w[row_a, ACC + 1],
            body_w[row_b, ACC + 2] - body_w[row_a, ACC + 2],
        )
        for e in range(first, first + cut_i[c, EQUATIONS]):
            kind, g = eq_i[e, EQ_KIND], work.wrench[e]
            if kind == ALONG:
                tx, ty, tz = cross(ax, ay, az, ux, uy, uz)
                out[e] = g[3] * (px - 2.0 * tx) + g[4] * (py - 2.0 * ty) + g[5] * (pz - 2.0 * tz)
            elif kind == DISTANT:
                # from p_B to p_A, both fixed to A: the part along d of -w_A x (w_A x d)
                tx, ty, tz = cross(ax, ay, az, dx, dy, dz)
                sx, sy, sz = cross(ax, ay, az, tx, ty, tz)
                vx, vy, vz = ux + tx, uy + ty, uz + tz
                along = g[3] * vx + g[4] * vy + g[5] * vz
                far = math.sqrt(dx * dx + dy * dy + dz * dz)
                out[e] = g[3] * (px + sx) + g[4] * (py + sy) + g[5] * (pz + sz)
                out[e] += (vx * vx + vy * vy + vz * vz - along * along) / far
            elif kind == TURNED:
                tx, ty, tz = cross(ax, ay, az, g[0], g[1], g[2])
                out[e] = g[0] * rx + g[1] * ry + g[2] * rz + tx * wx + ty * wy + tz * wz
            else:
                ex, ey, ez, fx, fy, fz = tilt(cut_f, c, kind, row_a, row_b, body_w)
                tx, ty, tz = cross(bx, by, bz, fx, fy, fz)
                tx, ty, tz = cross(tx, ty, tz, ex, ey, ez)
                sx, sy, sz = cross(ax, ay, az, ex, ey, ez)
                sx, sy, sz = cross(fx, fy, fz, sx, sy, sz)
                out[e] = g[0] * rx + g[1] * ry + g[2] * rz
                out[e] += wx * (tx + sx) + wy * (ty + sy) + wz * (tz + sz)
