"""Inverse dynamics: the recursive Newton-Euler algorithm (Featherstone 2008, table 5.1, in world axes).

tau = M(q) a + C(q, v) v + G(q) - J' wrenches
"""

import math

from gori.kernels.jit import kernel, part
from gori.kernels.lanes import WIDTH, lanes_of
from gori.kernels.layout import array
from gori.kernels.tree.batch import lane_work, load, store
from gori.kernels.tree.columns import (
    ACC,
    ARM,
    ARMATURE,
    BIAS,
    COM,
    FORCE,
    GRAVITY,
    INERTIA,
    KIND,
    MASS,
    NDOF,
    NQ,
    OMEGA,
    PARENT,
    V0,
    WRENCH,
    S,
)
from gori.kernels.tree.joints import only_turns
from gori.kernels.tree.kinematics import cross, place, rates, turn, turn_back


@part
def start_from_gravity(body_f, body_w):
    """The ground accelerates upward: gravity as an acceleration of everything."""
    for k in range(3):
        body_w[0, ACC + k] = 0.0
        body_w[0, ACC + 3 + k] = -body_f[0, GRAVITY + k]


@part
def accelerate(i, body_i, a, body_w, dof_w):
    """Acceleration of body i from that of its parent: angular, linear at the origin."""
    p, d = body_i[i, PARENT], body_i[i, V0]
    px, py, pz = body_w[p, ACC], body_w[p, ACC + 1], body_w[p, ACC + 2]
    ux, uy, uz = cross(px, py, pz, body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2])
    wx, wy, wz = px + body_w[i, BIAS], py + body_w[i, BIAS + 1], pz + body_w[i, BIAS + 2]
    ux += body_w[p, ACC + 3] + body_w[i, BIAS + 3]
    uy += body_w[p, ACC + 4] + body_w[i, BIAS + 4]
    uz += body_w[p, ACC + 5] + body_w[i, BIAS + 5]
    turns = only_turns(body_i[i, KIND])
    for k in range(d, d + body_i[i, NDOF]):
        qdd = a[k]
        wx += qdd * dof_w[k, S]
        wy += qdd * dof_w[k, S + 1]
        wz += qdd * dof_w[k, S + 2]
        if not turns:
            ux += qdd * dof_w[k, S + 3]
            uy += qdd * dof_w[k, S + 4]
            uz += qdd * dof_w[k, S + 5]
    body_w[i, ACC], body_w[i, ACC + 1], body_w[i, ACC + 2] = wx, wy, wz
    body_w[i, ACC + 3], body_w[i, ACC + 4], body_w[i, ACC + 5] = ux, uy, uz
    return wx, wy, wz, ux, uy, uz


@part
def symmetric_times(J, k, row, x, y, z):
    """A symmetric matrix, stored in a row from column k as xx yy zz xy xz yz, times a vector."""
    return (
        J[row, k] * x + J[row, k + 3] * y + J[row, k + 4] * z,
        J[row, k + 3] * x + J[row, k + 1] * y + J[row, k + 5] * z,
        J[row, k + 4] * x + J[row, k + 5] * y + J[row, k + 2] * z,
    )


@part
def subtract_wrenches(wrench_at, wrench, body_w):
    """Take the outside wrenches (moment; force, world axes) off the bodies' forces."""
    for k in range(wrench_at.shape[0]):
        i = int(wrench_at[k, 0])
        x, y, z = turn(body_w, i, wrench_at[k, 1], wrench_at[k, 2], wrench_at[k, 3])
        fx, fy, fz = wrench[k, 3], wrench[k, 4], wrench[k, 5]
        nx, ny, nz = cross(x, y, z, fx, fy, fz)
        body_w[i, FORCE] -= wrench[k, 0] + nx
        body_w[i, FORCE + 1] -= wrench[k, 1] + ny
        body_w[i, FORCE + 2] -= wrench[k, 2] + nz
        body_w[i, FORCE + 3] -= fx
        body_w[i, FORCE + 4] -= fy
        body_w[i, FORCE + 5] -= fz


