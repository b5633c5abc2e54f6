"""Cotangents of inverse dynamics: how x' tau(q, v, a) changes with q, v and with the numbers of the tables, in O(n).

As in `transposed.py`, with W_i the spatial velocity that x gives to body i; all about the reference point of a tree.
What acts between bodies besides, as equations of loops and springs, comes as a function G of where bodies are, of their
velocities V, accelerations A and of W, by its derivatives, which are added to four sums of each body:

    F += dG/dW     X += dG/dA     Y += dG/dV + V x* dG/dA     Z += dG/d(pose), V, A and W turning with the body

    d(x' tau + G)/d q_i = Y^C psi'_i + X^C psi''_i + W_p (S_i x* F^C) + Z^C S_i
    d(x' tau + G)/d v_i = Y^C S_i + X^C (psi'_i + S'_i)

A number that says where a joint is in its parent acts as an axis that stands before the joint would.
"""

from gori.kernels.jit import block, part
from gori.kernels.layout import array
from gori.kernels.tree.columns import (
    ARM,
    ARMATURE,
    COM,
    GRAVITY,
    INERTIA,
    MASS,
    N_BODY_F,
    NDOF,
    P_PJ,
    PARENT,
    R_PJ,
    R_WB,
    V0,
)
from gori.kernels.tree.derivatives import N_BODY_D, N_DOF_D, PHI, PSI, PSI2, A, F, P, T, V, cross_motion, inertia_times
from gori.kernels.tree.inverse_mass import AXIS, FROM_ROOT, add6, dot6, plus, put6, six
from gori.kernels.tree.kinematics import cross, turn, turn_back

# body_t (nrow, N_SUMS): about the reference point of the tree
W, X, Y, Z = 0, 6, 12, 18
"""6 each: see above"""
N_SUMS = 24
NONE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

TREE_WORK = (
    array("body_d", f"nrow {N_BODY_D}", "", "bodies, about the reference point"),
    array("dof_d", f"nv {N_DOF_D}", "", "degrees of freedom, about the reference point"),
    array("body_t", f"nrow {N_SUMS}", "", "bodies: W, X, Y and Z"),
    array("of_body", f"nrow {N_BODY_F}", "", "by the numbers of body_f"),
)


@part
def motions_of(body_i, x, body_t, dof_d):
    """W of all bodies; after `axes_at_root`."""
    put6(body_t, 0, W, NONE)
    for i in range(1, body_i.shape[0]):
        moved = six(body_t, body_i[i, PARENT], W)
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            moved = add6(moved, dof_d, k, AXIS, x[k])
        put6(body_t, i, W, moved)


@part
def momenta(body_i, body_d, body_t):
    """X and Y of the inertia of each body, Z = 0; after `rigid_terms` and W."""
    for i in range(1, body_i.shape[0]):
        wx, wy, wz, ux, uy, uz = six(body_t, i, W)
        put6(body_t, i, X, inertia_times(body_d, i, wx, wy, wz, ux, uy, uz))
        sx, sy, sz = cross(body_d[i, P], body_d[i, P + 1], body_d[i, P + 2], ux, uy, uz)
        y0 = 2.0 * sx + body_d[i, T] * wx + body_d[i, T + 3] * wy + body_d[i, T + 6] * wz
        y1 = 2.0 * sy + body_d[i, T + 1] * wx + body_d[i, T + 4] * wy + body_d[i, T + 7] * wz
        y2 = 2.0 * sz + body_d[i, T + 2] * wx + body_d[i, T + 5] * wy + body_d[i, T + 8] * wz
        put6(body_t, i, Y, (y0, y1, y2, 0.0, 0.0, 0.0))
        put6(body_t, i, Z, NONE)


@part
def no_inertia(body_i, body_d, body_t):
    """Sums of a function G alone."""
    for i in range(1, body_i.shape[0]):
        put6(body_d, i, F, NONE)
        put6(body_t, i, X, NONE)
        put6(body_t, i, Y, NONE)
        put6(body_t, i, Z, NONE)


