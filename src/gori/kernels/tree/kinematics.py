"""Poses, velocities and velocity-dependent accelerations of all bodies, from the ground to the leaves.

World axes, each body at its own origin: a vector passes from body to body without a rotation, and no number grows
with the distance from the world's origin. With r the arm from the parent's origin, (w_J, v_J) = S qd the motion in
the joint, and p the parent:

    w = w_p + w_J                           angular velocity
    alpha = alpha_p + w_p x w_J + S_w qdd
    a = a_p + alpha_p x r + w_p x (w_p x r + v_J) + w x v_J + S_v qdd     classical acceleration of the origin

The terms without alpha_p, a_p and qdd are the bias. They need no linear velocities.
"""

import math

from gori.kernels.jit import kernel, part
from gori.kernels.lanes import WIDTH, lanes_of
from gori.kernels.layout import array
from gori.kernels.tree.batch import lane_work, load, store
from gori.kernels.tree.columns import (
    ARM,
    BIAS,
    KIND,
    N_FRAME_F,
    NDOF,
    NQ,
    OMEGA,
    P_BF,
    P_WB,
    PARENT,
    Q0,
    R_BF,
    R_WB,
    V0,
    VEL,
    S,
)
from gori.kernels.tree.joints import REVOLUTE, move_joint


@part
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@part
def place(body_i, body_f, q, body_w, dof_w):
    """Rotations, arms and joint axes: what follows from q alone."""
    for k in range(9):
        body_w[0, R_WB + k] = 1.0 if k % 4 == 0 else 0.0
    for i in range(1, body_i.shape[0]):
        move_joint(body_i[i, KIND], i, body_i[i, PARENT], body_i[i, Q0], body_i[i, V0], body_f, q, body_w, dof_w)


@part
def positions(body_i, body_w):
    """Origins in the world, after `place`."""
    for k in range(3):
        body_w[0, P_WB + k] = 0.0
    for i in range(1, body_i.shape[0]):
        p = body_i[i, PARENT]
        for k in range(3):
            body_w[i, P_WB + k] = body_w[p, P_WB + k] + body_w[i, ARM + k]


@part
def add_axis(rate, dof_w, k, wx, wy, wz, ux, uy, uz):
    """(w; u) + S_k rate: angular and linear velocity, or acceleration, with the motion about one axis added."""
    return (
        wx + rate * dof_w[k, S], wy + rate * dof_w[k, S + 1], wz + rate * dof_w[k, S + 2],
        ux + rate * dof_w[k, S + 3], uy + rate * dof_w[k, S + 4], uz + rate * dof_w[k, S + 5],
    )  # fmt: skip


@part
def rates(body_i, v, body_w, dof_w):
    """Angular velocities and bias accelerations, after `place`."""
    for k in range(3):
        body_w[0, OMEGA + k] = 0.0
    for i in range(1, body_i.shape[0]):
        p, d = body_i[i, PARENT], body_i[i, V0]
        px, py, pz = body_w[p, OMEGA], body_w[p, OMEGA + 1], body_w[p, OMEGA + 2]

        # motion in the joint: S qd
        qd = v[d]
        wx, wy, wz = qd * dof_w[d, S], qd * dof_w[d, S + 1], qd * dof_w[d, S + 2]
        ax, ay, az = cross(px, py, pz, body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2])
        if body_i[i, KIND] == REVOLUTE:
            ax, ay, az = cross(px, py, pz, ax, ay, az)
            bx, by, bz = cross(px, py, pz, wx, wy, wz)
            wx, wy, wz = wx + px, wy + py, wz + pz
        else:
            ux, uy, uz = qd * dof_w[d, S + 3], qd * dof_w[d, S + 4], qd * dof_w[d, S + 5]
            for k in range(d + 1, d + body_i[i, NDOF]):
                wx, wy, wz, ux, uy, uz = add_axis(v[k], dof_w, k, wx, wy, wz, ux, uy, uz)
            bx, by, bz = cross(px, py, pz, wx, wy, wz)
            ax, ay, az = cross(px, py, pz, ax + ux, ay + uy, az + uz)
            wx, wy, wz = wx + px, wy + py, wz + pz
            cx, cy, cz = cross(wx, wy, wz, ux, uy, uz)
            ax, ay, az = ax + cx, ay + cy, az + cz

        body_w[i, OMEGA], body_w[i, OMEGA + 1], body_w[i, OMEGA + 2] = wx, wy, wz
        body_w[i, BIAS], body_w[i, BIAS + 1], body_w[i, BIAS + 2] = bx, by, bz
        body_w[i, BIAS + 3], body_w[i, BIAS + 4], body_w[i, BIAS + 5] = ax, ay, az


