"""Forward dynamics: the articulated-body algorithm (Featherstone 2008, table 7.1, in world axes).

A joint of several degrees of freedom is taken one axis at a time, as if thin massless bodies stood between: the
equations are the same, and the inverse of S' I S is never formed.

    inward    I += rigid inertia, p += velocity-dependent force - wrenches
              U = I S, 1/D = 1/(S' U + armature), u = tau - S' p;  I -= U U'/D, p += U u/D  for each axis, last first
              then p += I c and both move to the parent's origin
    outward   a = (a of the parent at this origin) + c;  qdd = (u - U' a)/D, a += S qdd  for each axis, first to last

The inertia is J, H, M in (n; f) = [J H; H' M] (alpha; a), J and M symmetric.

D is what is left of all the inertia that an axis carries. Where that should be nothing, it is rounding of either sign.
So D counts as zero, and 1/D is NaN, up to ROUNDING times a sum over the subtree from which nothing was subtracted:

    to turn    tr J_j + |r_j|^2 (mass of the subtree of j)        to slide    m_j

An axis before it, of a small D, enlarges this rounding by (U/D)^2 across its own direction. Only an axis whose body
adds no inertia about it can have D = 0: so that counts within a joint, and on the way to bodies without mass.
"""

import math

from gori.kernels.jit import kernel, part
from gori.kernels.lanes import WIDTH, above, all_positive, lanes_of
from gori.kernels.tree.batch import store
from gori.kernels.tree.columns import (
    ACC,
    ARM,
    ARMATURE,
    ART,
    BIAS,
    CHILDREN,
    COM,
    D_INV,
    FLOOR,
    FORCE,
    INERTIA,
    KIND,
    LOAD,
    MASS,
    NDOF,
    OMEGA,
    PARENT,
    R_WB,
    V0,
    WRENCH,
    S,
    U,
)
from gori.kernels.tree.joints import only_turns
from gori.kernels.tree.kinematics import cross, place, rates, turn
from gori.kernels.tree.rnea import (
    BATCH,
    TREE,
    carve,
    fits,
    load_dynamics,
    start_from_gravity,
    subtract_wrenches,
    symmetric_times,
    total,
)

ROUNDING = 1e-14
"""share of the inertia at an axis up to which a pivot is rounding"""
GROWTH = 0.1
"""share of the rounding at an axis that enlarges that of those after it, times (U/D)^2"""


@part
def rotate_inertia(i, body_f, body_w):
    """Inertia of body i about its origin in world axes, R J R', as xx yy zz xy xz yz."""
    r0, r1, r2 = body_w[i, R_WB], body_w[i, R_WB + 1], body_w[i, R_WB + 2]
    r3, r4, r5 = body_w[i, R_WB + 3], body_w[i, R_WB + 4], body_w[i, R_WB + 5]
    r6, r7, r8 = body_w[i, R_WB + 6], body_w[i, R_WB + 7], body_w[i, R_WB + 8]
    t0, t1, t2 = symmetric_times(body_f, INERTIA, i, r0, r1, r2)
    t3, t4, t5 = symmetric_times(body_f, INERTIA, i, r3, r4, r5)
    t6, t7, t8 = symmetric_times(body_f, INERTIA, i, r6, r7, r8)
    return (
        t0 * r0 + t1 * r1 + t2 * r2,
        t3 * r3 + t4 * r4 + t5 * r5,
        t6 * r6 + t7 * r7 + t8 * r8,
        t0 * r3 + t1 * r4 + t2 * r5,
        t0 * r6 + t1 * r7 + t2 * r8,
        t3 * r6 + t4 * r7 + t5 * r8,
    )


@part
def clear(body_i, body_w):
    """No forces yet, and no inertia where branches will meet."""
    for i in range(1, body_i.shape[0]):
        for k in range(6):
            body_w[i, FORCE + k] = 0.0
        if body_i[i, CHILDREN] > 1:
            for k in range(21):
                body_w[i, ART + k] = 0.0
            body_w[i, FLOOR], body_w[i, FLOOR + 1] = 0.0, 0.0


