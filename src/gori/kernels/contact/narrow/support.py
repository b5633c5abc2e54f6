"""Support points and supporting faces of convex cores.

The support point of a convex set in a direction d is the one that maximises d.p. Its supporting face is what touches a
plane that comes from there: a polygon, an edge, or one point. All in the shape's own frame.
"""

import math

from gori.kernels.contact.narrow.frames import tangents
from gori.kernels.contact.narrow.work import FACE_POINTS, NEAR_POINTS
from gori.kernels.contact.tables import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE
from gori.kernels.jit import block, part
from gori.kernels.lanes import WIDTH, get_lane, lanes_below, largest8, read8, spread, where_above

RIM_POINTS = 8
"""that stand for the rim of a cap"""
RIM_X = tuple(math.cos(2.0 * math.pi * k / RIM_POINTS) for k in range(RIM_POINTS))
RIM_Y = tuple(math.sin(2.0 * math.pi * k / RIM_POINTS) for k in range(RIM_POINTS))
FLAT = 1e-5
"""share of its size by which vertices of a hull may lie behind its supporting plane and still belong to its face"""
STEEP = 0.05
"""the same, at most, however far contacts reach"""
ALL_LANES = (1 << WIDTH) - 1


@part
def heights(vertex, k, dx, dy, dz):
    """d.p of the vertices k to k + 7."""
    return dx * read8(vertex, 0, k) + dy * read8(vertex, 1, k) + dz * read8(vertex, 2, k)


@block
def hull_support(shape, vertex, dx, dy, dz):
    """The vertex with the largest d.p; each lane keeps its highest one and where that is."""
    best, at = spread(-math.inf), spread(0.0)
    for k in range(shape.first, shape.first + shape.vertices, WIDTH):
        height = heights(vertex, k, dx, dy, dz)
        at = where_above(height, best, spread(float(k)), at)
        best = where_above(height, best, height, best)
    lower, lane = lanes_below(best, spread(largest8(best))), 0
    while lower & (1 << lane):
        lane += 1
    k = int(get_lane(at, lane)) + lane
    return vertex[0, k], vertex[1, k], vertex[2, k]


@part
def support(shape, vertex, dx, dy, dz):
    """The point of the core that is farthest in the direction d, which need not be a unit vector."""
    kind = shape.kind
    if kind == BOX:
        return (
            math.copysign(shape.size[0], dx),
            math.copysign(shape.size[1], dy),
            math.copysign(shape.size[2], dz),
        )
    if kind == HULL:
        return hull_support(shape, vertex, dx, dy, dz)
    if kind == SPHERE:
        return 0.0, 0.0, 0.0
    if kind == CAPSULE:
        return 0.0, 0.0, math.copysign(shape.size[2], dz)
    if kind == ELLIPSOID:  # the gradient of |S d|, S = diag(size), is S^2 d / |S d|
        x, y, z = shape.size[0] * dx, shape.size[1] * dy, shape.size[2] * dz
        length = math.sqrt(x * x + y * y + z * z)
        if length > 1e-290:
            share = 1.0 / length
            return shape.size[0] * x * share, shape.size[1] * y * share, shape.size[2] * z * share
        return 0.0, 0.0, shape.size[2]

    # cylinder and cone: the higher of both rims
    rho = math.sqrt(dx * dx + dy * dy)
    low, high = shape.size[0], shape.size[0] if kind == CYLINDER else shape.size[1]
    z = shape.size[2]
    if high * rho + z * dz >= low * rho - z * dz:
        radius = high
    else:
        radius, z = low, -z
    if rho > 1e-290:
        return radius * dx / rho, radius * dy / rho, z
    return radius, 0.0, z


@part
def put_point(point, x, y, z, id):
    point.x, point.y, point.z = x, y, z
    point.id = id


@part
def box_face(shape, dx, dy, dz, polygon):
    """The face whose normal is closest to d, counter-clockwise seen from outside. Vertices by the signs of x, y, z."""
    sx, sy, sz = shape.size[0], shape.size[1], shape.size[2]
    gx, gy, gz = abs(dx), abs(dy), abs(dz)
    for k in range(4):
        p = 1.0 if k == 0 or k == 3 else -1.0
        q = 1.0 if k < 2 else -1.0
        if gz >= gx and gz >= gy:
            z = math.copysign(1.0, dz)
            x, y = p, q * z
        elif gy >= gx:
            y = math.copysign(1.0, dy)
            z, x = p, q * y
        else:
            x = math.copysign(1.0, dx)
            y, z = p, q * x
        id = (1 if x > 0.0 else 0) + (2 if y > 0.0 else 0) + (4 if z > 0.0 else 0)
        put_point(polygon[k], x * sx, y * sy, z * sz, id)
    return 4


