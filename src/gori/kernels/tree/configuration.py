"""The space of q: steps along tangent vectors, and the vector between two configurations.

    integrate(q, dv) = q (+) dv,   difference(q0, q1) = q1 (-) q0,   integrate(q0, difference(q0, q1)) = q1

Spherical: rotation times exp(w). Free: pose times exp of the twist (w; v), both in the body's frame.
"""

import math

from gori.kernels.jit import kernel, part
from gori.kernels.tree.columns import KIND, Q0, V0
from gori.kernels.tree.joints import FREE, HELICAL, rotation_of_quaternion
from gori.kernels.tree.kinematics import cross


@part
def quaternion_times(aw, ax, ay, az, bw, bx, by, bz):
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@part
def exp_coefficients(angle2):
    """sin(t/2)/t, (1 - cos t)/t^2, (t - sin t)/t^3 of the squared angle t^2; their series where they would cancel."""
    t = math.sqrt(angle2)
    if t < 0.05:
        x = angle2
        return (
            0.5 - x / 48.0 + x * x / 3840.0 - x * x * x / 645120.0,
            0.5 - x / 24.0 + x * x / 720.0 - x * x * x / 40320.0,
            1.0 / 6.0 - x / 120.0 + x * x / 5040.0 - x * x * x / 362880.0,
        )
    s = math.sin(0.5 * t)
    return s / t, 2.0 * s * s / angle2, (t - math.sin(t)) / (angle2 * t)


@part
def integrate_joint(kind, at, d, q, dv, out):
    """out = q (+) dv for one joint."""
    if kind <= HELICAL:
        out[at] = q[at] + dv[d]
        return
    w, x, y, z = q[at], q[at + 1], q[at + 2], q[at + 3]
    ax, ay, az = dv[d], dv[d + 1], dv[d + 2]
    half, b, c = exp_coefficients(ax * ax + ay * ay + az * az)
    if kind == FREE:
        # p += R V u,  V u = u + b a x u + c a x (a x u)
        ux, uy, uz = dv[d + 3], dv[d + 4], dv[d + 5]
        sx, sy, sz = cross(ax, ay, az, ux, uy, uz)
        tx, ty, tz = cross(ax, ay, az, sx, sy, sz)
        ux, uy, uz = ux + b * sx + c * tx, uy + b * sy + c * ty, uz + b * sz + c * tz
        r0, r1, r2, r3, r4, r5, r6, r7, r8 = rotation_of_quaternion(w, x, y, z)
        out[at + 4] = q[at + 4] + r0 * ux + r1 * uy + r2 * uz
        out[at + 5] = q[at + 5] + r3 * ux + r4 * uy + r5 * uz
        out[at + 6] = q[at + 6] + r6 * ux + r7 * uy + r8 * uz
    cosine = math.cos(0.5 * math.sqrt(ax * ax + ay * ay + az * az))
    w, x, y, z = quaternion_times(w, x, y, z, cosine, half * ax, half * ay, half * az)
    norm = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    out[at], out[at + 1], out[at + 2], out[at + 3] = w * norm, x * norm, y * norm, z * norm


@part
def difference_joint(kind, at, d, q0, q1, dv):
    """dv with q1 = q0 (+) dv for one joint; the turn is at most half a revolution."""
    if kind <= HELICAL:
        dv[d] = q1[at] - q0[at]
        return
    w, x, y, z = quaternion_times(
        q0[at], -q0[at + 1], -q0[at + 2], -q0[at + 3], q1[at], q1[at + 1], q1[at + 2], q1[at + 3]
    )
    if w < 0.0:  # the same rotation, the short way round
        w, x, y, z = -w, -x, -y, -z
    s = math.sqrt(x * x + y * y + z * z)
    # angle / sin(angle / 2)
    scale = 2.0 * math.atan2(s, w) / s if s > 1e-8 * w else 2.0 / w
    ax, ay, az = scale * x, scale * y, scale * z
    dv[d], dv[d + 1], dv[d + 2] = ax, ay, az
    if kind == FREE:
        r0, r1, r2, r3, r4, r5, r6, r7, r8 = rotation_of_quaternion(q0[at], q0[at + 1], q0[at + 2], q0[at + 3])
        px, py, pz = q1[at + 4] - q0[at + 4], q1[at + 5] - q0[at + 5], q1[at + 6] - q0[at + 6]
        ux, uy, uz = r0 * px + r3 * py + r6 * pz, r1 * px + r4 * py + r7 * pz, r2 * px + r5 * py + r8 * pz
        # V^-1 u = u - a x u / 2 + k a x (a x u),  k = (1 - (t/2) cot(t/2)) / t^2
        angle2 = ax * ax + ay * ay + az * az
        if angle2 < 0.0025:
            k = 1.0 / 12.0 + angle2 / 720.0 + angle2 * angle2 / 30240.0 + angle2 * angle2 * angle2 / 1209600.0
        else:
            half = 0.5 * math.sqrt(angle2)
            k = (1.0 - half * math.cos(half) / math.sin(half)) / angle2
        sx, sy, sz = cross(ax, ay, az, ux, uy, uz)
        tx, ty, tz = cross(ax, ay, az, sx, sy, sz)
        dv[d + 3], dv[d + 4], dv[d + 5] = ux - 0.5 * sx + k * tx, uy - 0.5 * sy + k * ty, uz - 0.5 * sz + k * tz


@part
def integrate(body_i, q, dv, out):
    """out (nq,) = q (+) dv; out may be q itself."""
    for i in range(1, body_i.shape[0]):
        integrate_joint(body_i[i, KIND], body_i[i, Q0], body_i[i, V0], q, dv, out)


@part
def difference(body_i, q0, q1, dv):
    """dv (nv,) = q1 (-) q0."""
    for i in range(1, body_i.shape[0]):
        difference_joint(body_i[i, KIND], body_i[i, Q0], body_i[i, V0], q0, q1, dv)


@kernel("void(i8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1])")
def integrate_batch(body_i, q, dv, out):
    for b in range(q.shape[0]):
        integrate(body_i, q[b], dv[b], out[b])


@kernel("void(i8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1])")
def difference_batch(body_i, q0, q1, dv):
    for b in range(q0.shape[0]):
        difference(body_i, q0[b], q1[b], dv[b])
