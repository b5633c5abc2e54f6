"""The transposed derivatives of forward dynamics times a vector, in O(n): how g' qdd changes with q, v and tau.

With the accelerations x = M^-1 g that forces g give at rest and without gravity, those changes are
-x' d tau/dq, -x' d tau/dv and x. Of x' tau, tau from inverse dynamics, the formulas of `derivatives.py` are sums over
pairs of axes that carry each other. With W_i the spatial velocity that x gives to body i, and of its own inertia

    X_i = I_i W_i,    Y_i = 2 B_i' W_i = T_i' W_w + 2 P_i x W_v  (acts on the angular part alone),

they are sums ^C over the subtree of i, since a composite of inertias times the motion of one joint is what the bodies
beyond it get from that joint, and the motions of all joints inward of a body make up its own:

    x' d tau/d q_i = Y^C psi'_i + X^C psi''_i + W_p (S_i x* F^C),    x' d tau/d v_i = Y^C S_i + X^C (psi'_i + S'_i)
"""

import math

from gori.kernels.jit import kernel, part
from gori.kernels.lanes import WIDTH, lanes_of
from gori.kernels.layout import array
from gori.kernels.tree.aba import aba, regular
from gori.kernels.tree.batch import fill, lane_work, load, store
from gori.kernels.tree.columns import D_INV, NDOF, PARENT, V0, WRENCH
from gori.kernels.tree.derivatives import N_BODY_D, N_DOF_D, PHI, PSI, PSI2, F, P, T, inertia_times, motion, rigid_terms
from gori.kernels.tree.inverse_mass import AXIS, PULL, add6, axes_at_root, dot6, plus, put6, six
from gori.kernels.tree.kinematics import cross
from gori.kernels.tree.rnea import TREE

# body_t (nrow, N_BODY_T): about the reference point of the tree
W = 0  # 6: spatial velocity from x; on the way inward the force of the subtree
X = 6  # 6: I W, then its sum over the subtree
Y = 12  # 3: 2 B' W, then its sum over the subtree
N_BODY_T = 15


@part
def accelerations_of(body_i, dof_w, x, body_t, dof_d):
    """x (nv,) = M^-1 x, and W of all bodies; after `aba` and `axes_at_root`."""
    zero = 0.0 * x[0]
    for i in range(body_i.shape[0]):
        put6(body_t, i, W, (zero, zero, zero, zero, zero, zero))
    # u = x - S' p, p += U u / D
    for i in range(body_i.shape[0] - 1, 0, -1):
        p, force = body_i[i, PARENT], six(body_t, i, W)
        for k in range(body_i[i, V0] + body_i[i, NDOF] - 1, body_i[i, V0] - 1, -1):
            x[k] = (x[k] - dot6(force, dof_d, k, AXIS)) * dof_w[k, D_INV]
            force = add6(force, dof_d, k, PULL, x[k])
        put6(body_t, p, W, plus(six(body_t, p, W), force))
    # x = (u - U' W) / D, W += S x
    put6(body_t, 0, W, (zero, zero, zero, zero, zero, zero))
    for i in range(1, body_i.shape[0]):
        moved = six(body_t, body_i[i, PARENT], W)
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            x[k] -= dot6(moved, dof_d, k, PULL) * dof_w[k, D_INV]
            moved = add6(moved, dof_d, k, AXIS, x[k])
        put6(body_t, i, W, moved)


@part
def products(body_i, body_d, body_t):
    """X and Y of each body; after `rigid_terms` and `accelerations_of`."""
    for i in range(1, body_i.shape[0]):
        wx, wy, wz, ux, uy, uz = six(body_t, i, W)
        put6(body_t, i, X, inertia_times(body_d, i, wx, wy, wz, ux, uy, uz))
        sx, sy, sz = cross(body_d[i, P], body_d[i, P + 1], body_d[i, P + 2], ux, uy, uz)
        body_t[i, Y] = 2.0 * sx + body_d[i, T] * wx + body_d[i, T + 3] * wy + body_d[i, T + 6] * wz
        body_t[i, Y + 1] = 2.0 * sy + body_d[i, T + 1] * wx + body_d[i, T + 4] * wy + body_d[i, T + 7] * wz
        body_t[i, Y + 2] = 2.0 * sz + body_d[i, T + 2] * wx + body_d[i, T + 5] * wy + body_d[i, T + 8] * wz


