"""Coordinates of joints that are not coordinates of the tree, as those of cuts: q, v and a of frames A and B.

Relative to A, point p_B moves with u and frame B rotates with w = w_B - w_A. On the loops:

    SLIDE    q = e . (p_B - p_A)      v = e . u    a = e . (a_B - a_A - 2 w_A x u), both accelerations at p_B
    angles   q as in `angles.py`      v = e . w    a = e . w' + (w_e x e) . w, w_e that of the body of the axis
    BALL     q = quaternion of B from A     v = R_B' w     a = R_B' (w' - w_B x w)

An angle counts full turns: at the end of a step, or of as many as it cannot turn far in, it is taken next to where its
rate leads from the last one, so that a step may be any number of turns as long as its rate is known well. A quaternion
keeps its sign likewise. What that needs is in `data.track`, and the numbers of turns, or the sign, in `data.turns`,
which is recorded.
"""

import math

from numba import types

from gori.kernels.jit import block, kernel, part, present
from gori.kernels.loops.angles import (
    TURN_ANGLE,
    angle_of,
    axis_of,
    dot,
    nearest_turn,
    screw_turns,
    turning_axis,
    turning_row,
)
from gori.kernels.loops.cuts import apart, drift_of, point_acceleration
from gori.kernels.loops.system import stands
from gori.kernels.loops.tables import BALL, SCREW, SLIDE
from gori.kernels.machine import F1, F2, data_type, machine_type
from gori.kernels.tree.columns import ACC, NDOF, NQ, OMEGA, PARENT, V0, S
from gori.kernels.tree.kinematics import cross, place, rates
from gori.kernels.tree.rnea import accelerate, start_from_gravity


@part
def relative_rate(body_i, row, root, v, dof_w):
    """Angular velocity of a row relative to the root, world axes, after `place`."""
    wx, wy, wz = 0.0, 0.0, 0.0
    while row != root:
        for k in range(body_i[row, V0], body_i[row, V0] + body_i[row, NDOF]):
            wx += dof_w[k, S] * v[k]
            wy += dof_w[k, S + 1] * v[k]
            wz += dof_w[k, S + 2] * v[k]
        row = body_i[row, PARENT]
    return wx, wy, wz


@part
def relative_turning(machine, c, v, dof_w):
    """w_B - w_A of the coordinate c, world axes, after `place`."""
    body_i = machine.body_i
    bx, by, bz = relative_rate(body_i, c.row_b, c.root, v, dof_w)
    ax, ay, az = relative_rate(body_i, c.row_a, c.root, v, dof_w)
    return bx - ax, by - ay, bz - az


@part
def angle_rate(machine, c, v, body_w, dof_w):
    """Rate of the angle c."""
    wx, wy, wz = relative_turning(machine, c, v, dof_w)
    ex, ey, ez = turning_axis(c, c.kind, body_w)
    return dot(ex, ey, ez, wx, wy, wz)


@part
def ball(c, body_w):
    """Quaternion w x y z of B seen from A; the largest of its numbers is positive (Shepperd 1978)."""
    a, b = c.row_a, c.row_b
    x0, x1, x2 = axis_of(c.R_A, 0, a, body_w)
    y0, y1, y2 = axis_of(c.R_A, 1, a, body_w)
    z0, z1, z2 = axis_of(c.R_A, 2, a, body_w)
    u0, u1, u2 = axis_of(c.R_B, 0, b, body_w)
    v0, v1, v2 = axis_of(c.R_B, 1, b, body_w)
    w0, w1, w2 = axis_of(c.R_B, 2, b, body_w)
    xx, yy, zz = dot(x0, x1, x2, u0, u1, u2), dot(y0, y1, y2, v0, v1, v2), dot(z0, z1, z2, w0, w1, w2)
    zy, yz = dot(z0, z1, z2, v0, v1, v2), dot(y0, y1, y2, w0, w1, w2)
    xz, zx = dot(x0, x1, x2, w0, w1, w2), dot(z0, z1, z2, u0, u1, u2)
    yx, xy = dot(y0, y1, y2, u0, u1, u2), dot(x0, x1, x2, v0, v1, v2)
    trace = xx + yy + zz
    if trace >= xx and trace >= yy and trace >= zz:
        w, x, y, z = 1.0 + trace, zy - yz, xz - zx, yx - xy
    elif xx >= yy and xx >= zz:
        w, x, y, z = zy - yz, 1.0 + xx - yy - zz, xy + yx, xz + zx
    elif yy >= zz:
        w, x, y, z = xz - zx, xy + yx, 1.0 - xx + yy - zz, yz + zy
    else:
        w, x, y, z = yx - xy, xz + zx, yz + zy, 1.0 - xx - yy + zz
    size = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    return size * w, size * x, size * y, size * z


# ---- turns


