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
from gori.kernels.lanes import WIDTH, lanes
from gori.kernels.tree.aba import aba, regular, turn_inertia
from gori.kernels.tree.batch import load, store_transposed
from gori.kernels.tree.columns import ARMATURE, CHILDREN, COM, GRAVITY, MASS, NDOF, PARENT, V0
from gori.kernels.tree.inverse_mass import AXIS, FROM_ROOT, axes_at_root, dot6, inverse_mass_times, put6, six
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
def cross_motion(ax, ay, az, bx, by, bz, sx, sy, sz, tx, ty, tz):
    """(a; b) x (s; t) = (a x s; a x t + b x s)."""
    ux, uy, uz = cross(ax, ay, az, sx, sy, sz)
    vx, vy, vz = cross(ax, ay, az, tx, ty, tz)
    wx, wy, wz = cross(bx, by, bz, sx, sy, sz)
    return ux, uy, uz, vx + wx, vy + wy, vz + wz


@part
def motion(body_i, body_f, v, a, body_d, dof_d):
    """Velocities, accelerations and their products with the axes, ground to tips; after `axes_at_root`."""
    for k in range(3):
        body_d[0, V + k], body_d[0, V + 3 + k] = 0.0, 0.0
        body_d[0, A + k], body_d[0, A + 3 + k] = 0.0, -body_f[0, GRAVITY + k]
    for i in range(1, body_i.shape[0]):
        p, d = body_i[i, PARENT], body_i[i, V0]
        vx, vy, vz, ux, uy, uz = six(body_d, p, V)
        ax, ay, az, bx, by, bz = six(body_d, p, A)
        # motion in the joint, S qd, and the acceleration
        jx, jy, jz, kx, ky, kz = 0.0 * vx, 0.0 * vx, 0.0 * vx, 0.0 * vx, 0.0 * vx, 0.0 * vx
        cx, cy, cz, ex, ey, ez = ax, ay, az, bx, by, bz
        for k in range(d, d + body_i[i, NDOF]):
            sx, sy, sz, tx, ty, tz = six(dof_d, k, AXIS)
            qd, qdd = v[k], a[k]
            jx, jy, jz = jx + sx * qd, jy + sy * qd, jz + sz * qd
            kx, ky, kz = kx + tx * qd, ky + ty * qd, kz + tz * qd
            cx, cy, cz = cx + sx * qdd, cy + sy * qdd, cz + sz * qdd
            ex, ey, ez = ex + tx * qdd, ey + ty * qdd, ez + tz * qdd

            # psi' = V_p x S, psi'' = A_p x S + V_p x psi'
            g0, g1, g2, g3, g4, g5 = cross_motion(vx, vy, vz, ux, uy, uz, sx, sy, sz, tx, ty, tz)
            put6(dof_d, k, PSI, g0, g1, g2, g3, g4, g5)
            h0, h1, h2, h3, h4, h5 = cross_motion(ax, ay, az, bx, by, bz, sx, sy, sz, tx, ty, tz)
            g0, g1, g2, g3, g4, g5 = cross_motion(vx, vy, vz, ux, uy, uz, g0, g1, g2, g3, g4, g5)
            put6(dof_d, k, PSI2, h0 + g0, h1 + g1, h2 + g2, h3 + g3, h4 + g4, h5 + g5)

        # V = V_p + S qd, A = A_p + S qdd + V x S qd, S' = V x S
        vx, vy, vz, ux, uy, uz = vx + jx, vy + jy, vz + jz, ux + kx, uy + ky, uz + kz
        g0, g1, g2, g3, g4, g5 = cross_motion(vx, vy, vz, ux, uy, uz, jx, jy, jz, kx, ky, kz)
        put6(body_d, i, V, vx, vy, vz, ux, uy, uz)
        put6(body_d, i, A, cx + g0, cy + g1, cz + g2, ex + g3, ey + g4, ez + g5)
        for k in range(d, d + body_i[i, NDOF]):
            sx, sy, sz, tx, ty, tz = six(dof_d, k, AXIS)
            g0, g1, g2, g3, g4, g5 = cross_motion(vx, vy, vz, ux, uy, uz, sx, sy, sz, tx, ty, tz)
            h0, h1, h2, h3, h4, h5 = six(dof_d, k, PSI)
            put6(dof_d, k, PHI, g0 + h0, g1 + h1, g2 + h2, g3 + h3, g4 + h4, g5 + h5)


