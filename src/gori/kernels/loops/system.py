"""What the solvers share: forces, the matrix [M J'; J -eps], positions and velocities on the loops."""

from gori.kernels.codes import OK
from gori.kernels.forces.apply import apply_forces
from gori.kernels.forces.signals import evaluate_signals
from gori.kernels.jit import block, part
from gori.kernels.loops.cuts import fill_jacobian, place_cuts, slide
from gori.kernels.loops.factors import factor, gather_mass, smallest_pivot, substitute
from gori.kernels.loops.memory import JUST_PLACED, WITH_FACTORS
from gori.kernels.loops.straight import correct_in_code, solve_in_code
from gori.kernels.loops.tables import DRIVEN, SLID, SPUN
from gori.kernels.tree.aba import ROUNDING
from gori.kernels.tree.columns import D_INV, NQ
from gori.kernels.tree.configuration import integrate
from gori.kernels.tree.crba import mass_entries
from gori.kernels.tree.kinematics import place, rates
from gori.kernels.tree.rnea import add_armature, inertia_forces, propagate_forces

SLOW = 0.3
"""contraction rate above which factors are recomputed"""
NEAR = 1e-2
"""pivot below which accelerations are so sensitive that the stages of a step are projected too"""
BLURRED = 1e-6
"""pivot below which positions and velocities on the loops are known less well than those that a step leads to"""
SINGULAR_POSE = 1e-9
"""pivot below which a pose is singular"""
STUCK = 1e3
"""times the tolerance, a residual that does not shrink any more is rounding"""


@part
def balance(machine, data, t, q, v, z, zdot, a, out):
    """out (nv,) = tau - ID(q, v, a): all forces, less what accelerations a need. ACC then holds those of the bodies.

    After `place`; fills the signals.
    """
    body_i, body_f, body_w, dof_w, tau = machine.body_i, machine.body_f, data.body_w, data.dof_w, data.tau
    rates(body_i, v, body_w, dof_w)
    inertia_forces(body_i, body_f, a, body_w, dof_w)
    code = apply_forces(machine, data, t, q, v, z, zdot)
    if code != OK:
        return code
    propagate_forces(body_i, out, body_w, dof_w)
    add_armature(body_i, body_f, a, out)
    for k in range(tau.shape[0]):
        out[k] = tau[k] - out[k]
    return OK


@part
def drive_power(machine, multipliers, values):
    """Power of given motions [W]: drive times velocity. Other equations do no work."""
    power = 0.0
    for e in range(machine.equation.shape[0]):
        if machine.equation[e].kind in (DRIVEN, SLID, SPUN):
            power -= multipliers[e] * values[machine.equation[e].b + 1]
    return power


@part
def is_driven(machine):
    """Whether there is a given motion."""
    for e in range(machine.equation.shape[0]):
        if machine.equation[e].kind in (DRIVEN, SLID, SPUN):
            return True
    return False


@part
def largest(x):
    """Largest absolute value; NaN propagates."""
    size = 0.0
    for k in range(x.shape[0]):
        if abs(x[k]) > size or x[k] * 0.0 != 0.0:
            size = abs(x[k])
    return size


@part
def place_all(machine, data, m, t, q, v):
    """Bodies, signals and cuts at a position. Given motions depend on t alone; signals of forces, which may read v or
    bodies, are evaluated again with the forces.
    """
    place(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)
    if machine.signal_i.shape[0] > 0:
        evaluate_signals(machine.signal_i, machine.signal_f, t, q, v, data.readings, data.values, data.stack)
    place_cuts(machine, m.work, q, data.values, data.body_w)


@part
def factor_inertia(machine, data, m, body_f):
    """Factors of [M J'; J -eps] with the inertia in body_f, after `place` and `fill_jacobian`."""
    nv, n = data.tau.shape[0], data.tau.shape[0] + machine.equation.shape[0]
    mass_entries(machine.body_i, body_f, m.work.mass, data.body_w, data.dof_w)
    gather_mass(machine, m, nv, n)
    factor(machine, m, n)
    m.head[0].mass_factors = 1
    m.head[0].factorisations += 1


@part
def measure_pivot(machine, m, nv):
    """How good the equations are at the pose of the factors: their smallest pivot, by the best so far."""
    head, smallest = m.head[0], smallest_pivot(machine, m, nv, nv + machine.equation.shape[0], m.state.eps_mass)
    head.best_pivot_mass = max(head.best_pivot_mass, smallest)
    head.pivot = smallest / head.best_pivot_mass


@part
def factor_mass(machine, data, m):
    """Factors of [M J'; J -eps], after `place` and `fill_jacobian`."""
    nv, n = data.tau.shape[0], data.tau.shape[0] + machine.equation.shape[0]
    factor_inertia(machine, data, m, machine.body_f)
    measure_pivot(machine, m, nv)
    for k in range(n):
        d = machine.pattern.order[k]
        if d < nv:
            data.dof_w[d, D_INV] = m.state.over_pivots[k]
            if m.state.over_pivots[k] * ROUNDING * m.work.diagonal[k] >= 1.0:
                data.dof_w[d, D_INV] = 0.0  # a pivot that is rounding


