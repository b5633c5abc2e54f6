"""Force elements: rows with a kind code. Joint elements add to tau, body elements to the bodies' forces.

To add a kind: a code and its parameters here, a branch in `apply_elements`, a row maker in `model/elements.py`.

kind            parameters (element_f)                                      law
JOINT_SPRING    stiffness, rest, damping, preload                           tau = preload - k (q - rest) - d v
BALL_SPRING     stiffness, rest quaternion (4), damping                     tau = -k log(rest' R) - d w
JOINT_FRICTION  Coulomb force F, stick stiffness s and damping d; state z   tau = -s z - d z',  z' = v - s |v| z / F
JOINT_LIMIT     lower, upper, stiffness, damping                            one-sided spring and damper, never pulls
JOINT_FORCE                                         signal: value           tau = value
MOTOR           kp, kd, limit                       signals: target, rate   tau = clamp(kp (target - q) + kd (rate - v))
LINE            point A (3), point B (3), k, d, free length                 along the line AB
STRUT           point A (3), point B (3), then from S_K on                  along the line AB; see `strut_tension`
BUSHING         R_A (9), p_A (3), R_B (9), p_B (3), k (6), d (6)            in A's axes; rotation vector of B from A
WRENCH          R (9), p (3), own axes (0 or 1)     signals: moment, force
"""

import math

from gori.kernels.jit import part
from gori.kernels.tree.columns import ART, FORCE, P_WB, SPIN, VEL
from gori.kernels.tree.configuration import quaternion_times
from gori.kernels.tree.kinematics import cross, turn

# element_i (n, N_ELEMENT_I) int64
E_KIND, E_DOF, E_Q, E_ROW_A, E_ROW_B, E_SIGNAL, E_STATE = 0, 1, 2, 3, 4, 5, 6
N_ELEMENT_I = 7
N_ELEMENT_F = 36

JOINT_SPRING, BALL_SPRING, JOINT_FRICTION, JOINT_LIMIT, JOINT_FORCE, MOTOR = 0, 1, 2, 3, 4, 5
LINE, STRUT, BUSHING, WRENCH = 6, 7, 8, 9
"""kinds from LINE on act on bodies and need positions and velocities"""

# parameters of a STRUT, after its two points
S_K, S_FREE = 6, 7  # stiffness [N/m], free length [m]
S_SHORT, S_LONG = 8, 9  # lengths at which the stops touch [m]; -inf and inf for none
S_LOW, S_HIGH, S_BLEND = 10, 11, 12  # midstroke from, to [m]; length over which the damping changes outside of it [m]
S_IN, S_OUT, S_END_IN, S_END_OUT = 13, 14, 15, 16  # damping: compression, rebound, the same at the ends [N s/m]
S_ROWS, S_TABLE = 17, 18  # how many rows, and the rows (travel [m], force [N]) of the stops after (0, 0)


@part
def acts_on_bodies(element_i):
    for e in range(element_i.shape[0]):
        if element_i[e, E_KIND] >= LINE:
            return True
    return False


@part
def push_body(row, rx, ry, rz, nx, ny, nz, fx, fy, fz, body_w):
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
    ux, uy, uz = cross(body_w[row, SPIN], body_w[row, SPIN + 1], body_w[row, SPIN + 2], rx, ry, rz)
    return ux + body_w[row, VEL], uy + body_w[row, VEL + 1], uz + body_w[row, VEL + 2]


@part
def rotation_vector(w, x, y, z):
    """Rotation vector of a quaternion, at most half a turn."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    s = math.sqrt(x * x + y * y + z * z)
    scale = 2.0 * math.atan2(s, w) / s if s > 1e-12 else 2.0
    return scale * x, scale * y, scale * z


@part
def joint_force(kind, d, at, e, s, p, q, v, z, values, zdot, tau):
    """Joint elements: adds to tau[d]; p is the row of parameters, s the first signal, z[state] the internal state."""
    if kind == JOINT_SPRING:
        tau[d] += p[3] - p[0] * (q[at] - p[1]) - p[2] * v[d]
    elif kind == BALL_SPRING:
        w, x, y, zz = quaternion_times(p[1], -p[2], -p[3], -p[4], q[at], q[at + 1], q[at + 2], q[at + 3])
        x, y, zz = rotation_vector(w, x, y, zz)
        tau[d] -= p[0] * x + p[5] * v[d]
        tau[d + 1] -= p[0] * y + p[5] * v[d + 1]
        tau[d + 2] -= p[0] * zz + p[5] * v[d + 2]
    elif kind == JOINT_FRICTION:
        zdot[e] = v[d] - p[1] * abs(v[d]) * z[e] / p[0]
        tau[d] -= p[1] * z[e] + p[2] * zdot[e]
    elif kind == JOINT_LIMIT:
        if q[at] < p[0]:
            tau[d] += max(0.0, p[2] * (p[0] - q[at]) - p[3] * v[d])
        elif q[at] > p[1]:
            tau[d] += min(0.0, p[2] * (p[1] - q[at]) - p[3] * v[d])
    elif kind == JOINT_FORCE:
        tau[d] += values[s]
    elif kind == MOTOR:
        wish = p[0] * (values[s] - q[at]) + p[1] * (values[s + 1] - v[d])
        tau[d] += min(max(wish, -p[2]), p[2])


@part
def stop_force(p, pressed):
    """Force of a strut's stop [N] that is pressed by so much [m]: linear from row to row, the last slope going on."""
    if pressed <= 0.0:
        return 0.0
    x0, f0, slope = 0.0, 0.0, 0.0
    for k in range(int(p[S_ROWS])):
        x, f = p[S_TABLE + 2 * k], p[S_TABLE + 2 * k + 1]
        slope = (f - f0) / (x - x0)
        if pressed <= x:
            break
        if k + 1 < int(p[S_ROWS]):
            x0, f0 = x, f
    return f0 + slope * (pressed - x0)


