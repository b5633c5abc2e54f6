"""Contact points of two convex shapes whose normal is known: where their supporting faces lie over each other.

With the normal n from A to B, the supporting face of A along n and that of B along -n are seen along n. The overlap of
both is the patch of contact. Over each of its corners the gap is the height of B's face over A's; those within reach
are contact points. Edges stand for faces of two points. The closest points themselves are one of them if they are
closer than all corners, as where a rim lies between the points that stand for it.
"""

from gori.kernels.contact.narrow.clip import (
    VERTEX_A,
    VERTEX_B,
    begin_clip,
    clip_by,
    crossing,
    edge_id,
    set_clip,
)
from gori.kernels.contact.narrow.frames import cross, placed, put, tangents, turned, turned_back
from gori.kernels.contact.narrow.reduce import fewer
from gori.kernels.contact.narrow.support import FLAT, supporting_face
from gori.kernels.contact.tables import ELLIPSOID, HULL, MOST_POINTS, SPHERE
from gori.kernels.jit import block, part

SAME_EDGES = 1e-4
"""squared sine of the angle between two edges, below which they touch in two points"""
DEEPEST = 1e-8
"""share of the size by which the closest points may be closer than all corners, and not be one more"""


@part
def project_face(face, count, nx, ny, nz):
    """From coordinates of A's frame to heights along n and positions along its tangents."""
    ux, uy, uz, vx, vy, vz = tangents(nx, ny, nz)
    for k in range(count):
        x, y, z = face[k].x, face[k].y, face[k].z
        face[k].x = ux * x + uy * y + uz * z
        face[k].y = vx * x + vy * y + vz * z
        face[k].z = nx * x + ny * y + nz * z


@part
def find_faces(a, b, vertex, reach, work):
    """Both supporting faces, seen along the normal; returns their numbers of points."""
    n, pose_ab = work.answer[0], work.pose_ab
    points_a = supporting_face(a, vertex, n.nx, n.ny, n.nz, reach, work.near, work.face_a)
    dx, dy, dz = turned_back(pose_ab, -n.nx, -n.ny, -n.nz)
    points_b = supporting_face(b, vertex, dx, dy, dz, reach, work.near, work.face_b)
    for k in range(points_b):
        p = work.face_b[k]
        p.x, p.y, p.z = placed(pose_ab, p.x, p.y, p.z)
    project_face(work.face_a, points_a, n.nx, n.ny, n.nz)
    project_face(work.face_b, points_b, n.nx, n.ny, n.nz)
    return points_a, points_b


@part
def plane_of(face, count):
    """Slopes p, q and height h of the plane z = h + p x + q y of a polygon, and how far its points are from it.

    Its normal is the sum of p_k x p_k+1 over all edges (Newell).
    """
    px, py, pz = face[0].x, face[0].y, face[0].z
    nx, ny, nz = 0.0, 0.0, 0.0
    for k in range(1, count - 1):
        cx, cy, cz = cross(
            face[k].x - px, face[k].y - py, face[k].z - pz,
            face[k + 1].x - px, face[k + 1].y - py, face[k + 1].z - pz,
        )  # fmt: skip
        nx, ny, nz = nx + cx, ny + cy, nz + cz
    if abs(nz) < 1e-3 * (abs(nx) + abs(ny)) or nz == 0.0:
        return 0.0, 0.0, 0.0, -1.0
    p, q = -nx / nz, -ny / nz
    h, off = pz - p * px - q * py, 0.0
    for k in range(1, count):
        off = max(off, abs(face[k].z - h - p * face[k].x - q * face[k].y))
    return p, q, h, off


@part
def polygon_patch(reference, references, is_a, incident, incidents, work):
    """Corners of the overlap of a polygon with a polygon or an edge into `work.clip_from`: gap, and z midway."""
    p, q, h, off = plane_of(reference, references)
    if off < 0.0:
        return 0
    begin_clip(incident, incidents, VERTEX_B if is_a else VERTEX_A, work.clip_from)
    count = clip_by(reference, references, is_a, work.clip_from, incidents, work.clip_to)
    for k in range(count):
        point = work.clip_from[k]
        z = h + p * point.x + q * point.y
        point.gap = point.z - z if is_a else z - point.z
        point.z = 0.5 * (point.z + z)
    return count


