"""Cotangents of forces: how x' tau changes with q, v, with values of signals and with parameters of the elements.

Springs between bodies act as tension T along n: x' tau = -T n . u, u the velocity that x gives B's point against A's.
At corners, of limits and clamps, the derivative is that of the side on which the state stands.
"""

import math

from gori.kernels.forces.elements import (
    BALL_SPRING,
    E_DOF,
    E_KIND,
    E_Q,
    E_ROW_A,
    E_ROW_B,
    E_SIGNAL,
    JOINT_FORCE,
    JOINT_LIMIT,
    JOINT_SPRING,
    LINE,
    MOTOR,
    ball_deflection,
    beyond_limit,
    line_vector,
    turn_point,
)
from gori.kernels.forces.parameters import BALL_SPRING_F, LIMIT_F, LINE_F, MOTOR_F, SPRING_F
from gori.kernels.jit import block, part
from gori.kernels.loops.adjoint import (
    add_to_body,
    angular,
    dot3,
    from_reference,
    linear_at,
    scaled,
    six_of,
    sum3,
    x3,
)
from gori.kernels.tree.adjoint import W
from gori.kernels.tree.derivatives import V
from gori.kernels.tree.inverse_mass import six
from gori.kernels.tree.kinematics import turn_back


@part
def ball_cotangent(r, k, x):
    """-k (1 + [r]/2 + c [r]^2)' x: by turns of the moving body in its axes (`model/tangents.py`)."""
    angle = math.sqrt(dot3(r, r))
    if angle < 0.01:
        c = 1.0 / 12.0 + angle * angle / 720.0
    else:
        c = (1.0 - 0.5 * angle / math.tan(0.5 * angle)) / (angle * angle)
    first = x3(r, x)
    second = x3(r, first)
    return (
        -k * (x[0] - 0.5 * first[0] + c * second[0]),
        -k * (x[1] - 0.5 * first[1] + c * second[1]),
        -k * (x[2] - 0.5 * first[2] + c * second[2]),
    )


@part
def joint_cotangents(element, p, q, v, values, x, by_q, by_v, of_values, of_row):
    """An element on axes of a joint: adds to all cotangents."""
    kind, d, at, s = element[E_KIND], element[E_DOF], element[E_Q], element[E_SIGNAL]
    if kind == JOINT_SPRING:
        k, damping = p[SPRING_F.stiffness], p[SPRING_F.damping]
        by_q[d] -= k * x[d]
        by_v[d] -= damping * x[d]
        of_row[SPRING_F.stiffness] -= x[d] * (q[at] - p[SPRING_F.rest])
        of_row[SPRING_F.rest] += k * x[d]
        of_row[SPRING_F.damping] -= x[d] * v[d]
        of_row[SPRING_F.preload] += x[d]
    elif kind == BALL_SPRING:
        k, damping = p[BALL_SPRING_F.stiffness], p[BALL_SPRING_F.damping]
        r = ball_deflection(p, q, at)
        given = (x[d], x[d + 1], x[d + 2])
        back = ball_cotangent(r, k, given)
        for c in range(3):
            by_q[d + c] += back[c]
            by_v[d + c] -= damping * x[d + c]
            of_row[BALL_SPRING_F.damping] -= x[d + c] * v[d + c]
        of_row[BALL_SPRING_F.stiffness] -= dot3(given, r)
    elif kind == JOINT_LIMIT:
        k, damping, back = p[LIMIT_F.stiffness], p[LIMIT_F.damping], beyond_limit(p, q[at])
        force = k * back - damping * v[d]
        if back != 0.0 and force * back > 0.0:
            by_q[d] -= k * x[d]
            by_v[d] -= damping * x[d]
            of_row[LIMIT_F.stiffness] += x[d] * back
            of_row[LIMIT_F.damping] -= x[d] * v[d]
            of_row[LIMIT_F.lower if back > 0.0 else LIMIT_F.upper] += k * x[d]
    elif kind == JOINT_FORCE:
        of_values[s] += x[d]
    elif kind == MOTOR:
        kp, kd, limit = p[MOTOR_F.kp], p[MOTOR_F.kd], p[MOTOR_F.limit]
        apart, slower = values[s] - q[at], values[s + 1] - v[d]
        effort = kp * apart + kd * slower
        if abs(effort) < limit:
            by_q[d] -= kp * x[d]
            by_v[d] -= kd * x[d]
            of_values[s] += kp * x[d]
            of_values[s + 1] += kd * x[d]
            of_row[MOTOR_F.kp] += apart * x[d]
            of_row[MOTOR_F.kd] += slower * x[d]
        else:
            of_row[MOTOR_F.limit] += x[d] if effort > 0.0 else -x[d]


