"""Bodies that fly free: their steps keep momentum to rounding.

The velocities of a free joint are given in the axes of the moving body, which turn in a step. An explicit step with the
terms w x v that come from that gains energy by (h w)^2 in each step. So these terms are left out of the accelerations
of free joints on the ground, and what is conserved is carried over instead: with R and R' the rotation before and after
the step, velocities, or momenta, of the world are the same in both axes,

    one body alone     P' = D P,  L' = D L  about its centre of mass c,   D = R'^T R;    c moves by h P / m,
                       and it turns by h times the mean of its angular velocities (`mean_spin`)
    with a tree        the velocity of the origin, v' = D v;              the origin moves by h v

A free joint on a body that moves, as on a moving base, is the same with what its own velocities do: R and R' are then
those against that body, whose part in the accelerations stays.
"""

import math

from gori.kernels.contact.narrow.frames import turned, turned_back
from gori.kernels.jit import part
from gori.kernels.tree.aba import rotate_inertia
from gori.kernels.tree.columns import (
    BIAS,
    COM,
    END,
    FORCE,
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
from gori.kernels.tree.kinematics import cross, turn

MEANS = 2
"""times that the mean angular velocity of a step is found anew: energy is right to the third order, and falls"""


@part
def flies(body_i, i):
    """Whether a row has a free joint."""
    return body_i[i, KIND] == FREE


@part
def leave_out_relative(body_i, body_f, v, i, body_w):
    """No terms of the velocities of the free joint of row i alone, on a body that moves: in w x v of its axes, and, of
    one body, in the moment and the force that turn its momentum.
    """
    p, d = body_i[i, PARENT], body_i[i, V0]
    wx, wy, wz = body_w[i, OMEGA], body_w[i, OMEGA + 1], body_w[i, OMEGA + 2]
    wx, wy, wz = wx - body_w[p, OMEGA], wy - body_w[p, OMEGA + 1], wz - body_w[p, OMEGA + 2]
    x, y, z = cross(wx, wy, wz, *turn(body_w, i, v[d + 3], v[d + 4], v[d + 5]))
    body_w[i, BIAS + 3] -= x
    body_w[i, BIAS + 4] -= y
    body_w[i, BIAS + 5] -= z
    if body_i[i, END] == i + 1:
        m, (xx, yy, zz, xy, xz, yz) = body_f[i, MASS], rotate_inertia(i, body_f, body_w)
        x, y, z = xx * wx + xy * wy + xz * wz, xy * wx + yy * wy + yz * wz, xz * wx + yz * wy + zz * wz
        nx, ny, nz = cross(wx, wy, wz, x, y, z)
        x, y, z = turn(body_w, i, m * body_f[i, COM], m * body_f[i, COM + 1], m * body_f[i, COM + 2])
        fx, fy, fz = cross(wx, wy, wz, *cross(wx, wy, wz, x, y, z))
        body_w[i, FORCE], body_w[i, FORCE + 3] = body_w[i, FORCE] - nx, body_w[i, FORCE + 3] - fx
        body_w[i, FORCE + 1], body_w[i, FORCE + 4] = body_w[i, FORCE + 1] - ny, body_w[i, FORCE + 4] - fy
        body_w[i, FORCE + 2], body_w[i, FORCE + 5] = body_w[i, FORCE + 2] - nz, body_w[i, FORCE + 5] - fz


@part
def leave_out_turning(body_i, body_f, v, body_w):
    """No terms of turning axes for bodies that fly; after `rates` and forces, before `articulate`."""
    for i in range(1, body_i.shape[0]):
        if not flies(body_i, i):
            continue
        if body_i[i, PARENT] > 0:
            leave_out_relative(body_i, body_f, v, i, body_w)
            continue
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
def mean_spin(inertia, wx, wy, wz, h):
    """Angular velocity by which a body turns in a step, in the axes before it: the mean of those before and after it,
    as the momentum stays where it is while the axes turn. With the exact mean the energy would stay as well.

    inertia   about the centre of mass, xx yy zz xy xz yz
    """
    xx, yy, zz, xy, xz, yz = inertia
    lx, ly, lz = xx * wx + xy * wy + xz * wz, xy * wx + yy * wy + yz * wz, xz * wx + yz * wy + zz * wz
    mx, my, mz = wx, wy, wz
    for _ in range(MEANS):
        ax, ay, az = h * mx, h * my, h * mz
        angle2 = ax * ax + ay * ay + az * az
        half, _, _ = exp_coefficients(angle2)
        D = rotation_of_quaternion(math.cos(0.5 * math.sqrt(angle2)), half * ax, half * ay, half * az)
        nx, ny, nz = solve_symmetric(xx, yy, zz, xy, xz, yz, *turned_back(D, lx, ly, lz))
        mx, my, mz = 0.5 * (wx + nx), 0.5 * (wy + ny), 0.5 * (wz + nz)
    return mx, my, mz


@part
def fly(body_f, i, at, d, alone, q, u, v, h):
    """One step of a free body with the velocities u; v, which may be the same, are then in new axes."""
    w, x, y, z = q[at], q[at + 1], q[at + 2], q[at + 3]
    ax, ay, az = h * u[d], h * u[d + 1], h * u[d + 2]
    alone = alone and body_f[i, MASS] > 0.0
    if alone:
        cx, cy, cz, xx, yy, zz, xy, xz, yz = about_centre(body_f, i)
        sx, sy, sz = mean_spin((xx, yy, zz, xy, xz, yz), v[d], v[d + 1], v[d + 2], h)
        ax, ay, az = ax + h * (sx - v[d]), ay + h * (sy - v[d + 1]), az + h * (sz - v[d + 2])
    angle2 = ax * ax + ay * ay + az * az
    half, _, _ = exp_coefficients(angle2)
    cosine = math.cos(0.5 * math.sqrt(angle2))
    R = rotation_of_quaternion(w, x, y, z)
    w, x, y, z = quaternion_times(w, x, y, z, cosine, half * ax, half * ay, half * az)
    norm = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    q[at], q[at + 1], q[at + 2], q[at + 3] = w * norm, x * norm, y * norm, z * norm
    D = rotation_of_quaternion(cosine, half * ax, half * ay, half * az)  # from the new axes to the old ones
    if alone:
        # way of the centre of mass
        tx, ty, tz = cross(h * u[d], h * u[d + 1], h * u[d + 2], cx, cy, cz)
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
