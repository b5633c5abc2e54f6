"""Analytic first derivatives of inverse and forward dynamics.

Inverse dynamics after Singh, Russell, Wensing (2022), "Efficient analytical derivatives of rigid-body dynamics using
spatial vector algebra", in world axes with one reference point for a whole tree, the origin of its root body. With
p the parent, spatial velocity V, spatial acceleration A, and composite sums over the subtree of i marked ^C:

    psi' = V_p x S      psi'' = A_p x S + V_p x psi'      S' = V_i x S
    j on the way from i to the ground (and i itself):
        d tau_i / d q_j = S_i' (2 B^C psi'_j + I^C psi''_j)
        d tau_i / d v_j = S_i' (2 B^C S_j + I^C (psi'_j + S'_j))
    j before i only:
        d tau_j / d q_i = S_j' (2 B^C psi'_i + I^C psi''_i + S_i x* F^C)
        d tau_j / d v_i = S_j' (2 B^C S_i + I^C (psi'_i + S'_i))

For a rigid body B needs twelve numbers only, because it acts on the angular part alone:
    2 B x = (T x_w; -2 P x x_w),   T = 2 [w] J - tr(J) [w] - 2 [h][v],   P = m v + w x h  (linear momentum).

Forward dynamics: d qdd/dq = -M^-1 d tau/dq, d qdd/dv = -M^-1 d tau/dv, d qdd/d tau = M^-1  (`inverse_mass.py`).
"""

import math

from gori.kernels.jit import kernel, part
from gori.kernels.lanes import WIDTH, lanes_of
from gori.kernels.layout import array
from gori.kernels.tree.aba import aba, regular, rotate_inertia
from gori.kernels.tree.batch import fill, lane_work, load, store_transposed
from gori.kernels.tree.columns import ARMATURE, CHILDREN, COM, GRAVITY, MASS, NDOF, NQ, PARENT, V0, WRENCH
from gori.kernels.tree.inverse_mass import (
    AXIS,
    FROM_ROOT,
    add6,
    axes_at_root,
    dot6,
    inverse_mass_times,
    plus,
    put6,
    six,
)
from gori.kernels.tree.kinematics import cross, place, turn
from gori.kernels.tree.rnea import TREE, fits, symmetric_times, total

# body_d (nrow, N_BODY_D): all about the reference point; FROM_ROOT stands first
V = 3  # 6: spatial velocity
A = 9  # 6: spatial acceleration, gravity included
J = 15  # 6: inertia xx yy zz xy xz yz
H = 21  # 3: mass times centre of mass
M = 24  # mass
T = 25  # 9: see above, by rows
P = 34  # 3: linear momentum
F = 37  # 6: force: moment, force
N_BODY_D = 43

# dof_d (nv, N_DOF_D); AXIS and PULL stand first
PSI = 12  # 6: psi'
PSI2 = 18  # 6: psi''
PHI = 24  # 6: psi' + S'
N_DOF_D = 30


@part
def cross_motion(twist, motion):
    """(a; b) x (s; t) = (a x s; a x t + b x s), with six numbers for each argument."""
    ax, ay, az, bx, by, bz = twist
    sx, sy, sz, tx, ty, tz = motion
    ux, uy, uz = cross(ax, ay, az, sx, sy, sz)
    vx, vy, vz = cross(ax, ay, az, tx, ty, tz)
    wx, wy, wz = cross(bx, by, bz, sx, sy, sz)
    return ux, uy, uz, vx + wx, vy + wy, vz + wz