@part
def rigid_terms(body_i, body_f, body_w, body_d):
    """Inertia, T, momentum and force of each body about the reference point, after `motion`."""
    for i in range(1, body_i.shape[0]):
        m = body_f[i, MASS]
        dx, dy, dz = body_d[i, FROM_ROOT], body_d[i, FROM_ROOT + 1], body_d[i, FROM_ROOT + 2]
        cx, cy, cz = turn(body_w, i, m * body_f[i, COM], m * body_f[i, COM + 1], m * body_f[i, COM + 2])
        jxx, jyy, jzz, jxy, jxz, jyz = turn_inertia(i, body_f, body_w)
        # to the reference point, d away: as in crba.composite
        hx, hy, hz = cx + m * dx, cy + m * dy, cz + m * dz
        xx, yy, zz = dx * (cx + hx), dy * (cy + hy), dz * (cz + hz)
        jxx, jyy, jzz = jxx + yy + zz, jyy + xx + zz, jzz + xx + yy
        jxy, jxz, jyz = jxy - dx * cy - hx * dy, jxz - dx * cz - hx * dz, jyz - dy * cz - hy * dz
        put6(body_d, i, J, jxx, jyy, jzz, jxy, jxz, jyz)
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
    """Columns of d tau/dq, d tau/dv and M: dq[c, r] is d tau_r / d q_c; tips to ground, after `rigid_terms`.

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
def inverse_derivatives(body_i, body_f, q, v, a, dq, dv, mass, body_w, dof_w, body_d, dof_d):
    """d tau/dq, d tau/dv and M for accelerations a, by columns: dq[c, r] = d tau_r / d q_c."""
    place(body_i, body_f, q, body_w, dof_w)
    axes_at_root(body_i, body_w, dof_w, body_d, dof_d)
    motion(body_i, body_f, v, a, body_d, dof_d)
    rigid_terms(body_i, body_f, body_w, body_d)
    inverse_columns(body_i, body_f, dq, dv, mass, body_d, dof_d)


@part
def forward_derivatives(body_i, body_f, q, v, tau, wrench_at, wrench, qdd, dq, dv, unit, body_w, dof_w, body_d, dof_d):
    """-d qdd/dq, -d qdd/dv and d qdd/d tau, by columns. There are no outside wrenches: `wrench_at` is empty."""
    aba(body_i, body_f, q, v, tau, wrench_at, wrench, qdd, body_w, dof_w)
    axes_at_root(body_i, body_w, dof_w, body_d, dof_d)
    motion(body_i, body_f, v, qdd, body_d, dof_d)
    rigid_terms(body_i, body_f, body_w, body_d)
    inverse_columns(body_i, body_f, dq, dv, unit, body_d, dof_d)
    for c in range(unit.shape[0]):
        for r in range(unit.shape[0]):
            unit[c, r] = 1.0 if r == c else 0.0
    inverse_mass_times(body_i, dof_w, dq, dv, unit, body_d, dof_d)


@part
def branched(body_i):
    """Whether some body carries more than one other."""
    for i in range(1, body_i.shape[0]):
        if body_i[i, CHILDREN] > 1:
            return True
    return False


@kernel(
    f"f8({TREE}, f8[::1], f8[::1], f8[::1], f8[:, :, ::1], f8[:, :, ::1],"
    " f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[::1])"
)
def forward_derivatives_one(body_i, body_f, q, v, tau, out, squares, body_w, dof_w, body_d, dof_d, qdd):
    """out (3, nv, nv): d qdd/dq, d qdd/dv, d qdd/d tau. Returns the sum of qdd as `aba_one` does."""
    if not fits(body_i, q, v, tau, qdd):
        return math.nan
    squares[:] = 0.0
    forward_derivatives(
        body_i, body_f, q, v, tau, body_f[:0, :4], body_f[:0, :6], qdd, squares[0], squares[1], squares[2],
        body_w, dof_w, body_d, dof_d,
    )  # fmt: skip
    nv = qdd.shape[0]
    for r in range(nv):
        for c in range(nv):
            out[0, r, c] = -squares[0, c, r]
            out[1, r, c] = -squares[1, c, r]
            out[2, r, c] = squares[2, c, r]
    return total(qdd) if regular(dof_w) else math.nan


_BATCH = (
    "f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1],"
    " f8[:, :, ::1], f8[:, :, ::1], f8[:, :, ::1], f8[:, :, ::1], f8[:, ::1], f8[:, :, :, ::1], i8, i8"
)


@kernel(f"void({TREE}, {_BATCH})")
def inverse_derivatives_batch(
    body_i, body_f, q, v, a, dq, dv, mass, body_w, dof_w, body_d, dof_d, buffer, squares, start, stop
):
    """dq, dv, mass (B, nv * nv); squares (3, nv, nv, 8) is scratch."""
    nq, nv = q.shape[1], v.shape[1]
    q8, v8, a8 = buffer[:nq], buffer[nq : nq + nv], buffer[nq + nv : nq + 2 * nv]
    squares[:] = 0.0
    for first in range(start, stop, WIDTH):
        load(q, first, q8)
        load(v, first, v8)
        load(a, first, a8)
        inverse_derivatives(
            body_i, body_f, lanes(q8), lanes(v8), lanes(a8), lanes(squares[0]), lanes(squares[1]), lanes(squares[2]),
            lanes(body_w), lanes(dof_w), lanes(body_d), lanes(dof_d),
        )  # fmt: skip
        store_transposed(squares[0], 1.0, first, dq)
        store_transposed(squares[1], 1.0, first, dv)
        store_transposed(squares[2], 1.0, first, mass)


@kernel(f"void({TREE}, {_BATCH})")
def forward_derivatives_batch(
    body_i, body_f, q, v, tau, dq, dv, dtau, body_w, dof_w, body_d, dof_d, buffer, squares, start, stop
):
    """dq, dv, dtau (B, nv * nv); squares (3, nv, nv, 8) is scratch."""
    nq, nv = q.shape[1], v.shape[1]
    q8, v8, tau8, qdd8 = (
        buffer[:nq],
        buffer[nq : nq + nv],
        buffer[nq + nv : nq + 2 * nv],
        buffer[nq + 2 * nv : nq + 3 * nv],
    )
    no_wrench = buffer[:0].reshape((0, 6, WIDTH))
    squares[:] = 0.0
    for first in range(start, stop, WIDTH):
        if first > start and branched(body_i):  # M^-1 has filled the entries of separate branches
            squares[:2] = 0.0
        load(q, first, q8)
        load(v, first, v8)
        load(tau, first, tau8)
        forward_derivatives(
            body_i, body_f, lanes(q8), lanes(v8), lanes(tau8), body_f[:0, :4], lanes(no_wrench), lanes(qdd8),
            lanes(squares[0]), lanes(squares[1]), lanes(squares[2]),
            lanes(body_w), lanes(dof_w), lanes(body_d), lanes(dof_d),
        )  # fmt: skip
        if not regular(lanes(dof_w)):
            squares[2] = math.nan
        store_transposed(squares[0], -1.0, first, dq)
        store_transposed(squares[1], -1.0, first, dv)
        store_transposed(squares[2], 1.0, first, dtau)
