"""Jacobian of a point fixed to a body, and its time derivative: world axes, angular rows first.

With r the vector from the origin of body j to the point, and axes fixed in body j:

    J = (s; t + s x r)        J' = (s'; t' + s' x r + s x r'),   s' = w_j x s,  t' = w_j x t,  r' = v_point - v_j
"""

from gori.kernels.jit import kernel, part
from gori.kernels.lanes import WIDTH, lanes_of
from gori.kernels.layout import array
from gori.kernels.tree.batch import fill, lane_work, load, store
from gori.kernels.tree.columns import ARM, NDOF, OMEGA, PARENT, V0, VEL, S
from gori.kernels.tree.kinematics import cross, place, turn, velocities
from gori.kernels.tree.rnea import TREE


@part
def jacobian(body_i, row, point, J, body_w, dof_w):
    """Fill J (6, nv) where the point's body is carried; after `place`."""
    rx, ry, rz = turn(body_w, row, point[0], point[1], point[2])
    j = row
    while j > 0:
        for k in range(body_i[j, V0], body_i[j, V0] + body_i[j, NDOF]):
            ux, uy, uz = cross(dof_w[k, S], dof_w[k, S + 1], dof_w[k, S + 2], rx, ry, rz)
            J[0, k], J[1, k], J[2, k] = dof_w[k, S], dof_w[k, S + 1], dof_w[k, S + 2]
            J[3, k], J[4, k], J[5, k] = ux + dof_w[k, S + 3], uy + dof_w[k, S + 4], uz + dof_w[k, S + 5]
        rx, ry, rz = rx + body_w[j, ARM], ry + body_w[j, ARM + 1], rz + body_w[j, ARM + 2]
        j = body_i[j, PARENT]


@part
def jacobian_rate(body_i, row, point, J, body_w, dof_w):
    """Fill J (6, nv) with the time derivative of the Jacobian; after `place` and `velocities`."""
    rx, ry, rz = turn(body_w, row, point[0], point[1], point[2])
    px, py, pz = cross(body_w[row, OMEGA], body_w[row, OMEGA + 1], body_w[row, OMEGA + 2], rx, ry, rz)
    px, py, pz = px + body_w[row, VEL], py + body_w[row, VEL + 1], pz + body_w[row, VEL + 2]
    j = row
    while j > 0:
        wx, wy, wz = body_w[j, OMEGA], body_w[j, OMEGA + 1], body_w[j, OMEGA + 2]
        vx, vy, vz = px - body_w[j, VEL], py - body_w[j, VEL + 1], pz - body_w[j, VEL + 2]
        for k in range(body_i[j, V0], body_i[j, V0] + body_i[j, NDOF]):
            sx, sy, sz = dof_w[k, S], dof_w[k, S + 1], dof_w[k, S + 2]
            ax, ay, az = cross(wx, wy, wz, sx, sy, sz)
            tx, ty, tz = cross(wx, wy, wz, dof_w[k, S + 3], dof_w[k, S + 4], dof_w[k, S + 5])
            bx, by, bz = cross(ax, ay, az, rx, ry, rz)
            cx, cy, cz = cross(sx, sy, sz, vx, vy, vz)
            J[0, k], J[1, k], J[2, k] = ax, ay, az
            J[3, k], J[4, k], J[5, k] = tx + bx + cx, ty + by + cy, tz + bz + cz
        rx, ry, rz = rx + body_w[j, ARM], ry + body_w[j, ARM + 1], rz + body_w[j, ARM + 2]
        j = body_i[j, PARENT]


WORK = lane_work(
    "JacobianWork",
    array("q", "nq", "", "positions"),
    array("v", "nv", "", "velocities"),
    array("J", "6 nv", "", "Jacobian, or its time derivative"),
)
carve = WORK.carve


@kernel(f"void({TREE}, i8, f8[::1], f8[:, ::1], f8[:, ::1], f8[::1])")
def jacobian_batch(body_i, body_f, row, point, q, J, work):
    """J (B, 6 * nv) of the point (3,) fixed to the body of the row, given in its frame."""
    w = carve(lanes_of(work), body_i.shape[0], q.shape[1], J.shape[1] // 6)
    fill(w.J, 0.0)
    for first in range(0, q.shape[0], WIDTH):
        load(q, first, w.q)
        place(body_i, body_f, w.q, w.body_w, w.dof_w)
        jacobian(body_i, row, point, w.J, w.body_w, w.dof_w)
        store(w.J.reshape(w.J.size), first, J)


@kernel(f"void({TREE}, i8, f8[::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[::1])")
def jacobian_rate_batch(body_i, body_f, row, point, q, v, J, work):
    """J (B, 6 * nv): the time derivative of the Jacobian along v."""
    w = carve(lanes_of(work), body_i.shape[0], q.shape[1], v.shape[1])
    fill(w.J, 0.0)
    for first in range(0, q.shape[0], WIDTH):
        load(q, first, w.q)
        load(v, first, w.v)
        place(body_i, body_f, w.q, w.body_w, w.dof_w)
        velocities(body_i, w.v, w.body_w, w.dof_w)
        jacobian_rate(body_i, row, point, w.J, w.body_w, w.dof_w)
        store(w.J.reshape(w.J.size), first, J)