@part
def articulate(body_i, body_f, tau, body_w, dof_w):
    """Tips to ground: U, 1/D and u of every axis, with FORCE as the outside forces, negative.

    The articulated inertia of a body that is the only child of the row before it never touches memory; where
    branches meet, ART and FORCE of the parent add them up.
    """
    zero = 0.0 * body_w[0, R_WB]
    jxx, jyy, jzz, jxy, jxz, jyz = zero, zero, zero, zero, zero, zero
    h0, h1, h2, h3, h4, h5, h6, h7, h8 = zero, zero, zero, zero, zero, zero, zero, zero, zero
    mxx, myy, mzz, mxy, mxz, myz = zero, zero, zero, zero, zero, zero
    nx, ny, nz, fx, fy, fz = zero, zero, zero, zero, zero, zero
    floor_turn, floor_slide, here_turn, here_slide = zero, zero, zero, zero
    for i in range(body_i.shape[0] - 1, 0, -1):
        p, d, children = body_i[i, PARENT], body_i[i, V0], body_i[i, CHILDREN]
        if children != 1:
            nx, ny, nz, fx, fy, fz = zero, zero, zero, zero, zero, zero
            if children == 0:
                jxx, jyy, jzz, jxy, jxz, jyz = zero, zero, zero, zero, zero, zero
                h0, h1, h2, h3, h4, h5, h6, h7, h8 = zero, zero, zero, zero, zero, zero, zero, zero, zero
                mxx, myy, mzz, mxy, mxz, myz = zero, zero, zero, zero, zero, zero
                floor_turn, floor_slide = zero, zero
            else:
                jxx, jyy, jzz = body_w[i, ART], body_w[i, ART + 1], body_w[i, ART + 2]
                jxy, jxz, jyz = body_w[i, ART + 3], body_w[i, ART + 4], body_w[i, ART + 5]
                h0, h1, h2 = body_w[i, ART + 6], body_w[i, ART + 7], body_w[i, ART + 8]
                h3, h4, h5 = body_w[i, ART + 9], body_w[i, ART + 10], body_w[i, ART + 11]
                h6, h7, h8 = body_w[i, ART + 12], body_w[i, ART + 13], body_w[i, ART + 14]
                mxx, myy, mzz = body_w[i, ART + 15], body_w[i, ART + 16], body_w[i, ART + 17]
                mxy, mxz, myz = body_w[i, ART + 18], body_w[i, ART + 19], body_w[i, ART + 20]
                floor_turn, floor_slide = body_w[i, FLOOR], body_w[i, FLOOR + 1]

        # the body's own inertia, H = m [c x], and the velocity-dependent forces: w x J w, w x (w x m c)
        m = body_f[i, MASS]
        cx, cy, cz = turn(body_w, i, m * body_f[i, COM], m * body_f[i, COM + 1], m * body_f[i, COM + 2])
        ixx, iyy, izz, ixy, ixz, iyz = rotate_inertia(i, body_f, body_w)
        wx, wy, wz = body_w[i, OMEGA], body_w[i, OMEGA + 1], body_w[i, OMEGA + 2]
        tx, ty, tz = cross(
            wx, wy, wz, ixx * wx + ixy * wy + ixz * wz, ixy * wx + iyy * wy + iyz * wz, ixz * wx + iyz * wy + izz * wz
        )
        nx, ny, nz = nx + body_w[i, FORCE] + tx, ny + body_w[i, FORCE + 1] + ty, nz + body_w[i, FORCE + 2] + tz
        tx, ty, tz = cross(wx, wy, wz, cx, cy, cz)
        tx, ty, tz = cross(wx, wy, wz, tx, ty, tz)
        fx, fy, fz = fx + body_w[i, FORCE + 3] + tx, fy + body_w[i, FORCE + 4] + ty, fz + body_w[i, FORCE + 5] + tz
        jxx, jyy, jzz, jxy, jxz, jyz = jxx + ixx, jyy + iyy, jzz + izz, jxy + ixy, jxz + ixz, jyz + iyz
        h1, h2, h3, h5, h6, h7 = h1 - cz, h2 + cy, h3 + cz, h5 - cx, h6 - cy, h7 + cx
        mxx, myy, mzz = mxx + m, myy + m, mzz + m
        floor_turn += ROUNDING * (body_f[i, INERTIA] + body_f[i, INERTIA + 1] + body_f[i, INERTIA + 2])
        floor_slide += ROUNDING * m

        turns, last = only_turns(body_i[i, KIND]), d + body_i[i, NDOF] - 1
        goes_on = p > 0 and body_f[p, MASS] == 0.0
        if m > 0.0 or children != 1:
            here_turn, here_slide = floor_turn, floor_slide
        for k in range(last, d - 1, -1):
            # U = I S, D = S' U, u = tau - S' p
            sx, sy, sz = dof_w[k, S], dof_w[k, S + 1], dof_w[k, S + 2]
            u0, u1, u2 = jxx * sx + jxy * sy + jxz * sz, jxy * sx + jyy * sy + jyz * sz, jxz * sx + jyz * sy + jzz * sz
            u3, u4, u5 = h0 * sx + h3 * sy + h6 * sz, h1 * sx + h4 * sy + h7 * sz, h2 * sx + h5 * sy + h8 * sz
            along = sx * nx + sy * ny + sz * nz
            floor = here_turn
            if not turns:
                tx, ty, tz = dof_w[k, S + 3], dof_w[k, S + 4], dof_w[k, S + 5]
                u0, u1, u2 = (
                    u0 + h0 * tx + h1 * ty + h2 * tz,
                    u1 + h3 * tx + h4 * ty + h5 * tz,
                    u2 + h6 * tx + h7 * ty + h8 * tz,
                )
                u3 += mxx * tx + mxy * ty + mxz * tz
                u4 += mxy * tx + myy * ty + myz * tz
                u5 += mxz * tx + myz * ty + mzz * tz
                D = sx * u0 + sy * u1 + sz * u2 + tx * u3 + ty * u4 + tz * u5
                along += tx * fx + ty * fy + tz * fz
                floor = (sx * sx + sy * sy + sz * sz) * here_turn + (tx * tx + ty * ty + tz * tz) * here_slide
            else:
                D = sx * u0 + sy * u1 + sz * u2
            inverse = 1.0 / above(D + body_f[i, ARMATURE], floor)
            load = tau[k] - along
            dof_w[k, U], dof_w[k, U + 1], dof_w[k, U + 2] = u0, u1, u2
            dof_w[k, U + 3], dof_w[k, U + 4], dof_w[k, U + 5] = u3, u4, u5
            dof_w[k, D_INV] = inverse
            dof_w[k, LOAD] = load

            # I -= U U' / D, p += U u / D: what the parent feels with this axis free
            g = load * inverse
            nx, ny, nz = nx + u0 * g, ny + u1 * g, nz + u2 * g
            fx, fy, fz = fx + u3 * g, fy + u4 * g, fz + u5 * g
            g0, g1, g2, g3, g4, g5 = u0 * inverse, u1 * inverse, u2 * inverse, u3 * inverse, u4 * inverse, u5 * inverse
            if last > d or goes_on:
                here_turn += GROWTH * floor * (g0 * g0 + g1 * g1 + g2 * g2 - (sx * sx + sy * sy + sz * sz))
                here_slide += GROWTH * floor * (g3 * g3 + g4 * g4 + g5 * g5)
                if not turns:
                    here_slide += -GROWTH * floor * (tx * tx + ty * ty + tz * tz)
            jxx, jyy, jzz = jxx - u0 * g0, jyy - u1 * g1, jzz - u2 * g2
            jxy, jxz, jyz = jxy - u0 * g1, jxz - u0 * g2, jyz - u1 * g2
            h0, h1, h2 = h0 - u0 * g3, h1 - u0 * g4, h2 - u0 * g5
            h3, h4, h5 = h3 - u1 * g3, h4 - u1 * g4, h5 - u1 * g5
            h6, h7, h8 = h6 - u2 * g3, h7 - u2 * g4, h8 - u2 * g5
            mxx, myy, mzz = mxx - u3 * g3, myy - u4 * g4, mzz - u5 * g5
            mxy, mxz, myz = mxy - u3 * g4, mxz - u3 * g5, myz - u4 * g5

        if p == 0:
            continue
        # p += I c
        bx, by, bz = body_w[i, BIAS], body_w[i, BIAS + 1], body_w[i, BIAS + 2]
        ax, ay, az = body_w[i, BIAS + 3], body_w[i, BIAS + 4], body_w[i, BIAS + 5]
        nx += jxx * bx + jxy * by + jxz * bz + h0 * ax + h1 * ay + h2 * az
        ny += jxy * bx + jyy * by + jyz * bz + h3 * ax + h4 * ay + h5 * az
        nz += jxz * bx + jyz * by + jzz * bz + h6 * ax + h7 * ay + h8 * az
        fx += h0 * bx + h3 * by + h6 * bz + mxx * ax + mxy * ay + mxz * az
        fy += h1 * bx + h4 * by + h7 * bz + mxy * ax + myy * ay + myz * az
        fz += h2 * bx + h5 * by + h8 * bz + mxz * ax + myz * ay + mzz * az

        # to the parent's origin, r away: n += r x f, H += [r] M, J += [r] H_old' - H_new [r]
        rx, ry, rz = body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2]
        floor_turn += (rx * rx + ry * ry + rz * rz) * floor_slide
        if goes_on:
            here_turn += (rx * rx + ry * ry + rz * rz) * here_slide
        nx, ny, nz = nx + ry * fz - rz * fy, ny + rz * fx - rx * fz, nz + rx * fy - ry * fx
        k0, k1, k2 = h0 + ry * mxz - rz * mxy, h1 + ry * myz - rz * myy, h2 + ry * mzz - rz * myz
        k3, k4, k5 = h3 + rz * mxx - rx * mxz, h4 + rz * mxy - rx * myz, h5 + rz * mxz - rx * mzz
        k6, k7, k8 = h6 + rx * mxy - ry * mxx, h7 + rx * myy - ry * mxy, h8 + rx * myz - ry * mxz
        jxx += (ry * h2 - rz * h1) + (ry * k2 - rz * k1)
        jyy += (rz * h3 - rx * h5) + (rz * k3 - rx * k5)
        jzz += (rx * h7 - ry * h6) + (rx * k7 - ry * k6)
        jxy += (ry * h5 - rz * h4) + (rz * k0 - rx * k2)
        jxz += (ry * h8 - rz * h7) + (rx * k1 - ry * k0)
        jyz += (rz * h6 - rx * h8) + (rx * k4 - ry * k3)
        h0, h1, h2, h3, h4, h5, h6, h7, h8 = k0, k1, k2, k3, k4, k5, k6, k7, k8
        if body_i[p, CHILDREN] > 1:
            body_w[p, FORCE] += nx
            body_w[p, FORCE + 1] += ny
            body_w[p, FORCE + 2] += nz
            body_w[p, FORCE + 3] += fx
            body_w[p, FORCE + 4] += fy
            body_w[p, FORCE + 5] += fz
            body_w[p, ART] += jxx
            body_w[p, ART + 1] += jyy
            body_w[p, ART + 2] += jzz
            body_w[p, ART + 3] += jxy
            body_w[p, ART + 4] += jxz
            body_w[p, ART + 5] += jyz
            body_w[p, ART + 6] += h0
            body_w[p, ART + 7] += h1
            body_w[p, ART + 8] += h2
            body_w[p, ART + 9] += h3
            body_w[p, ART + 10] += h4
            body_w[p, ART + 11] += h5
            body_w[p, ART + 12] += h6
            body_w[p, ART + 13] += h7
            body_w[p, ART + 14] += h8
            body_w[p, ART + 15] += mxx
            body_w[p, ART + 16] += myy
            body_w[p, ART + 17] += mzz
            body_w[p, ART + 18] += mxy
            body_w[p, ART + 19] += mxz
            body_w[p, ART + 20] += myz
            body_w[p, FLOOR] += floor_turn
            body_w[p, FLOOR + 1] += floor_slide


