"""What implicit methods need: the equation of motion as a residual, its derivatives, and a linear solve.

With G(t, q, v, z) the generalised force of all elements and of the user, ID inverse dynamics without them:

    r(q, v, a) = ID(q, v, a) - G(t, q, v, z),     dr = K dq + C dv + M da

ID's derivatives are analytic (`kernels/derivatives.py`), and so are those of springs, dampers, limits and motors on
joints. Elements on bodies, spherical springs, expressions of q and v, and functions of the user are differenced.
"""

from gori.kernels.accelerations import OK, USER_ERROR, call_user
from gori.kernels.columns import ARM, FORCE, NDOF, NQ, PARENT, V0, S
from gori.kernels.configuration import integrate
from gori.kernels.derivatives import N_BODY_D, N_DOF_D, inverse_derivatives
from gori.kernels.elements import (
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
    acts_on_bodies,
    apply_elements,
)
from gori.kernels.jit import part
from gori.kernels.kinematics import cross, place, positions, velocities
from gori.kernels.rnea import rnea
from gori.kernels.signals import EXPRESSION, SIGNAL_KIND, evaluate_signals

EPSILON = 1.5e-8
"""step of the differences: the square root of the machine precision"""
VECTORS = 10
TOLERANCE, ROUNDING, MOST = 1e-10, 1e-13, 60
"""of Newton's method: residual over the forces, over the load on the ground, and number of trials"""
# of these, what `linearise` uses: residual, generalised force, and two of its own; the rest is the caller's
RESIDUAL, FORCES, _MOVED, _CHANGE, FIRST_FREE = 0, 1, 2, 3, 4


def size(nrow: int, nq: int, nv: int) -> int:
    """Numbers of memory that `carve` cuts up."""
    return 4 * nv * nv + nrow * N_BODY_D + nv * N_DOF_D + VECTORS * nv + 2 * nq


@part
def carve(memory, machine, scratch):
    """Pieces of a flat memory: K, C, M, A (nv, nv), body_d, dof_d, VECTORS vectors (nv,), two of (nq,)."""
    flat = memory.reshape(memory.size)
    nrow, nq, nv = machine.body_i.shape[0], machine.body_i[0, NQ], scratch.tau.shape[0]
    n2 = nv * nv
    squares = flat[: 4 * n2].reshape((4, nv, nv))
    at = 4 * n2
    body_d = flat[at : at + nrow * N_BODY_D].reshape((nrow, N_BODY_D))
    at += nrow * N_BODY_D
    dof_d = flat[at : at + nv * N_DOF_D].reshape((nv, N_DOF_D))
    at += nv * N_DOF_D
    vectors = flat[at : at + VECTORS * nv].reshape((VECTORS, nv))
    at += VECTORS * nv
    return squares, body_d, dof_d, vectors, flat[at : at + 2 * nq].reshape((2, nq))