@part
def inertia_forces(body_i, body_f, a, body_w, dof_w):
    """Ground to leaves, after `place` and `rates`: accelerations, and the force that each body needs for its own."""
    start_from_gravity(body_f, body_w)
    for i in range(1, body_i.shape[0]):
        bx, by, bz, ax, ay, az = accelerate(i, body_i, a, body_w, dof_w)
        wx, wy, wz = body_w[i, OMEGA], body_w[i, OMEGA + 1], body_w[i, OMEGA + 2]
        m = body_f[i, MASS]
        cx, cy, cz = turn(body_w, i, body_f[i, COM], body_f[i, COM + 1], body_f[i, COM + 2])

        # f = m (a + alpha x c + w x (w x c))
        tx, ty, tz = cross(wx, wy, wz, cx, cy, cz)
        sx, sy, sz = cross(wx, wy, wz, tx, ty, tz)
        tx, ty, tz = cross(bx, by, bz, cx, cy, cz)
        body_w[i, FORCE + 3] = m * (ax + tx + sx)
        body_w[i, FORCE + 4] = m * (ay + ty + sy)
        body_w[i, FORCE + 5] = m * (az + tz + sz)

        # n = J alpha + w x J w + m c x a, the first two in the body's own axes
        wx, wy, wz = turn_back(body_w, i, wx, wy, wz)
        bx, by, bz = turn_back(body_w, i, bx, by, bz)
        hx, hy, hz = symmetric_times(body_f, INERTIA, i, wx, wy, wz)
        tx, ty, tz = symmetric_times(body_f, INERTIA, i, bx, by, bz)
        sx, sy, sz = cross(wx, wy, wz, hx, hy, hz)
        tx, ty, tz = turn(body_w, i, tx + sx, ty + sy, tz + sz)
        sx, sy, sz = cross(cx, cy, cz, ax, ay, az)
        body_w[i, FORCE] = tx + m * sx
        body_w[i, FORCE + 1] = ty + m * sy
        body_w[i, FORCE + 2] = tz + m * sz


@part
def inertia_product(body_i, body_f, x, out, body_w, dof_w):
    """out (nv,) = M x, after `place`: inverse dynamics without gravity and velocities. Overwrites ACC and FORCE."""
    for k in range(6):
        body_w[0, ACC + k] = 0.0
    for i in range(1, body_i.shape[0]):
        p, d = body_i[i, PARENT], body_i[i, V0]
        bx, by, bz = body_w[p, ACC], body_w[p, ACC + 1], body_w[p, ACC + 2]
        ax, ay, az = cross(bx, by, bz, body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2])
        ax, ay, az = ax + body_w[p, ACC + 3], ay + body_w[p, ACC + 4], az + body_w[p, ACC + 5]
        for k in range(d, d + body_i[i, NDOF]):
            bx += x[k] * dof_w[k, S]
            by += x[k] * dof_w[k, S + 1]
            bz += x[k] * dof_w[k, S + 2]
            ax += x[k] * dof_w[k, S + 3]
            ay += x[k] * dof_w[k, S + 4]
            az += x[k] * dof_w[k, S + 5]
        body_w[i, ACC], body_w[i, ACC + 1], body_w[i, ACC + 2] = bx, by, bz
        body_w[i, ACC + 3], body_w[i, ACC + 4], body_w[i, ACC + 5] = ax, ay, az

        # f = m (a + alpha x c), n = J alpha + m c x a
        m = body_f[i, MASS]
        cx, cy, cz = turn(body_w, i, body_f[i, COM], body_f[i, COM + 1], body_f[i, COM + 2])
        tx, ty, tz = cross(bx, by, bz, cx, cy, cz)
        body_w[i, FORCE + 3], body_w[i, FORCE + 4], body_w[i, FORCE + 5] = m * (ax + tx), m * (ay + ty), m * (az + tz)
        bx, by, bz = turn_back(body_w, i, bx, by, bz)
        tx, ty, tz = symmetric_times(body_f, INERTIA, i, bx, by, bz)
        tx, ty, tz = turn(body_w, i, tx, ty, tz)
        sx, sy, sz = cross(cx, cy, cz, ax, ay, az)
        body_w[i, FORCE], body_w[i, FORCE + 1], body_w[i, FORCE + 2] = tx + m * sx, ty + m * sy, tz + m * sz
    propagate_forces(body_i, out, body_w, dof_w)
    add_armature(body_i, body_f, x, out)


