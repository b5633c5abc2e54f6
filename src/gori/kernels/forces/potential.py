"""Energy that force elements store: of springs, bushings, stops and limits, but not of friction while it sticks.

JOINT_SPRING   k (q - rest)^2 / 2 - preload (q - rest)
BALL_SPRING    k |r|^2 / 2, r the rotation vector from rest
JOINT_LIMIT    k s^2 / 2, s how far q is beyond the limit
LINE           k (length - free length)^2 / 2
STRUT          the same, and of its stops the area under their table
BUSHING        (r.Kr + d.Kd) / 2, rotation vector and deflection of B, seen from A

Their forces are the gradients: power of the springs = -d(energy)/dt.
"""

import math

from gori.kernels.forces.elements import (
    BALL_SPRING,
    BUSHING,
    E_KIND,
    E_Q,
    E_ROW_A,
    E_ROW_B,
    JOINT_LIMIT,
    JOINT_SPRING,
    LINE,
    STRUT,
    acts_on_bodies,
    ball_deflection,
    beyond_limit,
    line_vector,
    rotation_between,
    turn_back_rows,
    turn_point,
    world_axes,
)
from gori.kernels.forces.parameters import BALL_SPRING_F, BUSHING_F, LIMIT_F, LINE_F, SPRING_F, STRUT_F
from gori.kernels.jit import kernel, part
from gori.kernels.tree.columns import ART
from gori.kernels.tree.kinematics import place, positions
from gori.kernels.tree.rnea import TREE


@part
def stop_energy(p, pressed):
    """Energy of a strut's stop [J] that is pressed by so much [m]."""
    if pressed <= 0.0:
        return 0.0
    energy, x0, f0, slope, rows = 0.0, 0.0, 0.0, 0.0, int(p[STRUT_F.stop_rows])
    for k in range(rows):
        x, f = p[STRUT_F.stop_table + 2 * k], p[STRUT_F.stop_table + 2 * k + 1]
        slope = (f - f0) / (x - x0)
        if pressed <= x:
            break
        if k + 1 < rows:
            energy += 0.5 * (f0 + f) * (x - x0)
            x0, f0 = x, f
    return energy + (f0 + 0.5 * slope * (pressed - x0)) * (pressed - x0)


@part
def line_energy(element, p, body_w):
    """Of a spring or a strut, after `positions`."""
    a, b = element[E_ROW_A], element[E_ROW_B]
    ax, ay, az = turn_point(body_w, a, p, LINE_F.point_a)
    bx, by, bz = turn_point(body_w, b, p, LINE_F.point_b)
    dx, dy, dz = line_vector(a, b, ax, ay, az, bx, by, bz, body_w)
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if element[E_KIND] == STRUT:
        stops = stop_energy(p, length - p[STRUT_F.longest]) + stop_energy(p, p[STRUT_F.shortest] - length)
        return 0.5 * p[STRUT_F.stiffness] * (length - p[STRUT_F.free_length]) ** 2 + stops
    return 0.5 * p[LINE_F.stiffness] * (length - p[LINE_F.free_length]) ** 2


@part
def bushing_energy(element, p, body_w, axes):
    """Of a bushing, after `positions`. axes (18,) is scratch."""
    a, b, A, B = element[E_ROW_A], element[E_ROW_B], axes[:9], axes[9:]
    world_axes(a, p, BUSHING_F.R_A, body_w, A)
    world_axes(b, p, BUSHING_F.R_B, body_w, B)
    ax, ay, az = turn_point(body_w, a, p, BUSHING_F.p_A)
    bx, by, bz = turn_point(body_w, b, p, BUSHING_F.p_B)
    dx, dy, dz = line_vector(a, b, ax, ay, az, bx, by, bz, body_w)
    dx, dy, dz = turn_back_rows(A, dx, dy, dz)
    x, y, z, _ = rotation_between(A, B)
    K = BUSHING_F.stiffness
    turned = p[K] * x * x + p[K + 1] * y * y + p[K + 2] * z * z
    return 0.5 * (turned + p[K + 3] * dx * dx + p[K + 4] * dy * dy + p[K + 5] * dz * dz)


@part
def potential(element, p, q, body_w):
    """Energy of one element [J]; of those between bodies, after `positions`."""
    kind, at = element[E_KIND], element[E_Q]
    if kind == JOINT_SPRING:
        stretch = q[at] - p[SPRING_F.rest]
        return (0.5 * p[SPRING_F.stiffness] * stretch - p[SPRING_F.preload]) * stretch
    if kind == BALL_SPRING:
        x, y, z = ball_deflection(p, q, at)
        return 0.5 * p[BALL_SPRING_F.stiffness] * (x * x + y * y + z * z)
    if kind == JOINT_LIMIT:
        return 0.5 * p[LIMIT_F.stiffness] * beyond_limit(p, q[at]) ** 2
    if kind in (LINE, STRUT):
        return line_energy(element, p, body_w)
    if kind == BUSHING:
        return bushing_energy(element, p, body_w, body_w[0, ART : ART + 18])
    return 0.0


@kernel(f"void({TREE}, i8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1])")
def potentials(body_i, body_f, element_i, element_f, q, out, body_w, dof_w):
    """out (N, elements): energy of each element [J] for rows of q (N, nq). body_w and dof_w are scratch."""
    bodies = acts_on_bodies(element_i)
    for row in range(q.shape[0]):
        if bodies:
            place(body_i, body_f, q[row], body_w, dof_w)
            positions(body_i, body_w)
        for e in range(element_i.shape[0]):
            out[row, e] = potential(element_i[e], element_f[e], q[row], body_w)
