"""Poses of bodies between two moments, so that walls move smoothly while particles take their sub-steps."""

import math

from numba import types

from gori.kernels.jit import kernel, part
from gori.kernels.machine import data_type, machine_type
from gori.kernels.particles.columns import OMEGA, POS, ROT, VEL
from gori.kernels.tree import columns as body
from gori.kernels.tree.kinematics import cross, place, positions, velocities


@kernel(types.void(machine_type, data_type, types.float64[::1], types.int64[::1], types.float64[:, ::1]))
def body_poses(machine, data, y, rows, out):
    """out (nbody, N_POSE): rotation, position, velocity and angular velocity of some rows of bodies, world axes."""
    nq, nv = machine.body_i[0, body.NQ], data.tau.shape[0]
    place(machine.body_i, machine.body_f, y[:nq], data.body_w, data.dof_w)
    positions(machine.body_i, data.body_w)
    velocities(machine.body_i, y[nq : nq + nv], data.body_w, data.dof_w)
    for k in range(rows.shape[0]):
        w = data.body_w[rows[k]]
        for q in range(9):
            out[k, ROT + q] = w[body.R_WB + q]
        for q in range(3):
            out[k, POS + q] = w[body.P_WB + q]
            out[k, VEL + q] = w[body.VEL + q]
            out[k, OMEGA + q] = w[body.OMEGA + q]


@kernel("void(f8[:, ::1], f8[::1], i8[::1], f8, f8[::1])")
def add_impulse(poses, states, held, span, out):
    """out (6,) += the sum of the wrenches that states hold over a time span [s], about the world's origin.

    held   (nbody,) where the wrench of each stands: moment about its origin, force, world axes; -1: nowhere
    """
    for k in range(poses.shape[0]):
        if held[k] >= 0:
            w, x, y, z = states[held[k] :], poses[k, POS], poses[k, POS + 1], poses[k, POS + 2]
            mx, my, mz = cross(x, y, z, w[3], w[4], w[5])
            out[0] += span * (w[0] + mx)
            out[1] += span * (w[1] + my)
            out[2] += span * (w[2] + mz)
            for q in range(3, 6):
                out[q] += span * w[q]


@part
def seen_from(R, x, y, z):
    """A vector of the world in axes whose rotation is R (9,)."""
    return R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z, R[2] * x + R[5] * y + R[8] * z


@part
def turn_between(a, b):
    """Rotation vector from rotation a to rotation b (9,), in the axes of a; less than half a turn."""
    # of a'b only what is needed: the trace and the skew part
    trace, x, y, z = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        i = 3 * k
        trace += a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2]
        x += a[i + 2] * b[i + 1] - a[i + 1] * b[i + 2]
        y += a[i] * b[i + 2] - a[i + 2] * b[i]
        z += a[i + 1] * b[i] - a[i] * b[i + 1]
    sine = 0.5 * math.sqrt(x * x + y * y + z * z)
    angle = math.atan2(sine, 0.5 * (trace - 1.0))
    scale = 0.5 * angle / sine if sine > 1e-9 else 0.5
    return scale * x, scale * y, scale * z


@part
def turned_by(R, x, y, z, out):
    """out = R exp(x, y, z), both (9,)."""
    square = x * x + y * y + z * z
    angle = math.sqrt(square)
    a = math.sin(angle) / angle if angle > 1e-6 else 1.0 - square / 6.0
    b = (1.0 - math.cos(angle)) / square if angle > 1e-6 else 0.5 - square / 24.0
    xx, xy, xz = 1.0 - b * (y * y + z * z), b * x * y - a * z, b * x * z + a * y
    yx, yy, yz = b * x * y + a * z, 1.0 - b * (x * x + z * z), b * y * z - a * x
    zx, zy, zz = b * x * z - a * y, b * y * z + a * x, 1.0 - b * (x * x + y * y)
    for k in range(3):
        i = 3 * k
        p, q, r = R[i], R[i + 1], R[i + 2]
        out[i] = p * xx + q * yx + r * zx
        out[i + 1] = p * xy + q * yy + r * zy
        out[i + 2] = p * xz + q * yz + r * zz


@kernel("void(f8[:, ::1], f8[:, ::1], f8, f8[:, :, ::1], i8)")
def interpolate(before, after, span, out, steps):
    """out (steps + 1, nbody, N_POSE): cubics through positions, rotation vectors and their rates at both ends.

    before, after   (nbody, N_POSE)
    span            time between them [s]
    """
    for k in range(before.shape[0]):
        a, b = before[k], after[k]
        ux, uy, uz = turn_between(a, b)
        wx, wy, wz = seen_from(a, a[OMEGA], a[OMEGA + 1], a[OMEGA + 2])
        ex, ey, ez = seen_from(b, b[OMEGA], b[OMEGA + 1], b[OMEGA + 2])
        cx, cy, cz = cross(ux, uy, uz, ex, ey, ez)  # rate of the rotation vector at the end, to second order
        ex, ey, ez = ex + 0.5 * cx, ey + 0.5 * cy, ez + 0.5 * cz
        for n in range(steps + 1):
            s = n / steps
            o = out[n, k]
            # Hermite's cubics and their slopes
            f1, g0, g1 = s * s * (3.0 - 2.0 * s), s * (1.0 - s) * (1.0 - s) * span, s * s * (s - 1.0) * span
            d1, e0, e1 = 6.0 * s * (1.0 - s) / span, (1.0 - s) * (1.0 - 3.0 * s), s * (3.0 * s - 2.0)
            for q in range(3):
                step = b[POS + q] - a[POS + q]
                o[POS + q] = a[POS + q] + f1 * step + g0 * a[VEL + q] + g1 * b[VEL + q]
                o[VEL + q] = d1 * step + e0 * a[VEL + q] + e1 * b[VEL + q]
            x, y, z = f1 * ux + g0 * wx + g1 * ex, f1 * uy + g0 * wy + g1 * ey, f1 * uz + g0 * wz + g1 * ez
            rx, ry, rz = d1 * ux + e0 * wx + e1 * ex, d1 * uy + e0 * wy + e1 * ey, d1 * uz + e0 * wz + e1 * ez
            turned_by(a, x, y, z, o)
            cx, cy, cz = cross(x, y, z, rx, ry, rz)
            rx, ry, rz = rx - 0.5 * cx, ry - 0.5 * cy, rz - 0.5 * cz
            o[OMEGA] = o[0] * rx + o[1] * ry + o[2] * rz
            o[OMEGA + 1] = o[3] * rx + o[4] * ry + o[5] * rz
            o[OMEGA + 2] = o[6] * rx + o[7] * ry + o[8] * rz
