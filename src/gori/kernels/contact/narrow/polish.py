"""The normal of least depth, known roughly, refined: by Newton's method for smooth cores, by distances for curved ones.

Newton's method: with n normalised, the depth along n + s u + t v is F(s, t) = h(n + s u + t v) / sqrt(1 + s^2 + t^2).
The gradient of the support function h is the support point w, so

    grad F = (w.u, w.v),      Hess F = dw/dn - h I    in the plane of u and v

at s = t = 0. The second is taken by finite differences of support points. Where a face or an edge decides, the support
point jumps and the step fails; it is taken only if the depth becomes smaller.
"""

import math

from gori.kernels.contact.narrow.frames import dot, tangents, unit
from gori.kernels.contact.narrow.gjk import APART, EXACT, core_distance, difference_support
from gori.kernels.contact.tables import CAPSULE, CONE, CYLINDER, ELLIPSOID, SPHERE
from gori.kernels.jit import block, part

STEPS = 8
ASIDE = 1e-6
"""[rad] of the finite differences"""
LEVEL = 1e-11
"""gradient by the size, at which the normal is found"""
ASIDE_BY = 1e-4
"""distance, by the size, to which cores are moved apart to refine the normal"""
MOST_ROUNDS = 12
SAME_NORMAL = 2e-8
"""[rad] by which a round turns it, or all further rounds would, that is too little to matter"""
ROUNDING = 1e-15
NOISE = 1e-13
"""by which a round may make the depth larger, by the size: of any, and of one that turns by less than half of the last
one, since the depth may hardly depend on the normal"""
SAME_WAY = 1e-8
"""squared sine of the angle between two changes of a turn, below which the second tells nothing new"""


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


@part
def depth_along(a, b, pose_ab, vertex, nx, ny, nz):
    """h(n) [m]: how far B must move along the unit vector n to be free of A."""
    wx, wy, wz, _, _, _ = support_of_both(a, b, pose_ab, vertex, nx, ny, nz)
    return dot(nx, ny, nz, wx, wy, wz)


@part
def remember(past, count, nx, ny, nz, mx, my, mz):
    """A round as the newest of `past`, (3, 6): the normal n before it, and its turn, m - n. Returns their number."""
    for k in range(min(count, 2), 0, -1):
        for i in range(6):
            past[k, i] = past[k - 1, i]
    past[0, 0], past[0, 1], past[0, 2] = nx, ny, nz
    past[0, 3], past[0, 4], past[0, 5] = mx - nx, my - ny, mz - nz
    return min(count + 1, 3)


@part
def length_of_turn(past, k):
    return math.sqrt(past[k, 3] ** 2 + past[k, 4] ** 2 + past[k, 5] ** 2)


@part
def mixed(past, count, mx, my, mz):
    """The normal to which rounds tend whose last one led to m (Anderson 1965, with up to two rounds before it).

    Errors of normals shrink by a matrix in each round. Differences of the last rounds show it where it matters.
    """
    tx, ty, tz = past[0, 3], past[0, 4], past[0, 5]
    ux, uy, uz = 0.0, 0.0, 0.0
    for k in range(1, count):
        # the difference of two rounds, of turns and of normals; of turns only what is new to the one before
        dx, dy, dz = past[k - 1, 3] - past[k, 3], past[k - 1, 4] - past[k, 4], past[k - 1, 5] - past[k, 5]
        sx, sy, sz = past[k - 1, 0] - past[k, 0], past[k - 1, 1] - past[k, 1], past[k - 1, 2] - past[k, 2]
        whole = dot(dx, dy, dz, dx, dy, dz)
        if k == 1:
            ux, uy, uz, px, py, pz, first = dx, dy, dz, sx, sy, sz, whole
        else:
            share = dot(dx, dy, dz, ux, uy, uz) / first
            dx, dy, dz = dx - share * ux, dy - share * uy, dz - share * uz
            sx, sy, sz = sx - share * px, sy - share * py, sz - share * pz
        new = dot(dx, dy, dz, dx, dy, dz)
        if new <= SAME_WAY * whole or new == 0.0:
            break
        share = dot(tx, ty, tz, dx, dy, dz) / new
        mx, my, mz = mx - share * (sx + dx), my - share * (sy + dy), mz - share * (sz + dz)
        tx, ty, tz = tx - share * dx, ty - share * dy, tz - share * dz
    mx, my, mz, _ = unit(mx, my, mz)
    return mx, my, mz


@block
def refine_by_distance(a, b, pose_ab, vertex, size, work):
    """Improve the normal, and find A's point: moved apart along the normal, the cores are closest there.

    At the depth d under a surface with the radius of curvature R, a normal that is off by e puts the origin, moved to
    the distance s over the surface, aside by (d + s) e. From there the closest point has a normal that is off by

        (d + s) / (R + s) e

    The depth is least only where R > d, so each round brings it closer; shallow contacts need two. Where R is hardly
    more than d rounds would be many, and are mixed (`mixed`).
    """
    answer, other, past = work.answer[0], work.answer[1], work.rounds
    x, y, z = pose_ab[9], pose_ab[10], pose_ab[11]
    count = 0
    for _ in range(MOST_ROUNDS):
        nx, ny, nz, depth = answer.nx, answer.ny, answer.nz, -answer.distance
        away = ASIDE_BY * size + depth
        pose_ab[9], pose_ab[10], pose_ab[11] = x + away * nx, y + away * ny, z + away * nz
        state = core_distance(a, b, pose_ab, vertex, math.inf, EXACT, work.simplex, other)
        pose_ab[9], pose_ab[10], pose_ab[11] = x, y, z
        if state != APART:
            break
        mx, my, mz = other.nx, other.ny, other.nz
        height = depth_along(a, b, pose_ab, vertex, mx, my, mz)
        answer.x, answer.y, answer.z = other.x, other.y, other.z
        count = remember(past, count, nx, ny, nz, mx, my, mz)
        turn = length_of_turn(past, 0)
        before = length_of_turn(past, 1) if count > 1 else math.inf
        if height > depth + (NOISE if 2.0 * turn < before < math.inf else ROUNDING) * size:
            break
        answer.nx, answer.ny, answer.nz, answer.distance = mx, my, mz, -height
        if turn <= SAME_NORMAL:
            break
        if count > 1:
            mx, my, mz = mixed(past, count, mx, my, mz)
            better = depth_along(a, b, pose_ab, vertex, mx, my, mz)
            left = abs(mx - answer.nx) + abs(my - answer.ny) + abs(mz - answer.nz)
            if better <= height + ROUNDING * size:
                answer.nx, answer.ny, answer.nz, answer.distance = mx, my, mz, -better
            if left <= SAME_NORMAL:
                break
