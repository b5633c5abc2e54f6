"""Bodies that fly free: their steps keep momentum to rounding.

The velocities of a free joint are given in the axes of the moving body, which turn in a step. An explicit step with the
terms w x v that come from that gains energy by (h w)^2 in each step. So these terms are left out of the accelerations
of free joints on the ground, and what is conserved is carried over instead: with R and R' the rotation before and after
the step, velocities, or momenta, of the world are the same in both axes,

    one body alone     P' = D P,  L' = D L  about its centre of mass c,   D = R'^T R;    c moves by h P / m
    with a tree        the velocity of the origin, v' = D v;              the origin moves by h v
"""

import math

from gori.kernels.contact.narrow.frames import turned, turned_back
from gori.kernels.jit import part
from gori.kernels.tree.columns import (
    BIAS,
    COM,
    END,
    INERTIA,
    KIND,
    MASS,
    OMEGA,
    PARENT,
    Q0,
    V0,
)
from gori.kernels.tree.configuration import exp_coefficients, integrate_joint, quaternion_times
from gori.kernels.tree.joints import FREE, rotation_of_quaternion
from gori.kernels.tree.kinematics import cross


@part
def flies(body_i, i):
    """Whether a row is free on the ground."""
    return body_i[i, KIND] == FREE and body_i[i, PARENT] == 0


@part
def leave_out_turning(body_i, body_w):
    """No terms of turning axes for bodies that fly; after `rates`, before `articulate`."""
    for i in range(1, body_i.shape[0]):
        if flies(body_i, i):
            for k in range(6):
                body_w[i, BIAS + k] = 0.0
            if body_i[i, END] == i + 1:
                for k in range(3):
                    body_w[i, OMEGA + k] = 0.0


@part
def about_centre(body_f, i):
    """Centre of mass, and inertia about it as xx yy zz xy xz yz, of a body in its own frame."""
    m, x, y, z = body_f[i, MASS], body_f[i, COM], body_f[i, COM + 1], body_f[i, COM + 2]
    return (
        x, y, z,
        body_f[i, INERTIA] - m * (y * y + z * z), body_f[i, INERTIA + 1] - m * (x * x + z * z),
        body_f[i, INERTIA + 2] - m * (x * x + y * y),
        body_f[i, INERTIA + 3] + m * x * y, body_f[i, INERTIA + 4] + m * x * z, body_f[i, INERTIA + 5] + m * y * z,
    )  # fmt: skip


@part
def solve_symmetric(xx, yy, zz, xy, xz, yz, a, b, c):
    """x of J x = (a, b, c), J symmetric and positive."""
    # cofactors, by which the inverse is known
    ixx, ixy, ixz = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    iyy, iyz, izz = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    over = 1.0 / (xx * ixx + xy * ixy + xz * ixz)
    return (
        over * (ixx * a + ixy * b + ixz * c),
        over * (ixy * a + iyy * b + iyz * c),
        over * (ixz * a + iyz * b + izz * c),
    )


@part
def fly(body_f, i, at, d, alone, q, u, v, h):
    """One step of a free body on the ground with the velocities u; v, which may be the same, are then in new axes."""
    w, x, y, z = q[at], q[at + 1], q[at + 2], q[at + 3]
    ax, ay, az = h * u[d], h * u[d + 1], h * u[d + 2]
    angle2 = ax * ax + ay * ay + az * az
    half, _, _ = exp_coefficients(angle2)
    cosine = math.cos(0.5 * math.sqrt(angle2))
    R = rotation_of_quaternion(w, x, y, z)
    w, x, y, z = quaternion_times(w, x, y, z, cosine, half * ax, half * ay, half * az)
    norm = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    q[at], q[at + 1], q[at + 2], q[at + 3] = w * norm, x * norm, y * norm, z * norm
    D = rotation_of_quaternion(cosine, half * ax, half * ay, half * az)  # from the new axes to the old ones
    if alone and body_f[i, MASS] > 0.0:
        cx, cy, cz, xx, yy, zz, xy, xz, yz = about_centre(body_f, i)
        # way of the centre of mass
        tx, ty, tz = cross(ax, ay, az, cx, cy, cz)
        px, py, pz = turned(R, cx + h * u[d + 3] + tx, cy + h * u[d + 4] + ty, cz + h * u[d + 5] + tz)
        tx, ty, tz = turned(R, *turned(D, cx, cy, cz))
        q[at + 4] += px - tx
        q[at + 5] += py - ty
        q[at + 6] += pz - tz
        # momentum and angular momentum stay
        tx, ty, tz = cross(v[d], v[d + 1], v[d + 2], cx, cy, cz)
        ux, uy, uz = turned_back(D, v[d + 3] + tx, v[d + 4] + ty, v[d + 5] + tz)
        sx, sy, sz = turned_back(
            D,
            xx * v[d] + xy * v[d + 1] + xz * v[d + 2],
            xy * v[d] + yy * v[d + 1] + yz * v[d + 2],
            xz * v[d] + yz * v[d + 1] + zz * v[d + 2],
        )
        v[d], v[d + 1], v[d + 2] = solve_symmetric(xx, yy, zz, xy, xz, yz, sx, sy, sz)
        tx, ty, tz = cross(v[d], v[d + 1], v[d + 2], cx, cy, cz)
        v[d + 3], v[d + 4], v[d + 5] = ux - tx, uy - ty, uz - tz
    else:
        px, py, pz = turned(R, h * u[d + 3], h * u[d + 4], h * u[d + 5])
        q[at + 4] += px
        q[at + 5] += py
        q[at + 6] += pz
        v[d + 3], v[d + 4], v[d + 5] = turned_back(D, v[d + 3], v[d + 4], v[d + 5])


@part
def move(machine, q, u, v, h, increment):
    """A step of all coordinates with the velocities u (nv,); v, which may be the same, are then in new axes.

    increment (nv,) is work
    """
    body_i = machine.body_i
    for k in range(v.shape[0]):
        increment[k] = h * u[k]
    for i in range(1, body_i.shape[0]):
        if flies(body_i, i):
            fly(machine.body_f, i, body_i[i, Q0], body_i[i, V0], body_i[i, END] == i + 1, q, u, v, h)
        else:
            integrate_joint(body_i[i, KIND], body_i[i, Q0], body_i[i, V0], q, increment, q)
