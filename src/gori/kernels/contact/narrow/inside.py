"""Convex shapes inside a TUBE or a BOWL: the points of a shape that can be closest to the wall.

The gap is a concave function of the position (`hollow.py`), least at extreme points of the shape: ends of segments,
vertices, points of rims. Edges are cut off at the open ends of a tube, so that a long shaft touches both ends of a
short bearing. Of a hull only the vertices are looked at.
"""

import math

from gori.kernels.contact.narrow.frames import placed, put, relative_pose, turned, turned_back
from gori.kernels.contact.narrow.hollow import cut, outward, spread, take, wall_gap
from gori.kernels.contact.narrow.support import support
from gori.kernels.contact.tables import BOX, CAPSULE, CYLINDER, ELLIPSOID, HULL, MOST_POINTS, SPHERE, TUBE
from gori.kernels.jit import block

AROUND = 16
"""samples of a rim"""
GOLDEN = 0.6180339887498949
SECTIONS = 34
"""golden sections of the search between two samples: 1e-7 of the angle, 1e-14 of the gap"""
ROUNDS = 200
"""steps from a point of an ellipsoid to a deeper one, at most"""


@block
def box_points(a, b, pose, limit, point):
    """Vertices, and where edges come into the tube: each of the 12 edges from both its ends."""
    count = 0
    for vertex in range(8):
        x = a.size[0] if vertex & 1 else -a.size[0]
        y = a.size[1] if vertex & 2 else -a.size[1]
        z = a.size[2] if vertex & 4 else -a.size[2]
        px, py, pz = placed(pose, x, y, z)
        if b.kind != TUBE or abs(pz) <= b.size[2] or a.radius > 0.0:
            count = take(b, a.radius, limit, px, py, pz, vertex, point, count)
        if b.kind == TUBE and abs(pz) > b.size[2]:
            for axis in range(3):
                qx, qy, qz = placed(pose, -x if axis == 0 else x, -y if axis == 1 else y, -z if axis == 2 else z)
                cx, cy, cz = cut(b, px, py, pz, qx, qy, qz)
                if cz != pz:
                    count = take(b, a.radius, limit, cx, cy, cz, 8 + 3 * vertex + axis, point, count)
    return count


@block
def rim_point(a, b, pose, angle, end):
    """The lower (0) or upper (1) end of the side line of a cylinder or cone at an angle, cut at the end of a tube."""
    low, high = a.size[0], a.size[0] if a.kind == CYLINDER else a.size[1]
    c, s, h = math.cos(angle), math.sin(angle), a.size[2]
    px, py, pz = placed(pose, low * c, low * s, -h)
    qx, qy, qz = placed(pose, high * c, high * s, h)
    if end == 0:
        return cut(b, px, py, pz, qx, qy, qz)
    return cut(b, qx, qy, qz, px, py, pz)


@block
def rim_gap(a, b, pose, angle, end):
    x, y, z = rim_point(a, b, pose, angle, end)
    gap, _, _, _ = wall_gap(b, a.radius, x, y, z)
    return gap


@block
def deepest_angle(a, b, pose, middle, end):
    """Where the gap is least within one sample of an angle, by golden sections (Kiefer 1953)."""
    low, high = middle - 2.0 * math.pi / AROUND, middle + 2.0 * math.pi / AROUND
    p, q = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_p, at_q = rim_gap(a, b, pose, p, end), rim_gap(a, b, pose, q, end)
    for _ in range(SECTIONS):
        if at_p <= at_q:
            high, q, at_q = q, p, at_p
            p = high - GOLDEN * (high - low)
            at_p = rim_gap(a, b, pose, p, end)
        else:
            low, p, at_p = p, q, at_q
            q = low + GOLDEN * (high - low)
            at_q = rim_gap(a, b, pose, q, end)
    return 0.5 * (low + high)


