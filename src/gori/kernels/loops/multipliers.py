"""Multipliers: accelerations and multipliers together, from sparse factors of [M J'; J -eps].

The state is projected onto the constraint manifold after each step, in the norm of M, with the factors of the last
evaluation. Redundancy and singular poses are harmless: where J loses rank, multipliers that have no effect keep
their last values. Near such a pose accelerations are sensitive: there the stages of a step are projected
too, with the independent coordinates held (`follow.py`), and adaptive methods step over the pose itself.
"""

from gori.kernels.accelerations import q_rate
from gori.kernels.codes import NEAR_SINGULAR, NOT_CLOSED, OK, POOR_CHOICE
from gori.kernels.forces.apply import advance_subsystems
from gori.kernels.jit import block, kernel, part
from gori.kernels.loops.cuts import cut_accelerations, fill_jacobian, place_cuts
from gori.kernels.loops.departure import depart, departs
from gori.kernels.loops.follow import factor_dependent, follow
from gori.kernels.loops.memory import WITH_FACTORS
from gori.kernels.loops.system import (
    BLURRED,
    NEAR,
    SINGULAR_POSE,
    balance,
    close,
    drive_power,
    factor_mass,
    place_all,
    solve,
    split,
    stands,
)
from gori.kernels.machine import ACCELERATIONS, PROJECT, PROJECT_AND_EVALUATE, SOLVER
from gori.kernels.tree.kinematics import place


@part
def prepare(machine, data, m, t, q, v, z, zdot, there):
    """Forces, J, gamma and factors at a state. Returns a result code.

    there   whether bodies, cuts and J are already computed for this state
    """
    for k in range(v.shape[0]):
        m.work.product[k] = 0.0
    factored = there and m.work.standing[0] == WITH_FACTORS
    if not there:
        m.work.standing[0] = 0.0
        place(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)
    code = balance(machine, data, t, q, v, z, zdot, m.work.product, m.work.force)
    if code != OK:
        return code
    if not there:
        place_cuts(machine, m.work, q, data.values, data.body_w)
        fill_jacobian(machine, m.work, v, data.values, data.body_w, data.dof_w)
    if not factored:
        factor_mass(machine, data, m)
    cut_accelerations(machine, m.work, m.work.product, data.values, data.body_w, m.work.gamma)
    return OK


@block
def prepare_near(machine, data, t, q, v, z, zdot):
    """The same for a sensitive pose: at the state next to it on the loops that has the same independent coordinates."""
    m = data.loops
    head = m.head[0]
    pivot = head.pivot
    for j in range(q.shape[0]):
        m.work.q[j] = q[j]
    for j in range(v.shape[0]):
        m.work.v[j] = v[j]
    m.work.standing[0] = 0.0
    place_all(machine, data, m, t, m.work.q, m.work.v)
    factor_dependent(machine, data, m, m.work.v)
    if head.pivot < head.poor_pivot * pivot:
        return POOR_CHOICE
    code = follow(machine, data, t, m.work.q, m.work.v)
    if code != OK:
        return code
    return prepare(machine, data, m, t, m.work.q, m.work.v, z, zdot, False)


@part
def evaluate(machine, data, m, t, q, v, z, zdot, qdd):
    """qdd (nv,) and the multipliers at a state on the loops, or near to them. Returns a result code."""
    head, there = m.head[0], stands(m, q, v)
    code = prepare(machine, data, m, t, q, v, z, zdot, there)
    if code != OK:
        return code
    if head.pivot < NEAR:
        if head.pivot < head.singular_pivot:
            return NEAR_SINGULAR
        if head.pivot > SINGULAR_POSE and not there:
            code = prepare_near(machine, data, t, q, v, z, zdot)
            if code != OK:
                return code
    for j in range(v.shape[0]):
        qdd[j] = m.state.accelerations[j]
    for _ in range(2):
        solve(machine, m, m.work.force, m.work.gamma, m.state.multipliers, m.state.eps_mass, m.state.extra_inertia, qdd)
    for j in range(v.shape[0]):
        m.state.accelerations[j] = qdd[j]
    data.power[0] += drive_power(machine, m.state.multipliers, data.values)
    head.known = 1
    head.evaluations += 1
    return OK


@block
def evaluate_apart(machine, data, t, q, v, z, zdot, qdd):
    """The same, not inlined, for rare callers."""
    return evaluate(machine, data, data.loops, t, q, v, z, zdot, qdd)


@kernel(SOLVER)
def multipliers(machine, data, t, y, k, what):
    m = data.loops
    q, v, z = split(machine, data, y)
    if what in (PROJECT, PROJECT_AND_EVALUATE):
        head = m.head[0]
        blurred = head.mass_factors != 0 and head.pivot < BLURRED
        if not blurred and not close(machine, data, m, t, q, v, what == PROJECT_AND_EVALUATE):
            return NOT_CLOSED
        if what == PROJECT:
            return OK
        code = advance_subsystems(machine, data, t, q, v)
        if code != OK:
            return code
    nq, nv = q.shape[0], v.shape[0]
    qdd, zdot = k[nq : nq + nv], k[nq + nv :]
    if what == ACCELERATIONS:
        qdd, zdot = k[:nv], data.zdot
    else:
        q_rate(machine.body_i, q, v, k[:nq])
    if departs(m, t, q, v, what):
        return depart(machine, data, t, q, v, z, zdot, qdd)
    return evaluate(machine, data, m, t, q, v, z, zdot, qdd)