@part
def turns_of(machine, track, c, t, v, body_w, dof_w):
    """What is remembered of the coordinate c, at a state next to the one of its track: full turns of its angle, or the
    sign of its quaternion.
    """
    if c.kind == BALL:
        w, x, y, z = ball(c, body_w)
        r = track.quaternion
        return 1.0 if w * r[0] + x * r[1] + y * r[2] + z * r[3] >= 0.0 else -1.0
    rate = angle_rate(machine, c, v, body_w, dof_w)
    near = track.angle + 0.5 * (track.rate + rate) * (t - track.time)
    return nearest_turn(angle_of(c, c.kind, body_w), near)


@part
def remember_turn(machine, track, c, turns, t, v, body_w, dof_w):
    """The track of the coordinate c begins anew here."""
    track.time = t
    if c.kind == BALL:
        w, x, y, z = ball(c, body_w)
        track.quaternion[0], track.quaternion[1] = turns * w, turns * x
        track.quaternion[2], track.quaternion[3] = turns * y, turns * z
    else:
        track.angle = angle_of(c, c.kind, body_w) + TURN_ANGLE * turns
        track.rate = angle_rate(machine, c, v, body_w, dof_w)


@part
def first_turns(c, body_w):
    """What is remembered of the coordinate c where nothing is known: the angle next to zero, the scalar part of the
    quaternion positive.
    """
    if c.kind != BALL:
        return 0.0
    return 1.0 if ball(c, body_w)[0] >= 0.0 else -1.0


@block
def turns_at(machine, data, t, q, v):
    """data.turns at a state of the present step, after which the track still is that of its start."""
    bring_bodies(machine, data, q, v)
    for k in range(machine.coordinate.shape[0]):
        c = machine.coordinate[k]
        if c.turns >= 0:
            data.turns[c.turns] = turns_of(machine, data.track[c.turns], c, t, v, data.body_w, data.dof_w)


@block
def follow_turns(machine, data, t, q, v):
    """data.turns and the track at the end of a step."""
    turns_at(machine, data, t, q, v)
    for k in range(machine.coordinate.shape[0]):
        c = machine.coordinate[k]
        if c.turns >= 0:
            turns = data.turns[c.turns]
            remember_turn(machine, data.track[c.turns], c, turns, t, v, data.body_w, data.dof_w)


@part
def bring_bodies(machine, data, q, v):
    """Bodies at a state; nothing to do where the loop solver has left them there."""
    if not present(machine.closed) or not stands(data.loops, q, v):
        data.loops.work.standing[0] = 0.0
        place(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)


@kernel(types.void(machine_type, data_type, types.float64, F1, types.int64))
def place_turns(machine, data, t, y, known):
    """data.turns and the track at a state that was set from outside; known: next to the track, at the same time."""
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    q, v = y[:nq], y[nq : nq + nv]
    data.loops.work.standing[0] = 0.0
    place(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)
    for k in range(machine.coordinate.shape[0]):
        c = machine.coordinate[k]
        if c.turns >= 0:
            track = data.track[c.turns]
            track.time = t
            if known != 0:
                turns = turns_of(machine, track, c, t, v, data.body_w, data.dof_w)
            else:
                turns = first_turns(c, data.body_w)
            data.turns[c.turns] = turns
            remember_turn(machine, track, c, turns, t, v, data.body_w, data.dof_w)


# ---- coordinates and their rates


@part
def coordinate(machine, turns, c, body_w, q):
    """q of the coordinate c, after `place`; turns: what is remembered of it."""
    if c.kind == SLIDE:
        dx, dy, dz, _, _, _, _, _, _ = apart(machine.body_i, c, body_w)
        ex, ey, ez = axis_of(c.R_A, c.axis, c.row_a, body_w)
        q[c.q] = dot(ex, ey, ez, dx, dy, dz)
    elif c.kind == BALL:
        w, x, y, z = ball(c, body_w)
        q[c.q], q[c.q + 1], q[c.q + 2], q[c.q + 3] = turns * w, turns * x, turns * y, turns * z
    else:
        angle = angle_of(c, c.kind, body_w)
        if c.kind == SCREW:
            dx, dy, dz, _, _, _, _, _, _ = apart(machine.body_i, c, body_w)
            ex, ey, ez = axis_of(c.R_A, 2, c.row_a, body_w)
            turns = screw_turns(angle, dot(ex, ey, ez, dx, dy, dz), c.pitch)
        q[c.q] = angle + TURN_ANGLE * turns


@part
def coordinate_rate(machine, c, v, body_w, dof_w, out):
    """v of the coordinate c, after `place`."""
    if c.kind == SLIDE:
        dx, dy, dz, ax, ay, az, bx, by, bz = apart(machine.body_i, c, body_w)
        ux, uy, uz = drift_of(machine, c.root, c.row_b, bx, by, bz, v, body_w, dof_w)
        tx, ty, tz = drift_of(machine, c.root, c.row_a, ax + dx, ay + dy, az + dz, v, body_w, dof_w)
        ex, ey, ez = axis_of(c.R_A, c.axis, c.row_a, body_w)
        out[c.v] = dot(ex, ey, ez, ux - tx, uy - ty, uz - tz)
    elif c.kind == BALL:
        wx, wy, wz = relative_turning(machine, c, v, dof_w)
        for k in range(3):
            ex, ey, ez = axis_of(c.R_B, k, c.row_b, body_w)
            out[c.v + k] = dot(ex, ey, ez, wx, wy, wz)
    else:
        out[c.v] = angle_rate(machine, c, v, body_w, dof_w)