@part
def motion(body_i, body_f, v, a, body_d, dof_d):
    """Velocities, accelerations and their products with the axes, ground to leaves; after `axes_at_root`."""
    for k in range(3):
        body_d[0, V + k], body_d[0, V + 3 + k] = 0.0, 0.0
        body_d[0, A + k], body_d[0, A + 3 + k] = 0.0, -body_f[0, GRAVITY + k]
    for i in range(1, body_i.shape[0]):
        p, d = body_i[i, PARENT], body_i[i, V0]
        V_p, A_p = six(body_d, p, V), six(body_d, p, A)
        # motion in the joint, S qd, and the acceleration
        zero = 0.0 * V_p[0]
        in_joint, acceleration = (zero, zero, zero, zero, zero, zero), A_p
        for k in range(d, d + body_i[i, NDOF]):
            in_joint = add6(in_joint, dof_d, k, AXIS, v[k])
            acceleration = add6(acceleration, dof_d, k, AXIS, a[k])

            # psi' = V_p x S, psi'' = A_p x S + V_p x psi'
            axis = six(dof_d, k, AXIS)
            psi = cross_motion(V_p, axis)
            put6(dof_d, k, PSI, psi)
            put6(dof_d, k, PSI2, plus(cross_motion(A_p, axis), cross_motion(V_p, psi)))

        # V = V_p + S qd, A = A_p + S qdd + V x S qd, S' = V x S
        velocity = plus(V_p, in_joint)
        put6(body_d, i, V, velocity)
        put6(body_d, i, A, plus(acceleration, cross_motion(velocity, in_joint)))
        for k in range(d, d + body_i[i, NDOF]):
            put6(dof_d, k, PHI, plus(cross_motion(velocity, six(dof_d, k, AXIS)), six(dof_d, k, PSI)))


@part
def rigid_terms(body_i, body_f, body_w, body_d):
    """Inertia, T, momentum and force of each body about the reference point, after `motion`."""
    for i in range(1, body_i.shape[0]):
        m = body_f[i, MASS]
        dx, dy, dz = body_d[i, FROM_ROOT], body_d[i, FROM_ROOT + 1], body_d[i, FROM_ROOT + 2]
        cx, cy, cz = turn(body_w, i, m * body_f[i, COM], m * body_f[i, COM + 1], m * body_f[i, COM + 2])
        jxx, jyy, jzz, jxy, jxz, jyz = rotate_inertia(i, body_f, body_w)
        # to the reference point, d away: as in crba.composite
        hx, hy, hz = cx + m * dx, cy + m * dy, cz + m * dz
        xx, yy, zz = dx * (cx + hx), dy * (cy + hy), dz * (cz + hz)
        jxx, jyy, jzz = jxx + yy + zz, jyy + xx + zz, jzz + xx + yy
        jxy, jxz, jyz = jxy - dx * cy - hx * dy, jxz - dx * cz - hx * dz, jyz - dy * cz - hy * dz
        put6(body_d, i, J, (jxx, jyy, jzz, jxy, jxz, jyz))
        body_d[i, H], body_d[i, H + 1], body_d[i, H + 2], body_d[i, M] = hx, hy, hz, m

        # momentum (L; P) and force F = I A + V x* (L; P)
        wx, wy, wz, ux, uy, uz = six(body_d, i, V)
        ax, ay, az, bx, by, bz = six(body_d, i, A)
        lx, ly, lz = symmetric_times(body_d, J, i, wx, wy, wz)
        sx, sy, sz = cross(hx, hy, hz, ux, uy, uz)
        lx, ly, lz = lx + sx, ly + sy, lz + sz
        px, py, pz = cross(wx, wy, wz, hx, hy, hz)
        px, py, pz = px + m * ux, py + m * uy, pz + m * uz
        body_d[i, P], body_d[i, P + 1], body_d[i, P + 2] = px, py, pz
        nx, ny, nz = symmetric_times(body_d, J, i, ax, ay, az)
        sx, sy, sz = cross(hx, hy, hz, bx, by, bz)
        nx, ny, nz = nx + sx, ny + sy, nz + sz
        sx, sy, sz = cross(wx, wy, wz, lx, ly, lz)
        nx, ny, nz = nx + sx, ny + sy, nz + sz
        sx, sy, sz = cross(ux, uy, uz, px, py, pz)
        body_d[i, F], body_d[i, F + 1], body_d[i, F + 2] = nx + sx, ny + sy, nz + sz
        fx, fy, fz = cross(ax, ay, az, hx, hy, hz)
        sx, sy, sz = cross(wx, wy, wz, px, py, pz)
        body_d[i, F + 3], body_d[i, F + 4], body_d[i, F + 5] = fx + sx + m * bx, fy + sy + m * by, fz + sz + m * bz

        # T = 2 [w] J - tr(J) [w] - 2 (v h' - (h.v) 1)
        tr = jxx + jyy + jzz
        hv = hx * ux + hy * uy + hz * uz
        body_d[i, T] = 2.0 * (wy * jxz - wz * jxy - ux * hx + hv)
        body_d[i, T + 1] = 2.0 * (wy * jyz - wz * jyy - ux * hy) + tr * wz
        body_d[i, T + 2] = 2.0 * (wy * jzz - wz * jyz - ux * hz) - tr * wy
        body_d[i, T + 3] = 2.0 * (wz * jxx - wx * jxz - uy * hx) - tr * wz
        body_d[i, T + 4] = 2.0 * (wz * jxy - wx * jyz - uy * hy + hv)
        body_d[i, T + 5] = 2.0 * (wz * jxz - wx * jzz - uy * hz) + tr * wx
        body_d[i, T + 6] = 2.0 * (wx * jxy - wy * jxx - uz * hx) + tr * wy
        body_d[i, T + 7] = 2.0 * (wx * jyy - wy * jxy - uz * hy) - tr * wx
        body_d[i, T + 8] = 2.0 * (wx * jyz - wy * jxz - uz * hz + hv)


