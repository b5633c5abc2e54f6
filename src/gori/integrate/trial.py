"""The equations of a step at trial accelerations x: the state they lead to, x - f, and the residual as forces.

With G the generalised force of all elements and of the user, and ID inverse dynamics without them, the residual is
r = ID(q, v, x) - G = M (x - f).
"""

import math

from gori.integrate.work import (
    BASE_M,
    BASE_V,
    CQ,
    CV,
    DIAGONAL,
    FALL,
    FORCES,
    HANDED,
    LENGTH,
    MOVE,
    SPEED,
    TIME,
)
from gori.kernels.accelerations import accelerations
from gori.kernels.codes import OK
from gori.kernels.forces.apply import acts_on_bodies, apply_forces
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
from gori.kernels.forces.signals import follows_state
from gori.kernels.jit import block, part
from gori.kernels.tree.columns import FORCE, NQ
from gori.kernels.tree.configuration import integrate
from gori.kernels.tree.kinematics import place
from gori.kernels.tree.rnea import hand_inward, rnea

DIFFERENCE = 1.5e-8
"""change of a coordinate for differences [rad, or the scale of the axis]: the square root of the machine precision"""


@part
def look_ahead(machine, work, y, x):
    """The state at the end of the step with accelerations x: `ahead`, SPEED, `slid`."""
    head, vectors, nq = work.head, work.vectors, machine.body_i[0, NQ]
    nv = x.shape[0]
    speed, move = vectors[SPEED], vectors[MOVE]
    for k in range(nv):
        speed[k] = vectors[BASE_V, k] + head[CV] * x[k]
        move[k] = vectors[BASE_M, k] + head[CQ] * x[k]
    integrate(machine.body_i, y[:nq], move, work.ahead)
    for k in range(work.slid.shape[0]):
        work.slid[k] = y[nq + nv + k]
    slide_states(machine, speed, work.slid, head[LENGTH])


@part
def slide_states(machine, v, z, h):
    """Internal states of friction elements over a step with velocity v: exact for constant v."""
    for e in range(machine.element_i.shape[0]):
        if machine.element_i[e, E_KIND] == JOINT_FRICTION:
            k, p = machine.element_i[e, E_STATE], machine.element_f[e]
            speed = v[machine.element_i[e, E_DOF]]
            rate = p[1] * abs(speed) / p[0]
            if rate * h < 1e-8:
                z[k] += h * (speed - rate * z[k])
            else:
                end = p[0] / p[1] if speed > 0.0 else -p[0] / p[1]
                z[k] = end + (z[k] - end) * math.exp(-rate * h)


@block
def defect(machine, data, work, y, x, out):
    """out (nv,) = x - f. One forward dynamics."""
    look_ahead(machine, work, y, x)
    fall = work.vectors[FALL]
    code = accelerations(machine, work.head[TIME], work.ahead, work.vectors[SPEED], work.slid, fall, work.zdot, data)
    for k in range(x.shape[0]):
        out[k] = x[k] - fall[k]
    return code


@block
def residual(machine, data, work, y, x, a, out):
    """out (nv,) = ID(q(x), v(x), a) - G; a is x but for its derivatives. One inverse dynamics."""
    look_ahead(machine, work, y, x)
    code = generalised_force(machine, data, work, work.vectors[FORCES])
    none = machine.body_f[:0]
    rnea(
        machine.body_i, machine.body_f, work.ahead, work.vectors[SPEED], a, none[:, :4], none[:, :6], out,
        data.body_w, data.dof_w,
    )  # fmt: skip
    for k in range(x.shape[0]):
        out[k] -= work.vectors[FORCES, k]
    return code


@block
def generalised_force(machine, data, work, G):
    """G (nv,) after `look_ahead`: forces on joints, and forces on bodies along the axes."""
    body_i, body_f, body_w, dof_w, tau = machine.body_i, machine.body_f, data.body_w, data.dof_w, data.tau
    q, v, nv = work.ahead, work.vectors[SPEED], tau.shape[0]
    bodies = acts_on_bodies(machine)
    if bodies:
        place(body_i, body_f, q, body_w, dof_w)
        for i in range(body_i.shape[0]):
            for k in range(6):
                body_w[i, FORCE + k] = 0.0
    code = apply_forces(machine, data, work.head[TIME], q, v, work.slid, work.zdot)
    if code != OK:
        return code
    for k in range(nv):
        G[k] = tau[k]
    if bodies:
        hand_inward(body_i, work.vectors[HANDED], body_w, dof_w)
        for k in range(nv):
            G[k] -= work.vectors[HANDED, k]
    return OK


@part
def simple(machine):
    """Whether all forces act on single axes and have known derivatives."""
    if machine.user != 0 or machine.outside != 0:
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
def axis_derivatives(machine, work, values):
    """DIAGONAL: -d G_k / d x_k of the elements that act on single axes, after `generalised_force` or `defect`."""
    q, v, z, out = work.ahead, work.vectors[SPEED], work.slid, work.vectors[DIAGONAL]
    cv, cq, h = work.head[CV], work.head[CQ], work.head[LENGTH]
    for k in range(out.shape[0]):
        out[k] = 0.0
    for e in range(machine.element_i.shape[0]):
        kind, d, at = machine.element_i[e, E_KIND], machine.element_i[e, E_DOF], machine.element_i[e, E_Q]
        p, s = machine.element_f[e], machine.element_i[e, E_SIGNAL]
        if kind == JOINT_SPRING:
            out[d] += cq * p[0] + cv * p[2]
        elif kind == BALL_SPRING:  # as for small angles: not `simple`, but a good start for iterations
            for k in range(d, d + 3):
                out[k] += cq * p[0] + cv * p[5]
        elif kind == JOINT_FRICTION:  # z moves with v within the step
            side = p[1] / p[0] if v[d] > 0.0 else -p[1] / p[0]
            slip = max(0.0, 1.0 - side * z[machine.element_i[e, E_STATE]])
            out[d] += cv * slip * (h * p[1] + p[2] * max(0.0, 1.0 - h * abs(side * v[d])))
        elif kind == JOINT_LIMIT:
            below = q[at] < p[0] and p[2] * (p[0] - q[at]) - p[3] * v[d] > 0.0
            above = q[at] > p[1] and p[2] * (p[1] - q[at]) - p[3] * v[d] < 0.0
            if below or above:
                out[d] += cq * p[2] + cv * p[3]
        elif kind == MOTOR:
            wish = p[0] * (values[s] - q[at]) + p[1] * (values[s + 1] - v[d])
            if abs(wish) < p[2]:
                out[d] += cq * p[0] + cv * p[1]
