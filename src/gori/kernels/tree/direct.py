"""Forward dynamics by the direct method: M qdd = tau - bias, with M = L' D L.

L has an entry only where one degree of freedom carries the other, so a branched machine has no fill-in
(Featherstone 2008, section 6.5: branch-induced sparsity). L replaces the lower triangle of M, D its diagonal.
"""

import math

from gori.kernels.jit import kernel, part
from gori.kernels.lanes import WIDTH, all_positive, lanes_of
from gori.kernels.layout import array
from gori.kernels.tree import rnea as dynamics
from gori.kernels.tree.batch import fill, lane_work, store
from gori.kernels.tree.columns import DOF_PARENT
from gori.kernels.tree.crba import crba
from gori.kernels.tree.rnea import BATCH, load_dynamics, rnea


@part
def factorise(dof_i, M):
    """M = L' D L in place, lower triangle."""
    for k in range(dof_i.shape[0] - 1, -1, -1):
        inverse = 1.0 / M[k, k]
        i = dof_i[k, DOF_PARENT]
        while i >= 0:
            factor = M[k, i] * inverse
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


@part
def positive_diagonal(L):
    for k in range(L.shape[0]):
        if not all_positive(L[k, k]):
            return False
    return True


WORK = lane_work(
    "DirectWork",
    *dynamics.WORK.arrays[2:],
    array("zero", "nv", "", "zeros"),
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
    factorise(dof_i, w.mass)
    solve(dof_i, w.mass, qdd)


@kernel(f"void(i8[:, ::1], {BATCH})")
def direct_batch(dof_i, body_i, body_f, wrench_at, q, v, tau, wrench, qdd, work):
    """qdd (B, nv) of rows of states; wrenches as in `rnea_batch`."""
    w = carve(lanes_of(work), body_i.shape[0], q.shape[1], v.shape[1], wrench_at.shape[0])
    fill(w.zero, 0.0)
    fill(w.mass, 0.0)
    for first in range(0, q.shape[0], WIDTH):
        load_dynamics(q, v, tau, wrench, first, w)
        direct(body_i, body_f, dof_i, wrench_at, w)
        if not positive_diagonal(w.mass):
            fill(w.found, math.nan)
        store(w.found, first, qdd)
