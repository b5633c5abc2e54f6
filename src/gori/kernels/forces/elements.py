"""Force elements: rows with a kind code. Joint elements add to tau, body elements to the bodies' forces.

To add a kind: a code here, its parameters in `parameters.py`, a branch in `apply_elements`, its energy in
`potential.py`, a row maker in `model/forces.py`.

Each gives the power [W] of what it does without a potential: of dampers, friction, drives and wrenches, not of springs.

JOINT_SPRING     tau = preload - k (q - rest) - d v
BALL_SPRING      tau = -k log(rest' R) - d w
JOINT_FRICTION   tau = -s z - d z' = -clamp(s z + d v, -F, F): Coulomb force F, stick stiffness s and damping d, state z
JOINT_LIMIT      one-sided spring and damper, never pulls
JOINT_FORCE      tau = value; signal: value. With gains, which a batch may set (`Batch.servo`), the value is a target:
                 tau = clamp(kp (value - q) - kd v)
MOTOR            tau = clamp(kp (target - q) + kd (rate - v)); signals: target, rate
LINE             spring and damper along the line AB
STRUT            along the line AB; see `strut_tension`
BUSHING          in A's axes; rotation vector of B from A; the gradient of its potential
WRENCH           signals: moment, force
"""

import math

from gori.kernels.forces.parameters import (
    BALL_SPRING_F,
    BUSHING_F,
    FRICTION_F,
    LIMIT_F,
    LINE_F,
    MOTOR_F,
    SPRING_F,
    STRUT_F,
    WRENCH_F,
)
from gori.kernels.jit import part
from gori.kernels.tree.columns import ART, FORCE, OMEGA, P_WB, VEL
from gori.kernels.tree.configuration import quaternion_times
from gori.kernels.tree.kinematics import cross, turn

# element_i (n, N_ELEMENT_I) int64
E_KIND, E_DOF, E_Q, E_ROW_A, E_ROW_B, E_SIGNAL, E_STATE = 0, 1, 2, 3, 4, 5, 6
N_ELEMENT_I = 7

JOINT_SPRING, BALL_SPRING, JOINT_FRICTION, JOINT_LIMIT, JOINT_FORCE, MOTOR = 0, 1, 2, 3, 4, 5
LINE, STRUT, BUSHING, WRENCH = 6, 7, 8, 9
"""kinds from LINE on act on bodies and need positions and velocities"""


@part
def acts_on_bodies(element_i):
    for e in range(element_i.shape[0]):
        if element_i[e, E_KIND] >= LINE:
            return True
    return False


@part
def add_wrench(row, rx, ry, rz, nx, ny, nz, fx, fy, fz, body_w):
    """A force at a point r away from the body's origin, and a moment, world axes."""
    mx, my, mz = cross(rx, ry, rz, fx, fy, fz)
    body_w[row, FORCE] -= nx + mx
    body_w[row, FORCE + 1] -= ny + my
    body_w[row, FORCE + 2] -= nz + mz
    body_w[row, FORCE + 3] -= fx
    body_w[row, FORCE + 4] -= fy
    body_w[row, FORCE + 5] -= fz


@part
def point_velocity(row, rx, ry, rz, body_w):
    ux, uy, uz = cross(body_w[row, OMEGA], body_w[row, OMEGA + 1], body_w[row, OMEGA + 2], rx, ry, rz)
    return ux + body_w[row, VEL], uy + body_w[row, VEL + 1], uz + body_w[row, VEL + 2]


@part
def turn_point(body_w, row, p, k):
    """A point of a body, given by p[k..] in its frame, from the body's origin in world axes."""
    return turn(body_w, row, p[k], p[k + 1], p[k + 2])


@part
def turn_rows(A, x, y, z):
    """A vector from the axes A (9, by rows) to world axes."""
    return A[0] * x + A[1] * y + A[2] * z, A[3] * x + A[4] * y + A[5] * z, A[6] * x + A[7] * y + A[8] * z


