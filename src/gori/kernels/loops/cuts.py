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
    SLID      as ALONG, and SPUN as TURNED about the axis of its angle (`angles.py`), less s(t) and its rates
    SCREWED   f = z_A, n = -pitch z_A    as ALONG, less pitch times TURNED

Positions are taken from where the two ways to the ground meet, so that a machine far from the origin closes as well.
"""

import math

from gori.kernels.jit import part
from gori.kernels.loops.angles import (
    TURN_ANGLE,
    angle_of,
    axis_of,
    nearest_turn,
    screw_turns,
    turning_axis,
    turning_row,
)
from gori.kernels.loops.tables import (
    ALONG,
    COUPLED,
    DISTANT,
    DRIVEN,
    SCREW,
    SCREWED,
    SLID,
    SPUN,
    TILT_X,
    TILT_Y,
    TURNED,
)
from gori.kernels.tree.columns import ACC, ARM, NDOF, OMEGA, PARENT, V0, S
from gori.kernels.tree.kinematics import cross, turn


@part
def climb(body_i, body_w, row, root, x, y, z):
    """A point given from the origin of the row, from the origin of the root."""
    while row != root:
        x, y, z = x + body_w[row, ARM], y + body_w[row, ARM + 1], z + body_w[row, ARM + 2]
        row = body_i[row, PARENT]
    return x, y, z


@part
def tilt(cut, kind, body_w):
    """Directions e on A and f on B, and the sign, of an equation e . f = 0."""
    a = cut.row_a
    fx, fy, fz = axis_of(cut.R_B, 2, cut.row_b, body_w)
    if kind == TILT_X:
        ex, ey, ez = axis_of(cut.R_A, 1, a, body_w)
        return -ex, -ey, -ez, fx, fy, fz
    ex, ey, ez = axis_of(cut.R_A, 0 if kind == TILT_Y else 2, a, body_w)
    return ex, ey, ez, fx, fy, fz


@part
def turned(cut, k, body_w):
    """Twice the component k of the vector part of the quaternion of B seen from A, its scalar part positive."""
    a, b, R_A, R_B = cut.row_a, cut.row_b, cut.R_A, cut.R_B
    x0, x1, x2 = axis_of(R_A, 0, a, body_w)
    y0, y1, y2 = axis_of(R_A, 1, a, body_w)
    z0, z1, z2 = axis_of(R_A, 2, a, body_w)
    u0, u1, u2 = axis_of(R_B, 0, b, body_w)
    v0, v1, v2 = axis_of(R_B, 1, b, body_w)
    w0, w1, w2 = axis_of(R_B, 2, b, body_w)
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
def apart(body_i, cut, body_w):
    """p_B - p_A, then p_A from the origin of A and p_B from that of B; world axes."""
    a, b, p_A, p_B = cut.row_a, cut.row_b, cut.p_A, cut.p_B
    ax, ay, az = turn(body_w, a, p_A[0], p_A[1], p_A[2])
    bx, by, bz = turn(body_w, b, p_B[0], p_B[1], p_B[2])
    px, py, pz = climb(body_i, body_w, a, cut.root, ax, ay, az)
    dx, dy, dz = climb(body_i, body_w, b, cut.root, bx, by, bz)
    return dx - px, dy - py, dz - pz, ax, ay, az, bx, by, bz


@part
def unscrewed(cut, travel, body_w):
    """How far a screw is off its thread, along it [m]: of all turns, for the nearest."""
    angle = angle_of(cut, SCREW, body_w)
    return travel - cut.pitch * (angle + TURN_ANGLE * screw_turns(angle, travel, cut.pitch))


@part
def driven_angle(cut, kind, travel, wanted, body_w):
    """How far an angle is off the wanted one; the turn of a screw is that of its travel, else the nearest."""
    angle = angle_of(cut, kind, body_w)
    turns = screw_turns(angle, travel, cut.pitch) if kind == SCREW else nearest_turn(angle, wanted)
    return angle + TURN_ANGLE * turns - wanted


@part
def place_cuts(machine, work, q, values, body_w):
    """gap, wrench, and where the cuts are, after `place`; values: of the signals."""
    body_i, cut, equation = machine.body_i, machine.cut, machine.equation
    for c in range(cut.shape[0]):
        first, a = cut[c].first, cut[c].row_a
        if equation[first].kind == COUPLED:
            total = -cut[c].offset
            for k in range(cut[c].path, cut[c].path + cut[c].axes):
                total += machine.factor[k] * q[machine.along[k]]
            work.gap[first] = total
            continue
        if equation[first].kind == DRIVEN:
            work.gap[first] = q[equation[first].a] - values[equation[first].b]
            continue
        dx, dy, dz, ax, ay, az, bx, by, bz = apart(body_i, cut[c], body_w)
        work.from_b[c, 0], work.from_b[c, 1], work.from_b[c, 2] = bx, by, bz
        work.from_a[c, 0], work.from_a[c, 1], work.from_a[c, 2] = ax + dx, ay + dy, az + dz
        work.apart[c, 0], work.apart[c, 1], work.apart[c, 2] = dx, dy, dz

        for e in range(first, first + cut[c].equations):
            kind, w = equation[e].kind, work.wrench[e]
            nx, ny, nz, fx, fy, fz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            if kind == ALONG:
                fx, fy, fz = axis_of(cut[c].R_A, equation[e].a, a, body_w)
                work.gap[e] = fx * dx + fy * dy + fz * dz
            elif kind == DISTANT:
                far = math.sqrt(dx * dx + dy * dy + dz * dz)
                fx, fy, fz = (dx / far, dy / far, dz / far) if far > 0.0 else (1.0, 0.0, 0.0)
                work.gap[e] = far - cut[c].length
            elif kind == TURNED:
                nx, ny, nz = axis_of(cut[c].R_A, equation[e].a, a, body_w)
                work.gap[e] = turned(cut[c], equation[e].a, body_w)
            elif kind == SLID:
                fx, fy, fz = axis_of(cut[c].R_A, equation[e].a, a, body_w)
                work.gap[e] = fx * dx + fy * dy + fz * dz - values[equation[e].b]
            elif kind == SPUN:
                nx, ny, nz = turning_axis(cut[c], equation[e].a, body_w)
                ex, ey, ez = axis_of(cut[c].R_A, 2, a, body_w)
                travel, wanted = ex * dx + ey * dy + ez * dz, values[equation[e].b]
                work.gap[e] = driven_angle(cut[c], equation[e].a, travel, wanted, body_w)
            elif kind == SCREWED:
                fx, fy, fz = axis_of(cut[c].R_A, 2, a, body_w)
                pitch = cut[c].pitch
                nx, ny, nz = -pitch * fx, -pitch * fy, -pitch * fz
                work.gap[e] = unscrewed(cut[c], fx * dx + fy * dy + fz * dz, body_w)
            else:
                ex, ey, ez, gx, gy, gz = tilt(cut[c], kind, body_w)
                nx, ny, nz = cross(gx, gy, gz, ex, ey, ez)
                work.gap[e] = ex * gx + ey * gy + ez * gz
            w[0], w[1], w[2], w[3], w[4], w[5] = nx, ny, nz, fx, fy, fz


@part
def columns_of(machine, work, c, row, rx, ry, rz, sign, place, body_w, dof_w):
    """Columns of J for the axes that carry a row, from there to the root; r from its origin to p_B.

    place: of the first of them in the path.
    """
    body_i, cut = machine.body_i, machine.cut
    first, count, axes, start = cut[c].first, cut[c].equations, cut[c].axes, cut[c].jac
    while row != cut[c].root:
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
    cut, equation = machine.cut, machine.equation
    jacobian_times(machine, work, v, work.slip)
    for c in range(cut.shape[0]):
        first, root, from_a, from_b = cut[c].first, cut[c].root, work.from_a[c], work.from_b[c]
        if equation[first].kind in (DRIVEN, SLID, SPUN):
            work.slip[first] -= values[equation[first].b + 1]
        if equation[first].kind != DRIVEN and equation[first].kind != COUPLED:
            ux, uy, uz = drift_of(machine, root, cut[c].row_b, from_b[0], from_b[1], from_b[2], v, body_w, dof_w)
            tx, ty, tz = drift_of(machine, root, cut[c].row_a, from_a[0], from_a[1], from_a[2], v, body_w, dof_w)
            work.drift[c, 0], work.drift[c, 1], work.drift[c, 2] = ux - tx, uy - ty, uz - tz


@part
def fill_jacobian(machine, work, v, values, body_w, dof_w):
    """jac, and what `slide` gives, after `place_cuts`."""
    cut, equation = machine.cut, machine.equation
    for c in range(cut.shape[0]):
        first, start, from_a, from_b = cut[c].first, cut[c].jac, work.from_a[c], work.from_b[c]
        if equation[first].kind == COUPLED:
            for k in range(cut[c].axes):
                work.jac[start + k] = machine.factor[cut[c].path + k]
        elif equation[first].kind == DRIVEN:
            work.jac[start] = 1.0
        else:
            place = columns_of(machine, work, c, cut[c].row_a, from_a[0], from_a[1], from_a[2], -1.0, 0, body_w, dof_w)
            columns_of(machine, work, c, cut[c].row_b, from_b[0], from_b[1], from_b[2], 1.0, place, body_w, dof_w)
    slide(machine, work, v, values, body_w, dof_w)


@part
def jacobian_times(machine, work, x, out):
    """out (ne,) = J x."""
    cut, path = machine.cut, machine.path
    for c in range(cut.shape[0]):
        place, axes, at = cut[c].path, cut[c].axes, cut[c].jac
        for e in range(cut[c].first, cut[c].first + cut[c].equations):
            total = 0.0
            for k in range(axes):
                total += work.jac[at + k] * x[path[place + k]]
            out[e] = total
            at += axes


@part
def subtract_transposed(machine, work, lam, out):
    """out (nv,) -= J' lam."""
    cut, path = machine.cut, machine.path
    for c in range(cut.shape[0]):
        place, axes, at = cut[c].path, cut[c].axes, cut[c].jac
        for e in range(cut[c].first, cut[c].first + cut[c].equations):
            for k in range(axes):
                out[path[place + k]] -= work.jac[at + k] * lam[e]
            at += axes


