"""Partition: the reduced equation in independent coordinates (equations 39 to 44 of the paper on complex chains).

    q_w from Phi(q_v, q_w) = 0,    qd_w = -Jw+ (Jv qd_v - nu),    qdd = R qdd_v + c,
    R' M R qdd_v = R' (tau - bias - M c),     R = (1; -Jw+ Jv),  c = (0; -Jw+ gamma)

Every evaluation recomputes the dependent coordinates, from those that came along with the step. So the loops are closed
in all stages of a step, and what is integrated depends on the independent coordinates alone. Jw+ comes from sparse
factors of [1 Jw'; Jw -eps]. Near singular poses, where branches of the motion cross and the reduced equation is not
defined, accelerations come from `multipliers` at the state as the step has it, and the branch is kept.
"""

import math

from gori.kernels.accelerations import q_rate
from gori.kernels.codes import NEAR_SINGULAR, NOT_CLOSED, OK, POOR_CHOICE, SINGULAR
from gori.kernels.forces.apply import advance_subsystems, joint_power
from gori.kernels.jit import block, kernel, part
from gori.kernels.loops.cuts import cut_accelerations, jacobian_times
from gori.kernels.loops.departure import depart, departs
from gori.kernels.loops.follow import factor_dependent, follow
from gori.kernels.loops.multipliers import evaluate_apart
from gori.kernels.loops.system import BLURRED, NEAR, balance, close, factor_mass, is_driven, place_all, solve, split
from gori.kernels.machine import PROJECT, PROJECT_AND_EVALUATE, RATES, SOLVER
from gori.kernels.tree.aba import ROUNDING
from gori.kernels.tree.columns import D_INV
from gori.kernels.tree.crba import mass_entries
from gori.kernels.tree.kinematics import place


@part
def solve_dependent(machine, m, g, x):
    """x (nv,), zero for independent coordinates: -Jw+ g. Twice, to remove the effect of eps."""
    for e in range(m.work.slip.shape[0]):
        m.work.slip[e] = 0.0
    for k in range(x.shape[0]):
        m.work.move[k] = 0.0
        x[k] = 0.0
    for _ in range(2):
        solve(machine, m, m.work.move, g, m.work.slip, m.state.eps_unit, m.work.move, x)


@part
def mass_times(machine, m, x, out):
    """out (nv,) = M x; M is zero but for pairs of axes that carry each other."""
    s, nv, n = machine.pattern, x.shape[0], x.shape[0] + m.work.gap.shape[0]
    mass = m.work.mass
    for k in range(nv):
        out[k] = mass[k, k] * x[k]
    for k in range(n):
        d = s.order[k]
        if d >= nv:
            continue
        for p in range(s.start[k], s.start[k + 1]):
            e = s.order[s.row[p]]
            if e < nv:
                out[d] += mass[d, e] * x[e]
                out[e] += mass[d, e] * x[d]


@block
def reduce(machine, data, qdd):
    """qdd (nv,) from the reduced equation: force, gamma, M and the factors of Jw are there. False if it is singular."""
    m, nv = data.loops, qdd.shape[0]
    R, A = m.work.columns, m.work.reduced
    count = 0
    for k in range(nv):  # R, by rows: -Jw+ Jv column by column
        if m.state.dependent[k] == 0.0:
            for j in range(nv):
                m.work.product[j] = 1.0 if j == k else 0.0
            jacobian_times(machine, m.work, m.work.product, m.work.slip)
            for e in range(m.work.slip.shape[0]):
                m.work.gap[e] = m.work.slip[e]
            solve_dependent(machine, m, m.work.gap, R[count])
            R[count, k] = 1.0
            count += 1
    # c, and the force that is left: f - M c
    solve_dependent(machine, m, m.work.gamma, qdd)
    mass_times(machine, m, qdd, m.work.product)
    for k in range(nv):
        m.work.force[k] -= m.work.product[k]
    # R' M R and R' (f - M c), then factors L L'
    for i in range(count):
        mass_times(machine, m, R[i], m.work.product)
        for j in range(i + 1):
            total = 0.0
            for k in range(nv):
                total += R[j, k] * m.work.product[k]
            A[i, j] = total
        total = 0.0
        for k in range(nv):
            total += R[i, k] * m.work.force[k]
        m.work.move[i] = total
    for i in range(count):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            if i == j:
                if not total > ROUNDING * A[i, i]:
                    return False
                A[i, i] = math.sqrt(total)
            else:
                A[i, j] = total / A[j, j]
    for i in range(count):
        total = m.work.move[i]
        for k in range(i):
            total -= A[i, k] * m.work.move[k]
        m.work.move[i] = total / A[i, i]
    for i in range(count - 1, -1, -1):
        total = m.work.move[i]
        for k in range(i + 1, count):
            total -= A[k, i] * m.work.move[k]
        m.work.move[i] = total / A[i, i]
        for k in range(nv):
            qdd[k] += R[i, k] * m.work.move[i]
    return True