@part
def propagate_accelerations(body_i, qdd, body_w, dof_w):
    """Ground to leaves: the accelerations."""
    for i in range(1, body_i.shape[0]):
        p, d = body_i[i, PARENT], body_i[i, V0]
        wx, wy, wz = body_w[p, ACC], body_w[p, ACC + 1], body_w[p, ACC + 2]
        ax, ay, az = cross(wx, wy, wz, body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2])
        wx, wy, wz = wx + body_w[i, BIAS], wy + body_w[i, BIAS + 1], wz + body_w[i, BIAS + 2]
        ax += body_w[p, ACC + 3] + body_w[i, BIAS + 3]
        ay += body_w[p, ACC + 4] + body_w[i, BIAS + 4]
        az += body_w[p, ACC + 5] + body_w[i, BIAS + 5]
        turns = only_turns(body_i[i, KIND])
        for k in range(d, d + body_i[i, NDOF]):
            reaction = (
                dof_w[k, U] * wx + dof_w[k, U + 1] * wy + dof_w[k, U + 2] * wz
                + dof_w[k, U + 3] * ax + dof_w[k, U + 4] * ay + dof_w[k, U + 5] * az
            )  # fmt: skip
            rate = (dof_w[k, LOAD] - reaction) * dof_w[k, D_INV]
            qdd[k] = rate
            wx += rate * dof_w[k, S]
            wy += rate * dof_w[k, S + 1]
            wz += rate * dof_w[k, S + 2]
            if not turns:
                ax += rate * dof_w[k, S + 3]
                ay += rate * dof_w[k, S + 4]
                az += rate * dof_w[k, S + 5]
        body_w[i, ACC], body_w[i, ACC + 1], body_w[i, ACC + 2] = wx, wy, wz
        body_w[i, ACC + 3], body_w[i, ACC + 4], body_w[i, ACC + 5] = ax, ay, az