@part
def gather(body_i, body_d, body_t, dof_d, by_q, by_v):
    """-x' d tau/dq and -x' d tau/dv (nv,), leaves to ground; after `products`. The sums ^C grow in place."""
    for i in range(body_i.shape[0] - 1, 0, -1):
        p = body_i[i, PARENT]
        inward, bodies, force = six(body_t, p, W), six(body_t, i, X), six(body_d, i, F)
        y0, y1, y2 = body_t[i, Y], body_t[i, Y + 1], body_t[i, Y + 2]
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            # S x* F = (s x n + t x f; s x f)
            sx, sy, sz, tx, ty, tz = six(dof_d, k, AXIS)
            nx, ny, nz = cross(sx, sy, sz, force[0], force[1], force[2])
            mx, my, mz = cross(tx, ty, tz, force[3], force[4], force[5])
            fx, fy, fz = cross(sx, sy, sz, force[3], force[4], force[5])
            turned = inward[0] * (nx + mx) + inward[1] * (ny + my) + inward[2] * (nz + mz)
            turned += inward[3] * fx + inward[4] * fy + inward[5] * fz
            of_psi = y0 * dof_d[k, PSI] + y1 * dof_d[k, PSI + 1] + y2 * dof_d[k, PSI + 2]
            by_q[k] = -(turned + of_psi + dot6(bodies, dof_d, k, PSI2))
            by_v[k] = -(y0 * sx + y1 * sy + y2 * sz + dot6(bodies, dof_d, k, PHI))
        if p > 0:
            put6(body_d, p, F, plus(six(body_d, p, F), force))
            put6(body_t, p, X, plus(six(body_t, p, X), bodies))
            for k in range(3):
                body_t[p, Y + k] += body_t[i, Y + k]


WORK = lane_work(
    "TransposedWork",
    array("body_d", f"nrow {N_BODY_D}", "", "bodies, about the reference point"),
    array("dof_d", f"nv {N_DOF_D}", "", "degrees of freedom, about the reference point"),
    array("body_t", f"nrow {N_BODY_T}", "", "bodies: W, X and Y"),
    array("q", "nq", "", "positions"),
    array("v", "nv", "", "velocities"),
    array("tau", "nv", "", "joint forces"),
    array("qdd", "nv", "", "accelerations"),
    array("x", "nv", "", "g, then x"),
    array("by_q", "nv", "", "by q"),
    array("by_v", "nv", "", "by v"),
)
"""of eight states in Lanes"""
carve = WORK.carve


@kernel(f"void({TREE}, f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[::1])")
def transposed_batch(body_i, body_f, q, v, tau, g, by_q, by_v, by_tau, work):
    """by_q, by_v, by_tau (B, nv) of rows of states and of g (B, nv); NaN where an axis moves no inertia."""
    w = carve(lanes_of(work), body_i.shape[0], q.shape[1], v.shape[1])
    no_wrench = w.q[:0].reshape((0, 6))
    for first in range(0, q.shape[0], WIDTH):
        load(q, first, w.q)
        load(v, first, w.v)
        load(tau, first, w.tau)
        load(g, first, w.x)
        aba(body_i, body_f, w.q, w.v, w.tau, body_f[:0, :WRENCH], no_wrench, w.qdd, w.body_w, w.dof_w)
        axes_at_root(body_i, w.body_w, w.dof_w, w.body_d, w.dof_d)
        motion(body_i, body_f, w.v, w.qdd, w.body_d, w.dof_d)
        rigid_terms(body_i, body_f, w.body_w, w.body_d)
        accelerations_of(body_i, w.dof_w, w.x, w.body_t, w.dof_d)
        products(body_i, w.body_d, w.body_t)
        gather(body_i, w.body_d, w.body_t, w.dof_d, w.by_q, w.by_v)
        if not regular(w.dof_w):
            fill(w.x, math.nan)
        store(w.by_q, first, by_q)
        store(w.by_v, first, by_v)
        store(w.x, first, by_tau)
