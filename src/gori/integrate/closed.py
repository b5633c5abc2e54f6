"""The equations of a step and of the loops together, for implicit methods (Arnold and Bruels 2007; index 3).

    ID(q(x), v(x), x) - G + J' lambda = 0,     Phi(q(x)) / cq = 0

for accelerations x and multipliers lambda, by Newton's method with [N J'; J -eps], N as in `dense.py`. The change of
J' lambda with q is neglected: it is O(h^2). A matrix is reused from step to step as long as the changes of x converge
well with it.
"""

from numba import types

from gori.integrate.dense import linearise
from gori.integrate.implicit_memory import ImplicitMemory, size_of
from gori.integrate.lapack import solve, solve_again
from gori.integrate.step_equations import end_state, residual
from gori.kernels.codes import NO_CONVERGENCE, NOT_FINITE, OK, SINGULAR
from gori.kernels.jit import block, kernel
from gori.kernels.loops.cuts import fill_jacobian, subtract_transposed
from gori.kernels.loops.system import SLOW, largest, place_all
from gori.kernels.machine import data_type, machine_type

CLOSE_ENOUGH, LEAST_CHANGE, POSITION_ROUNDING, SINGULAR_ROUNDING = 1e-9, 1e-11, 1e-14, 1e-10
"""tolerance of accelerations relative to the largest, and absolute [rad/s2], and as well as positions [rad] can
be resolved; those near singular poses"""
TRIALS = 40


@block
def fill_matrix(machine, jac, eps, N, A):
    """A = [N J'; J -eps], by columns."""
    nv, cut, path = N.shape[0], machine.cut, machine.path
    n = A.shape[0]
    for c in range(n):
        for r in range(n):
            A[c, r] = N[c, r] if c < nv and r < nv else 0.0
    for c in range(cut.shape[0]):
        place, axes, at = cut[c].path, cut[c].axes, cut[c].jac
        for e in range(cut[c].first, cut[c].first + cut[c].equations):
            for k in range(axes):
                d = path[place + k]
                A[d, nv + e] += jac[at + k]
                A[nv + e, d] += jac[at + k]
            A[nv + e, nv + e] = -eps[e]
            at += axes


@kernel(types.int64(machine_type, data_type, ImplicitMemory.type, types.float64[::1]))
def closed_core(machine, data, memory, y):
    """x of a step, and the multipliers; methods call it by its address, `machine.core`."""
    loop, state, work, jacobian = data.loops, memory.state, memory.work, memory.dense.jacobian
    head, step, nv = memory.head[0], memory.step[0], data.tau.shape[0]
    A, pivots, b, multipliers = state.closed_matrix, state.closed_pivots, work.closed_rhs, loop.state.multipliers
    x, dx, ne = work.x, work.dx, multipliers.shape[0]
    head.steps += 1
    for k in range(nv):
        x[k] = state.last[k]
    before, renew, fresh = 0.0, head.made_for != step.cv, False
    for trial in range(TRIALS):
        if renew:
            code = linearise(machine, data, memory, y, x)
            head.whole += 1
            head.refreshed += nv
        else:
            code = residual(machine, data, memory, y, x, x, work.residual)
        if code != OK:
            return code
        head.iterations += 1
        end_state(machine, memory, work, y, x)
        place_all(machine, data, loop, step.end_time, work.q_end, work.v_end)
        fill_jacobian(machine, loop.work, work.v_end, data.values, data.body_w, data.dof_w)
        for k in range(nv):
            b[k] = -work.residual[k]
        subtract_transposed(machine, loop.work, multipliers, b[:nv])
        for e in range(ne):
            b[nv + e] = -loop.work.gap[e] / step.cq
        if renew:
            fill_matrix(machine, loop.work.jac, loop.state.eps_mass, jacobian, A)
            if solve(A, pivots, b) != 0:
                return SINGULAR
            head.made_for = step.cv
        else:
            solve_again(A, pivots, b)
        for k in range(nv):
            dx[k] = b[k]
            x[k] += b[k]
        for e in range(ne):
            multipliers[e] += b[nv + e]
        size = size_of(dx, work.axis_scale)
        if size * 0.0 != 0.0:
            return NOT_FINITE
        whole, rounding = size_of(x, work.axis_scale), POSITION_ROUNDING * (1.0 + largest(work.q_end)) / step.cq
        closes = trial > 0 or largest(loop.work.gap) <= loop.settings[0].position_tolerance
        if size <= CLOSE_ENOUGH * whole + LEAST_CHANGE and closes:
            return OK
        slow = before > 0.0 and not size < SLOW * before
        if (slow or trial > 3) and size <= 10.0 * rounding:
            return OK
        if slow and fresh and size <= SINGULAR_ROUNDING / POSITION_ROUNDING * rounding:
            return OK  # with a new matrix too: rounding, as singular poses enlarge it
        before, fresh = size, renew
        renew = slow and not fresh
    return NO_CONVERGENCE