@part
def aba(body_i, body_f, q, v, tau, wrench_at, wrench, qdd, body_w, dof_w):
    """Accelerations qdd (nv,) for joint forces tau (nv,); wrenches as in `rnea`."""
    place(body_i, body_f, q, body_w, dof_w)
    rates(body_i, v, body_w, dof_w)
    clear(body_i, body_w)
    subtract_wrenches(wrench_at, wrench, body_w)
    articulate(body_i, body_f, tau, body_w, dof_w)
    start_from_gravity(body_f, body_w)
    propagate_accelerations(body_i, qdd, body_w, dof_w)


@part
def regular(dof_w):
    """Whether every axis moves some inertia: all 1/D positive numbers, in all lanes."""
    for k in range(dof_w.shape[0]):
        if not all_positive(dof_w[k, D_INV]):
            return False
    return True


@kernel(f"f8({TREE}, f8[::1], f8[::1], f8[::1], f8[:, ::1], f8[::1], f8[:, ::1], f8[:, ::1])")
def aba_one(body_i, body_f, q, v, tau, wrench, qdd, body_w, dof_w):
    """Returns the sum of qdd, not finite if any of them is not or if an axis moves no inertia."""
    if not fits(body_i, q, v, tau, qdd):
        return math.nan
    aba(body_i, body_f, q, v, tau, wrench[:, :WRENCH], wrench[:, WRENCH:], qdd, body_w, dof_w)
    return total(qdd)


@kernel(f"void({BATCH})")
def aba_batch(body_i, body_f, wrench_at, q, v, tau, wrench, qdd, work):
    """qdd (B, nv) of rows of states, NaN of those where an axis moves no inertia; the workspace and the wrenches are
    those of `rnea_batch`.
    """
    w = carve(lanes_of(work), body_i.shape[0], q.shape[1], v.shape[1], wrench_at.shape[0])
    for first in range(0, q.shape[0], WIDTH):
        load_dynamics(q, v, tau, wrench, first, w)
        aba(body_i, body_f, w.q, w.v, w.given, wrench_at, w.wrench, w.found, w.body_w, w.dof_w)
        store(w.found, first, qdd)