@part
def solve(machine, m, f, g, lam, eps, extra, x):
    """x (nv,) and lam (ne,) of H x + J' lam = f, J x = -g, with H of the factors, from where x and lam are.

    eps, extra   what the factors have instead of zero
    """
    s, nv, n = machine.pattern, x.shape[0], x.shape[0] + lam.shape[0]
    if solve_in_code(machine, (m.state.lower, m.state.over_pivots, f, g, lam, eps, extra, x)):
        return
    for k in range(n):
        d = s.order[k]
        m.work.x[k] = f[d] + extra[d] * x[d] if d < nv else -g[d - nv] - eps[d - nv] * lam[d - nv]
    substitute(s, m, n)
    for k in range(n):
        d = s.order[k]
        if d < nv:
            x[d] = m.work.x[k]
        else:
            lam[d - nv] = m.work.x[k]


@part
def correct(machine, m, g, x):
    """x (nv,): the smallest change with J x = -g, as H measures it; g is not zero."""
    s, nv, n = machine.pattern, x.shape[0], x.shape[0] + g.shape[0]
    m.head[0].corrections += 1
    if correct_in_code(machine, (m.state.lower, m.state.over_pivots, g, x)):
        return
    for k in range(n):
        d = s.order[k]
        m.work.x[k] = 0.0 if d < nv else -g[d - nv]
    substitute(s, m, n)
    for k in range(n):
        d = s.order[k]
        if d < nv:
            x[d] = m.work.x[k]


@part
def sharpness(m):
    """Share of the tolerances to aim at: the last digit near singular poses, where accelerations are sensitive."""
    head = m.head[0]
    return 1e-3 if head.mass_factors != 0 and head.pivot < NEAR else 1.0


@part
def stands(m, q, v):
    """Whether bodies, cuts and J are computed for this state."""
    if m.work.standing[0] == 0.0:
        return False
    for k in range(q.shape[0]):
        if m.work.stood_q[k] != q[k]:
            return False
    for k in range(v.shape[0]):
        if m.work.stood_v[k] != v[k]:
            return False
    return True


@part
def remember(m, q, v, how):
    """Bodies, cuts and J are now computed for this state; how: JUST_PLACED or WITH_FACTORS."""
    for k in range(q.shape[0]):
        m.work.stood_q[k] = q[k]
    for k in range(v.shape[0]):
        m.work.stood_v[k] = v[k]
    m.work.standing[0] = how


@block
def close_positions(machine, data, t, q, v):
    """Project q onto the constraint manifold with the present factors with M, or new ones if slow, after `place_all`.

    Returns whether it succeeded. Afterwards bodies and cuts are at q, and `moved` is the way that they went.
    """
    m = data.loops
    head, settings = m.head[0], m.settings[0]
    before = 0.0
    for k in range(v.shape[0]):
        m.work.moved[k] = 0.0
    for trial in range(20):
        size = largest(m.work.gap)
        good = settings.position_tolerance * sharpness(m)
        if size <= good or (trial > 2 and size <= STUCK * settings.position_tolerance and 2.0 * size > before):
            return True
        if head.mass_factors == 0 or (trial > 0 and not size < SLOW * before):
            fill_jacobian(machine, m.work, v, data.values, data.body_w, data.dof_w)
            factor_mass(machine, data, m)
        before = size
        correct(machine, m, m.work.gap, m.work.move)
        integrate(machine.body_i, q, m.work.move, q)
        for k in range(v.shape[0]):
            m.work.moved[k] += m.work.move[k]
        place_all(machine, data, m, t, q, v)
    return False


@block
def close_velocities(machine, data, v):
    """Project v onto the constraint manifold: J v = nu, after `fill_jacobian`."""
    m = data.loops
    settings = m.settings[0]
    if m.head[0].mass_factors == 0:
        factor_mass(machine, data, m)
    before = 0.0
    for _ in range(5):
        size = largest(m.work.slip)
        enough = settings.velocity_tolerance * sharpness(m) * (1.0 + largest(v))
        if size <= enough or (before > 0.0 and 2.0 * size > before):
            return
        before = size
        correct(machine, m, m.work.slip, m.work.move)
        for k in range(v.shape[0]):
            v[k] += m.work.move[k]
        slide(machine, m.work, v, data.values, data.body_w, data.dof_w)


@part
def close(machine, data, m, t, q, v, anew):
    """Project a state onto the constraint manifold, and update bodies, cuts and J there. Returns whether it succeeded.

    anew   compute factors there, which then serve the velocities and the next evaluation at this state
    """
    settings = m.settings[0]
    place_all(machine, data, m, t, q, v)
    open_by = largest(m.work.gap)
    if not open_by <= settings.position_tolerance * sharpness(m) and not close_positions(machine, data, t, q, v):
        return False
    fill_jacobian(machine, m.work, v, data.values, data.body_w, data.dof_w)
    if anew:
        factor_mass(machine, data, m)
    if not largest(m.work.slip) <= settings.velocity_tolerance * sharpness(m):
        close_velocities(machine, data, v)
    remember(m, q, v, WITH_FACTORS if anew else JUST_PLACED)
    return True


@part
def split(machine, data, y):
    """q, v, z of a state."""
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    return y[:nq], y[nq : nq + nv], y[nq + nv :]
