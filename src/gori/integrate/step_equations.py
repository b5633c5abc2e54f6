"""The equations of a step at trial accelerations x: the state they lead to, x - f, and the residual as forces.

With G the generalised force of all elements and of the user, and ID inverse dynamics without them, the residual is
r = ID(q, v, x) - G = M (x - f).
"""

from gori.kernels.accelerations import accelerations
from gori.kernels.codes import OK
from gori.kernels.forces.apply import acts_on_bodies, advances, apply_forces
from gori.kernels.forces.elements import (
    BALL_SPRING,
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
from gori.kernels.forces.parameters import BALL_SPRING_F, FRICTION_F, LIMIT_F, MOTOR_F, SPRING_F
from gori.kernels.forces.signals import follows_state
from gori.kernels.jit import block, part, present
from gori.kernels.loops.system import drive_power
from gori.kernels.tree.columns import FORCE, NQ
from gori.kernels.tree.configuration import integrate
from gori.kernels.tree.kinematics import place
from gori.kernels.tree.rnea import propagate_forces, rnea

DIFFERENCE = 1.5e-8
"""change of a coordinate for differences [rad, or the scale of the axis]: the square root of the machine precision"""


@part
def end_state(machine, memory, work, y, x):
    """The state at the end of the step with accelerations x: q_end, v_end, z_end."""
    step, nq, nv = memory.step[0], machine.body_i[0, NQ], x.shape[0]
    velocity, increment = work.v_end, work.increment
    for k in range(nv):
        velocity[k] = work.base_velocity[k] + step.cv * x[k]
        increment[k] = work.base_increment[k] + step.cq * x[k]
    integrate(machine.body_i, y[:nq], increment, work.q_end)
    for k in range(work.z_end.shape[0]):
        work.z_end[k] = y[nq + nv + k]
    friction_states(machine, velocity, work.z_end, step.length)


@part
def friction_states(machine, v, z, h):
    """Internal states of friction elements at the end of a step, where the velocity is v: z' = z + h dz'/dt, solved.

    It follows v while it sticks, and relaxes to F/s while it slips; f = clamp(s z + (h s + d) v, -F, F) at the end.
    """
    for e in range(machine.element_i.shape[0]):
        if machine.element_i[e, E_KIND] == JOINT_FRICTION:
            k, p = machine.element_i[e, E_STATE], machine.element_f[e]
            speed = v[machine.element_i[e, E_DOF]]
            share = h / p[FRICTION_F.damping]
            slip, relaxed = share * p[FRICTION_F.coulomb], 1.0 + share * p[FRICTION_F.stiffness]
            z[k] = min(max(z[k] + h * speed, (z[k] - slip) / relaxed), (z[k] + slip) / relaxed)


@block
def defect(machine, data, memory, y, x, out):
    """out (nv,) = x - f. One forward dynamics."""
    work = memory.work
    f = work.forward
    end_state(machine, memory, work, y, x)
    code = accelerations(machine, memory.step[0].end_time, work.q_end, work.v_end, work.z_end, f, data.zdot, data)
    for k in range(x.shape[0]):
        out[k] = x[k] - f[k]
    return code


@block
def residual(machine, data, memory, y, x, a, out):
    """out (nv,) = ID(q(x), v(x), a) - G; a is x but for its derivatives. One inverse dynamics."""
    work = memory.work
    end_state(machine, memory, work, y, x)
    code = generalised_force(machine, data, memory, work.forces)
    none = machine.body_f[:0]
    rnea(
        machine.body_i, machine.body_f, work.q_end, work.v_end, a, none[:, :4], none[:, :6], out,
        data.body_w, data.dof_w,
    )  # fmt: skip
    for k in range(x.shape[0]):
        out[k] -= work.forces[k]
    return code


@block
def generalised_force(machine, data, memory, G):
    """G (nv,) after `end_state`: forces on joints, and forces on bodies along the axes."""
    work = memory.work
    body_i, body_f, body_w, dof_w, tau = machine.body_i, machine.body_f, data.body_w, data.dof_w, data.tau
    q, v, nv = work.q_end, work.v_end, tau.shape[0]
    bodies = acts_on_bodies(machine)
    if bodies:
        place(body_i, body_f, q, body_w, dof_w)
        for i in range(body_i.shape[0]):
            for k in range(6):
                body_w[i, FORCE + k] = 0.0
    code = apply_forces(machine, data, memory.step[0].end_time, q, v, work.z_end, data.zdot)
    if code != OK:
        return code
    for k in range(nv):
        G[k] = tau[k]
    if bodies:
        propagate_forces(body_i, work.body_forces, body_w, dof_w)
        for k in range(nv):
            G[k] -= work.body_forces[k]
    return OK


@block
def end_power(machine, data, memory):
    """Power of all that has no potential at the end of the step, into `data.power`, after `end_state`.

    Returns a result code.
    """
    work = memory.work
    if acts_on_bodies(machine):
        place(machine.body_i, machine.body_f, work.q_end, data.body_w, data.dof_w)
    code = apply_forces(machine, data, memory.step[0].end_time, work.q_end, work.v_end, work.z_end, data.zdot)
    if present(machine.closed):
        data.power[0] += drive_power(machine, data.loops.state.multipliers, data.values)
    return code


@part
def simple(machine):
    """Whether all forces act on single axes and have known derivatives."""
    if present(machine.user) or advances(machine):
        return False
    for e in range(machine.element_i.shape[0]):
        kind, s = machine.element_i[e, E_KIND], machine.element_i[e, E_SIGNAL]
        if kind not in (JOINT_SPRING, JOINT_FRICTION, JOINT_LIMIT, JOINT_FORCE, MOTOR):
            return False
        signals = 1 if kind == JOINT_FORCE else 2 if kind == MOTOR else 0
        for k in range(s, s + signals):
            if follows_state(machine.signal_i, machine.signal_f, k):
                return False
    return True


@part
def axis_derivatives(machine, memory, work, values):
    """diagonal: -d G_k / d x_k of the elements that act on single axes, after `generalised_force` or `defect`."""
    step = memory.step[0]
    q, v, z, out = work.q_end, work.v_end, work.z_end, work.diagonal
    cv, cq, h = step.cv, step.cq, step.length
    for k in range(out.shape[0]):
        out[k] = 0.0
    for e in range(machine.element_i.shape[0]):
        kind, d, at = machine.element_i[e, E_KIND], machine.element_i[e, E_DOF], machine.element_i[e, E_Q]
        p, s = machine.element_f[e], machine.element_i[e, E_SIGNAL]
        if kind == JOINT_SPRING:
            out[d] += cq * p[SPRING_F.stiffness] + cv * p[SPRING_F.damping]
        elif kind == BALL_SPRING:  # as for small angles: not `simple`, but a good start for iterations
            for k in range(d, d + 3):
                out[k] += cq * p[BALL_SPRING_F.stiffness] + cv * p[BALL_SPRING_F.damping]
        elif kind == JOINT_FRICTION:  # z moves with v within the step
            stiffness, damping = p[FRICTION_F.stiffness], p[FRICTION_F.damping]
            held = stiffness * z[machine.element_i[e, E_STATE]] + damping * v[d]
            if abs(held) < p[FRICTION_F.coulomb]:
                out[d] += cv * (h * stiffness + damping)
        elif kind == JOINT_LIMIT:
            stiffness, damping = p[LIMIT_F.stiffness], p[LIMIT_F.damping]
            under, over = p[LIMIT_F.lower] - q[at], p[LIMIT_F.upper] - q[at]
            below = under > 0.0 and stiffness * under - damping * v[d] > 0.0
            above = over < 0.0 and stiffness * over - damping * v[d] < 0.0
            if below or above:
                out[d] += cq * stiffness + cv * damping
        elif kind == MOTOR:
            kp, kd = p[MOTOR_F.kp], p[MOTOR_F.kd]
            wish = kp * (values[s] - q[at]) + kd * (values[s + 1] - v[d])
            if abs(wish) < p[MOTOR_F.limit]:
                out[d] += cq * kp + cv * kd
