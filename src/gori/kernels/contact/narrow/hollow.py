"""Walls seen from inside: the gap between a point and a TUBE or a BOWL.

What such a wall encloses is convex, so the gap is a concave function of the position. With the radius R(z) = m + k z of
a tube and c = 1 / sqrt(1 + k^2), a point at the distance rho from the axis has the gap and the way to the wall

    gap = c (m + k z - rho),     n = (c e_rho, -k c)

and in a bowl gap = R - |p|, n = p / |p|. A tube has open ends, and beyond them no wall: a point with a radius touches
the rim of an end, one without touches nothing.
"""

import math

from gori.kernels.contact.narrow.work import CLIP_POINTS
from gori.kernels.contact.tables import TUBE
from gori.kernels.jit import block, part

SLACK_AT_END = 1e-9
"""share of its length by which a point may lie beyond the end of a tube"""


@part
def outward(b, x, y, z):
    """Gap between a point and the wall without its ends, and the unit vector to the wall."""
    if b.kind == TUBE:
        k = (b.size[1] - b.size[0]) / (2.0 * b.size[2])
        c = 1.0 / math.sqrt(1.0 + k * k)
        rho = math.sqrt(x * x + y * y)
        ex, ey = (x / rho, y / rho) if rho > 1e-290 else (1.0, 0.0)
        return c * (0.5 * (b.size[0] + b.size[1]) + k * z - rho), c * ex, c * ey, -k * c
    length = math.sqrt(x * x + y * y + z * z)
    if length > 1e-290:
        return b.size[0] - length, x / length, y / length, z / length
    return b.size[0], 0.0, 0.0, -1.0


@block
def wall_gap(b, radius, x, y, z):
    """The same, ends included: infinite where there is no wall."""
    gap, nx, ny, nz = outward(b, x, y, z)
    if b.kind == TUBE:
        h = b.size[2]
        foot = z + gap * nz
        if abs(foot) > h * (1.0 + SLACK_AT_END):
            if gap <= 0.0 or radius == 0.0:
                return math.inf, nx, ny, nz
            # towards the rim of this end
            end, rim = (h, b.size[1]) if foot > 0.0 else (-h, b.size[0])
            rho = math.sqrt(x * x + y * y)
            ex, ey = (x / rho, y / rho) if rho > 1e-290 else (1.0, 0.0)
            gap = math.sqrt((rim - rho) ** 2 + (end - z) ** 2)
            nx, ny, nz = ex * (rim - rho) / gap, ey * (rim - rho) / gap, (end - z) / gap
    return gap, nx, ny, nz


@block
def take(b, radius, limit, x, y, z, feature, point, count):
    """Add a point to the candidates if it is within the limit; a full list gives its shallowest away."""
    gap, _, _, _ = wall_gap(b, radius, x, y, z)
    if gap >= limit:
        return count
    at = count
    if count == CLIP_POINTS:
        at = 0
        for k in range(1, count):
            at = k if point[k].gap > point[at].gap else at
        if point[at].gap <= gap:
            return count
    else:
        count += 1
    candidate = point[at]
    candidate.x, candidate.y, candidate.z = x, y, z
    candidate.gap, candidate.feature = gap, feature
    return count


@part
def cut(b, px, py, pz, qx, qy, qz):
    """The end p of an edge from p to q, or where the edge comes into the tube, if p is beyond its end."""
    if b.kind == TUBE:
        h = b.size[2]
        if pz > h and qz < h:
            t = (h - pz) / (qz - pz)
            return px + t * (qx - px), py + t * (qy - py), h
        if pz < -h and qz > -h:
            t = (-h - pz) / (qz - pz)
            return px + t * (qx - px), py + t * (qy - py), -h
    return px, py, pz


@part
def swap(point, i, j):
    """Exchange two candidates."""
    p, q = point[i], point[j]
    p.x, q.x = q.x, p.x
    p.y, q.y = q.y, p.y
    p.z, q.z = q.z, p.z
    p.gap, q.gap = q.gap, p.gap
    p.feature, q.feature = q.feature, p.feature


@block
def spread(point, count, most):
    """Leave the deepest point and those that are farthest from each other; returns how many."""
    if count <= most:
        return count
    for k in range(1, count):
        if point[k].gap < point[0].gap:
            swap(point, 0, k)
    for chosen in range(1, most):
        farthest, at = -1.0, chosen
        for k in range(chosen, count):
            near = math.inf
            for j in range(chosen):
                dx, dy, dz = point[k].x - point[j].x, point[k].y - point[j].y, point[k].z - point[j].z
                near = min(near, dx * dx + dy * dy + dz * dz)
            if near > farthest * (1.0 + 1e-6):
                farthest, at = near, k
        swap(point, chosen, at)
    return most
