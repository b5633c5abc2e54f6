"""Where terrain that bulges touches the supporting face of a shape.

Only places that are nearer to the face than its corners say count, so that level ground has no more contacts than a
plane. They are taken

    along the edges   at the lines of features (corners of a TRAPEZOID, eighths of a SINE), and at every line of the
                      height field, or every n-th so that there are at most LINES; on soft soil at LINES even distances
    inside            at the corners of the tops of features, and at nodes of the height field, of LINES lines likewise
"""

import math

from gori.kernels.contact.narrow.frames import placed, turned_back
from gori.kernels.contact.narrow.support import supporting_face
from gori.kernels.contact.terrain.surface import mean_normal, nearest, over_surface, surface
from gori.kernels.contact.terrain.walls import put_spot
from gori.kernels.jit import block, part
from gori.kernels.vehicle.tables import SINE
from gori.kernels.vehicle.terrain import position_on
from gori.kernels.whole import ceil

LINES = 12
"""of the height field that are tried under one face, in each direction"""
BULGE = 1e-4
"""share of the size by which ground under a face is nearer than its corners say, to count"""
FACING = 0.9
"""cosine of the angle between face and ground up to which a contact has the normal of the face"""
OF_EDGES, OF_NODES = 1 << 10, 1 << 16
"""where numbers of features begin: below the first those of the shape's own points"""


@part
def put_corner(corner, x, y, z, gap):
    corner.x, corner.y, corner.z, corner.gap = x, y, z, gap


@block
def lay_face(a, pose, tables, vertex, reach, work):
    """The supporting face of the shape over the ground, in the world, with the gap at each corner: into `clip_to`, its
    middle last. Returns the number of corners, and the normal of contacts under it, out of the ground.
    """
    far = max(0.05 * a.half[0], math.sqrt(0.5 * (a.half[0] ** 2 + a.half[1] ** 2 + a.half[2] ** 2)))
    nx, ny, nz = mean_normal(tables, work.cells, pose[9], pose[10], far)
    dx, dy, dz = turned_back(pose, -nx, -ny, -nz)
    points = supporting_face(a, vertex, dx, dy, dz, reach, work.near, work.face_a)
    mx, my, mz, mean = 0.0, 0.0, 0.0, 0.0
    for k in range(points):
        corner = work.face_a[k]
        x, y, z = placed(pose, corner.x, corner.y, corner.z)
        gap, _, _, _ = over_surface(tables, work.cells, x, y, z, x, y)
        put_corner(work.clip_to[k], x, y, z, gap)
        mx, my, mz, mean = mx + x, my + y, mz + z, mean + gap
    put_corner(work.clip_to[points], mx / points, my / points, mz / points, mean / points)
    # Newell's normal of the polygon
    ax, ay, az = 0.0, 0.0, 0.0
    for k in range(points):
        p, q = work.clip_to[k], work.clip_to[k + 1 if k + 1 < points else 0]
        ax, ay, az = ax + (p.y - q.y) * (p.z + q.z), ay + (p.z - q.z) * (p.x + q.x), az + (p.x - q.x) * (p.y + q.y)
    size = math.sqrt(ax * ax + ay * ay + az * az)
    if points >= 3 and size > 0.0:
        ax, ay, az = ax / size, ay / size, az / size
        facing = ax * nx + ay * ny + az * nz
        if abs(facing) > FACING:
            side = 1.0 if facing > 0.0 else -1.0
            return points, side * ax, side * ay, side * az
    return points, nx, ny, nz


@block
def touch_under(tables, work, point, radius, reach, normal, slack, id, count):
    """The ground below a point of the face; returns the count of spots.

    point   x, y, z, and the gap there as the corners of the face say
    slack   by which the gap must be smaller to count [m]
    """
    x, y, z, expected = point
    nx, ny, nz = normal
    if radius > 0.0:
        gap, nx, ny, nz = nearest(tables, work.cells, x, y, z, x, y)
    else:
        h, _, _ = surface(tables, work.cells, x, y)
        gap = (z - h) * nz
    if gap - radius < reach and gap < expected - slack:
        count = put_spot(work.spot, count, x, y, z, radius, nx, ny, nz, gap, id)
    return count