@part
def point_acceleration(row, rx, ry, rz, body_w):
    """Acceleration of the point r away from the origin of a row, with what ACC holds."""
    wx, wy, wz = body_w[row, OMEGA], body_w[row, OMEGA + 1], body_w[row, OMEGA + 2]
    tx, ty, tz = cross(wx, wy, wz, rx, ry, rz)
    tx, ty, tz = cross(wx, wy, wz, tx, ty, tz)
    ux, uy, uz = cross(body_w[row, ACC], body_w[row, ACC + 1], body_w[row, ACC + 2], rx, ry, rz)
    return body_w[row, ACC + 3] + tx + ux, body_w[row, ACC + 4] + ty + uy, body_w[row, ACC + 5] + tz + uz


@part
def cut_accelerations(machine, work, a, values, body_w, out):
    """out (ne,) = J a + gamma for the accelerations that ACC holds (`inertia_forces` with a); gamma itself for a = 0.

    After `fill_jacobian`.
    """
    cut, equation = machine.cut, machine.equation
    for c in range(cut.shape[0]):
        first, row_a, row_b = cut[c].first, cut[c].row_a, cut[c].row_b
        from_a, from_b, drift, apart = work.from_a[c], work.from_b[c], work.drift[c], work.apart[c]
        if equation[first].kind == COUPLED:
            out[first] = 0.0
            for k in range(cut[c].path, cut[c].path + cut[c].axes):
                out[first] += machine.factor[k] * a[machine.path[k]]
            continue
        if equation[first].kind == DRIVEN:
            out[first] = a[equation[first].dof] - values[equation[first].b + 2]
            continue

        ax, ay, az = body_w[row_a, OMEGA], body_w[row_a, OMEGA + 1], body_w[row_a, OMEGA + 2]
        bx, by, bz = body_w[row_b, OMEGA], body_w[row_b, OMEGA + 1], body_w[row_b, OMEGA + 2]
        wx, wy, wz = bx - ax, by - ay, bz - az
        ux, uy, uz = drift[0], drift[1], drift[2]
        dx, dy, dz = apart[0], apart[1], apart[2]
        px, py, pz = point_acceleration(row_b, from_b[0], from_b[1], from_b[2], body_w)
        ox, oy, oz = point_acceleration(row_a, from_a[0], from_a[1], from_a[2], body_w)
        px, py, pz = px - ox, py - oy, pz - oz
        rx, ry, rz = (
            body_w[row_b, ACC] - body_w[row_a, ACC],
            body_w[row_b, ACC + 1] - body_w[row_a, ACC + 1],
            body_w[row_b, ACC + 2] - body_w[row_a, ACC + 2],
        )
        for e in range(first, first + cut[c].equations):
            kind, g = equation[e].kind, work.wrench[e]
            if kind in (ALONG, SLID, SCREWED):
                tx, ty, tz = cross(ax, ay, az, ux, uy, uz)
                out[e] = g[3] * (px - 2.0 * tx) + g[4] * (py - 2.0 * ty) + g[5] * (pz - 2.0 * tz)
                if kind == SLID:
                    out[e] -= values[equation[e].b + 2]
                elif kind == SCREWED:
                    tx, ty, tz = cross(ax, ay, az, g[0], g[1], g[2])
                    out[e] += g[0] * rx + g[1] * ry + g[2] * rz + tx * wx + ty * wy + tz * wz
            elif kind == SPUN:
                on = turning_row(cut[c], equation[e].a)
                tx, ty, tz = cross(body_w[on, OMEGA], body_w[on, OMEGA + 1], body_w[on, OMEGA + 2], g[0], g[1], g[2])
                out[e] = g[0] * rx + g[1] * ry + g[2] * rz + tx * wx + ty * wy + tz * wz - values[equation[e].b + 2]
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
                ex, ey, ez, fx, fy, fz = tilt(cut[c], kind, body_w)
                tx, ty, tz = cross(bx, by, bz, fx, fy, fz)
                tx, ty, tz = cross(tx, ty, tz, ex, ey, ez)
                sx, sy, sz = cross(ax, ay, az, ex, ey, ez)
                sx, sy, sz = cross(fx, fy, fz, sx, sy, sz)
                out[e] = g[0] * rx + g[1] * ry + g[2] * rz
                out[e] += wx * (tx + sx) + wy * (ty + sy) + wz * (tz + sz)
