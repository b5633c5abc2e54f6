"""Where a shape may touch the terrain with points of its own.

Each against the tangent plane of the terrain (`surface.py`) and its walls (`walls.py`):

    SPHERE      its nearest point, looked for from five positions: in a ditch it touches on both sides
    CAPSULE     both ends likewise
    BOX, HULL   all vertices
    others      the points of the supporting face, and support points against the ground's normal at five positions,
                where these are deeper than all, or touch ground that leans another way
"""

from gori.kernels.contact.narrow.frames import placed, turned_back
from gori.kernels.contact.narrow.support import support
from gori.kernels.contact.tables import BOX, CAPSULE, HULL, SPHERE
from gori.kernels.contact.terrain.surface import nearest, over_surface
from gori.kernels.contact.terrain.walls import put_spot, touch_walls
from gori.kernels.jit import block

SIDEWAYS = 0.7
"""radius of the positions around the middle from which a sphere looks for the ground, by its own"""
ALIKE = 0.98
"""cosine of the angle up to which normals of one sphere are the same contact"""
BELOW_ALL = 1e-6
"""share of the size by which a support point is deeper than all others, to be one more"""


@block
def touch_point(tables, work, x, y, z, radius, reach, id, count):
    """A point of a core against walls and ground; returns the count of spots."""
    count, fx, fy = touch_walls(tables, x, y, z, radius, reach, id, work.spot, count)
    if radius > 0.0:
        gap, nx, ny, nz = nearest(tables, work.cells, x, y, z, fx, fy)
    else:
        gap, nx, ny, nz = over_surface(tables, work.cells, x, y, z, fx, fy)
    if gap - radius < reach:
        count = put_spot(work.spot, count, x, y, z, radius, nx, ny, nz, gap, id)
    return count


@block
def touch_ball(tables, work, x, y, z, radius, reach, id, count):
    """A sphere against walls and ground, which it may touch on several sides; returns the count of spots."""
    first = count
    count = touch_point(tables, work, x, y, z, radius, reach, id, count)
    for k in range(4):
        fx = x + SIDEWAYS * radius * (1.0 if k == 0 else (-1.0 if k == 1 else 0.0))
        fy = y + SIDEWAYS * radius * (1.0 if k == 2 else (-1.0 if k == 3 else 0.0))
        gap, nx, ny, nz = nearest(tables, work.cells, x, y, z, fx, fy)
        if gap - radius >= reach or count == work.spot.shape[0]:
            continue
        new = True
        for j in range(first, count):
            there = work.spot[j]
            new = new and nx * there.nx + ny * there.ny + nz * there.nz < ALIKE
        if new:
            count = put_spot(work.spot, count, x, y, z, radius, nx, ny, nz, gap, id + 1 + k)
    return count


@block
def own_points(a, pose, tables, vertex, reach, work, points):
    """Points of the shape on walls and ground, after `lay_face`, which found so many; returns the count of spots."""
    count, kind, radius = 0, a.kind, a.radius
    if kind == SPHERE:
        return touch_ball(tables, work, pose[9], pose[10], pose[11], radius, reach, 0, count)
    if kind == CAPSULE:
        for end in range(2):
            x, y, z = placed(pose, 0.0, 0.0, a.size[2] if end == 1 else -a.size[2])
            count = touch_ball(tables, work, x, y, z, radius, reach, 8 * end, count)
        return count
    if kind == BOX:
        for k in range(8):
            x = a.size[0] if k & 1 else -a.size[0]
            y = a.size[1] if k & 2 else -a.size[1]
            x, y, z = placed(pose, x, y, a.size[2] if k & 4 else -a.size[2])
            count = touch_point(tables, work, x, y, z, radius, reach, k, count)
        return count
    if kind == HULL:
        for k in range(a.vertices):
            j = a.first + k
            x, y, z = placed(pose, vertex[0, j], vertex[1, j], vertex[2, j])
            count = touch_point(tables, work, x, y, z, radius, reach, k, count)
        return count
    return round_points(a, pose, tables, vertex, reach, work, points)


@block
def round_points(a, pose, tables, vertex, reach, work, points):
    """Of a cylinder, cone or ellipsoid, as `own_points`."""
    count = 0
    for k in range(points):
        p = work.clip_to[k]
        count = touch_point(tables, work, p.x, p.y, p.z, a.radius, reach, 8 + work.face_a[k].id, count)
    far, slack = 0.5 * min(a.half[0], a.half[1], a.half[2]), BELOW_ALL * (a.half[0] + a.half[1] + a.half[2])
    for k in range(5):
        x = pose[9] + far * (1.0 if k == 1 else (-1.0 if k == 2 else 0.0))
        y = pose[10] + far * (1.0 if k == 3 else (-1.0 if k == 4 else 0.0))
        gap, nx, ny, nz = over_surface(tables, work.cells, x, y, pose[11], x, y)
        z = pose[11]
        for _ in range(3):
            dx, dy, dz = turned_back(pose, -nx, -ny, -nz)
            x, y, z = support(a, vertex, dx, dy, dz)
            x, y, z = placed(pose, x, y, z)
            gap, nx, ny, nz = over_surface(tables, work.cells, x, y, z, x, y)
        deeper, alike = True, False
        for j in range(count):
            there = work.spot[j]
            deeper = deeper and gap - a.radius < there.gap - slack
            alike = alike or nx * there.nx + ny * there.ny + nz * there.nz > ALIKE
        if deeper or not alike:
            count = touch_point(tables, work, x, y, z, a.radius, reach, k, count)
    return count