@part
def inertia_times(body_d, i, sx, sy, sz, tx, ty, tz):
    """Composite inertia of body i times the motion (s; t)."""
    hx, hy, hz, m = body_d[i, H], body_d[i, H + 1], body_d[i, H + 2], body_d[i, M]
    nx, ny, nz = symmetric_times(body_d, J, i, sx, sy, sz)
    ux, uy, uz = cross(hx, hy, hz, tx, ty, tz)
    fx, fy, fz = cross(sx, sy, sz, hx, hy, hz)
    return nx + ux, ny + uy, nz + uz, fx + m * tx, fy + m * ty, fz + m * tz


@part
def inverse_columns(body_i, body_f, dq, dv, mass, body_d, dof_d):
    """Columns of d tau/dq, d tau/dv and M: dq[c, r] is d tau_r / d q_c; leaves to ground, after `rigid_terms`.

    Entries of separate branches are left as they are (zero). The sums ^C grow in place.
    """
    for i in range(body_i.shape[0] - 1, 0, -1):
        p, start, stop = body_i[i, PARENT], body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]
        px, py, pz = body_d[i, P], body_d[i, P + 1], body_d[i, P + 2]
        for d in range(start, stop):
            sx, sy, sz, tx, ty, tz = six(dof_d, d, AXIS)

            # the row vectors S' I (six numbers) and 2 S' B (three)
            a0, a1, a2, a3, a4, a5 = inertia_times(body_d, i, sx, sy, sz, tx, ty, tz)
            b0, b1, b2 = cross(px, py, pz, tx, ty, tz)
            b0 = 2.0 * b0 + body_d[i, T] * sx + body_d[i, T + 3] * sy + body_d[i, T + 6] * sz
            b1 = 2.0 * b1 + body_d[i, T + 1] * sx + body_d[i, T + 4] * sy + body_d[i, T + 7] * sz
            b2 = 2.0 * b2 + body_d[i, T + 2] * sx + body_d[i, T + 5] * sy + body_d[i, T + 8] * sz

            # the columns c = 2 B S + I (psi' + S') and e = 2 B psi' + I psi'' + S x* F
            c0, c1, c2, c3, c4, c5 = six(dof_d, d, PHI)
            c0, c1, c2, c3, c4, c5 = inertia_times(body_d, i, c0, c1, c2, c3, c4, c5)
            ux, uy, uz = cross(sx, sy, sz, px, py, pz)
            c0 += body_d[i, T] * sx + body_d[i, T + 1] * sy + body_d[i, T + 2] * sz
            c1 += body_d[i, T + 3] * sx + body_d[i, T + 4] * sy + body_d[i, T + 5] * sz
            c2 += body_d[i, T + 6] * sx + body_d[i, T + 7] * sy + body_d[i, T + 8] * sz
            c3, c4, c5 = c3 + 2.0 * ux, c4 + 2.0 * uy, c5 + 2.0 * uz
            e0, e1, e2, e3, e4, e5 = six(dof_d, d, PSI2)
            e0, e1, e2, e3, e4, e5 = inertia_times(body_d, i, e0, e1, e2, e3, e4, e5)
            gx, gy, gz = dof_d[d, PSI], dof_d[d, PSI + 1], dof_d[d, PSI + 2]
            ux, uy, uz = cross(gx, gy, gz, px, py, pz)
            e0 += body_d[i, T] * gx + body_d[i, T + 1] * gy + body_d[i, T + 2] * gz
            e1 += body_d[i, T + 3] * gx + body_d[i, T + 4] * gy + body_d[i, T + 5] * gz
            e2 += body_d[i, T + 6] * gx + body_d[i, T + 7] * gy + body_d[i, T + 8] * gz
            e3, e4, e5 = e3 + 2.0 * ux, e4 + 2.0 * uy, e5 + 2.0 * uz
            ux, uy, uz = cross(sx, sy, sz, body_d[i, F], body_d[i, F + 1], body_d[i, F + 2])
            vx, vy, vz = cross(tx, ty, tz, body_d[i, F + 3], body_d[i, F + 4], body_d[i, F + 5])
            e0, e1, e2 = e0 + ux + vx, e1 + uy + vy, e2 + uz + vz
            ux, uy, uz = cross(sx, sy, sz, body_d[i, F + 3], body_d[i, F + 4], body_d[i, F + 5])
            e3, e4, e5 = e3 + ux, e4 + uy, e5 + uz

            # the axes of the same joint, then of the ancestors
            a, c, e = (a0, a1, a2, a3, a4, a5), (c0, c1, c2, c3, c4, c5), (e0, e1, e2, e3, e4, e5)
            j, first, last = i, start, stop
            while True:
                for k in range(first, last):
                    dq[k, d] = (
                        b0 * dof_d[k, PSI] + b1 * dof_d[k, PSI + 1] + b2 * dof_d[k, PSI + 2]
                        + dot6(a, dof_d, k, PSI2)
                    )  # fmt: skip
                    dv[k, d] = (
                        b0 * dof_d[k, AXIS] + b1 * dof_d[k, AXIS + 1] + b2 * dof_d[k, AXIS + 2]
                        + dot6(a, dof_d, k, PHI)
                    )  # fmt: skip
                    inertia = dot6(a, dof_d, k, AXIS)
                    mass[k, d] = inertia
                    mass[d, k] = inertia
                    if j != i:
                        dq[d, k] = dot6(e, dof_d, k, AXIS)
                        dv[d, k] = dot6(c, dof_d, k, AXIS)
                j = body_i[j, PARENT]
                if j == 0:
                    break
                first, last = body_i[j, V0], body_i[j, V0] + body_i[j, NDOF]
            mass[d, d] += body_f[i, ARMATURE]
        if p > 0:
            for k in range(J, N_BODY_D):
                body_d[p, k] += body_d[i, k]