@part
def without_gravity(body_i, body_f, body_d, dof_d):
    """Accelerations of bodies at rest less that of gravity; after `motion` with velocities of zero."""
    for i in range(body_i.shape[0]):
        for k in range(3):
            body_d[i, A + 3 + k] += body_f[0, GRAVITY + k]
    for i in range(1, body_i.shape[0]):
        A_p = six(body_d, body_i[i, PARENT], A)
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            put6(dof_d, k, PSI2, cross_motion(A_p, six(dof_d, k, AXIS)))


@part
def product6(x, y):
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]


@part
def turned_force(inward, axis, force):
    """W (S x* F)."""
    sx, sy, sz, tx, ty, tz = axis
    nx, ny, nz = cross(sx, sy, sz, force[0], force[1], force[2])
    mx, my, mz = cross(tx, ty, tz, force[3], force[4], force[5])
    fx, fy, fz = cross(sx, sy, sz, force[3], force[4], force[5])
    turned = inward[0] * (nx + mx) + inward[1] * (ny + my) + inward[2] * (nz + mz)
    return turned + inward[3] * fx + inward[4] * fy + inward[5] * fz


@block
def gather_sums(body_i, body_d, body_t, dof_d, by_q, by_v):
    """by_q, by_v (nv,) -= d(x' tau + G)/dq, /dv; leaves to ground. The sums ^C grow in place."""
    for i in range(body_i.shape[0] - 1, 0, -1):
        p = body_i[i, PARENT]
        inward, force = six(body_t, p, W), six(body_d, i, F)
        sums, speeds, poses = six(body_t, i, X), six(body_t, i, Y), six(body_t, i, Z)
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            turned = turned_force(inward, six(dof_d, k, AXIS), force)
            by_q[k] -= turned + dot6(speeds, dof_d, k, PSI) + dot6(sums, dof_d, k, PSI2) + dot6(poses, dof_d, k, AXIS)
            by_v[k] -= dot6(speeds, dof_d, k, AXIS) + dot6(sums, dof_d, k, PHI)
        if p > 0:
            put6(body_d, p, F, plus(six(body_d, p, F), force))
            put6(body_t, p, X, plus(six(body_t, p, X), sums))
            put6(body_t, p, Y, plus(six(body_t, p, Y), speeds))
            put6(body_t, p, Z, plus(six(body_t, p, Z), poses))


# ---- by numbers of body_f


@part
def own_motion(body_w, i, motion, dx, dy, dz):
    """A motion about the reference point, in the axes of body i about its origin, d away."""
    ux, uy, uz = cross(motion[0], motion[1], motion[2], dx, dy, dz)
    wx, wy, wz = turn_back(body_w, i, motion[0], motion[1], motion[2])
    ux, uy, uz = turn_back(body_w, i, motion[3] + ux, motion[4] + uy, motion[5] + uz)
    return wx, wy, wz, ux, uy, uz


@part
def add_inertial(row, body_f, i, x, y, sign):
    """row -= sign times the derivatives of x' I y, motions in the axes of body i."""
    m = body_f[i, MASS]
    hx, hy, hz = cross(y[3], y[4], y[5], x[0], x[1], x[2])
    gx, gy, gz = cross(x[3], x[4], x[5], y[0], y[1], y[2])
    hx, hy, hz = sign * (hx + gx), sign * (hy + gy), sign * (hz + gz)
    row[MASS] -= sign * (x[3] * y[3] + x[4] * y[4] + x[5] * y[5])
    row[MASS] -= hx * body_f[i, COM] + hy * body_f[i, COM + 1] + hz * body_f[i, COM + 2]
    row[COM] -= m * hx
    row[COM + 1] -= m * hy
    row[COM + 2] -= m * hz
    row[INERTIA] -= sign * x[0] * y[0]
    row[INERTIA + 1] -= sign * x[1] * y[1]
    row[INERTIA + 2] -= sign * x[2] * y[2]
    row[INERTIA + 3] -= sign * (x[0] * y[1] + x[1] * y[0])
    row[INERTIA + 4] -= sign * (x[0] * y[2] + x[2] * y[0])
    row[INERTIA + 5] -= sign * (x[1] * y[2] + x[2] * y[1])


