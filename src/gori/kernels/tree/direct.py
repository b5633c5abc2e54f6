"""Forward dynamics by the direct method: M qdd = tau - bias, with M = L' D L.

L has an entry only where one degree of freedom carries the other, so a branched machine fills in nothing
(Featherstone 2008, section 6.5: branch-induced sparsity). L replaces the lower triangle of M, D its diagonal.
"""

import math

from gori.kernels.jit import kernel, part
from gori.kernels.lanes import WIDTH, all_positive, lanes
from gori.kernels.tree.batch import load, store
from gori.kernels.tree.columns import DOF_PARENT
from gori.kernels.tree.crba import crba
from gori.kernels.tree.rnea import TREE, rnea


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


@part
def direct(body_i, body_f, dof_i, q, v, tau, wrench_at, wrench, qdd, zero, M, body_w, dof_w):
    """Accelerations qdd (nv,); zero (nv,) holds zeros, M (nv, nv) becomes the factors."""
    rnea(body_i, body_f, q, v, zero, wrench_at, wrench, qdd, body_w, dof_w)
    crba(body_i, body_f, q, M, body_w, dof_w)
    for k in range(qdd.shape[0]):
        qdd[k] = tau[k] - qdd[k]
    factorise(dof_i, M)
    solve(dof_i, M, qdd)


@kernel(
    f"void({TREE}, i8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1],"
    " f8[:, :, ::1], f8[:, :, ::1], f8[:, ::1], f8[:, ::1], i8, i8)"
)
def direct_batch(body_i, body_f, dof_i, q, v, tau, wrench_at, wrench, qdd, body_w, dof_w, buffer, square, start, stop):
    nq, nv, nw = q.shape[1], v.shape[1], wrench_at.shape[0]
    q8, v8, tau8, zero8 = (
        buffer[:nq],
        buffer[nq : nq + nv],
        buffer[nq + nv : nq + 2 * nv],
        buffer[nq + 2 * nv : nq + 3 * nv],
    )
    qdd8 = buffer[nq + 3 * nv : nq + 4 * nv]
    wrench8 = buffer[nq + 4 * nv : nq + 4 * nv + 6 * nw]
    zero8[:] = 0.0
    square[:] = 0.0
    for first in range(start, stop, WIDTH):
        load(q, first, q8)
        load(v, first, v8)
        load(tau, first, tau8)
        load(wrench, first, wrench8)
        direct(
            body_i, body_f, dof_i, lanes(q8), lanes(v8), lanes(tau8), wrench_at, lanes(wrench8.reshape((nw, 6, WIDTH))),
            lanes(qdd8), lanes(zero8), lanes(square.reshape((nv, nv, WIDTH))), lanes(body_w), lanes(dof_w),
        )  # fmt: skip
        if not positive_diagonal(lanes(square.reshape((nv, nv, WIDTH)))):
            qdd8[:] = math.nan
        store(qdd8, first, qdd)
