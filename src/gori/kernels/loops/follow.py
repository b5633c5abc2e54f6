"""Dependent coordinates that follow the independent ones: q_w from Phi(q_v, q_w) = 0, qd_w from Jv qd_v + Jw qd_w = nu.

By Newton's method with sparse factors of [1 Jw'; Jw -eps], from the dependent values that come along with a step: the
change is the smallest that closes the loops, and the branch next to the start is kept.
"""

from gori.kernels.codes import NOT_CLOSED, OK
from gori.kernels.jit import block, part
from gori.kernels.loops.cuts import fill_jacobian, slide
from gori.kernels.loops.factors import factor, gather_dependent, smallest_pivot
from gori.kernels.loops.system import SLOW, STUCK, correct, largest, place_all
from gori.kernels.tree.configuration import integrate


@part
def factor_dependent(machine, data, m, v):
    """J, and factors of [1 Jw'; Jw -eps], at the current positions of the bodies."""
    nv, n, head = data.tau.shape[0], data.tau.shape[0] + machine.equation.shape[0], m.head[0]
    fill_jacobian(machine, m.work, v, data.values, data.body_w, data.dof_w)
    gather_dependent(machine.pattern, m, nv, n)
    factor(machine, m, n)
    smallest = smallest_pivot(machine, m, nv, n, m.state.eps_unit)
    head.best_pivot_unit = max(head.best_pivot_unit, smallest)
    head.pivot = smallest / head.best_pivot_unit
    head.factorisations += 1
    head.mass_factors = 0  # these are not the ones with M


@block
def follow(machine, data, t, q, v):
    """Dependent coordinates and velocities for the independent ones, from where they are, after `factor_dependent`.

    To rounding, because errors in accelerations grow with the inverse pivot. Returns a result code.
    """
    m = data.loops
    settings = m.settings[0]
    before, moved = 0.0, False
    for trial in range(25):
        size = largest(m.work.gap)
        stuck = trial > 1 and size <= STUCK * settings.position_tolerance and 2.0 * size > before
        if size <= 0.01 * settings.position_tolerance or stuck:
            break
        if trial == 24 or size * 0.0 != 0.0:
            return NOT_CLOSED
        if trial > 0 and not size < SLOW * before:
            factor_dependent(machine, data, m, v)
        before = size
        correct(machine, m, m.work.gap, m.work.move)
        integrate(machine.body_i, q, m.work.move, q)
        place_all(machine, data, m, t, q, v)
        moved = True
    if moved:
        factor_dependent(machine, data, m, v)
    before = 0.0
    for _ in range(4):
        size = largest(m.work.slip)
        if size <= 0.01 * settings.velocity_tolerance * (1.0 + largest(v)) or (before > 0.0 and 2.0 * size > before):
            break
        before = size
        correct(machine, m, m.work.slip, m.work.move)
        for k in range(v.shape[0]):
            v[k] += m.work.move[k]
        slide(machine, m.work, v, data.values, data.body_w, data.dof_w)
    return OK
