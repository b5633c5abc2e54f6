"""Frozen factors: equations that are exact, corrected with factors that are made once and kept.

Accelerations and multipliers at every evaluation, positions and velocities after each step, are corrected by
[M J'; J -eps] of an earlier pose until the equations hold:

    [M J'; J -eps]_0 (dq, .) = (0, -Phi(q)),        (dv, .) = (0, -(J v - nu)),
    (da, dlambda) = (tau - ID(q, v, a) - J' lambda, -(J a + gamma))

from the accelerations and multipliers of the last evaluations, carried on, and at least once. The first correction
costs one inverse dynamics, those that follow one product with M, and none of them factors. They end when what is left,
by the share by which they shrink, is within the accuracy. When they shrink too slowly, factors are made where the
machine is now.
"""

from gori.kernels.accelerations import q_rate
from gori.kernels.codes import NO_CONVERGENCE, NOT_CLOSED, NOT_FINITE, OK
from gori.kernels.forces.apply import advance_outside
from gori.kernels.jit import kernel, part
from gori.kernels.loops.cuts import cut_accelerations, fill_jacobian, jacobian_times, subtract_transposed
from gori.kernels.loops.factors import substitute
from gori.kernels.loops.multipliers import evaluate_apart
from gori.kernels.loops.system import SLOW, balance, close, factor_mass, place_all, split, stands
from gori.kernels.loops.tables import (
    ACCURACY,
    CORRECTED,
    EVALUATED,
    FORMER,
    KNOWN,
    LATEST,
    PIVOT,
    SHRINKS,
    STANDS,
    carve,
)
from gori.kernels.machine import LAND, RATES, SETTLE, SOLVER
from gori.kernels.tree.columns import D_INV
from gori.kernels.tree.rnea import inertia_product

ROUNDING, LEAST = 1e-11, 1e-3
"""corrections below this share of the accelerations tell nothing of how they shrink; the best share that is believed"""
MEASURED = 64.0
"""evaluations after which it is looked anew how corrections shrink"""
WARY = 0.1
"""pivot below which factors are made at every evaluation"""


@part
def carry_on(m, t):
    """Accelerations and multipliers to start from at t: those of the last two evaluations at ends of steps, carried on
    in a straight line.
    """
    gone = m.head[LATEST] - m.head[FORMER]
    share = (t - m.head[LATEST]) / gone if gone > 0.0 else 0.0
    share = share if 0.0 < share < 2.0 else 0.0
    for j in range(m.accel.shape[0]):
        now = m.accel[j]
        m.accel[j] += share * (now - m.former[j])
        m.former[j] = now
    for e in range(m.lam.shape[0]):
        now = m.lam[e]
        m.lam[e] += share * (now - m.lam_former[e])
        m.lam_former[e] = now
    m.head[FORMER], m.head[LATEST] = m.head[LATEST], t


@part
def unbalance(machine, data, m, t, q, v, z, zdot):
    """force = tau - ID(q, v, a) - J' lambda and gamma = J a + gamma for the accelerations and multipliers that are
    there. Returns a result code.
    """
    code = balance(machine, data, t, q, v, z, zdot, m.accel, m.force)
    if code != OK:
        return code
    subtract_transposed(machine, m, m.lam, m.force)
    cut_accelerations(machine, m, m.accel, data.values, data.body_w, m.gamma)
    return OK


@kernel(SOLVER)
def frozen(machine, data, t, y, k, what):
    m, s = carve(machine, data), machine.sparse_i
    nv, n = data.tau.shape[0], data.tau.shape[0] + machine.eq_i.shape[0]
    q, v, z = split(machine, data, y)
    if what != RATES:
        if not close(machine, data, m, t, q, v, False):
            return NOT_CLOSED
        if what == SETTLE:
            return OK
        code = advance_outside(machine, data, t, q, v, z)
        if code != OK:
            return code
    dq, qdd, zdot = split(machine, data, k)
    q_rate(machine.body_i, q, v, dq)
    if m.head[KNOWN] == 0.0 or m.head[PIVOT] < WARY:  # nothing to start from, or on the way to a singular pose
        code = evaluate_apart(machine, data, t, q, v, z, zdot, qdd)
        m.head[SHRINKS], m.head[LATEST], m.head[FORMER] = SLOW, t, t
        return code
    if not stands(m, q, v):
        m.head[STANDS] = 0.0
        place_all(machine, data, m, t, q, v)
        fill_jacobian(machine, m, v, data.values, data.body_w, data.dof_w)
    if what == LAND:
        carry_on(m, t)

    m.head[EVALUATED] += 1.0
    measure = m.head[EVALUATED] % MEASURED == 0.0
    code = unbalance(machine, data, m, t, q, v, z, zdot)
    if code != OK:
        return code
    before, renewed = 0.0, False
    for trial in range(30):
        for j in range(n):
            d = s[3 + j]
            m.x[j] = m.force[d] if d < nv else -m.gamma[d - nv]
        substitute(s, m, n)
        size, most = 0.0, 0.0
        for j in range(n):
            d = s[3 + j]
            if d < nv:
                m.move[d] = m.x[j]
                m.accel[d] += m.x[j]
                most = max(most, abs(m.accel[d]))
                if abs(m.x[j]) > size or m.x[j] * 0.0 != 0.0:
                    size = abs(m.x[j])
            else:
                m.slip[d - nv] = m.x[j]
                m.lam[d - nv] += m.x[j]
        m.head[CORRECTED] += 1.0
        if size * 0.0 != 0.0:
            return NOT_FINITE
        slow = before > 0.0 and not size < SLOW * before
        if before > 0.0 and size > ROUNDING * (1.0 + most):
            m.head[SHRINKS] = min(max(size / before, 0.5 * m.head[SHRINKS], LEAST), SLOW)
        rest = size if trial == 0 and measure else size * m.head[SHRINKS]
        if rest <= m.head[ACCURACY] * (1.0 + most):
            for j in range(nv):
                qdd[j] = m.accel[j]
                data.dof_w[j, D_INV] = 1.0
            return OK
        if slow and not renewed:
            factor_mass(machine, data, m)
            m.head[SHRINKS] = SLOW
            renewed, before = True, 0.0
            code = unbalance(machine, data, m, t, q, v, z, zdot)
            if code != OK:
                return code
        else:
            # what the correction leaves: forces are as they were, all else is linear
            before = size
            inertia_product(machine.body_i, machine.body_f, m.move, m.product, data.body_w, data.dof_w)
            for j in range(nv):
                m.force[j] -= m.product[j]
            subtract_transposed(machine, m, m.slip, m.force)
            jacobian_times(machine, m, m.move, m.slip)
            for e in range(m.gamma.shape[0]):
                m.gamma[e] += m.slip[e]
    return NO_CONVERGENCE