@part
def turn_back_rows(A, x, y, z):
    """A vector from world axes to the axes A (9, by rows)."""
    return A[0] * x + A[3] * y + A[6] * z, A[1] * x + A[4] * y + A[7] * z, A[2] * x + A[5] * y + A[8] * z


@part
def rotation_vector(w, x, y, z):
    """Rotation vector of a quaternion, at most half a turn."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    s = math.sqrt(x * x + y * y + z * z)
    scale = 2.0 * math.atan2(s, w) / s if s > 1e-12 else 2.0
    return scale * x, scale * y, scale * z


@part
def ball_deflection(p, q, at):
    """Rotation vector of a ball joint from its rest, in the axes of the moving body."""
    rest = BALL_SPRING_F.rest
    w, x, y, z = quaternion_times(
        p[rest], -p[rest + 1], -p[rest + 2], -p[rest + 3], q[at], q[at + 1], q[at + 2], q[at + 3]
    )
    return rotation_vector(w, x, y, z)


@part
def beyond_limit(p, q):
    """How far a coordinate has to go back to its limits: positive below the lower, negative above the upper."""
    return max(0.0, p[LIMIT_F.lower] - q) + min(0.0, p[LIMIT_F.upper] - q)


@part
def friction_force(p, v, z):
    """Joint friction: force on the axis, and rate of its state z.

    A bristle of stiffness s and damping d, deflected by z, that slips where it would carry more than F:

        f = clamp(s z + d v, -F, F),     s z + d z' = f

    While it sticks z' = v: it does not creep under any load below F. While it slips z relaxes to F/s with the rate s/d,
    whatever the speed is: nothing here is faster than what sticks. It is passive: with s z^2 / 2 stored,
    f v - s z z' = d v^2 in the first case, F v - s z z' >= z' (F - s z) >= 0 in the second.

    |z'| <= |v| follows from |z| <= F/s. It is imposed, so that z stays bounded where the step is too long for s/d.
    """
    F, s, d = p[FRICTION_F.coulomb], p[FRICTION_F.stiffness], p[FRICTION_F.damping]
    rate = min(max(v, (-F - s * z) / d), (F - s * z) / d)
    return -min(max(s * z + d * v, -F), F), min(max(rate, -abs(v)), abs(v))


@part
def joint_force(element, p, q, v, z, values, zdot, tau):
    """A joint element: adds to tau; element and p are its rows of element_i and element_f. Returns its power."""
    kind, d, at, s, e = element[E_KIND], element[E_DOF], element[E_Q], element[E_SIGNAL], element[E_STATE]
    power = 0.0
    if kind == JOINT_SPRING:
        tau[d] += p[SPRING_F.preload] - p[SPRING_F.stiffness] * (q[at] - p[SPRING_F.rest]) - p[SPRING_F.damping] * v[d]
        power = -p[SPRING_F.damping] * v[d] * v[d]
    elif kind == BALL_SPRING:
        k, damping = p[BALL_SPRING_F.stiffness], p[BALL_SPRING_F.damping]
        x, y, zz = ball_deflection(p, q, at)
        tau[d] -= k * x + damping * v[d]
        tau[d + 1] -= k * y + damping * v[d + 1]
        tau[d + 2] -= k * zz + damping * v[d + 2]
        power = -damping * (v[d] * v[d] + v[d + 1] * v[d + 1] + v[d + 2] * v[d + 2])
    elif kind == JOINT_FRICTION:
        force, zdot[e] = friction_force(p, v[d], z[e])
        tau[d] += force
        power = force * v[d]
    elif kind == JOINT_LIMIT:
        back = beyond_limit(p, q[at])
        spring = p[LIMIT_F.stiffness] * back
        force = spring - p[LIMIT_F.damping] * v[d]
        force = max(0.0, force) if back > 0.0 else min(0.0, force) if back < 0.0 else 0.0
        tau[d] += force
        power = (force - spring) * v[d]
    elif kind == JOINT_FORCE:
        effort = values[s]
        if p[MOTOR_F.limit] > 0.0:
            effort = p[MOTOR_F.kp] * (effort - q[at]) - p[MOTOR_F.kd] * v[d]
            effort = min(max(effort, -p[MOTOR_F.limit]), p[MOTOR_F.limit])
        tau[d] += effort
        power = effort * v[d]
    elif kind == MOTOR:
        effort = p[MOTOR_F.kp] * (values[s] - q[at]) + p[MOTOR_F.kd] * (values[s + 1] - v[d])
        effort = min(max(effort, -p[MOTOR_F.limit]), p[MOTOR_F.limit])
        tau[d] += effort
        power = effort * v[d]
    return power


@part
def stop_force(p, pressed):
    """Force of a strut's stop [N] that is pressed by so much [m]: linear from row to row, the last slope going on."""
    if pressed <= 0.0:
        return 0.0
    x0, f0, slope, rows = 0.0, 0.0, 0.0, int(p[STRUT_F.stop_rows])
    for k in range(rows):
        x, f = p[STRUT_F.stop_table + 2 * k], p[STRUT_F.stop_table + 2 * k + 1]
        slope = (f - f0) / (x - x0)
        if pressed <= x:
            break
        if k + 1 < rows:
            x0, f0 = x, f
    return f0 + slope * (pressed - x0)