@block
def under_edge(tables, work, k, j, size, reach, normal, slack, count):
    """Ground that bulges under the edge of the face from corner k to j; size: radius of the core."""
    p, q = work.clip_to[k], work.clip_to[j]
    terrain, first = tables.terrain[0], OF_EDGES * (1 + k)
    for n in range(tables.feature.shape[0]):
        f = tables.feature[n]
        s0, _ = position_on(f, p.x, p.y)
        s1, _ = position_on(f, q.x, q.y)
        lines = 7 if f.kind == SINE else 2
        for line in range(lines):
            at = f.top * (line + 1) / 8.0 if f.kind == SINE else f.up + (f.top if line == 1 else 0.0)
            if (s0 - at) * (s1 - at) < 0.0:
                t = (at - s0) / (s1 - s0)
                count = at_share(tables, work, p, q, t, size, reach, normal, slack, first + 8 * n + line, count)
    if terrain.nx > 0:
        for axis in range(2):
            a0 = ((p.x if axis == 0 else p.y) - terrain.corner[axis]) / terrain.cell[axis]
            a1 = ((q.x if axis == 0 else q.y) - terrain.corner[axis]) / terrain.cell[axis]
            stride = max(1, int(abs(a1 - a0) / LINES) + 1)
            node = stride * ceil(max(0.0, min(a0, a1)) / stride)
            last = min(max(a0, a1), (terrain.nx if axis == 0 else terrain.ny) - 1.0)
            while node < last and abs(a1 - a0) > 1e-9:
                t = (node - a0) / (a1 - a0)
                id = first + 512 + 256 * axis + (node // stride) % 256
                count = at_share(tables, work, p, q, t, size, reach, normal, slack, id, count)
                node += stride
    if work.cells.shape[0] > 0:
        for line in range(1, LINES):
            t = line / LINES
            count = at_share(tables, work, p, q, t, size, reach, normal, slack, first + 256 + line, count)
    return count


@part
def at_share(tables, work, p, q, t, radius, reach, normal, slack, id, count):
    """The ground below the edge from p to q, at the share t of it."""
    if t <= 0.0 or t >= 1.0:
        return count
    x, y, z = p.x + t * (q.x - p.x), p.y + t * (q.y - p.y), p.z + t * (q.z - p.z)
    expected = p.gap + t * (q.gap - p.gap)
    return touch_under(tables, work, (x, y, z, expected), radius, reach, normal, slack, id, count)


@block
def under_inside(tables, work, points, x, y, reach, normal, slack, id, count):
    """The ground at a position, if that is under the face: by the triangle of the middle and two corners about it."""
    m = work.clip_to[points]
    for k in range(points):
        p, q = work.clip_to[k], work.clip_to[k + 1 if k + 1 < points else 0]
        px, py, qx, qy = p.x - m.x, p.y - m.y, q.x - m.x, q.y - m.y
        area = px * qy - py * qx
        if abs(area) < 1e-12:
            continue
        u, v = ((x - m.x) * qy - (y - m.y) * qx) / area, (px * (y - m.y) - py * (x - m.x)) / area
        if u >= 0.0 and v >= 0.0 and u + v < 1.0:
            z = m.z + u * (p.z - m.z) + v * (q.z - m.z)
            expected = m.gap + u * (p.gap - m.gap) + v * (q.gap - m.gap)
            return touch_under(tables, work, (x, y, z, expected), 0.0, reach, normal, slack, id, count)
    return count


@block
def ground_points(a, tables, reach, work, points, normal, count):
    """Points of the ground under the face that `lay_face` found; returns the count of spots."""
    slack = BULGE * (a.half[0] + a.half[1] + a.half[2])
    for k in range(points if points > 2 else points - 1):
        j = k + 1 if k + 1 < points else 0
        count = under_edge(tables, work, k, j, a.radius, reach, normal, slack, count)
    if points < 3:
        return count
    terrain = tables.terrain[0]
    x0, x1, y0, y1 = math.inf, -math.inf, math.inf, -math.inf
    for k in range(points):
        corner = work.clip_to[k]
        x0, x1, y0, y1 = min(x0, corner.x), max(x1, corner.x), min(y0, corner.y), max(y1, corner.y)
    for n in range(tables.feature.shape[0]):
        f = tables.feature[n]
        if f.half_width < math.inf and f.height > 0.0:
            for k in range(4):
                s = 0.5 * f.top if f.kind == SINE else f.up + (f.top if k & 1 else 0.0)
                side = f.half_width if k & 2 else -f.half_width
                x, y = f.x + f.cos * s - f.sin * side, f.y + f.sin * s + f.cos * side
                count = under_inside(tables, work, points, x, y, reach, normal, slack, OF_NODES - 1 - 4 * n - k, count)
    if terrain.nx > 0:
        cx, cy = terrain.cell[0], terrain.cell[1]
        stride_x, stride_y = max(1, int((x1 - x0) / cx / LINES) + 1), max(1, int((y1 - y0) / cy / LINES) + 1)
        i0 = stride_x * ceil(max(0.0, (x0 - terrain.corner[0]) / cx) / stride_x)
        j = stride_y * ceil(max(0.0, (y0 - terrain.corner[1]) / cy) / stride_y)
        while j < terrain.ny and terrain.corner[1] + j * cy < y1:
            i = i0
            while i < terrain.nx and terrain.corner[0] + i * cx < x1:
                x, y, id = terrain.corner[0] + i * cx, terrain.corner[1] + j * cy, OF_NODES + j % 512 * 512 + i % 512
                count = under_inside(tables, work, points, x, y, reach, normal, slack, id, count)
                i += stride_x
            j += stride_y
    return count
