"""Geometry of one contact, for numbers and Lanes, CPU and GPU: how fast two surfaces slide, and what forces turn.

Two spheres i and j at a distance L of their centres touch at (L + ri - rj)/2 from i and (L - ri + rj)/2 from j, which
is mean + skew and mean - skew. All is so written that both find the same to the last bit, with the other sign.

What is not shared: how positions are read. The CPU takes eight pairs out of rows of float64, a GPU one pair out of
positions in fixed point; each reads as its memory wants it, and the difference of two positions is all that follows.
"""

import math

from gori.kernels.jit import part
from gori.kernels.particles.columns import OMEGA, POS, VEL


@part
def direction(x, y, z, ex, ey, ez):
    """Length of a vector and its direction; e if it has none."""
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-30:
        return length, ex, ey, ez
    return length, x / length, y / length, z / length


@part
def surface_velocity(mean, sx, sy, sz, skew, qx, qy, qz):
    """(mean + skew) w_i + (mean - skew) w_j (3), of the sum s and the difference q of the angular velocities."""
    return mean * sx + skew * qx, mean * sy + skew * qy, mean * sz + skew * qz


@part
def slip(nx, ny, nz, vx, vy, vz, wx, wy, wz):
    """Velocity of i against j at the contact (3): v + w x n.

    v   of the centres, i against j
    w   `surface_velocity`
    """
    return vx + (wy * nz - wz * ny), vy + (wz * nx - wx * nz), vz + (wx * ny - wy * nx)


@part
def spin_about(half, nx, ny, nz, sx, sy, sz):
    """Mean angular velocity about n, of the sum s of both."""
    return half * (sx * nx + sy * ny + sz * nz)


@part
def moment(nx, ny, nz, fx, fy, fz):
    """n x f (3): times the arm, the torque of a tangential force."""
    return ny * fz - nz * fy, nz * fx - nx * fz, nx * fy - ny * fx


@part
def whole_force(Fn, nx, ny, nz, fx, fy, fz):
    """Force on i (3): the tangential one f, and Fn along -n."""
    return fx - Fn * nx, fy - Fn * ny, fz - Fn * nz


@part
def wall_motion(pose, b, gap, n, x, v, w):
    """Arm q (3) of the contact from the origin of body b, slip of the particle against the wall (3), mean spin about n.

    gap, n    from the centre of the particle to the wall, world axes
    x, v, w   of the particle (3): centre, velocity, angular velocity
    """
    nx, ny, nz = n
    wx, wy, wz = w
    qx, qy, qz = (
        x[0] + gap * nx - pose[b, POS],
        x[1] + gap * ny - pose[b, POS + 1],
        x[2] + gap * nz - pose[b, POS + 2],
    )
    sx, sy, sz = pose[b, OMEGA], pose[b, OMEGA + 1], pose[b, OMEGA + 2]
    ux = v[0] + gap * (wy * nz - wz * ny) - pose[b, VEL] - (sy * qz - sz * qy)
    uy = v[1] + gap * (wz * nx - wx * nz) - pose[b, VEL + 1] - (sz * qx - sx * qz)
    uz = v[2] + gap * (wx * ny - wy * nx) - pose[b, VEL + 2] - (sx * qy - sy * qx)
    spin = 0.5 * ((wx + sx) * nx + (wy + sy) * ny + (wz + sz) * nz)
    return (qx, qy, qz), (ux, uy, uz), spin


@part
def lies_in_plane(gap, nx, ny, nz, far, ex, ey, ez, slack):
    """Whether the point of a contact at the distance `far` along e lies in the tangent plane of one at `gap` along n.

    slack   [m] that it may be off the plane
    """
    return abs(far * (nx * ex + ny * ey + nz * ez) - gap) <= slack


@part
def react(wrench, s, q, fx, fy, fz, mx, my, mz):
    """Add the reaction of a particle on a wall to row s: force f and torque m on the particle at the arm q."""
    qx, qy, qz = q
    wrench[s, 0] -= qy * fz - qz * fy + mx
    wrench[s, 1] -= qz * fx - qx * fz + my
    wrench[s, 2] -= qx * fy - qy * fx + mz
    wrench[s, 3] -= fx
    wrench[s, 4] -= fy
    wrench[s, 5] -= fz


@part
def in_frame(pose, b, px, py, pz):
    """A point of the world in the frame of body b."""
    dx, dy, dz = px - pose[b, POS], py - pose[b, POS + 1], pz - pose[b, POS + 2]
    return (
        pose[b, 0] * dx + pose[b, 3] * dy + pose[b, 6] * dz,
        pose[b, 1] * dx + pose[b, 4] * dy + pose[b, 7] * dz,
        pose[b, 2] * dx + pose[b, 5] * dy + pose[b, 8] * dz,
    )