@part
def strut_damping(p, length, rate):
    """Damping of a strut [N s/m], by direction and by where in its stroke it is."""
    outside = max(p[STRUT_F.midstroke_from] - length, length - p[STRUT_F.midstroke_to])
    end = min(max(outside / p[STRUT_F.blend], 0.0), 1.0)
    if rate < 0.0:
        return p[STRUT_F.compression] + end * (p[STRUT_F.end_compression] - p[STRUT_F.compression])
    return p[STRUT_F.rebound] + end * (p[STRUT_F.end_rebound] - p[STRUT_F.rebound])


@part
def strut_tension(p, length, rate):
    """Spring, damper and stops of a strut: its tension [N], continuous in length [m] and rate [m/s]."""
    stops = stop_force(p, length - p[STRUT_F.longest]) - stop_force(p, p[STRUT_F.shortest] - length)
    return p[STRUT_F.stiffness] * (length - p[STRUT_F.free_length]) + strut_damping(p, length, rate) * rate + stops


@part
def line_vector(a, b, ax, ay, az, bx, by, bz, body_w):
    """From a point of row A to one of row B, both given from the origins of their rows, world axes."""
    return (
        body_w[b, P_WB] + bx - body_w[a, P_WB] - ax,
        body_w[b, P_WB + 1] + by - body_w[a, P_WB + 1] - ay,
        body_w[b, P_WB + 2] + bz - body_w[a, P_WB + 2] - az,
    )


@part
def line_force(element, p, body_w):
    """A spring and damper, or a strut, between two points.

    Returns its tension, the rate of its length, its power, and its force on B.
    """
    kind, a, b = element[E_KIND], element[E_ROW_A], element[E_ROW_B]
    ax, ay, az = turn_point(body_w, a, p, LINE_F.point_a)  # the points of a strut have the same columns
    bx, by, bz = turn_point(body_w, b, p, LINE_F.point_b)
    dx, dy, dz = line_vector(a, b, ax, ay, az, bx, by, bz, body_w)
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    inverse = 1.0 / length if length > 0.0 else 0.0
    dx, dy, dz = dx * inverse, dy * inverse, dz * inverse
    ux, uy, uz = point_velocity(a, ax, ay, az, body_w)
    vx, vy, vz = point_velocity(b, bx, by, bz, body_w)
    rate = (vx - ux) * dx + (vy - uy) * dy + (vz - uz) * dz
    if kind == STRUT:
        tension, damping = strut_tension(p, length, rate), strut_damping(p, length, rate)
    else:
        damping = p[LINE_F.damping]
        tension = p[LINE_F.stiffness] * (length - p[LINE_F.free_length]) + damping * rate
    fx, fy, fz = tension * dx, tension * dy, tension * dz
    add_wrench(a, ax, ay, az, 0.0, 0.0, 0.0, fx, fy, fz, body_w)
    add_wrench(b, bx, by, bz, 0.0, 0.0, 0.0, -fx, -fy, -fz, body_w)
    return tension, rate, -damping * rate * rate, -fx, -fy, -fz


