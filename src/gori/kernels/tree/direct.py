"""Forward dynamics by the direct method: M qdd = tau - bias, with M = L' D L.

L has an entry only where one degree of freedom carries the other, so a branched machine has no fill-in
(Featherstone 2008, section 6.5: branch-induced sparsity). L replaces the lower triangle of M, D its diagonal.
"""

from gori.kernels.jit import kernel, part
from gori.kernels.lanes import WIDTH, above, lanes_of
from gori.kernels.layout import array
from gori.kernels.tree import rnea as dynamics
from gori.kernels.tree.aba import GROWTH, ROUNDING
from gori.kernels.tree.batch import fill, lane_work, store
from gori.kernels.tree.columns import ART, DOF_BODY, DOF_PARENT, KIND, MASS, NDOF, V0, S
from gori.kernels.tree.crba import M as MASS_BELOW
from gori.kernels.tree.crba import crba
from gori.kernels.tree.inverse_mass import six
from gori.kernels.tree.joints import only_turns
from gori.kernels.tree.rnea import BATCH, load_dynamics, rnea


@part
def floors(body_i, body_w, dof_w, floor):
    """Pivots (nv,) up to which they are rounding, after `crba`: ROUNDING times the inertia that an axis carries."""
    for i in range(1, body_i.shape[0]):
        turning = ROUNDING * (body_w[i, ART] + body_w[i, ART + 1] + body_w[i, ART + 2])
        turns = only_turns(body_i[i, KIND])
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            floor[k] = turning
            if not turns:
                sx, sy, sz, tx, ty, tz = six(dof_w, k, S)
                sliding = ROUNDING * (tx * tx + ty * ty + tz * tz) * body_w[i, MASS_BELOW]
                floor[k] = (sx * sx + sy * sy + sz * sz) * turning + sliding


@part
def factorise(body_f, dof_i, floor, M):
    """M = L' D L in place, lower triangle; D is NaN where it is not above the floor (nv,), which grows as in `aba`."""
    for k in range(dof_i.shape[0] - 1, -1, -1):
        M[k, k] = above(M[k, k], floor[k])
        inverse = 1.0 / M[k, k]
        i, near = dof_i[k, DOF_PARENT], True
        while i >= 0:
            factor = M[k, i] * inverse
            near = near and (dof_i[i, DOF_BODY] == dof_i[k, DOF_BODY] or body_f[dof_i[i, DOF_BODY], MASS] == 0.0)
            if near:
                floor[i] += GROWTH * floor[k] * factor * factor
            j = i
            while j >= 0:
                M[i, j] -= factor * M[k, j]
                j = dof_i[j, DOF_PARENT]
            M[k, i] = factor
            i = dof_i[i, DOF_PARENT]


@part
def solve(dof_i, L, x):
    """x = M^-1 x with the factors of `factorise`."""
    for i in range(dof_i.shape[0] - 1, -1, -1):
        j = dof_i[i, DOF_PARENT]
        while j >= 0:
            x[j] -= L[i, j] * x[i]
            j = dof_i[j, DOF_PARENT]
    for i in range(dof_i.shape[0]):
        x[i] /= L[i, i]
        j = dof_i[i, DOF_PARENT]
        while j >= 0:
            x[i] -= L[i, j] * x[j]
            j = dof_i[j, DOF_PARENT]


WORK = lane_work(
    "DirectWork",
    *dynamics.WORK.arrays[2:],
    array("zero", "nv", "", "zeros"),
    array("floor", "nv", "", "pivots up to which they are rounding"),
    array("mass", "nv nv", "", "mass matrix, then its factors"),
    sizes=("nw",),
)
carve = WORK.carve


@part
def direct(body_i, body_f, dof_i, wrench_at, w):
    """Accelerations w.found for joint forces w.given, with arrays of the workspace."""
    qdd = w.found
    rnea(body_i, body_f, w.q, w.v, w.zero, wrench_at, w.wrench, qdd, w.body_w, w.dof_w)
    crba(body_i, body_f, w.q, w.mass, w.body_w, w.dof_w)
    for k in range(qdd.shape[0]):
        qdd[k] = w.given[k] - qdd[k]
    floors(body_i, w.body_w, w.dof_w, w.floor)
    factorise(body_f, dof_i, w.floor, w.mass)
    solve(dof_i, w.mass, qdd)


@kernel(f"void(i8[:, ::1], {BATCH})")
def direct_batch(dof_i, body_i, body_f, wrench_at, q, v, tau, wrench, qdd, work):
    """qdd (B, nv) of rows of states, NaN of those where an axis moves no inertia; wrenches as in `rnea_batch`."""
    w = carve(lanes_of(work), body_i.shape[0], q.shape[1], v.shape[1], wrench_at.shape[0])
    fill(w.zero, 0.0)
    fill(w.mass, 0.0)
    for first in range(0, q.shape[0], WIDTH):
        load_dynamics(q, v, tau, wrench, first, w)
        direct(body_i, body_f, dof_i, wrench_at, w)
        store(w.found, first, qdd)
