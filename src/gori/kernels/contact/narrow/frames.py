"""Poses and vectors of the narrow phase.

A pose (12,) is a rotation by rows and an origin: p_W = R p_S + o for a point p_S of the shape's own frame S. Points and
directions are three scalars each, which compiled code keeps in registers.
"""

import math

from gori.kernels.jit import part


@part
def dot(ax, ay, az, bx, by, bz):
    return ax * bx + ay * by + az * bz


@part
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@part
def turned(pose, x, y, z):
    """R d: a direction of the shape's frame, in world axes."""
    return (
        pose[0] * x + pose[1] * y + pose[2] * z,
        pose[3] * x + pose[4] * y + pose[5] * z,
        pose[6] * x + pose[7] * y + pose[8] * z,
    )


@part
def turned_back(pose, x, y, z):
    """R' d: a direction of the world, in the shape's axes."""
    return (
        pose[0] * x + pose[3] * y + pose[6] * z,
        pose[1] * x + pose[4] * y + pose[7] * z,
        pose[2] * x + pose[5] * y + pose[8] * z,
    )


@part
def placed(pose, x, y, z):
    """R p + o: a point of the shape's frame, in the world."""
    return (
        pose[0] * x + pose[1] * y + pose[2] * z + pose[9],
        pose[3] * x + pose[4] * y + pose[5] * z + pose[10],
        pose[6] * x + pose[7] * y + pose[8] * z + pose[11],
    )


@part
def seen_from(pose, x, y, z):
    """R' (p - o): a point of the world, in the shape's frame."""
    return turned_back(pose, x - pose[9], y - pose[10], z - pose[11])


@part
def relative_pose(pose_a, pose_b, pose_ab):
    """The pose of B in the frame of A: R_A' R_B and R_A' (o_B - o_A)."""
    for j in range(3):
        x, y, z = turned_back(pose_a, pose_b[j], pose_b[3 + j], pose_b[6 + j])
        pose_ab[j], pose_ab[3 + j], pose_ab[6 + j] = x, y, z
    pose_ab[9], pose_ab[10], pose_ab[11] = seen_from(pose_a, pose_b[9], pose_b[10], pose_b[11])


@part
def unit(x, y, z):
    """x / |x| and |x|; the z axis where x is zero."""
    length = math.sqrt(x * x + y * y + z * z)
    if length > 1e-290:
        share = 1.0 / length
        return x * share, y * share, z * share, length
    return 0.0, 0.0, 1.0, 0.0


@part
def tangents(x, y, z):
    """Two unit vectors u, v with (u, v, n) right-handed, continuous but at z = 0 (Duff et al. 2017, listing 3)."""
    s = 1.0 if z >= 0.0 else -1.0
    a = -1.0 / (s + z)
    b = x * y * a
    return 1.0 + s * x * x * a, s * b, -s * x, b, s + y * y * a, -y


@part
def put(point, x, y, z, nx, ny, nz, gap, feature):
    """Fill a row of FOUND: position and normal in world axes."""
    point.position[0], point.position[1], point.position[2] = x, y, z
    point.normal[0], point.normal[1], point.normal[2] = nx, ny, nz
    point.gap = gap
    point.feature = feature