@part
def world_axes(row, p, k, body_w, out):
    """World axes (9, by rows, into out) of a frame given by its rotation p[k..] in the body of the row."""
    for c in range(3):
        x, y, z = turn(body_w, row, p[k + c], p[k + 3 + c], p[k + 6 + c])
        out[c], out[3 + c], out[6 + c] = x, y, z


@part
def rotation_between(A, B):
    """Of R = A' B, axes by rows: its rotation vector r, seen from A, and c of the inverse of its tangent map.

    r' = (1 - [r]/2 + c [r]^2) w with w the angular velocity of B against A, seen from A, and
    c = (1 - (t/2) cot(t/2)) / t^2, t = |r|  (Chirikjian 2012, 10.86)
    """
    trace = 0.0
    for k in range(9):
        trace += A[k] * B[k]
    x = 0.5 * (A[2] * B[1] + A[5] * B[4] + A[8] * B[7] - A[1] * B[2] - A[4] * B[5] - A[7] * B[8])
    y = 0.5 * (A[0] * B[2] + A[3] * B[5] + A[6] * B[8] - A[2] * B[0] - A[5] * B[3] - A[8] * B[6])
    z = 0.5 * (A[1] * B[0] + A[4] * B[3] + A[7] * B[6] - A[0] * B[1] - A[3] * B[4] - A[6] * B[7])
    sine, cosine = math.sqrt(x * x + y * y + z * z), 0.5 * (trace - 1.0)
    angle = math.atan2(sine, cosine)
    scale = angle / sine if sine > 1e-12 else 1.0
    c = (1.0 - 0.5 * scale * (1.0 + cosine)) / (angle * angle) if angle > 1e-4 else 1.0 / 12.0
    return scale * x, scale * y, scale * z, c


