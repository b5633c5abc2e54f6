"""The linear equations of a step of a tree in O(n), with no matrix: forces act on single axes.

(M + c C + c^2 K + diag) x = c M r by the recursions of `kernels/tree/tree_solve.py` and `complex_solve.py`. An axis
with stiffness k and damping d adds c d + c^2 k to the diagonal. The state z of a friction element, with

    tau = -s z - d z',    z' = v, or (F - s z) / d where it slips,    by_speed = dz'/dv,    by_state = dz'/dz

is eliminated: dz = c (r_z + by_speed dv) / (1 - c by_state).

The derivatives are those of the start of the step, made anew for each: they cost less than one iteration.
"""

import numpy as np

from gori.integrate.radau.coefficients import GAMMA
from gori.integrate.radau.dense import complex_step
from gori.kernels.forces.elements import (
    E_DOF,
    E_KIND,
    E_Q,
    E_SIGNAL,
    E_STATE,
    JOINT_FORCE,
    JOINT_FRICTION,
    JOINT_LIMIT,
    JOINT_SPRING,
    MOTOR,
)
from gori.kernels.forces.parameters import FRICTION_F, LIMIT_F, MOTOR_F, SPRING_F
from gori.kernels.forces.signals import EXPRESSION, READING, Q, V, evaluate_signals
from gori.kernels.jit import block, part
from gori.kernels.machine import Machine
from gori.kernels.tree.columns import ARMATURE, NDOF, NQ, V0
from gori.kernels.tree.complex_solve import complex_eliminate, complex_gains, complex_substitute
from gori.kernels.tree.derivatives import motion, rigid_terms
from gori.kernels.tree.inverse_mass import axes_at_root
from gori.kernels.tree.kinematics import place
from gori.kernels.tree.tree_solve import eliminate, gains, mass_times, own_columns, substitute


def on_axes(machine: Machine) -> bool:
    """Whether all forces act on single axes and have known derivatives, so that no matrix is needed."""
    if machine.user or machine.vehicle or machine.penalty:
        return False
    signals = {JOINT_SPRING: 0, JOINT_FRICTION: 0, JOINT_LIMIT: 0, JOINT_FORCE: 1, MOTOR: 2}
    for row in machine.element_i:
        if row[E_KIND] not in signals:
            return False
        for kind, start, count in machine.signal_i[row[E_SIGNAL] : row[E_SIGNAL] + signals[row[E_KIND]]]:
            if kind == EXPRESSION and np.isin(machine.signal_f[start : start + count, 0], (Q, V, READING)).any():
                return False
    return True


@part
def axis_terms(machine, tree, q, v, z, values):
    """Stiffness and damping of the forces on each axis, and the derivatives of friction states; values: of signals."""
    for k in range(v.shape[0]):
        tree.stiffness[k], tree.damping[k] = 0.0, 0.0
    for e in range(machine.element_i.shape[0]):
        kind, d, at = machine.element_i[e, E_KIND], machine.element_i[e, E_DOF], machine.element_i[e, E_Q]
        p, s = machine.element_f[e], machine.element_i[e, E_SIGNAL]
        if kind == JOINT_SPRING:
            tree.stiffness[d] += p[SPRING_F.stiffness]
            tree.damping[d] += p[SPRING_F.damping]
        elif kind == JOINT_FRICTION:
            k, stick, damping = machine.element_i[e, E_STATE], p[FRICTION_F.stiffness], p[FRICTION_F.damping]
            sticks = abs(stick * z[k] + damping * v[d]) < p[FRICTION_F.coulomb]
            tree.by_speed[k] = 1.0 if sticks else 0.0
            tree.by_state[k] = 0.0 if sticks else -stick / damping
        elif kind == JOINT_LIMIT:
            stiffness, damping = p[LIMIT_F.stiffness], p[LIMIT_F.damping]
            under, over = p[LIMIT_F.lower] - q[at], p[LIMIT_F.upper] - q[at]
            below = under > 0.0 and stiffness * under - damping * v[d] > 0.0
            above = over < 0.0 and stiffness * over - damping * v[d] < 0.0
            if below or above:
                tree.stiffness[d] += stiffness
                tree.damping[d] += damping
        elif kind == MOTOR:
            wish = p[MOTOR_F.kp] * (values[s] - q[at]) + p[MOTOR_F.kd] * (values[s + 1] - v[d])
            if abs(wish) < p[MOTOR_F.limit]:
                tree.stiffness[d] += p[MOTOR_F.kp]
                tree.damping[d] += p[MOTOR_F.kd]


@part
def friction_share(tree, p, k, c):
    """What the friction element with parameters p and state k adds to the diagonal; c is real or complex."""
    stick, damping = p[FRICTION_F.stiffness], p[FRICTION_F.damping]
    slip, decay = tree.by_speed[k], tree.by_state[k]
    return c * slip * (damping + c * (stick + damping * decay) / (1.0 - c * decay))


@part
def friction_force(tree, p, k, c, r):
    """What r of its state adds to the force on its axis."""
    decay = tree.by_state[k]
    return -c * c * (p[FRICTION_F.stiffness] + p[FRICTION_F.damping] * decay) * r / (1.0 - c * decay)


