"""What a machine has as a whole: energy, momentum, centre of mass.

T = 1/2 sum (m v.v + 2 v.(w x h) + w.J w) + 1/2 sum armature qd^2      h = m c, about each body's origin
V = - g . sum (m p + h)
P = sum (m v + w x h),   L about the centre of mass
"""

from gori.kernels.jit import kernel, part
from gori.kernels.lanes import WIDTH, lanes_of
from gori.kernels.layout import array
from gori.kernels.tree.batch import lane_work, load, store
from gori.kernels.tree.columns import ARMATURE, COM, GRAVITY, INERTIA, MASS, NDOF, OMEGA, P_WB, V0, VEL
from gori.kernels.tree.kinematics import cross, place, positions, turn, turn_back, velocities
from gori.kernels.tree.rnea import TREE, symmetric_times

KINETIC, POTENTIAL, CENTER, ANGULAR, LINEAR = 0, 1, 2, 5, 8
N_TOTALS = 11


@part
def momentum(i, body_f, body_w):
    """Angular momentum of body i about its origin, and linear momentum, world axes."""
    m = body_f[i, MASS]
    hx, hy, hz = turn(body_w, i, m * body_f[i, COM], m * body_f[i, COM + 1], m * body_f[i, COM + 2])
    wx, wy, wz = body_w[i, OMEGA], body_w[i, OMEGA + 1], body_w[i, OMEGA + 2]
    vx, vy, vz = body_w[i, VEL], body_w[i, VEL + 1], body_w[i, VEL + 2]
    x, y, z = turn_back(body_w, i, wx, wy, wz)
    x, y, z = symmetric_times(body_f, INERTIA, i, x, y, z)
    lx, ly, lz = turn(body_w, i, x, y, z)
    x, y, z = cross(hx, hy, hz, vx, vy, vz)
    px, py, pz = cross(wx, wy, wz, hx, hy, hz)
    return lx + x, ly + y, lz + z, px + m * vx, py + m * vy, pz + m * vz


@part
def totals(body_i, body_f, q, v, out, body_w, dof_w):
    """out (N_TOTALS,): kinetic and potential energy, centre of mass, angular momentum about it, linear momentum."""
    place(body_i, body_f, q, body_w, dof_w)
    positions(body_i, body_w)
    velocities(body_i, v, body_w, dof_w)
    for k in range(N_TOTALS):
        out[k] = 0.0

    # first moments and energies
    mass = 0.0
    for i in range(body_i.shape[0]):
        m = body_f[i, MASS]
        mass += m
        hx, hy, hz = turn(body_w, i, m * body_f[i, COM], m * body_f[i, COM + 1], m * body_f[i, COM + 2])
        out[CENTER] += m * body_w[i, P_WB] + hx
        out[CENTER + 1] += m * body_w[i, P_WB + 1] + hy
        out[CENTER + 2] += m * body_w[i, P_WB + 2] + hz
        lx, ly, lz, px, py, pz = momentum(i, body_f, body_w)
        out[KINETIC] += 0.5 * (
            lx * body_w[i, OMEGA] + ly * body_w[i, OMEGA + 1] + lz * body_w[i, OMEGA + 2]
            + px * body_w[i, VEL] + py * body_w[i, VEL + 1] + pz * body_w[i, VEL + 2]
        )  # fmt: skip
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            out[KINETIC] += 0.5 * body_f[i, ARMATURE] * v[k] * v[k]
    for k in range(3):
        out[POTENTIAL] -= body_f[0, GRAVITY + k] * out[CENTER + k]
        out[CENTER + k] *= 1.0 / mass if mass > 0.0 else 0.0

    # momentum about the centre of mass
    for i in range(body_i.shape[0]):
        lx, ly, lz, px, py, pz = momentum(i, body_f, body_w)
        x, y, z = cross(
            body_w[i, P_WB] - out[CENTER], body_w[i, P_WB + 1] - out[CENTER + 1], body_w[i, P_WB + 2] - out[CENTER + 2],
            px, py, pz,
        )  # fmt: skip
        out[ANGULAR] += lx + x
        out[ANGULAR + 1] += ly + y
        out[ANGULAR + 2] += lz + z
        out[LINEAR] += px
        out[LINEAR + 1] += py
        out[LINEAR + 2] += pz


WORK = lane_work(
    "TotalsWork",
    array("q", "nq", "", "positions"),
    array("v", "nv", "", "velocities"),
    array("out", str(N_TOTALS), "", "energies, centre of mass, momentum"),
)
carve = WORK.carve


@kernel(f"void({TREE}, f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[::1])")
def totals_batch(body_i, body_f, q, v, out, work):
    """out (B, N_TOTALS) of rows of states."""
    w = carve(lanes_of(work), body_i.shape[0], q.shape[1], v.shape[1])
    for first in range(0, q.shape[0], WIDTH):
        load(q, first, w.q)
        load(v, first, w.v)
        totals(body_i, body_f, w.q, w.v, w.out, w.body_w, w.dof_w)
        store(w.out, first, out)