@part
def generalised_force(machine, t, q, v, z, G, zdot, scratch):
    """G (nv,): joint forces of the elements and the user, and the bodies' forces projected on the axes."""
    body_i, body_f, body_w, dof_w, tau = machine.body_i, machine.body_f, scratch.body_w, scratch.dof_w, scratch.tau
    nv = tau.shape[0]
    for k in range(nv):
        tau[k] = 0.0
    bodies = acts_on_bodies(machine.element_i)
    if machine.element_i.shape[0] > 0:
        evaluate_signals(machine.signal_i, machine.signal_f, t, q, v, scratch.values, scratch.stack)
        if bodies:
            place(body_i, body_f, q, body_w, dof_w)
            positions(body_i, body_w)
            velocities(body_i, v, body_w, dof_w)
            for i in range(body_i.shape[0]):
                for k in range(6):
                    body_w[i, FORCE + k] = 0.0
        apply_elements(machine.element_i, machine.element_f, q, v, z, scratch.values, tau, zdot, body_w)
    if machine.user != 0 and call_user(machine.user, t, q, v, tau) != 0:
        return USER_ERROR
    for k in range(nv):
        G[k] = tau[k]
    if bodies:
        for i in range(body_i.shape[0] - 1, 0, -1):
            p = body_i[i, PARENT]
            nx, ny, nz = body_w[i, FORCE], body_w[i, FORCE + 1], body_w[i, FORCE + 2]
            fx, fy, fz = body_w[i, FORCE + 3], body_w[i, FORCE + 4], body_w[i, FORCE + 5]
            for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
                G[k] -= (
                    dof_w[k, S] * nx + dof_w[k, S + 1] * ny + dof_w[k, S + 2] * nz
                    + dof_w[k, S + 3] * fx + dof_w[k, S + 4] * fy + dof_w[k, S + 5] * fz
                )  # fmt: skip
            tx, ty, tz = cross(body_w[i, ARM], body_w[i, ARM + 1], body_w[i, ARM + 2], fx, fy, fz)
            body_w[p, FORCE] += nx + tx
            body_w[p, FORCE + 1] += ny + ty
            body_w[p, FORCE + 2] += nz + tz
            body_w[p, FORCE + 3] += fx
            body_w[p, FORCE + 4] += fy
            body_w[p, FORCE + 5] += fz
    return OK


@part
def simple(machine):
    """Whether all forces are joint elements with known derivatives."""
    if machine.user != 0:
        return False
    for e in range(machine.element_i.shape[0]):
        kind, s = machine.element_i[e, E_KIND], machine.element_i[e, E_SIGNAL]
        if kind not in (JOINT_SPRING, JOINT_FRICTION, JOINT_LIMIT, JOINT_FORCE, MOTOR):
            return False
        if kind == JOINT_FORCE and machine.signal_i[s, SIGNAL_KIND] == EXPRESSION:
            return False
        if kind == MOTOR and EXPRESSION in (machine.signal_i[s, SIGNAL_KIND], machine.signal_i[s + 1, SIGNAL_KIND]):
            return False
    return True


@part
def element_derivatives(machine, q, v, z, values, h, K, C):
    """Take the derivatives of joint elements off K and C; rows and columns are the same for them."""
    for e in range(machine.element_i.shape[0]):
        kind, d, at = machine.element_i[e, E_KIND], machine.element_i[e, E_DOF], machine.element_i[e, E_Q]
        p, s = machine.element_f[e], machine.element_i[e, E_SIGNAL]
        if kind == JOINT_SPRING:
            K[d, d] += p[0]
            C[d, d] += p[2]
        elif kind == JOINT_FRICTION:  # z moves with v within the step
            C[d, d] += (p[2] + h * p[1]) * max(0.0, 1.0 - abs(p[1] * z[machine.element_i[e, E_STATE]] / p[0]))
        elif kind == JOINT_LIMIT:
            below = q[at] < p[0] and p[2] * (p[0] - q[at]) - p[3] * v[d] > 0.0
            above = q[at] > p[1] and p[2] * (p[1] - q[at]) - p[3] * v[d] < 0.0
            if below or above:
                K[d, d] += p[2]
                C[d, d] += p[3]
        elif kind == MOTOR:
            wish = p[0] * (values[s] - q[at]) + p[1] * (values[s + 1] - v[d])
            if abs(wish) < p[2]:
                K[d, d] += p[0]
                C[d, d] += p[1]