@block
def factor_tree(machine, data, memory, t, y, h):
    """Eliminate for both c at (t, y), where `state.rates` holds. False if one of the systems is singular."""
    body_i, body_f, tree = machine.body_i, machine.body_f, memory.tree
    nq, nv = body_i[0, NQ], data.tau.shape[0]
    q, v, z, a = y[:nq], y[nq : nq + nv], y[nq + nv :], memory.state.rates[nq : nq + nv]
    c, (re, im) = h / GAMMA, complex_step(h)
    memory.head[0].factorisations += 1
    if machine.signal_i.shape[0] > 0:
        evaluate_signals(machine.signal_i, machine.signal_f, t, q, v, data.readings, data.values, data.stack)
    place(body_i, body_f, q, data.body_w, data.dof_w)
    axes_at_root(body_i, data.body_w, data.dof_w, tree.body_d, tree.dof_d)
    motion(body_i, body_f, v, a, tree.body_d, tree.dof_d)
    rigid_terms(body_i, body_f, data.body_w, tree.body_d)
    own_columns(body_i, tree.body_d, tree.body_n)
    gains(body_i, c, c * c, tree.body_d, tree.dof_d, tree.dof_n)
    complex_gains(body_i, re, im, tree.body_d, tree.dof_d, tree.body_c, tree.dof_c)
    axis_terms(machine, tree, q, v, z, data.values)
    both = complex(re, im)
    for i in range(1, body_i.shape[0]):
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            tree.diagonal[k] = body_f[i, ARMATURE] + c * (tree.damping[k] + c * tree.stiffness[k])
            share = body_f[i, ARMATURE] + both * (tree.damping[k] + both * tree.stiffness[k])
            tree.complex_diagonal[0, k], tree.complex_diagonal[1, k] = share.real, share.imag
    for e in range(machine.element_i.shape[0]):
        if machine.element_i[e, E_KIND] == JOINT_FRICTION:
            d, k, p = machine.element_i[e, E_DOF], machine.element_i[e, E_STATE], machine.element_f[e]
            tree.diagonal[d] += friction_share(tree, p, k, c)
            share = friction_share(tree, p, k, both)
            tree.complex_diagonal[0, d] += share.real
            tree.complex_diagonal[1, d] += share.imag
    good = eliminate(body_i, tree.diagonal, tree.body_n, tree.dof_n)
    return complex_eliminate(body_i, tree.complex_diagonal, tree.body_n, tree.dof_n, tree.body_c, tree.dof_c) and good


@block
def solve_tree(machine, memory, h, g, x):
    """x (nu,) = (s - f_y)^-1 (g, x), its part u, for the real s; g (nv,): what stands for q, along the axes.

    Of K g the springs on axes count, which may be stiff, and not the rigid bodies.
    """
    body_i, body_f, tree = machine.body_i, machine.body_f, memory.tree
    nv, c = g.shape[0], h / GAMMA
    mass_times(body_i, body_f, x[:nv], tree.force, tree.body_n, tree.dof_n)
    for k in range(nv):
        tree.force[k] = c * (tree.force[k] - c * tree.stiffness[k] * g[k])
    for e in range(machine.element_i.shape[0]):
        if machine.element_i[e, E_KIND] == JOINT_FRICTION:
            d, k, p = machine.element_i[e, E_DOF], machine.element_i[e, E_STATE], machine.element_f[e]
            tree.force[d] += friction_force(tree, p, k, c, x[nv + k])
    substitute(body_i, tree.force, x[:nv], tree.body_n, tree.dof_n)
    for e in range(machine.element_i.shape[0]):
        if machine.element_i[e, E_KIND] == JOINT_FRICTION:
            d, k = machine.element_i[e, E_DOF], machine.element_i[e, E_STATE]
            x[nv + k] = c * (x[nv + k] + tree.by_speed[k] * x[d]) / (1.0 - c * tree.by_state[k])


@block
def solve_tree_pair(machine, memory, h, x, y):
    """x + i y, both (nu,), becomes (s - f_y)^-1 (0, x + i y), its part u, for the complex s."""
    body_i, body_f, tree = machine.body_i, machine.body_f, memory.tree
    nv, (re, im) = tree.force.shape[0], complex_step(h)
    c = complex(re, im)
    for part_of in (x, y):
        mass_times(body_i, body_f, part_of[:nv], tree.force, tree.body_n, tree.dof_n)
        for k in range(nv):
            part_of[k] = tree.force[k]
    for k in range(nv):
        x[k], y[k] = re * x[k] - im * y[k], re * y[k] + im * x[k]
    for e in range(machine.element_i.shape[0]):
        if machine.element_i[e, E_KIND] == JOINT_FRICTION:
            d, k, p = machine.element_i[e, E_DOF], machine.element_i[e, E_STATE], machine.element_f[e]
            force = friction_force(tree, p, k, c, complex(x[nv + k], y[nv + k]))
            x[d] += force.real
            y[d] += force.imag
    complex_substitute(body_i, x[:nv], y[:nv], tree.dof_n, tree.body_c, tree.dof_c)
    for e in range(machine.element_i.shape[0]):
        if machine.element_i[e, E_KIND] == JOINT_FRICTION:
            d, k = machine.element_i[e, E_DOF], machine.element_i[e, E_STATE]
            r = complex(x[nv + k], y[nv + k]) + tree.by_speed[k] * complex(x[d], y[d])
            change = c * r / (1.0 - c * tree.by_state[k])
            x[nv + k], y[nv + k] = change.real, change.imag
