"""Multipliers: accelerations and multipliers together, from sparse factors of [M J'; J -eps].

The state is moved onto the loops after each step, by the smallest change as M measures it, with the factors of the last
evaluation. Redundant equations and singular poses do no harm: where J loses rank, multipliers that have no effect keep
their last values. Near such a pose accelerations are sensitive: there also the stages of a step are moved onto the
loops, with the independent coordinates held (`follow.py`), and adaptive methods step over the pose itself.
"""

from gori.kernels.accelerations import q_rate
from gori.kernels.codes import NEAR_SINGULAR, NOT_CLOSED, OK, POOR_CHOICE
from gori.kernels.forces.apply import advance_outside
from gori.kernels.jit import block, kernel, part
from gori.kernels.loops.cuts import cut_accelerations, fill_jacobian, place_cuts
from gori.kernels.loops.follow import factor_dependent, follow
from gori.kernels.loops.system import BLURRED, FLAT, NEAR, balance, close, factor_mass, place_all, solve, split, stands
from gori.kernels.loops.tables import EVALUATED, FACTORED, KNOWN, PIVOT, POOR, STANDS, WINDOW, WITH_FACTORS, carve
from gori.kernels.machine import FALL, LAND, SETTLE, SOLVER
from gori.kernels.tree.kinematics import place


@part
def prepare(machine, data, m, t, q, v, z, zdot, there):
    """Forces, J, gamma and factors at a state. Returns a result code.

    there   whether bodies, cuts and J stand at this state already
    """
    for k in range(v.shape[0]):
        m.product[k] = 0.0
    factored = there and m.head[STANDS] == WITH_FACTORS
    if not there:
        m.head[STANDS] = 0.0
        place(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)
    code = balance(machine, data, t, q, v, z, zdot, m.product, m.force)
    if code != OK:
        return code
    if not there:
        place_cuts(machine, m, q, data.values, data.body_w)
        fill_jacobian(machine, m, v, data.values, data.body_w, data.dof_w)
    if not factored:
        factor_mass(machine, data, m)
    cut_accelerations(machine, m, m.product, data.values, data.body_w, m.gamma)
    return OK


@block
def prepare_near(machine, data, t, q, v, z, zdot):
    """The same for a sensitive pose: at the state next to it on the loops that has the same independent coordinates."""
    m = carve(machine, data)
    pivot = m.head[PIVOT]
    for j in range(q.shape[0]):
        m.q[j] = q[j]
    for j in range(v.shape[0]):
        m.v[j] = v[j]
    m.head[STANDS] = 0.0
    place_all(machine, data, m, t, m.q, m.v)
    factor_dependent(machine, data, m, m.v)
    if m.head[PIVOT] < m.head[POOR] * pivot:
        return POOR_CHOICE
    code = follow(machine, data, t, m.q, m.v)
    if code != OK:
        return code
    return prepare(machine, data, m, t, m.q, m.v, z, zdot, False)


@part
def evaluate(machine, data, m, t, q, v, z, zdot, qdd):
    """qdd (nv,) and the multipliers at a state on the loops, or near to them. Returns a result code."""
    settled = stands(m, q, v)
    code = prepare(machine, data, m, t, q, v, z, zdot, settled)
    if code != OK:
        return code
    if m.head[PIVOT] < NEAR:
        if m.head[PIVOT] < m.head[WINDOW]:
            return NEAR_SINGULAR
        if m.head[PIVOT] > FLAT and not settled:
            code = prepare_near(machine, data, t, q, v, z, zdot)
            if code != OK:
                return code
    for j in range(v.shape[0]):
        qdd[j] = m.accel[j]
    for _ in range(2):
        solve(machine, m, m.force, m.gamma, m.lam, m.eps_m, m.extra, qdd)
    for j in range(v.shape[0]):
        m.accel[j] = qdd[j]
    m.head[KNOWN] = 1.0
    m.head[EVALUATED] += 1.0
    return OK


@block
def evaluate_apart(machine, data, t, q, v, z, zdot, qdd):
    """The same for those who need it seldom."""
    return evaluate(machine, data, carve(machine, data), t, q, v, z, zdot, qdd)


@kernel(SOLVER)
def multipliers(machine, data, t, y, k, what):
    m = carve(machine, data)
    q, v, z = split(machine, data, y)
    if what in (SETTLE, LAND):
        blurred = m.head[FACTORED] != 0.0 and m.head[PIVOT] < BLURRED
        if not blurred and not close(machine, data, m, t, q, v, what == LAND):
            return NOT_CLOSED
        if what == SETTLE:
            return OK
        code = advance_outside(machine, data, t, q, v, z)
        if code != OK:
            return code
    nq, nv = q.shape[0], v.shape[0]
    qdd, zdot = k[nq : nq + nv], k[nq + nv :]
    if what == FALL:
        qdd, zdot = k[:nv], m.columns.reshape(nv * nv)[: z.shape[0]]
    else:
        q_rate(machine.body_i, q, v, k[:nq])
    return evaluate(machine, data, m, t, q, v, z, zdot, qdd)