@part
def linearise(machine, t, q, v, z, a, h, squares, body_d, dof_d, vectors, spare, zdot, scratch):
    """Residual r into vectors[RESIDUAL], and K, C, M into squares[0..2], by columns: K[c, r] = d r_r / d q_c.

    squares[3][0, 0] becomes the squared load on the ground, for `judge`.
    """
    nv = v.shape[0]
    K, C, M = squares[0], squares[1], squares[2]
    r, G, moved, change = vectors[RESIDUAL], vectors[FORCES], vectors[_MOVED], vectors[_CHANGE]
    K[:] = 0.0
    C[:] = 0.0
    M[:] = 0.0
    inverse_derivatives(machine.body_i, machine.body_f, q, v, a, K, C, M, scratch.body_w, scratch.dof_w, body_d, dof_d)
    code = residual(machine, t, q, v, z, a, r, G, zdot, scratch)
    if code != OK:
        return code
    squares[3][0, 0] = load_on_ground(machine.body_i, scratch.body_w)
    if simple(machine):
        element_derivatives(machine, q, v, z, scratch.values, h, K, C)
        return OK
    for c in range(nv):
        for k in range(nv):
            change[k] = 0.0
        change[c] = EPSILON
        integrate(machine.body_i, q, change, spare)
        code = generalised_force(machine, t, spare, v, z, moved, zdot, scratch)
        if code != OK:
            return code
        for k in range(nv):
            K[c, k] -= (moved[k] - G[k]) / EPSILON
        kept = v[c]
        step = EPSILON * max(1.0, abs(kept))
        v[c] = kept + step
        code = generalised_force(machine, t, q, v, z, moved, zdot, scratch)
        v[c] = kept
        if code != OK:
            return code
        for k in range(nv):
            C[c, k] -= (moved[k] - G[k]) / step
    return OK


@part
def residual(machine, t, q, v, z, a, r, G, zdot, scratch):
    """r (nv,) = ID(q, v, a) - G."""
    code = generalised_force(machine, t, q, v, z, G, zdot, scratch)
    if code != OK:
        return code
    none = machine.body_f[:0]
    rnea(machine.body_i, machine.body_f, q, v, a, none[:, :4], none[:, :6], r, scratch.body_w, scratch.dof_w)
    for k in range(v.shape[0]):
        r[k] -= G[k]
    return OK


@part
def solve(A, x):
    """x = A^-1 x by elimination with row pivots; A, by columns (A[c, r]), is destroyed. False if it is singular."""
    n = x.shape[0]
    for k in range(n):
        best = k
        for r in range(k + 1, n):
            if abs(A[k, r]) > abs(A[k, best]):
                best = r
        pivot = A[k, best]
        if not abs(pivot) > 0.0:
            return False
        if best != k:
            for c in range(k, n):
                A[c, k], A[c, best] = A[c, best], A[c, k]
            x[k], x[best] = x[best], x[k]
        inverse = 1.0 / pivot
        for r in range(k + 1, n):
            A[k, r] *= inverse
            x[r] -= A[k, r] * x[k]
        for c in range(k + 1, n):
            top = A[c, k]
            if top != 0.0:
                for r in range(k + 1, n):
                    A[c, r] -= A[k, r] * top
    for k in range(n - 1, -1, -1):
        x[k] /= A[k, k]
        for r in range(k):
            x[r] -= A[k, r] * x[k]
    return True


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
                z[k] = end + (z[k] - end) * 2.718281828459045 ** (-rate * h)


@part
def judge(vectors, M, a, load, before, trial, halvings):
    """What to do with the residual of a trial: 0 go on, 1 it has gone, 2 go back half way because it has grown.

    Returns that and the squared norm. It is gone when it is small against inertial and outside forces, or down in the
    rounding errors of the load that the ground carries. Forces that saturate or touch have corners, over which a full
    step can cycle: hence the way back.
    """
    r, G = vectors[RESIDUAL], vectors[FORCES]
    norm, scale = 0.0, 0.0
    for k in range(r.shape[0]):
        inertial = 0.0
        for c in range(r.shape[0]):
            inertial += M[c, k] * a[c]
        norm += r[k] * r[k]
        scale += inertial * inertial + G[k] * G[k]
    if norm <= TOLERANCE**2 * scale + ROUNDING**2 * load:
        return 1, norm
    if trial > 0 and not norm < before and halvings < 8:
        return 2, norm
    return 0, norm


@part
def load_on_ground(body_i, body_w):
    """Squared size of the forces and moments that root bodies hand to the ground; after `rnea`."""
    load = 0.0
    for i in range(1, body_i.shape[0]):
        if body_i[i, PARENT] == 0:
            for k in range(6):
                load += body_w[i, FORCE + k] ** 2
    return load