@part
def inverse_derivatives(body_i, body_f, q, v, a, squares, body_w, dof_w, body_d, dof_d):
    """d tau/dq, d tau/dv and M for accelerations a, into three squares (nv, nv), by columns: d tau_r / d q_c at [c, r].

    Entries of separate branches are left as they are (zero).
    """
    place(body_i, body_f, q, body_w, dof_w)
    axes_at_root(body_i, body_w, dof_w, body_d, dof_d)
    motion(body_i, body_f, v, a, body_d, dof_d)
    rigid_terms(body_i, body_f, body_w, body_d)
    inverse_columns(body_i, body_f, squares[0], squares[1], squares[2], body_d, dof_d)


@part
def forward_derivatives(body_i, body_f, q, v, tau, no_wrench, w):
    """-d qdd/dq, -d qdd/dv and d qdd/d tau, by columns, into the squares of the workspace w, and qdd."""
    aba(body_i, body_f, q, v, tau, body_f[:0, :WRENCH], no_wrench, w.qdd, w.body_w, w.dof_w)
    axes_at_root(body_i, w.body_w, w.dof_w, w.body_d, w.dof_d)
    motion(body_i, body_f, v, w.qdd, w.body_d, w.dof_d)
    rigid_terms(body_i, body_f, w.body_w, w.body_d)
    inverse_columns(body_i, body_f, w.dq, w.dv, w.third, w.body_d, w.dof_d)
    unit = w.third
    for c in range(unit.shape[0]):
        for r in range(unit.shape[0]):
            unit[c, r] = 1.0 if r == c else 0.0
    inverse_mass_times(body_i, w.dof_w, w.dq, w.dv, unit, w.body_d, w.dof_d)