@part
def edge_patch(work):
    """Two edges side by side: the ends of their common part; none if they cross."""
    p, q, r, s = work.face_a[0], work.face_a[1], work.face_b[0], work.face_b[1]
    ex, ey, ez = q.x - p.x, q.y - p.y, q.z - p.z
    fx, fy, fz = s.x - r.x, s.y - r.y, s.z - r.z
    ee, ff = ex * ex + ey * ey, fx * fx + fy * fy
    turn = ex * fy - ey * fx
    if ee == 0.0 or ff == 0.0 or turn * turn > SAME_EDGES * ee * ff:
        return 0
    # ends of B's edge as shares of A's
    first = ((r.x - p.x) * ex + (r.y - p.y) * ey) / ee
    last = ((s.x - p.x) * ex + (s.y - p.y) * ey) / ee
    low, high = max(0.0, min(first, last)), min(1.0, max(first, last))
    if high - low < 1e-3 * min(1.0, abs(last - first)):
        return 0
    edges = crossing(edge_id(p.id, q.id), edge_id(r.id, s.id))
    for end in range(2):
        t = high if end else low
        u = (t - first) / (last - first)
        x, y, z = p.x + t * ex, p.y + t * ey, p.z + t * ez
        bx, by, bz = r.x + u * fx, r.y + u * fy, r.z + u * fz
        point = work.clip_from[end]
        set_clip(point, 0.5 * (x + bx), 0.5 * (y + by), 0.5 * (z + bz), 0, 1, edges ^ (end << 57))
        point.gap = bz - z
    return 2


@part
def is_flat(shape, face, count):
    """Whether a face can be one that others are held against: a polygon, and of a hull all in one plane."""
    if count < 3 or shape.kind != HULL:
        return count >= 3
    _, _, _, off = plane_of(face, count)
    return off <= FLAT * max(shape.half[0], shape.half[1], shape.half[2])


@part
def overlap(a, b, vertex, reach, work):
    """Corners of the patch of contact, in `work.clip_from`.

    Where both are hulls whose vertices within reach are not in one plane, only the flat part of their faces counts.
    """
    points_a, points_b = find_faces(a, b, vertex, reach, work)
    flat_a, flat_b = is_flat(a, work.face_a, points_a), is_flat(b, work.face_b, points_b)
    if not flat_a and not flat_b and points_a + points_b > 4:
        points_a, points_b = find_faces(a, b, vertex, 0.0, work)
        flat_a, flat_b = points_a >= 3, points_b >= 3
    if flat_a and points_b >= 2:
        return polygon_patch(work.face_a, points_a, True, work.face_b, points_b, work)
    if flat_b and points_a >= 2:
        return polygon_patch(work.face_b, points_b, False, work.face_a, points_a, work)
    if points_a == 2 and points_b == 2:
        return edge_patch(work)
    return 0


@block
def contact_patch(a, b, pose_a, vertex, reach, witness, work, found):
    """Contact points from `work.answer`: normal, distance of the cores and A's closest point, in the frame of A.

    witness   whether that closest point is known; if not, and no corner is as close as the distance, -1 is answered
    Returns the number of points.
    """
    answer = work.answer[0]
    nx, ny, nz, distance = answer.nx, answer.ny, answer.nz, answer.distance
    radii = a.radius + b.radius
    size = a.half[0] + a.half[1] + a.half[2]
    size = min(size, b.half[0] + b.half[1] + b.half[2])
    count, kept, least = 0, 0, distance + DEEPEST * size
    deepest = False
    if a.kind != SPHERE and b.kind != SPHERE and a.kind != ELLIPSOID and b.kind != ELLIPSOID:
        count = overlap(a, b, vertex, max(reach, 0.0), work)
    for k in range(count):
        point = work.clip_from[k]
        point.gap = max(point.gap, distance)
        if point.gap - radii < reach and (kept == 0 or point.feature != work.clip_from[kept - 1].feature):
            deepest = deepest or point.gap <= least
            if kept < k:
                work.clip_from[kept] = point
            kept += 1
    if kept > 1 and work.clip_from[0].feature == work.clip_from[kept - 1].feature:
        kept -= 1
    if not deepest and not witness:
        return -1
    kept = fewer(work.clip_from, kept, MOST_POINTS if deepest else MOST_POINTS - 1, work.kept)

    # to world axes
    ux, uy, uz, vx, vy, vz = tangents(nx, ny, nz)
    wx, wy, wz = turned(pose_a, nx, ny, nz)
    shift = 0.5 * (a.radius - b.radius)
    for k in range(kept):
        point = work.clip_from[k]
        x, y, z = point.x, point.y, point.z + shift
        px, py, pz = placed(pose_a, x * ux + y * vx + z * nx, x * uy + y * vy + z * ny, x * uz + y * vz + z * nz)
        put(found[k], px, py, pz, wx, wy, wz, point.gap - radii, point.feature)
    if not deepest:
        middle = 0.5 * distance + shift
        px, py, pz = placed(pose_a, answer.x + middle * nx, answer.y + middle * ny, answer.z + middle * nz)
        put(found[kept], px, py, pz, wx, wy, wz, distance - radii, 0)
        kept += 1
    return kept