@part
def frustum_face(shape, dx, dy, dz, polygon):
    """Of a cylinder or cone: eight points of the rim of a cap, or the edge of the side that faces d."""
    low, high = shape.size[0], shape.size[0] if shape.kind == CYLINDER else shape.size[1]
    h = shape.size[2]
    rho = math.sqrt(dx * dx + dy * dy)
    length = math.sqrt(rho * rho + dz * dz)
    # d seen from the normal of the side, which leans by (low - high) / 2 h
    lean = (low - high) / math.sqrt((low - high) ** 2 + 4.0 * h * h)
    beside = rho * math.sqrt(1.0 - lean * lean) + dz * lean
    radius = high if dz > 0.0 else low
    if abs(dz) >= beside and abs(dz) > 0.5 * length and radius > 0.0:
        top = 1.0 if dz > 0.0 else -1.0
        first = 2 if dz > 0.0 else 2 + RIM_POINTS
        for k in range(RIM_POINTS):
            put_point(polygon[k], radius * RIM_X[k], top * radius * RIM_Y[k], top * h, first + k)
        return RIM_POINTS
    ex, ey = (dx / rho, dy / rho) if rho > 1e-290 else (1.0, 0.0)
    put_point(polygon[0], low * ex, low * ey, -h, 0)
    put_point(polygon[1], high * ex, high * ey, h, 1)
    return 2


@part
def largest_height(shape, vertex, dx, dy, dz):
    """The largest d.p of all vertices."""
    best = spread(-math.inf)
    for k in range(shape.first, shape.first + shape.vertices, WIDTH):
        height = heights(vertex, k, dx, dy, dz)
        best = where_above(height, best, height, best)
    return largest8(best)


@part
def hull_face(shape, vertex, dx, dy, dz, reach, near, polygon):
    """Of a hull: the vertices next to its supporting plane, as a convex polygon seen along d.

    Next to it: within the reach of contacts, but at least FLAT and at most STEEP of the half edges of the hull. The
    polygon is wrapped from its first vertex on (Jarvis 1973), and ends after FACE_POINTS of them.
    """
    first, last = shape.first, shape.first + shape.vertices
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    ux, uy, uz, vx, vy, vz = tangents(dx / length, dy / length, dz / length)
    size = max(shape.half[0], shape.half[1], shape.half[2])
    behind = length * min(max(reach, FLAT * size), STEEP * size)

    # the vertices next to the plane; the first of the polygon is the one farthest along u, and of those along v
    level, count, start = spread(largest_height(shape, vertex, dx, dy, dz) - behind), 0, 0
    for eight in range(first, last, WIDTH):
        lower = lanes_below(heights(vertex, eight, dx, dy, dz), level)
        if lower == ALL_LANES:
            continue
        for k in range(eight, min(eight + WIDTH, last)):
            if lower & (1 << (k - eight)) == 0 and count < NEAR_POINTS:
                x, y, z = vertex[0, k], vertex[1, k], vertex[2, k]
                p, q = ux * x + uy * y + uz * z, vx * x + vy * y + vz * z
                put_point(near[count], p, q, 0.0, k - first)
                if p > near[start].x or (p == near[start].x and q > near[start].y):
                    start = count
                count += 1

    # from each to the next: the one that has all others on its left
    tiny = 1e-9 * size * size
    at, points = start, 0
    for _ in range(FACE_POINTS):
        k = first + near[at].id
        put_point(polygon[points], vertex[0, k], vertex[1, k], vertex[2, k], near[at].id)
        points += 1
        following, ex, ey = -1, 0.0, 0.0
        for j in range(count):
            fx, fy = near[j].x - near[at].x, near[j].y - near[at].y
            squared = fx * fx + fy * fy
            if j != at and squared > tiny:
                turn = ex * fy - ey * fx
                if following < 0 or turn < -tiny or (turn <= tiny and squared > ex * ex + ey * ey):
                    following, ex, ey = j, fx, fy
        if following < 0 or following == start:
            break
        at = following
    return points


@block
def supporting_face(shape, vertex, dx, dy, dz, reach, near, polygon):
    """Fill `polygon` with the supporting face of the core in the direction d; returns its number of points."""
    kind = shape.kind
    if kind == BOX:
        return box_face(shape, dx, dy, dz, polygon)
    if kind == HULL:
        return hull_face(shape, vertex, dx, dy, dz, reach, near, polygon)
    if kind == CAPSULE:
        put_point(polygon[0], 0.0, 0.0, -shape.size[2], 0)
        put_point(polygon[1], 0.0, 0.0, shape.size[2], 1)
        return 2
    if kind in (CYLINDER, CONE):
        return frustum_face(shape, dx, dy, dz, polygon)
    x, y, z = support(shape, vertex, dx, dy, dz)
    put_point(polygon[0], x, y, z, 0)
    return 1