@block
def inertial_cotangents(body_i, body_f, body_w, body_d, body_t, x, a, out):
    """out (nrow, N_BODY_F) -= derivatives of x' tau by masses, centres, inertias and armatures; after `motion` and W.

    x' tau of a body is W' I A - (V x W)' I V.
    """
    for i in range(1, body_i.shape[0]):
        dx, dy, dz = body_d[i, FROM_ROOT], body_d[i, FROM_ROOT + 1], body_d[i, FROM_ROOT + 2]
        moved = own_motion(body_w, i, six(body_t, i, W), dx, dy, dz)
        velocity = own_motion(body_w, i, six(body_d, i, V), dx, dy, dz)
        acceleration = own_motion(body_w, i, six(body_d, i, A), dx, dy, dz)
        add_inertial(out[i], body_f, i, moved, acceleration, 1.0)
        add_inertial(out[i], body_f, i, cross_motion(velocity, moved), velocity, -1.0)
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            out[i, ARMATURE] -= x[k] * a[k]


@block
def place_cotangents(body_i, body_f, body_w, body_d, body_t, out):
    """out -= derivatives by where joints are in their parents, and by gravity; after `gather_sums`.

    Rotations are those of R_PJ = exp([r]) R: nine numbers g with g' dR for all that a rotation can change.
    """
    for i in range(1, body_i.shape[0]):
        p = body_i[i, PARENT]
        inward, force, V_p, A_p = six(body_t, p, W), six(body_d, i, F), six(body_d, p, V), six(body_d, p, A)
        sums, speeds, poses = six(body_t, i, X), six(body_t, i, Y), six(body_t, i, Z)
        dx, dy, dz = turn(body_w, p, body_f[i, P_PJ], body_f[i, P_PJ + 1], body_f[i, P_PJ + 2])
        if p > 0:
            dx, dy, dz = dx + body_d[p, FROM_ROOT], dy + body_d[p, FROM_ROOT + 1], dz + body_d[p, FROM_ROOT + 2]
        else:  # the reference point is the origin of the body, which may have slid away from the joint
            dx, dy, dz = dx - body_w[i, ARM], dy - body_w[i, ARM + 1], dz - body_w[i, ARM + 2]
        rx, ry, rz = 0.0, 0.0, 0.0
        for k in range(6):
            c = k % 3
            ex, ey, ez = body_w[p, R_WB + c], body_w[p, R_WB + 3 + c], body_w[p, R_WB + 6 + c]
            ux, uy, uz = cross(dx, dy, dz, ex, ey, ez)
            axis = (0.0, 0.0, 0.0, ex, ey, ez) if k < 3 else (ex, ey, ez, ux, uy, uz)
            psi = cross_motion(V_p, axis)
            psi2 = plus(cross_motion(A_p, axis), cross_motion(V_p, psi))
            found = turned_force(inward, axis, force) + product6(speeds, psi) + product6(sums, psi2)
            found += product6(poses, axis)
            if k < 3:
                out[i, P_PJ + c] -= found
            elif k == 3:
                rx = 0.5 * found
            elif k == 4:
                ry = 0.5 * found
            else:
                rz = 0.5 * found
        for c in range(3):
            gx, gy, gz = cross(rx, ry, rz, body_f[i, R_PJ + c], body_f[i, R_PJ + 3 + c], body_f[i, R_PJ + 6 + c])
            out[i, R_PJ + c] -= gx
            out[i, R_PJ + 3 + c] -= gy
            out[i, R_PJ + 6 + c] -= gz
        if p == 0:
            for k in range(3):
                out[0, GRAVITY + k] += sums[3 + k]
