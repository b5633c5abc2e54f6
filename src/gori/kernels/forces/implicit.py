"""Springs, motors and limits on single axes, taken implicitly: their inertia in a step.

A force f(q, v) on an axis, taken at the end of a step of length h to first order in the change of v,

    f(q + h v', v') = f + f_q h v' + f_v (v' - v) = f - h k v - (h d + h^2 k)(v' - v),     k = -f_q,  d = -f_v

so it is the force at the start, less h k v, and an inertia h d + h^2 k on its axis: no stiffness bounds the step, and
the recursion of the tree stays as it is.
"""

from gori.kernels.forces.elements import (
    BALL_SPRING,
    E_DOF,
    E_KIND,
    E_Q,
    E_SIGNAL,
    JOINT_FORCE,
    JOINT_LIMIT,
    JOINT_SPRING,
    MOTOR,
    beyond_limit,
)
from gori.kernels.forces.parameters import BALL_SPRING_F, LIMIT_F, MOTOR_F, SPRING_F
from gori.kernels.jit import part
from gori.kernels.tree.columns import ARMATURE, NDOF, V0


@part
def stiffness_of(element, p, q, v, z, values):
    """Stiffness and damping of an element on its axis [N m/rad, N m s/rad or N/m, N s/m]; zero where it yields."""
    kind, d, at, s = element[E_KIND], element[E_DOF], element[E_Q], element[E_SIGNAL]
    if kind == JOINT_SPRING:
        return p[SPRING_F.stiffness], p[SPRING_F.damping]
    if kind == BALL_SPRING:
        return p[BALL_SPRING_F.stiffness], p[BALL_SPRING_F.damping]
    if kind == JOINT_LIMIT and beyond_limit(p, q[at]) * v[d] < 0.0:  # on the way in: on the way out it must not pull
        return p[LIMIT_F.stiffness], p[LIMIT_F.damping]
    if kind == MOTOR:
        effort = p[MOTOR_F.kp] * (values[s] - q[at]) + p[MOTOR_F.kd] * (values[s + 1] - v[d])
        if abs(effort) < p[MOTOR_F.limit]:
            return p[MOTOR_F.kp], p[MOTOR_F.kd]
    if kind == JOINT_FORCE and p[MOTOR_F.limit] > 0.0:
        effort = p[MOTOR_F.kp] * (values[s] - q[at]) - p[MOTOR_F.kd] * v[d]
        if abs(effort) < p[MOTOR_F.limit]:
            return p[MOTOR_F.kp], p[MOTOR_F.kd]
    return 0.0, 0.0


@part
def take_implicitly(machine, q, v, z, values, h, tau, added, body_f):
    """Subtract h k v from tau (nv,), and add the inertia of all elements on axes to the armature in body_f, a copy of
    the Model's; returns whether there is any. added (nv,) is work.
    """
    body_i, element_i, element_f = machine.body_i, machine.element_i, machine.element_f
    found = False
    for k in range(added.shape[0]):
        added[k] = 0.0
    for e in range(element_i.shape[0]):
        element, p = element_i[e], element_f[e]
        k, d = stiffness_of(element, p, q, v, z, values)
        axes = 3 if element[E_KIND] == BALL_SPRING else 1
        if k != 0.0 or d != 0.0:
            found = True
            for j in range(element[E_DOF], element[E_DOF] + axes):
                tau[j] -= h * k * v[j]
                added[j] += h * (d + h * k)
    for i in range(1, body_i.shape[0]):
        for c in range(body_f.shape[1]):
            body_f[i, c] = machine.body_f[i, c]
        if body_i[i, NDOF] > 0:
            body_f[i, ARMATURE] += added[body_i[i, V0]]
    for c in range(body_f.shape[1]):
        body_f[0, c] = machine.body_f[0, c]
    return found