@part
def propagate_forces(body_i, tau, body_w, dof_w):
    """Tips to ground: tau = S' FORCE on each axis, and FORCE, with all that is carried, is handed to the parent."""
    for i in range(body_i.shape[0] - 1, 0, -1):
        p, d = body_i[i, PARENT], body_i[i, V0]
        nx, ny, nz = body_w[i, FORCE], body_w[i, FORCE + 1], body_w[i, FORCE + 2]
        fx, fy, fz = body_w[i, FORCE + 3], body_w[i, FORCE + 4], body_w[i, FORCE + 5]
        turns = only_turns(body_i[i, KIND])
        for k in range(d, d + body_i[i, NDOF]):
            t = dof_w[k, S] * nx + dof_w[k, S + 1] * ny + dof_w[k, S + 2] * nz
            if not turns:
                t += dof_w[k, S + 3] * fx + dof_w[k, S + 4] * fy + dof_w[k, S + 5] * fz
            tau[k] = t
        if p > 0:
            tx, ty, tz = cross(body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2], fx, fy, fz)
            body_w[p, FORCE] += nx + tx
            body_w[p, FORCE + 1] += ny + ty
            body_w[p, FORCE + 2] += nz + tz
            body_w[p, FORCE + 3] += fx
            body_w[p, FORCE + 4] += fy
            body_w[p, FORCE + 5] += fz


@part
def add_armature(body_i, body_f, a, tau):
    """What the drives need for their own inertia."""
    for i in range(1, body_i.shape[0]):
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            tau[k] += body_f[i, ARMATURE] * a[k]


@part
def rnea(body_i, body_f, q, v, a, wrench_at, wrench, tau, body_w, dof_w):
    """Joint forces tau (nv,) for accelerations a (nv,).

    wrench_at (k, 4), wrench (k, 6)   outside wrenches: body row and point in its frame; moment, force in world axes
    """
    place(body_i, body_f, q, body_w, dof_w)
    rates(body_i, v, body_w, dof_w)
    inertia_forces(body_i, body_f, a, body_w, dof_w)
    subtract_wrenches(wrench_at, wrench, body_w)
    propagate_forces(body_i, tau, body_w, dof_w)
    add_armature(body_i, body_f, a, tau)


TREE = "i8[:, ::1], f8[:, ::1]"
"""signature of body_i, body_f"""


@part
def fits(body_i, q, v, x, out):
    """Whether the arguments have the lengths nq, nv, nv."""
    nv = out.shape[0]
    return q.shape[0] == body_i[0, NQ] and v.shape[0] == nv and x.shape[0] == nv


@part
def total(x):
    """The sum of the numbers: not finite if any of them is not."""
    result = 0.0
    for k in range(x.shape[0]):
        result += x[k]
    return result


@kernel(f"f8({TREE}, f8[::1], f8[::1], f8[::1], f8[:, ::1], f8[::1], f8[:, ::1], f8[:, ::1])")
def rnea_one(body_i, body_f, q, v, a, wrench, tau, body_w, dof_w):
    """Returns the sum of tau, for a check: NaN when the lengths are wrong."""
    if not fits(body_i, q, v, a, tau):
        return math.nan
    rnea(body_i, body_f, q, v, a, wrench[:, :WRENCH], wrench[:, WRENCH:], tau, body_w, dof_w)
    return total(tau)


WORK = lane_work(
    "DynamicsWork",
    array("q", "nq", "", "positions"),
    array("v", "nv", "", "velocities"),
    array("given", "nv", "", "accelerations, or joint forces"),
    array("found", "nv", "", "joint forces, or accelerations"),
    array("wrench", "nw 6", "N m, N", "outside wrenches, world axes"),
    sizes=("nw",),
)
"""of a batch of inverse or forward dynamics"""
carve = WORK.carve

BATCH = f"{TREE}, f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[::1]"
"""signature of body_i, body_f, wrench_at, q, v, given, wrench, found, work"""


@part
def load_dynamics(q, v, given, wrench, first, w):
    """Eight states, with accelerations or joint forces and wrenches, into the workspace."""
    load(q, first, w.q)
    load(v, first, w.v)
    load(given, first, w.given)
    load(wrench, first, w.wrench.reshape(w.wrench.size))


@kernel(f"void({BATCH})")
def rnea_batch(body_i, body_f, wrench_at, q, v, a, wrench, tau, work):
    """tau (B, nv) of rows of states; wrench_at (nw, 4) is the same for all, wrench (B, 6 nw) holds (nw, 6) in a row."""
    w = carve(lanes_of(work), body_i.shape[0], q.shape[1], v.shape[1], wrench_at.shape[0])
    for first in range(0, q.shape[0], WIDTH):
        load_dynamics(q, v, a, wrench, first, w)
        rnea(body_i, body_f, w.q, w.v, w.given, wrench_at, w.wrench, w.found, w.body_w, w.dof_w)
        store(w.found, first, tau)