@part
def branched(body_i):
    """Whether some body carries more than one other."""
    for i in range(1, body_i.shape[0]):
        if body_i[i, CHILDREN] > 1:
            return True
    return False


WORK = lane_work(
    "DerivativesWork",
    array("body_d", f"nrow {N_BODY_D}", "", "bodies, about the reference point"),
    array("dof_d", f"nv {N_DOF_D}", "", "degrees of freedom, about the reference point"),
    array("dq", "nv nv", "", "derivative with respect to q, by columns"),
    array("dv", "nv nv", "", "derivative with respect to v, by columns"),
    array("third", "nv nv", "", "mass matrix, or its inverse, by columns"),
    array("q", "nq", "", "positions"),
    array("v", "nv", "", "velocities"),
    array("given", "nv", "", "accelerations, or joint forces"),
    array("qdd", "nv", "", "accelerations"),
)
"""of one state in numbers, or of eight in Lanes"""
carve = WORK.carve


@kernel(f"f8({TREE}, f8[::1], f8[::1], f8[::1], f8[:, :, ::1], f8[::1])")
def forward_derivatives_one(body_i, body_f, q, v, tau, out, work):
    """out (3, nv, nv): d qdd/dq, d qdd/dv, d qdd/d tau. Returns the sum of qdd as `aba_one` does."""
    nv = out.shape[1]
    w = carve(work, body_i.shape[0], body_i[0, NQ], nv)
    if not fits(body_i, q, v, tau, w.qdd):
        return math.nan
    w.dq[:] = 0.0
    w.dv[:] = 0.0
    w.third[:] = 0.0
    forward_derivatives(body_i, body_f, q, v, tau, body_f[:0, :6], w)
    for r in range(nv):
        for c in range(nv):
            out[0, r, c] = -w.dq[c, r]
            out[1, r, c] = -w.dv[c, r]
            out[2, r, c] = w.third[c, r]
    return total(w.qdd) if regular(w.dof_w) else math.nan


_BATCH = f"void({TREE}, f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[::1])"


@part
def open_batch(body_i, q, v, work):
    """The workspace of eight states, its squares zero."""
    w = carve(lanes_of(work), body_i.shape[0], q.shape[1], v.shape[1])
    fill(w.dq, 0.0)
    fill(w.dv, 0.0)
    fill(w.third, 0.0)
    return w


@part
def load_state(q, v, given, first, w):
    load(q, first, w.q)
    load(v, first, w.v)
    load(given, first, w.given)


@kernel(_BATCH)
def inverse_derivatives_batch(body_i, body_f, q, v, a, dq, dv, mass, work):
    """dq, dv, mass (B, nv * nv) of rows of states."""
    w = open_batch(body_i, q, v, work)
    for first in range(0, q.shape[0], WIDTH):
        load_state(q, v, a, first, w)
        squares = (w.dq, w.dv, w.third)
        inverse_derivatives(body_i, body_f, w.q, w.v, w.given, squares, w.body_w, w.dof_w, w.body_d, w.dof_d)
        store_transposed(w.dq, 1.0, first, dq)
        store_transposed(w.dv, 1.0, first, dv)
        store_transposed(w.third, 1.0, first, mass)


@kernel(_BATCH)
def forward_derivatives_batch(body_i, body_f, q, v, tau, dq, dv, dtau, work):
    """dq, dv, dtau (B, nv * nv) of rows of states."""
    w = open_batch(body_i, q, v, work)
    no_wrench = w.q[:0].reshape((0, 6))
    for first in range(0, q.shape[0], WIDTH):
        if first > 0 and branched(body_i):  # M^-1 has filled the entries of separate branches
            fill(w.dq, 0.0)
            fill(w.dv, 0.0)
        load_state(q, v, tau, first, w)
        forward_derivatives(body_i, body_f, w.q, w.v, w.given, no_wrench, w)
        if not regular(w.dof_w):
            fill(w.third, math.nan)
        store_transposed(w.dq, -1.0, first, dq)
        store_transposed(w.dv, -1.0, first, dv)
        store_transposed(w.third, 1.0, first, dtau)
