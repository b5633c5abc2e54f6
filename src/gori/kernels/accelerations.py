"""The one right-hand side: from a state to its rates, with all forces. Every integrator calls this.

q' = q_rate(q, v)      v' = M^-1 (tau - bias + forces)      z' = rates of the force elements' own states
"""

from gori.kernels.codes import NOT_FINITE, OK, SINGULAR
from gori.kernels.forces.apply import apply_forces
from gori.kernels.jit import part
from gori.kernels.tree.aba import articulate, clear, propagate_accelerations, regular
from gori.kernels.tree.columns import KIND, Q0, V0
from gori.kernels.tree.joints import FREE, HELICAL, rotation_of_quaternion
from gori.kernels.tree.kinematics import place, rates
from gori.kernels.tree.rnea import start_from_gravity, total


@part
def accelerations(machine, t, q, v, z, qdd, zdot, data):
    """Fill qdd (nv,) and zdot (nz,); returns OK or what went wrong."""
    body_i, body_f, body_w, dof_w, tau = machine.body_i, machine.body_f, data.body_w, data.dof_w, data.tau
    place(body_i, body_f, q, body_w, dof_w)
    rates(body_i, v, body_w, dof_w)
    clear(body_i, body_w)
    code = apply_forces(machine, data, t, q, v, z, zdot)
    if code != OK:
        return code
    articulate(body_i, body_f, tau, body_w, dof_w)
    start_from_gravity(body_f, body_w)
    propagate_accelerations(body_i, qdd, body_w, dof_w)
    return OK


@part
def q_rate(body_i, q, v, out):
    """q' (nq,): v itself for simple joints; q (0, w) / 2 for quaternions, R v for the position of a free joint."""
    for i in range(1, body_i.shape[0]):
        kind, at, d = body_i[i, KIND], body_i[i, Q0], body_i[i, V0]
        if kind <= HELICAL:
            out[at] = v[d]
            continue
        w, x, y, z = q[at], q[at + 1], q[at + 2], q[at + 3]
        a, b, c = 0.5 * v[d], 0.5 * v[d + 1], 0.5 * v[d + 2]
        out[at] = -x * a - y * b - z * c
        out[at + 1] = w * a + y * c - z * b
        out[at + 2] = w * b + z * a - x * c
        out[at + 3] = w * c + x * b - y * a
        if kind == FREE:
            r0, r1, r2, r3, r4, r5, r6, r7, r8 = rotation_of_quaternion(w, x, y, z)
            a, b, c = v[d + 3], v[d + 4], v[d + 5]
            out[at + 4] = r0 * a + r1 * b + r2 * c
            out[at + 5] = r3 * a + r4 * b + r5 * c
            out[at + 6] = r6 * a + r7 * b + r8 * c


@part
def unit_quaternions(body_i, q):
    """Bring all quaternions of q back to length one."""
    for i in range(1, body_i.shape[0]):
        if body_i[i, KIND] > HELICAL:
            at = body_i[i, Q0]
            length = (q[at] ** 2 + q[at + 1] ** 2 + q[at + 2] ** 2 + q[at + 3] ** 2) ** 0.5
            for k in range(4):
                q[at + k] /= length


@part
def finite(v):
    """OK, or NOT_FINITE."""
    return NOT_FINITE if total(v) * 0.0 != 0.0 else OK


@part
def health(v, dof_w):
    """OK, or the failure after `accelerations`: numbers that are not finite, an axis that moves no inertia."""
    if finite(v) != OK:
        return NOT_FINITE
    return OK if regular(dof_w) else SINGULAR
