"""Frozen factors: equations that are exact, corrected with factors that are made once and kept.

Accelerations and multipliers at every evaluation, positions and velocities after each step, are corrected by
[M J'; J -eps] of an earlier pose until the equations hold:

    [M J'; J -eps]_0 (dq, .) = (0, -Phi(q)),        (dv, .) = (0, -(J v - nu)),
    (da, dlambda) = (tau - ID(q, v, a) - J' lambda, -(J a + gamma))

from the accelerations and multipliers of the last evaluation, at least once. A correction costs one inverse dynamics
and no factors. When corrections shrink too slowly, factors are made where the machine is now.
"""

from gori.kernels.accelerations import NO_CONVERGENCE, NOT_CLOSED, NOT_FINITE, OK, q_rate
from gori.kernels.columns import D_INV
from gori.kernels.jit import kernel
from gori.kernels.loops.cuts import cut_accelerations, fill_jacobian, subtract_transposed
from gori.kernels.loops.factors import substitute
from gori.kernels.loops.multipliers import evaluate_apart
from gori.kernels.loops.system import SLOW, balance, close, factor_mass, place_all, split, stands
from gori.kernels.loops.tables import CORRECTED, EVALUATED, KNOWN, PIVOT, STANDS, carve
from gori.kernels.machine import RATES, SETTLE, SOLVER

CLOSE = 1e-10
"""accelerations are found to this share of the largest"""
WARY = 0.1
"""pivot below which factors are made at every evaluation"""


@kernel(SOLVER)
def frozen(machine, scratch, t, y, k, what):
    m, s = carve(machine, scratch), machine.sparse_i
    nv, n = scratch.tau.shape[0], scratch.tau.shape[0] + machine.eq_i.shape[0]
    q, v, z = split(machine, scratch, y)
    if what != RATES:
        if not close(machine, scratch, m, t, q, v, False):
            return NOT_CLOSED
        if what == SETTLE:
            return OK
    dq, qdd, zdot = split(machine, scratch, k)
    if m.head[KNOWN] == 0.0 or m.head[PIVOT] < WARY:  # nothing to start from, or on the way to a singular pose
        q_rate(machine.body_i, q, v, dq)
        code = evaluate_apart(machine, scratch, t, q, v, z, zdot, qdd)
        for j in range(nv):
            m.accel[j] = qdd[j]
        return code
    q_rate(machine.body_i, q, v, dq)
    if not stands(m, q, v):
        m.head[STANDS] = 0.0
        place_all(machine, scratch, m, t, q, v)
        fill_jacobian(machine, m, v, scratch.values, scratch.body_w, scratch.dof_w)

    m.head[EVALUATED] += 1.0
    before, renewed = 0.0, False
    for _ in range(30):
        code = balance(machine, scratch, t, q, v, z, zdot, m.accel, m.force)
        if code != OK:
            return code
        subtract_transposed(machine, m, m.lam, m.force)
        cut_accelerations(machine, m, m.accel, scratch.values, scratch.body_w, m.gamma)
        for j in range(n):
            d = s[3 + j]
            m.x[j] = m.force[d] if d < nv else -m.gamma[d - nv]
        substitute(s, m, n)
        size, most = 0.0, 0.0
        for j in range(n):
            d = s[3 + j]
            if d < nv:
                m.accel[d] += m.x[j]
                most = max(most, abs(m.accel[d]))
                if abs(m.x[j]) > size or m.x[j] * 0.0 != 0.0:
                    size = abs(m.x[j])
            else:
                m.lam[d - nv] += m.x[j]
        m.head[CORRECTED] += 1.0
        if size * 0.0 != 0.0:
            return NOT_FINITE
        if size <= CLOSE * (1.0 + most):
            for j in range(nv):
                qdd[j] = m.accel[j]
                scratch.dof_w[j, D_INV] = 1.0
            return OK
        if before > 0.0 and not size < SLOW * before and not renewed:
            factor_mass(machine, scratch, m)
            renewed = True
            before = 0.0
        else:
            before = size
    return NO_CONVERGENCE