@block
def rim_points(a, b, pose, limit, point):
    """Of a cylinder or cone: the deepest points of both rims; four of each if it fits all around."""
    count = 0
    for end in range(2):
        least, most = math.inf, -math.inf
        for k in range(AROUND):
            gap = rim_gap(a, b, pose, 2.0 * math.pi / AROUND * k, end)
            least, most = min(least, gap), max(most, gap)
        if least == math.inf:
            continue
        round_about = most - least < 1e-9 * max(a.size[0], a.size[1])
        before = rim_gap(a, b, pose, -2.0 * math.pi / AROUND, end)
        here = rim_gap(a, b, pose, 0.0, end)
        for k in range(AROUND):
            angle = 2.0 * math.pi / AROUND * k
            after = rim_gap(a, b, pose, angle + 2.0 * math.pi / AROUND, end)
            feature = end
            chosen = here < before and here <= after
            if round_about:
                chosen, feature = k % 4 == 0, 2 + 2 * k + end
            elif chosen:
                angle = deepest_angle(a, b, pose, angle, end)
            if chosen:
                x, y, z = rim_point(a, b, pose, angle, end)
                for j in range(count):
                    feature += 2 if point[j].feature == feature else 0
                count = take(b, a.radius, limit, x, y, z, feature, point, count)
            before, here = here, after
    return count


@block
def ellipsoid_points(a, b, pose, vertex, limit, point):
    """From four sides: to the support point of the way to the wall, again and again, each time deeper."""
    count = 0
    for side in range(4):
        nx, ny, nz = (1.0 - side if side % 2 == 0 else 0.0), (2.0 - side if side % 2 else 0.0), 0.0
        x, y, z, before = 0.0, 0.0, 0.0, math.inf
        for _ in range(ROUNDS):
            dx, dy, dz = turned_back(pose, nx, ny, nz)
            x, y, z = support(a, vertex, dx, dy, dz)
            x, y, z = placed(pose, x, y, z)
            gap, nx, ny, nz = outward(b, x, y, z)
            if gap > before - 1e-16 * b.size[0]:
                break
            before = gap
        known = False
        for j in range(count):
            p = point[j]
            known = known or abs(p.x - x) + abs(p.y - y) + abs(p.z - z) < 1e-3 * (a.size[0] + a.size[1] + a.size[2])
        if not known:
            count = take(b, a.radius, limit, x, y, z, side, point, count)
    return count


@block
def inside_wall(a, b, pose_a, pose_b, vertex, reach, work, found):
    """Contact points of a convex shape A inside a TUBE or BOWL B; returns their number."""
    pose, point = work.pose_ab, work.clip_from
    relative_pose(pose_b, pose_a, pose)  # of A in the frame of B
    limit = reach + a.radius + b.radius
    count = 0
    if a.kind == SPHERE:
        count = take(b, a.radius, limit, pose[9], pose[10], pose[11], 0, point, count)
    elif a.kind == CAPSULE:
        ex, ey, ez = a.size[2] * pose[2], a.size[2] * pose[5], a.size[2] * pose[8]
        for end in range(2):
            s = 1.0 if end else -1.0
            px, py, pz = pose[9] + s * ex, pose[10] + s * ey, pose[11] + s * ez
            px, py, pz = cut(b, px, py, pz, pose[9] - s * ex, pose[10] - s * ey, pose[11] - s * ez)
            count = take(b, a.radius, limit, px, py, pz, end, point, count)
    elif a.kind == BOX:
        count = box_points(a, b, pose, limit, point)
    elif a.kind == HULL:
        for k in range(a.first, a.first + a.vertices):
            px, py, pz = placed(pose, vertex[0, k], vertex[1, k], vertex[2, k])
            count = take(b, a.radius, limit, px, py, pz, k - a.first, point, count)
    elif a.kind == ELLIPSOID:
        count = ellipsoid_points(a, b, pose, vertex, limit, point)
    else:
        count = rim_points(a, b, pose, limit, point)
    count = spread(point, count, MOST_POINTS)

    for k in range(count):
        p = point[k]
        gap, nx, ny, nz = wall_gap(b, a.radius, p.x, p.y, p.z)
        middle = 0.5 * (gap + a.radius - b.radius)
        x, y, z = placed(pose_b, p.x + middle * nx, p.y + middle * ny, p.z + middle * nz)
        nx, ny, nz = turned(pose_b, nx, ny, nz)
        put(found[k], x, y, z, nx, ny, nz, gap - a.radius - b.radius, p.feature)
    return count
