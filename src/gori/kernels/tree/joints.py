"""What a joint does, in one switch: from q to the pose of the body and the joint's axes.

Everything after this file works with the axes S alone and does not know the kinds of joints. To add a kind: a code
here, a branch in `move_joint`, `integrate_joint` and `difference_joint`, and a row in `spec/joint.py`.

REVOLUTE, PRISMATIC, HELICAL   q: angle or travel along z of the joint frame
SPHERICAL                      q: quaternion w x y z;                v: angular velocity, body frame
FREE                           q: quaternion w x y z, then x y z;    v: angular, then linear velocity, body frame
"""

from gori.kernels.jit import part
from gori.kernels.sincos import sincos
from gori.kernels.tree.columns import ARM, P_PJ, PITCH, R_PJ, R_WB, S

WELD, REVOLUTE, PRISMATIC, HELICAL, SPHERICAL, FREE = 0, 1, 2, 3, 4, 5


@part
def only_turns(kind):
    """Whether the axes of the joint pass through the body's origin and do not slide: their linear part is zero."""
    return kind in (REVOLUTE, SPHERICAL)


@part
def rotation_of_quaternion(w, x, y, z):
    """Rotation matrix of a quaternion that need not be unit, as nine numbers by rows."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    xs, ys, zs = x * s, y * s, z * s
    wx, wy, wz = w * xs, w * ys, w * zs
    xx, xy, xz = x * xs, x * ys, x * zs
    yy, yz, zz = y * ys, y * zs, z * zs
    return 1.0 - yy - zz, xy - wz, xz + wy, xy + wz, 1.0 - xx - zz, yz - wx, xz - wy, yz + wx, 1.0 - xx - yy


@part
def move_joint(kind, i, p, at, d, body_f, q, body_w, dof_w):
    """Pose of body i on its parent p, and the axes of its joint, in world axes.

    at, d    index of the joint in q, and its first degree of freedom
    writes   body_w[i, R_WB], body_w[i, ARM], dof_w[d.., S]
    """
    # rotation of the parent, then of the joint frame: E = R_WP R_PJ
    p0, p1, p2 = body_w[p, R_WB], body_w[p, R_WB + 1], body_w[p, R_WB + 2]
    p3, p4, p5 = body_w[p, R_WB + 3], body_w[p, R_WB + 4], body_w[p, R_WB + 5]
    p6, p7, p8 = body_w[p, R_WB + 6], body_w[p, R_WB + 7], body_w[p, R_WB + 8]
    t0, t1, t2 = body_f[i, R_PJ], body_f[i, R_PJ + 1], body_f[i, R_PJ + 2]
    t3, t4, t5 = body_f[i, R_PJ + 3], body_f[i, R_PJ + 4], body_f[i, R_PJ + 5]
    t6, t7, t8 = body_f[i, R_PJ + 6], body_f[i, R_PJ + 7], body_f[i, R_PJ + 8]
    e0, e1, e2 = p0 * t0 + p1 * t3 + p2 * t6, p0 * t1 + p1 * t4 + p2 * t7, p0 * t2 + p1 * t5 + p2 * t8
    e3, e4, e5 = p3 * t0 + p4 * t3 + p5 * t6, p3 * t1 + p4 * t4 + p5 * t7, p3 * t2 + p4 * t5 + p5 * t8
    e6, e7, e8 = p6 * t0 + p7 * t3 + p8 * t6, p6 * t1 + p7 * t4 + p8 * t7, p6 * t2 + p7 * t5 + p8 * t8

    x, y, z = body_f[i, P_PJ], body_f[i, P_PJ + 1], body_f[i, P_PJ + 2]
    rx = p0 * x + p1 * y + p2 * z
    ry = p3 * x + p4 * y + p5 * z
    rz = p6 * x + p7 * y + p8 * z

    if kind <= HELICAL:
        # the axis is z of the joint frame; it does not move with q
        if kind != PRISMATIC:
            s, c = sincos(q[at])
            body_w[i, R_WB] = c * e0 + s * e1
            body_w[i, R_WB + 1] = c * e1 - s * e0
            body_w[i, R_WB + 3] = c * e3 + s * e4
            body_w[i, R_WB + 4] = c * e4 - s * e3
            body_w[i, R_WB + 6] = c * e6 + s * e7
            body_w[i, R_WB + 7] = c * e7 - s * e6
            dof_w[d, S] = e2
            dof_w[d, S + 1] = e5
            dof_w[d, S + 2] = e8
            travel = body_f[i, PITCH]
        else:
            body_w[i, R_WB] = e0
            body_w[i, R_WB + 1] = e1
            body_w[i, R_WB + 3] = e3
            body_w[i, R_WB + 4] = e4
            body_w[i, R_WB + 6] = e6
            body_w[i, R_WB + 7] = e7
            dof_w[d, S] = 0.0
            dof_w[d, S + 1] = 0.0
            dof_w[d, S + 2] = 0.0
            travel = 1.0
        body_w[i, R_WB + 2] = e2
        body_w[i, R_WB + 5] = e5
        body_w[i, R_WB + 8] = e8
        dof_w[d, S + 3] = travel * e2
        dof_w[d, S + 4] = travel * e5
        dof_w[d, S + 5] = travel * e8
        if kind != REVOLUTE:
            along = travel * q[at]
            rx += along * e2
            ry += along * e5
            rz += along * e8
    else:
        a0, a1, a2, a3, a4, a5, a6, a7, a8 = rotation_of_quaternion(q[at], q[at + 1], q[at + 2], q[at + 3])
        if kind == FREE:
            x, y, z = q[at + 4], q[at + 5], q[at + 6]
            rx += e0 * x + e1 * y + e2 * z
            ry += e3 * x + e4 * y + e5 * z
            rz += e6 * x + e7 * y + e8 * z
        body_w[i, R_WB] = e0 * a0 + e1 * a3 + e2 * a6
        body_w[i, R_WB + 1] = e0 * a1 + e1 * a4 + e2 * a7
        body_w[i, R_WB + 2] = e0 * a2 + e1 * a5 + e2 * a8
        body_w[i, R_WB + 3] = e3 * a0 + e4 * a3 + e5 * a6
        body_w[i, R_WB + 4] = e3 * a1 + e4 * a4 + e5 * a7
        body_w[i, R_WB + 5] = e3 * a2 + e4 * a5 + e5 * a8
        body_w[i, R_WB + 6] = e6 * a0 + e7 * a3 + e8 * a6
        body_w[i, R_WB + 7] = e6 * a1 + e7 * a4 + e8 * a7
        body_w[i, R_WB + 8] = e6 * a2 + e7 * a5 + e8 * a8
        # the axes are the columns of R_WB: angular first, then, for a free joint, linear
        for k in range(3):
            for row in range(3):
                axis = body_w[i, R_WB + 3 * row + k]
                dof_w[d + k, S + row] = axis
                dof_w[d + k, S + 3 + row] = 0.0
                if kind == FREE:
                    dof_w[d + 3 + k, S + row] = 0.0
                    dof_w[d + 3 + k, S + 3 + row] = axis

    body_w[i, ARM] = rx
    body_w[i, ARM + 1] = ry
    body_w[i, ARM + 2] = rz