@block
def project_dependent(machine, data, t, q, v):
    """Project a state onto the constraint manifold. Returns a result code."""
    m = data.loops
    place_all(machine, data, m, t, q, v)
    factor_dependent(machine, data, m, v)
    head = m.head[0]
    if head.pivot < BLURRED:
        return OK
    if head.pivot > NEAR:
        return follow(machine, data, t, q, v)
    factor_mass(machine, data, m)  # no coordinates are good enough to be held
    return OK if close(machine, data, m, t, q, v, False) else NOT_CLOSED


@kernel(SOLVER)
def partition(machine, data, t, y, k, what):
    m, nv = data.loops, data.tau.shape[0]
    head = m.head[0]
    q, v, z = split(machine, data, y)
    m.work.standing[0] = 0.0
    if what != RATES:
        code = project_dependent(machine, data, t, q, v)
        if code == OK and what == PROJECT_AND_EVALUATE:
            place(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)
            code = advance_subsystems(machine, data, t, q, v)
        if code != OK or what == PROJECT:
            return code
    dq, qdd, zdot = split(machine, data, k)
    if departs(m, t, q, v, what):
        q_rate(machine.body_i, q, v, dq)
        return depart(machine, data, t, q, v, z, zdot, qdd)
    for j in range(q.shape[0]):
        m.work.q[j] = q[j]
    for j in range(nv):
        m.work.v[j] = v[j]
    place_all(machine, data, m, t, m.work.q, m.work.v)
    factor_dependent(machine, data, m, m.work.v)
    if head.pivot < head.poor_pivot:
        return POOR_CHOICE
    if head.pivot < head.singular_pivot:
        return NEAR_SINGULAR
    if head.pivot < NEAR:
        q_rate(machine.body_i, q, v, dq)
        return evaluate_apart(machine, data, t, q, v, z, zdot, qdd)
    code = follow(machine, data, t, m.work.q, m.work.v)
    if code != OK:
        return code
    q_rate(machine.body_i, m.work.q, m.work.v, dq)
    head.evaluations += 1
    for j in range(nv):
        m.work.product[j] = 0.0
    code = balance(machine, data, t, m.work.q, m.work.v, z, zdot, m.work.product, m.work.force)
    if code != OK:
        return code
    cut_accelerations(machine, m.work, m.work.product, data.values, data.body_w, m.work.gamma)
    mass_entries(machine.body_i, machine.body_f, m.work.mass, data.body_w, data.dof_w)
    for j in range(nv):
        data.dof_w[j, D_INV] = 1.0
    free = joint_power(m.work.force, m.work.v)
    if not reduce(machine, data, qdd):
        return SINGULAR
    if is_driven(machine):  # v.(M qdd - force): what given motions add, as no other equation does work
        mass_times(machine, m, qdd, m.work.product)
        data.power[0] += joint_power(m.work.product, m.work.v) - free
    return OK