@part
def bushing_force(element, p, body_w, axes):
    """Six springs and dampers between two frames, along and about the axes of A. axes (18,) is scratch.

    Springs have the potential (r.Kr + d.Kd)/2 of rotation vector r and deflection d of B, seen from A; the moment is
    its gradient, n = -(1 + [r]/2 + c [r]^2) K r, which is -K r for small rotations or equal stiffnesses.
    Returns moment and force on B at its frame, world axes, the power, and that of the springs too.
    """
    a, b, A, B = element[E_ROW_A], element[E_ROW_B], axes[:9], axes[9:]
    world_axes(a, p, BUSHING_F.R_A, body_w, A)
    world_axes(b, p, BUSHING_F.R_B, body_w, B)
    ax, ay, az = turn_point(body_w, a, p, BUSHING_F.p_A)
    bx, by, bz = turn_point(body_w, b, p, BUSHING_F.p_B)
    dx, dy, dz = line_vector(a, b, ax, ay, az, bx, by, bz, body_w)
    ux, uy, uz = point_velocity(a, ax + dx, ay + dy, az + dz, body_w)  # of A's body at the point B
    vx, vy, vz = point_velocity(b, bx, by, bz, body_w)
    wx, wy, wz = turn_back_rows(
        A, body_w[b, OMEGA] - body_w[a, OMEGA], body_w[b, OMEGA + 1] - body_w[a, OMEGA + 1],
        body_w[b, OMEGA + 2] - body_w[a, OMEGA + 2],
    )  # fmt: skip
    vx, vy, vz = turn_back_rows(A, vx - ux, vy - uy, vz - uz)
    dx, dy, dz = turn_back_rows(A, dx, dy, dz)
    x, y, z, c = rotation_between(A, B)

    # in A's axes: springs, then dampers, on B
    K, D = BUSHING_F.stiffness, BUSHING_F.damping
    sx, sy, sz = p[K] * x, p[K + 1] * y, p[K + 2] * z
    tx, ty, tz = cross(x, y, z, sx, sy, sz)
    ex, ey, ez = cross(x, y, z, tx, ty, tz)
    nx, ny, nz = -(sx + 0.5 * tx + c * ex), -(sy + 0.5 * ty + c * ey), -(sz + 0.5 * tz + c * ez)
    fx, fy, fz = -p[K + 3] * dx, -p[K + 4] * dy, -p[K + 5] * dz
    springs = nx * wx + ny * wy + nz * wz + fx * vx + fy * vy + fz * vz
    power = -(p[D] * wx * wx + p[D + 1] * wy * wy + p[D + 2] * wz * wz)
    power -= p[D + 3] * vx * vx + p[D + 4] * vy * vy + p[D + 5] * vz * vz
    nx, ny, nz = turn_rows(A, nx - p[D] * wx, ny - p[D + 1] * wy, nz - p[D + 2] * wz)
    fx, fy, fz = turn_rows(A, fx - p[D + 3] * vx, fy - p[D + 4] * vy, fz - p[D + 5] * vz)
    add_wrench(b, bx, by, bz, nx, ny, nz, fx, fy, fz, body_w)
    # on A at the same point, which is the frame of B
    cx, cy, cz = line_vector(a, b, 0.0, 0.0, 0.0, bx, by, bz, body_w)
    add_wrench(a, cx, cy, cz, -nx, -ny, -nz, -fx, -fy, -fz, body_w)
    return nx, ny, nz, fx, fy, fz, power, power + springs


@part
def outside_wrench(element, p, values, body_w, axes):
    """A moment and a force of signals, at a point of a body. axes (18,) is scratch.

    Returns moment and force, world axes, and their power.
    """
    row, s = element[E_ROW_A], element[E_SIGNAL]
    nx, ny, nz, fx, fy, fz = values[s], values[s + 1], values[s + 2], values[s + 3], values[s + 4], values[s + 5]
    if p[WRENCH_F.own_axes] > 0.0:
        world_axes(row, p, WRENCH_F.R, body_w, axes[:9])
        nx, ny, nz = turn_rows(axes, nx, ny, nz)
        fx, fy, fz = turn_rows(axes, fx, fy, fz)
    rx, ry, rz = turn_point(body_w, row, p, WRENCH_F.p)
    add_wrench(row, rx, ry, rz, nx, ny, nz, fx, fy, fz, body_w)
    vx, vy, vz = point_velocity(row, rx, ry, rz, body_w)
    power = nx * body_w[row, OMEGA] + ny * body_w[row, OMEGA + 1] + nz * body_w[row, OMEGA + 2]
    return nx, ny, nz, fx, fy, fz, power + fx * vx + fy * vy + fz * vz


@part
def apply_elements(element_i, element_f, q, v, z, values, tau, zdot, body_w):
    """Add all elements: to tau, to FORCE of the bodies, and the rates of the internal states. Returns their power."""
    axes = body_w[0, ART : ART + 18]  # the ground has no inertia: its columns are free for scratch
    for k in range(6):
        body_w[0, FORCE + k] = 0.0
    power = 0.0
    for e in range(element_i.shape[0]):
        element, p = element_i[e], element_f[e]
        kind = element[E_KIND]
        if kind < LINE:
            power += joint_force(element, p, q, v, z, values, zdot, tau)
        elif kind in (LINE, STRUT):
            power += line_force(element, p, body_w)[2]
        elif kind == BUSHING:
            power += bushing_force(element, p, body_w, axes)[6]
        else:
            power += outside_wrench(element, p, values, body_w, axes)[6]
    return power