@part
def velocities(body_i, v, body_w, dof_w):
    """Angular velocities, and linear velocities of the origins, after `place`."""
    for k in range(3):
        body_w[0, OMEGA + k] = 0.0
        body_w[0, VEL + k] = 0.0
    for i in range(1, body_i.shape[0]):
        p, d = body_i[i, PARENT], body_i[i, V0]
        wx, wy, wz = body_w[p, OMEGA], body_w[p, OMEGA + 1], body_w[p, OMEGA + 2]
        ux, uy, uz = cross(wx, wy, wz, body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2])
        ux, uy, uz = ux + body_w[p, VEL], uy + body_w[p, VEL + 1], uz + body_w[p, VEL + 2]
        for k in range(d, d + body_i[i, NDOF]):
            wx, wy, wz, ux, uy, uz = add_axis(v[k], dof_w, k, wx, wy, wz, ux, uy, uz)
        body_w[i, OMEGA], body_w[i, OMEGA + 1], body_w[i, OMEGA + 2] = wx, wy, wz
        body_w[i, VEL], body_w[i, VEL + 1], body_w[i, VEL + 2] = ux, uy, uz


@part
def turn(body_w, i, x, y, z):
    """A vector of body i, from its own axes to world axes."""
    return (
        body_w[i, R_WB] * x + body_w[i, R_WB + 1] * y + body_w[i, R_WB + 2] * z,
        body_w[i, R_WB + 3] * x + body_w[i, R_WB + 4] * y + body_w[i, R_WB + 5] * z,
        body_w[i, R_WB + 6] * x + body_w[i, R_WB + 7] * y + body_w[i, R_WB + 8] * z,
    )


@part
def turn_back(body_w, i, x, y, z):
    """A vector of body i, from world axes to its own."""
    return (
        body_w[i, R_WB] * x + body_w[i, R_WB + 3] * y + body_w[i, R_WB + 6] * z,
        body_w[i, R_WB + 1] * x + body_w[i, R_WB + 4] * y + body_w[i, R_WB + 7] * z,
        body_w[i, R_WB + 2] * x + body_w[i, R_WB + 5] * y + body_w[i, R_WB + 8] * z,
    )


@part
def frame_poses(frame_i, frame_f, body_w, pose):
    """Poses of all named frames: pose (nframe, 12), rotation by rows and origin, after `positions`."""
    for f in range(frame_i.shape[0]):
        i = frame_i[f]
        for k in range(3):
            x, y, z = turn(body_w, i, frame_f[f, R_BF + k], frame_f[f, R_BF + 3 + k], frame_f[f, R_BF + 6 + k])
            pose[f, R_BF + k], pose[f, R_BF + 3 + k], pose[f, R_BF + 6 + k] = x, y, z
        x, y, z = turn(body_w, i, frame_f[f, P_BF], frame_f[f, P_BF + 1], frame_f[f, P_BF + 2])
        pose[f, P_BF] = x + body_w[i, P_WB]
        pose[f, P_BF + 1] = y + body_w[i, P_WB + 1]
        pose[f, P_BF + 2] = z + body_w[i, P_WB + 2]


@kernel("f8(i8[:, ::1], f8[:, ::1], i8[::1], f8[:, ::1], f8[::1], f8[:, ::1], f8[:, ::1], f8[:, ::1])")
def poses_one(body_i, body_f, frame_i, frame_f, q, pose, body_w, dof_w):
    """pose (nframe, 12). Returns a number that is not finite when q is not, or has the wrong length."""
    if q.shape[0] != body_i[0, NQ]:
        return math.nan
    place(body_i, body_f, q, body_w, dof_w)
    positions(body_i, body_w)
    frame_poses(frame_i, frame_f, body_w, pose)
    check = 0.0
    for k in range(q.shape[0]):
        check += q[k]
    for i in range(body_i.shape[0]):  # a zero quaternion shows here
        check += body_w[i, R_WB]
    return check


WORK = lane_work(
    "PosesWork",
    array("q", "nq", "", "positions"),
    array("pose", f"nframe {N_FRAME_F}", "", "rotation by rows, origin [m]"),
    sizes=("nframe",),
)
carve = WORK.carve


@kernel("void(i8[:, ::1], f8[:, ::1], i8[::1], f8[:, ::1], i8, f8[:, ::1], f8[:, ::1], f8[::1])")
def poses_batch(body_i, body_f, frame_i, frame_f, nv, q, pose, work):
    """pose (B, nframe * 12) of rows of states."""
    w = carve(lanes_of(work), body_i.shape[0], q.shape[1], nv, frame_i.shape[0])
    for first in range(0, q.shape[0], WIDTH):
        load(q, first, w.q)
        place(body_i, body_f, w.q, w.body_w, w.dof_w)
        positions(body_i, w.body_w)
        frame_poses(frame_i, frame_f, w.body_w, w.pose)
        store(w.pose.reshape(w.pose.size), first, pose)