@part
def coordinate_acceleration(machine, c, v, body_w, dof_w, out):
    """a of the coordinate c, after `rates` and with the accelerations of the bodies in ACC."""
    a, b = c.row_a, c.row_b
    if c.kind == SLIDE:
        dx, dy, dz, ax, ay, az, bx, by, bz = apart(machine.body_i, c, body_w)
        ax, ay, az = ax + dx, ay + dy, az + dz
        ux, uy, uz = drift_of(machine, c.root, b, bx, by, bz, v, body_w, dof_w)
        tx, ty, tz = drift_of(machine, c.root, a, ax, ay, az, v, body_w, dof_w)
        px, py, pz = point_acceleration(b, bx, by, bz, body_w)
        ox, oy, oz = point_acceleration(a, ax, ay, az, body_w)
        tx, ty, tz = cross(
            body_w[a, OMEGA], body_w[a, OMEGA + 1], body_w[a, OMEGA + 2], ux - tx, uy - ty, uz - tz
        )  # fmt: skip
        ex, ey, ez = axis_of(c.R_A, c.axis, a, body_w)
        out[c.v] = dot(ex, ey, ez, px - ox - 2.0 * tx, py - oy - 2.0 * ty, pz - oz - 2.0 * tz)
        return
    wx, wy, wz = relative_turning(machine, c, v, dof_w)
    rx, ry, rz = (
        body_w[b, ACC] - body_w[a, ACC],
        body_w[b, ACC + 1] - body_w[a, ACC + 1],
        body_w[b, ACC + 2] - body_w[a, ACC + 2],
    )
    if c.kind == BALL:
        tx, ty, tz = cross(body_w[b, OMEGA], body_w[b, OMEGA + 1], body_w[b, OMEGA + 2], wx, wy, wz)
        for k in range(3):
            ex, ey, ez = axis_of(c.R_B, k, b, body_w)
            out[c.v + k] = dot(ex, ey, ez, rx - tx, ry - ty, rz - tz)
    else:
        ex, ey, ez = turning_axis(c, c.kind, body_w)
        on = turning_row(c, c.kind)
        tx, ty, tz = cross(body_w[on, OMEGA], body_w[on, OMEGA + 1], body_w[on, OMEGA + 2], ex, ey, ez)
        out[c.v] = dot(ex, ey, ez, rx, ry, rz) + dot(tx, ty, tz, wx, wy, wz)


@block
def extended(machine, data, t, y, q, v):
    """Coordinates and velocities of the tree, then those of the cuts, at a state of the present step."""
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    for k in range(nq):
        q[k] = y[k]
    for k in range(nv):
        v[k] = y[nq + k]
    bring_bodies(machine, data, y[:nq], y[nq : nq + nv])
    for k in range(machine.coordinate.shape[0]):
        c, turns = machine.coordinate[k], 0.0
        if c.turns >= 0:
            turns = turns_of(machine, data.track[c.turns], c, t, v[:nv], data.body_w, data.dof_w)
        coordinate(machine, turns, c, data.body_w, q[nq:])
        coordinate_rate(machine, c, v[:nv], data.body_w, data.dof_w, v[nv:])


@kernel(types.void(machine_type, data_type, F2, F2, F2, F2, F2, F2))
def coordinates_along(machine, data, samples, a, turns, q, v, qdd):
    """q (N, ncq), v and accelerations (N, ncv) of all coordinates, for samples (N, 1 + n) of rows (time, q, v).

    a       (N, nv) accelerations of the tree
    turns   (N, nturns) what was recorded; without rows, turns are counted from sample to sample, from none
    """
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    body_i, body_w, dof_w = machine.body_i, data.body_w, data.dof_w
    for row in range(samples.shape[0]):
        t, here, rate = samples[row, 0], samples[row, 1 : 1 + nq], samples[row, 1 + nq : 1 + nq + nv]
        place(body_i, machine.body_f, here, body_w, dof_w)
        rates(body_i, rate, body_w, dof_w)
        start_from_gravity(machine.body_f, body_w)
        for i in range(1, body_i.shape[0]):
            accelerate(i, body_i, a[row], body_w, dof_w)
        for k in range(machine.coordinate.shape[0]):
            c, known = machine.coordinate[k], 0.0
            if c.turns >= 0:
                if turns.shape[0] > 0:
                    known = turns[row, c.turns]
                else:
                    track = data.track[c.turns]
                    known = first_turns(c, body_w) if row == 0 else turns_of(machine, track, c, t, rate, body_w, dof_w)
                    remember_turn(machine, track, c, known, t, rate, body_w, dof_w)
            coordinate(machine, known, c, body_w, q[row])
            coordinate_rate(machine, c, rate, body_w, dof_w, v[row])
            coordinate_acceleration(machine, c, rate, body_w, dof_w, qdd[row])
