"""The normal of least depth, known roughly, refined: by Newton's method for smooth cores, by distances for curved ones.

Newton's method: with n normalised, the depth along n + s u + t v is F(s, t) = h(n + s u + t v) / sqrt(1 + s^2 + t^2).
The gradient of the support function h is the support point w, so

    grad F = (w.u, w.v),      Hess F = dw/dn - h I    in the plane of u and v

at s = t = 0. The second is taken by finite differences of support points. Where a face or an edge decides, the support
point jumps and the step fails; it is taken only if the depth becomes smaller.
"""

import math

from gori.kernels.contact.narrow.frames import dot, tangents, unit
from gori.kernels.contact.narrow.gjk import APART, core_distance, difference_support
from gori.kernels.contact.tables import CAPSULE, CONE, CYLINDER, ELLIPSOID, SPHERE
from gori.kernels.jit import block, part

STEPS = 8
ASIDE = 1e-6
"""[rad] of the finite differences"""
LEVEL = 1e-11
"""gradient by the size, at which the normal is found"""
ASIDE_BY = 1e-4
"""distance, by the size, to which cores are moved apart to refine the normal"""
MOST_ROUNDS = 4
SAME_NORMAL = 1e-7
"""by which it would turn in one more round"""


@part
def smooth_pair(a, b):
    """Whether both cores are smooth, or next to it."""
    smooth_a = a.kind == SPHERE or a.kind == CAPSULE or a.kind == ELLIPSOID
    return smooth_a and (b.kind == SPHERE or b.kind == CAPSULE or b.kind == ELLIPSOID)


@block
def support_of_both(a, b, pose_ab, vertex, dx, dy, dz):
    return difference_support(a, b, pose_ab, vertex, dx, dy, dz)


@block
def polish_normal(a, b, pose_ab, vertex, size, answer):
    """Improve `answer`, a normal near one of least depth; returns whether a minimum was found."""
    nx, ny, nz = answer.nx, answer.ny, answer.nz
    wx, wy, wz, ax, ay, az = support_of_both(a, b, pose_ab, vertex, nx, ny, nz)
    depth = dot(nx, ny, nz, wx, wy, wz)
    for _ in range(STEPS):
        ux, uy, uz, vx, vy, vz = tangents(nx, ny, nz)
        gu, gv = dot(wx, wy, wz, ux, uy, uz), dot(wx, wy, wz, vx, vy, vz)
        if gu * gu + gv * gv <= (LEVEL * size) ** 2:
            return True
        px, py, pz, _, _, _ = support_of_both(a, b, pose_ab, vertex, nx + ASIDE * ux, ny + ASIDE * uy, nz + ASIDE * uz)
        qx, qy, qz, _, _, _ = support_of_both(a, b, pose_ab, vertex, nx + ASIDE * vx, ny + ASIDE * vy, nz + ASIDE * vz)
        px, py, pz, qx, qy, qz = px - wx, py - wy, pz - wz, qx - wx, qy - wy, qz - wz
        uu = dot(px, py, pz, ux, uy, uz) / ASIDE - depth
        vv = dot(qx, qy, qz, vx, vy, vz) / ASIDE - depth
        uv = 0.5 * (dot(px, py, pz, vx, vy, vz) + dot(qx, qy, qz, ux, uy, uz)) / ASIDE
        det = uu * vv - uv * uv
        if uu <= 0.0 or det <= 0.0:
            return False
        s, t = (uv * gv - vv * gu) / det, (uv * gu - uu * gv) / det
        mx, my, mz, _ = unit(nx + s * ux + t * vx, ny + s * uy + t * vy, nz + s * uz + t * vz)
        wx, wy, wz, ax, ay, az = support_of_both(a, b, pose_ab, vertex, mx, my, mz)
        height = dot(mx, my, mz, wx, wy, wz)
        if height > depth + 1e-14 * size or math.isnan(height):
            return False
        nx, ny, nz, depth = mx, my, mz, height
        answer.nx, answer.ny, answer.nz, answer.distance = nx, ny, nz, -depth
        answer.x, answer.y, answer.z = ax, ay, az
    return False


@part
def is_curved(shape):
    return shape.kind == CYLINDER or shape.kind == CONE or shape.kind == ELLIPSOID


@block
def refine_by_distance(a, b, pose_ab, vertex, size, work):
    """Improve the normal, and find A's point: moved apart along the normal, the cores are closest there.

    At the depth d under a surface with the radius of curvature R, a normal that is off by e puts the origin, moved to
    the distance s over the surface, aside by (d + s) e. From there the closest point has a normal that is off by

        (d + s) / (R + s) e

    The depth is least only where R > d, so each round brings it closer, and shallow contacts need one.
    """
    answer, other = work.answer[0], work.answer[1]
    x, y, z = pose_ab[9], pose_ab[10], pose_ab[11]
    for _ in range(MOST_ROUNDS):
        away = ASIDE_BY * size - answer.distance
        pose_ab[9], pose_ab[10], pose_ab[11] = x + away * answer.nx, y + away * answer.ny, z + away * answer.nz
        state = core_distance(a, b, pose_ab, vertex, math.inf, work.simplex, other)
        pose_ab[9], pose_ab[10], pose_ab[11] = x, y, z
        if state != APART:
            break
        wx, wy, wz, _, _, _ = difference_support(a, b, pose_ab, vertex, other.nx, other.ny, other.nz)
        depth = dot(other.nx, other.ny, other.nz, wx, wy, wz)
        answer.x, answer.y, answer.z = other.x, other.y, other.z
        if depth > -answer.distance + 1e-15 * size:
            break
        turn = abs(other.nx - answer.nx) + abs(other.ny - answer.ny) + abs(other.nz - answer.nz)
        answer.nx, answer.ny, answer.nz, answer.distance = other.nx, other.ny, other.nz, -depth
        if turn * (depth + ASIDE_BY * size) < SAME_NORMAL * size:
            break