@part
def strut_tension(p, length, rate):
    """Spring, damper and stops of a strut: its tension [N], continuous in length [m] and rate [m/s]."""
    outside = max(p[S_LOW] - length, length - p[S_HIGH])
    end = min(max(outside / p[S_BLEND], 0.0), 1.0)
    if rate < 0.0:
        damping = p[S_IN] + end * (p[S_END_IN] - p[S_IN])
    else:
        damping = p[S_OUT] + end * (p[S_END_OUT] - p[S_OUT])
    stops = stop_force(p, length - p[S_LONG]) - stop_force(p, p[S_SHORT] - length)
    return p[S_K] * (length - p[S_FREE]) + damping * rate + stops


@part
def line_force(kind, a, b, p, body_w):
    """A spring and damper, or a strut, between two points. Returns its tension and the rate of its length."""
    ax, ay, az = turn(body_w, a, p[0], p[1], p[2])
    bx, by, bz = turn(body_w, b, p[3], p[4], p[5])
    dx = body_w[b, P_WB] + bx - body_w[a, P_WB] - ax
    dy = body_w[b, P_WB + 1] + by - body_w[a, P_WB + 1] - ay
    dz = body_w[b, P_WB + 2] + bz - body_w[a, P_WB + 2] - az
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    inverse = 1.0 / length if length > 0.0 else 0.0
    dx, dy, dz = dx * inverse, dy * inverse, dz * inverse
    ux, uy, uz = point_velocity(a, ax, ay, az, body_w)
    vx, vy, vz = point_velocity(b, bx, by, bz, body_w)
    rate = (vx - ux) * dx + (vy - uy) * dy + (vz - uz) * dz
    if kind == STRUT:
        tension = strut_tension(p, length, rate)
    else:
        tension = p[6] * (length - p[8]) + p[7] * rate
    fx, fy, fz = tension * dx, tension * dy, tension * dz
    push_body(a, ax, ay, az, 0.0, 0.0, 0.0, fx, fy, fz, body_w)
    push_body(b, bx, by, bz, 0.0, 0.0, 0.0, -fx, -fy, -fz, body_w)
    return tension, rate


@part
def place_axes(row, p, k, body_w, out):
    """World axes (9, by rows, into out) of a frame given by its rotation p[k..] in the body of the row."""
    for c in range(3):
        x, y, z = turn(body_w, row, p[k + c], p[k + 3 + c], p[k + 6 + c])
        out[c], out[3 + c], out[6 + c] = x, y, z


