"""The equations of a step and of the loops together, for implicit methods (Arnold and Bruels 2007; index 3).

    ID(q(x), v(x), x) - G + J' lambda = 0,     Phi(q(x)) / cq = 0

for accelerations x and multipliers lambda, by Newton's method with [N J'; J -eps], N as in `dense.py`. The change of
J' lambda with q is left out: it is of the order h^2. A matrix serves from step to step, as long as the changes of x
shrink well with it.
"""

from numba import types

from gori.integrate.dense import linearise
from gori.integrate.lapack import solve, solve_again
from gori.integrate.trial import look_ahead, residual
from gori.integrate.work import (
    CQ,
    CV,
    DX,
    ITERATIONS,
    LAST,
    MADE_FOR,
    REFRESHED,
    RESIDUAL,
    SCALE,
    SPEED,
    STEPS,
    TIME,
    WHOLE,
    X,
    carve,
    size_of,
)
from gori.kernels.codes import NO_CONVERGENCE, NOT_FINITE, OK, SINGULAR
from gori.kernels.jit import block, kernel, part
from gori.kernels.loops import tables
from gori.kernels.loops.cuts import fill_jacobian, subtract_transposed
from gori.kernels.loops.system import largest, place_all
from gori.kernels.machine import data_type, machine_type
from gori.kernels.tree.columns import NQ

CLOSE, SMALLEST, ROUNDING, BLURRED = 1e-9, 1e-11, 1e-14, 1e-10
"""accelerations are found to this share of the largest, to this absolutely [rad/s2], and as well as positions [rad] can
be told from each other; those next to singular poses"""
SLOW, MOST = 0.3, 40
"""rate of contraction from which on the matrix is made anew, and number of trials"""


@part
def matrix(machine, data):
    """Room at the end of the loops' memory: [N J'; J -eps] (n, n) by columns, pivots (n,), right-hand side (n,)."""
    n = data.tau.shape[0] + machine.eq_i.shape[0]
    flat = data.loop
    start = flat.shape[0] - n * (n + 2)
    return (
        flat[start : start + n * n].reshape((n, n)),
        flat[start + n * n : start + n * n + n],
        flat[start + n * n + n : start + n * n + 2 * n],
    )


def matrix_size(nv: int, ne: int) -> int:
    return (nv + ne) * (nv + ne + 2)


@block
def fill_matrix(machine, m, work, A):
    nv, cut_i, path_i = work.vectors.shape[1], machine.cut_i, machine.path_i
    n = A.shape[0]
    for c in range(n):
        for r in range(n):
            A[c, r] = work.squares[0, c, r] if c < nv and r < nv else 0.0
    for c in range(cut_i.shape[0]):
        place, axes, at = cut_i[c, tables.PATH], cut_i[c, tables.AXES], cut_i[c, tables.JAC]
        for e in range(cut_i[c, tables.FIRST], cut_i[c, tables.FIRST] + cut_i[c, tables.EQUATIONS]):
            for k in range(axes):
                d = path_i[place + k]
                A[d, nv + e] += m.jac[at + k]
                A[nv + e, d] += m.jac[at + k]
            A[nv + e, nv + e] = -m.eps_m[e]
            at += axes


@kernel(types.int64(machine_type, data_type, types.float64[:, ::1], types.float64[::1]))
def closed_core(machine, data, memory, y):
    """X of a step, and the multipliers; the door that methods call by `machine.core`."""
    nz = y.shape[0] - machine.body_i[0, NQ] - data.tau.shape[0]
    work, m = carve(memory, machine, data, nz), tables.carve(machine, data)
    A, pivots, b = matrix(machine, data)
    head, vectors, nv = work.head, work.vectors, work.vectors.shape[1]
    x, dx = vectors[X], vectors[DX]
    head[STEPS] += 1.0
    for k in range(nv):
        x[k] = vectors[LAST, k]
    before, renew, fresh = 0.0, head[MADE_FOR] != head[CV], False
    for trial in range(MOST):
        if renew:
            code = linearise(machine, data, work, y, x)
            head[WHOLE] += 1.0
            head[REFRESHED] += nv
        else:
            code = residual(machine, data, work, y, x, x, vectors[RESIDUAL])
        if code != OK:
            return code
        head[ITERATIONS] += 1.0
        look_ahead(machine, work, y, x)
        place_all(machine, data, m, head[TIME], work.ahead, vectors[SPEED])
        fill_jacobian(machine, m, vectors[SPEED], data.values, data.body_w, data.dof_w)
        for k in range(nv):
            b[k] = -vectors[RESIDUAL, k]
        subtract_transposed(machine, m, m.lam, b[:nv])
        for e in range(m.lam.shape[0]):
            b[nv + e] = -m.gap[e] / head[CQ]
        if renew:
            fill_matrix(machine, m, work, A)
            if solve(A, pivots, b) != 0:
                return SINGULAR
            head[MADE_FOR] = head[CV]
        else:
            solve_again(A, pivots, b)
        for k in range(nv):
            dx[k] = b[k]
            x[k] += b[k]
        for e in range(m.lam.shape[0]):
            m.lam[e] += b[nv + e]
        size = size_of(dx, vectors[SCALE])
        if size * 0.0 != 0.0:
            return NOT_FINITE
        whole, rounding = size_of(x, vectors[SCALE]), ROUNDING * (1.0 + largest(work.ahead)) / head[CQ]
        if size <= CLOSE * whole + SMALLEST and (trial > 0 or largest(m.gap) <= m.head[tables.TOLERANCE]):
            return OK
        slow = before > 0.0 and not size < SLOW * before
        if (slow or trial > 3) and size <= 10.0 * rounding:
            return OK
        if slow and fresh and size <= BLURRED / ROUNDING * rounding:
            return OK  # with a new matrix too: rounding, as singular poses enlarge it
        before, fresh = size, renew
        renew = slow and not fresh
    return NO_CONVERGENCE