@part
def of_point(body_w, body_d, body_t, row, push, rate, tension, n, sign, at, of_row):
    """By where an end of a spring is on its body: it then moves otherwise as well."""
    moved = sum3(push, rate, x3(n, angular(six(body_d, row, V))))
    moved = sum3(moved, tension, x3(n, angular(six(body_t, row, W))))
    gx, gy, gz = turn_back(body_w, row, moved[0], moved[1], moved[2])
    of_row[at] -= sign * gx
    of_row[at + 1] -= sign * gy
    of_row[at + 2] -= sign * gz


@part
def line_cotangents(element, p, body_w, body_d, body_t, of_row):
    """A spring and damper between two points: adds -d(x' tau) to the sums of the bodies."""
    a, b = element[E_ROW_A], element[E_ROW_B]
    on_A, on_B = turn_point(body_w, a, p, LINE_F.point_a), turn_point(body_w, b, p, LINE_F.point_b)
    d = line_vector(a, b, on_A[0], on_A[1], on_A[2], on_B[0], on_B[1], on_B[2], body_w)
    length = math.sqrt(dot3(d, d))
    if not length > 0.0:
        return
    inverse = 1.0 / length
    n = (inverse * d[0], inverse * d[1], inverse * d[2])
    r_A, r_B = from_reference(body_d, a, on_A), from_reference(body_d, b, on_B)
    v_A, v_B = linear_at(six(body_d, a, V), r_A), linear_at(six(body_d, b, V), r_B)
    u_A, u_B = linear_at(six(body_t, a, W), r_A), linear_at(six(body_t, b, W), r_B)
    v, u, zero = sum3(v_B, -1.0, v_A), sum3(u_B, -1.0, u_A), (0.0, 0.0, 0.0)
    k, damping, rate, along = p[LINE_F.stiffness], p[LINE_F.damping], dot3(n, v), dot3(n, u)
    tension = k * (length - p[LINE_F.free_length]) + damping * rate
    push = sum3(sum3(zero, along * k, n), inverse * along * damping, sum3(v, -rate, n))
    push = sum3(push, inverse * tension, sum3(u, -along, n))
    moment = sum3(sum3(zero, along * damping, x3(v_B, n)), tension, x3(u_B, n))
    none, pull = six_of(zero, zero), six_of(zero, n)
    back = x3(d, push)  # the pose of A as that of B, seen from p_A
    of_motion, of_velocity = scaled(tension, pull), scaled(along * damping, pull)
    add_to_body(body_d, body_t, b, r_B, 1.0, of_motion, none, six_of(moment, push), of_velocity)
    add_to_body(
        body_d, body_t, a, r_A, -1.0, of_motion, none, six_of(sum3(moment, 1.0, back), push), scaled(-1.0, of_velocity)
    )
    of_point(body_w, body_d, body_t, b, push, along * damping, tension, n, 1.0, LINE_F.point_b, of_row)
    of_point(body_w, body_d, body_t, a, push, along * damping, tension, n, -1.0, LINE_F.point_a, of_row)
    of_row[LINE_F.stiffness] -= along * (length - p[LINE_F.free_length])
    of_row[LINE_F.damping] -= along * rate
    of_row[LINE_F.free_length] += along * k


@block
def force_cotangents(machine, data, q, v, x, body_d, body_t, by_q, by_v, of_values, of_element):
    """x' tau of all elements by q, v, values of signals and parameters, added; of springs between bodies to the sums of
    the bodies. After `positions` where there are such springs.
    """
    for e in range(machine.element_i.shape[0]):
        element, p = machine.element_i[e], machine.element_f[e]
        if element[E_KIND] == LINE:
            line_cotangents(element, p, data.body_w, body_d, body_t, of_element[e])
        else:
            joint_cotangents(element, p, q, v, data.values, x, by_q, by_v, of_values, of_element[e])