@part
def bushing_force(a, b, p, body_w, axes):
    """Six springs and dampers between two frames, along and about the axes of A. axes (18,) is scratch.

    Rotation: the vector part of the relative rotation, r = angle * axis, from R = A' B.
    """
    A, B = axes[:9], axes[9:]
    place_axes(a, p, 0, body_w, A)
    place_axes(b, p, 12, body_w, B)
    ax, ay, az = turn(body_w, a, p[9], p[10], p[11])
    bx, by, bz = turn(body_w, b, p[21], p[22], p[23])
    dx = body_w[b, P_WB] + bx - body_w[a, P_WB] - ax
    dy = body_w[b, P_WB + 1] + by - body_w[a, P_WB + 1] - ay
    dz = body_w[b, P_WB + 2] + bz - body_w[a, P_WB + 2] - az
    ux, uy, uz = point_velocity(a, ax + dx, ay + dy, az + dz, body_w)  # of A's body at the point B
    vx, vy, vz = point_velocity(b, bx, by, bz, body_w)
    vx, vy, vz = vx - ux, vy - uy, vz - uz
    wx = body_w[b, SPIN] - body_w[a, SPIN]
    wy = body_w[b, SPIN + 1] - body_w[a, SPIN + 1]
    wz = body_w[b, SPIN + 2] - body_w[a, SPIN + 2]

    # R = A' B: the rotation vector from its skew part and trace
    r00 = A[0] * B[0] + A[3] * B[3] + A[6] * B[6]
    r11 = A[1] * B[1] + A[4] * B[4] + A[7] * B[7]
    r22 = A[2] * B[2] + A[5] * B[5] + A[8] * B[8]
    x = 0.5 * (A[2] * B[1] + A[5] * B[4] + A[8] * B[7] - A[1] * B[2] - A[4] * B[5] - A[7] * B[8])
    y = 0.5 * (A[0] * B[2] + A[3] * B[5] + A[6] * B[8] - A[2] * B[0] - A[5] * B[3] - A[8] * B[6])
    z = 0.5 * (A[1] * B[0] + A[4] * B[3] + A[7] * B[6] - A[0] * B[1] - A[3] * B[4] - A[6] * B[7])
    s = math.sqrt(x * x + y * y + z * z)
    angle = math.atan2(s, 0.5 * (r00 + r11 + r22 - 1.0))
    scale = angle / s if s > 1e-12 else 1.0
    x, y, z = scale * x, scale * y, scale * z

    # in A's axes: deflection and rate, then the force on B; back to the world
    nx = -p[24] * x - p[30] * (A[0] * wx + A[3] * wy + A[6] * wz)
    ny = -p[25] * y - p[31] * (A[1] * wx + A[4] * wy + A[7] * wz)
    nz = -p[26] * z - p[32] * (A[2] * wx + A[5] * wy + A[8] * wz)
    fx = -p[27] * (A[0] * dx + A[3] * dy + A[6] * dz) - p[33] * (A[0] * vx + A[3] * vy + A[6] * vz)
    fy = -p[28] * (A[1] * dx + A[4] * dy + A[7] * dz) - p[34] * (A[1] * vx + A[4] * vy + A[7] * vz)
    fz = -p[29] * (A[2] * dx + A[5] * dy + A[8] * dz) - p[35] * (A[2] * vx + A[5] * vy + A[8] * vz)
    nx, ny, nz = A[0] * nx + A[1] * ny + A[2] * nz, A[3] * nx + A[4] * ny + A[5] * nz, A[6] * nx + A[7] * ny + A[8] * nz
    fx, fy, fz = A[0] * fx + A[1] * fy + A[2] * fz, A[3] * fx + A[4] * fy + A[5] * fz, A[6] * fx + A[7] * fy + A[8] * fz
    push_body(b, bx, by, bz, nx, ny, nz, fx, fy, fz, body_w)
    push_body(a, ax + dx, ay + dy, az + dz, -nx, -ny, -nz, -fx, -fy, -fz, body_w)


@part
def outside_wrench(row, s, p, values, body_w, axes):
    nx, ny, nz, fx, fy, fz = values[s], values[s + 1], values[s + 2], values[s + 3], values[s + 4], values[s + 5]
    if p[12] > 0.0:  # given in the frame's own axes
        place_axes(row, p, 0, body_w, axes[:9])
        A = axes
        nx, ny, nz = (
            A[0] * nx + A[1] * ny + A[2] * nz, A[3] * nx + A[4] * ny + A[5] * nz, A[6] * nx + A[7] * ny + A[8] * nz,
        )  # fmt: skip
        fx, fy, fz = (
            A[0] * fx + A[1] * fy + A[2] * fz, A[3] * fx + A[4] * fy + A[5] * fz, A[6] * fx + A[7] * fy + A[8] * fz,
        )  # fmt: skip
    rx, ry, rz = turn(body_w, row, p[9], p[10], p[11])
    push_body(row, rx, ry, rz, nx, ny, nz, fx, fy, fz, body_w)


@part
def apply_elements(element_i, element_f, q, v, z, values, tau, zdot, body_w):
    """Add all elements: to tau, to FORCE of the bodies, and the rates of the internal states."""
    axes = body_w[0, ART : ART + 18]  # the ground has no inertia: its columns are free for scratch
    for k in range(6):
        body_w[0, FORCE + k] = 0.0
    for e in range(element_i.shape[0]):
        kind, s = element_i[e, E_KIND], element_i[e, E_SIGNAL]
        if kind < LINE:
            joint_force(
                kind, element_i[e, E_DOF], element_i[e, E_Q], element_i[e, E_STATE], s, element_f[e],
                q, v, z, values, zdot, tau,
            )  # fmt: skip
        elif kind in (LINE, STRUT):
            line_force(kind, element_i[e, E_ROW_A], element_i[e, E_ROW_B], element_f[e], body_w)
        elif kind == BUSHING:
            bushing_force(element_i[e, E_ROW_A], element_i[e, E_ROW_B], element_f[e], body_w, axes)
        else:
            outside_wrench(element_i[e, E_ROW_A], s, element_f[e], values, body_w, axes)
