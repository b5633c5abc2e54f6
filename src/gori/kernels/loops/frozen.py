"""Frozen factors: exact equations, corrected with factors that are reused.

Accelerations and multipliers at every evaluation, positions and velocities after each step, are corrected by
[M J'; J -eps] of an earlier pose until the equations hold:

    [M J'; J -eps]_0 (dq, .) = (0, -Phi(q)),        (dv, .) = (0, -(J v - nu)),
    (da, dlambda) = (tau - ID(q, v, a) - J' lambda, -(J a + gamma))

from the accelerations and multipliers of the last evaluations, carried on, and at least once. The first correction
costs one inverse dynamics, those that follow one product with M, and none of them factors. They end when what is left,
by the share by which they shrink, is within the accuracy. When they converge too slowly, factors are recomputed at the
current pose.
"""

from gori.kernels.accelerations import q_rate
from gori.kernels.codes import NO_CONVERGENCE, NOT_CLOSED, NOT_FINITE, OK
from gori.kernels.forces.apply import advance_subsystems
from gori.kernels.jit import kernel, part
from gori.kernels.loops.cuts import cut_accelerations, fill_jacobian, jacobian_times, subtract_transposed
from gori.kernels.loops.departure import depart, departs
from gori.kernels.loops.factors import substitute
from gori.kernels.loops.multipliers import evaluate_apart
from gori.kernels.loops.system import BLURRED, SLOW, balance, close, drive_power, factor_mass, place_all, split, stands
from gori.kernels.machine import PROJECT, PROJECT_AND_EVALUATE, RATES, SOLVER
from gori.kernels.tree.columns import D_INV
from gori.kernels.tree.rnea import inertia_product

SHARE_ROUNDING, LEAST = 1e-11, 1e-3
"""corrections below this share of the accelerations give no contraction rate; smallest rate assumed"""
MEASURED = 64
"""evaluations after which the contraction rate is measured again"""
WARY = 0.1
"""pivot below which factors are made at every evaluation"""


@part
def extrapolate(m, t):
    """Accelerations and multipliers to start from at t: those of the last two evaluations at ends of steps, carried on
    in a straight line.
    """
    head, state = m.head[0], m.state
    gone = head.time_last - head.time_before
    share = (t - head.time_last) / gone if gone > 0.0 else 0.0
    share = share if 0.0 < share < 2.0 else 0.0
    for j in range(state.accelerations.shape[0]):
        now = state.accelerations[j]
        state.accelerations[j] += share * (now - state.accelerations_before[j])
        state.accelerations_before[j] = now
    for e in range(state.multipliers.shape[0]):
        now = state.multipliers[e]
        state.multipliers[e] += share * (now - state.multipliers_before[e])
        state.multipliers_before[e] = now
    head.time_before, head.time_last = head.time_last, t


@part
def unbalance(machine, data, m, t, q, v, z, zdot):
    """force = tau - ID(q, v, a) - J' lambda and gamma = J a + gamma for the accelerations and multipliers that are
    there. Returns a result code.
    """
    code = balance(machine, data, t, q, v, z, zdot, m.state.accelerations, m.work.force)
    if code != OK:
        return code
    subtract_transposed(machine, m.work, m.state.multipliers, m.work.force)
    cut_accelerations(machine, m.work, m.state.accelerations, data.values, data.body_w, m.work.gamma)
    return OK


@kernel(SOLVER)
def frozen(machine, data, t, y, k, what):
    m, s = data.loops, machine.pattern
    head, settings, state, work = m.head[0], m.settings[0], m.state, m.work
    nv, n = data.tau.shape[0], data.tau.shape[0] + machine.equation.shape[0]
    q, v, z = split(machine, data, y)
    if what != RATES:
        blurred = head.mass_factors != 0 and head.pivot < BLURRED
        if not blurred and not close(machine, data, m, t, q, v, False):
            return NOT_CLOSED
        if what == PROJECT:
            return OK
        code = advance_subsystems(machine, data, t, q, v)
        if code != OK:
            return code
    dq, qdd, zdot = split(machine, data, k)
    q_rate(machine.body_i, q, v, dq)
    if departs(m, t, q, v, what):
        return depart(machine, data, t, q, v, z, zdot, qdd)
    if head.known == 0 or head.pivot < WARY:  # nothing to start from, or on the way to a singular pose
        code = evaluate_apart(machine, data, t, q, v, z, zdot, qdd)
        head.contraction, head.time_last, head.time_before = SLOW, t, t
        return code
    if not stands(m, q, v):
        work.standing[0] = 0.0
        place_all(machine, data, m, t, q, v)
        fill_jacobian(machine, work, v, data.values, data.body_w, data.dof_w)
    if what == PROJECT_AND_EVALUATE:
        extrapolate(m, t)

    head.evaluations += 1
    measure = head.evaluations % MEASURED == 0
    code = unbalance(machine, data, m, t, q, v, z, zdot)
    if code != OK:
        return code
    before, renewed = 0.0, False
    for trial in range(30):
        for j in range(n):
            d = s.order[j]
            work.x[j] = work.force[d] if d < nv else -work.gamma[d - nv]
        substitute(s, m, n)
        size, most = 0.0, 0.0
        for j in range(n):
            d = s.order[j]
            if d < nv:
                work.move[d] = work.x[j]
                state.accelerations[d] += work.x[j]
                most = max(most, abs(state.accelerations[d]))
                if abs(work.x[j]) > size or work.x[j] * 0.0 != 0.0:
                    size = abs(work.x[j])
            else:
                work.slip[d - nv] = work.x[j]
                state.multipliers[d - nv] += work.x[j]
        head.corrections += 1
        if size * 0.0 != 0.0:
            return NOT_FINITE
        slow = before > 0.0 and not size < SLOW * before
        if before > 0.0 and size > SHARE_ROUNDING * (1.0 + most):
            head.contraction = min(max(size / before, 0.5 * head.contraction, LEAST), SLOW)
        rest = size if trial == 0 and measure else size * head.contraction
        if rest <= settings.acceleration_tolerance * (1.0 + most):
            for j in range(nv):
                qdd[j] = state.accelerations[j]
                data.dof_w[j, D_INV] = 1.0
            data.power[0] += drive_power(machine, state.multipliers, data.values)
            return OK
        if slow and not renewed:
            factor_mass(machine, data, m)
            head.contraction = SLOW
            renewed, before = True, 0.0
            code = unbalance(machine, data, m, t, q, v, z, zdot)
            if code != OK:
                return code
        else:
            # what the correction leaves: forces are as they were, all else is linear
            before = size
            inertia_product(machine.body_i, machine.body_f, work.move, work.product, data.body_w, data.dof_w)
            for j in range(nv):
                work.force[j] -= work.product[j]
            subtract_transposed(machine, work, work.slip, work.force)
            jacobian_times(machine, work, work.move, work.slip)
            for e in range(work.gamma.shape[0]):
                work.gamma[e] += work.slip[e]
    return NO_CONVERGENCE
