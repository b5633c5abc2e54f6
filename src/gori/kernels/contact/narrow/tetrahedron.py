"""A tetrahedron of support points that has the origin inside, to begin an expanding polytope with.

The search for the distance ends on a simplex with the origin: a tetrahedron, or, where cores touch or are concentric, a
triangle, a segment or a point of the difference A - B. Support points across it make it a tetrahedron, on whose surface
the origin may lie: the polytope grows there first.
"""

from gori.kernels.contact.narrow.frames import cross, dot, tangents, unit
from gori.kernels.contact.narrow.gjk import difference_support, set_corner
from gori.kernels.jit import block, part

TOO_SMALL = 1e-10
"""length, area or volume of a simplex by the same power of the size of the difference, that is not enough"""


@part
def volume_of(corner, i, j, k, m):
    """Six times the volume of a tetrahedron, with its sign."""
    p = corner[i]
    ex, ey, ez = corner[j].x - p.x, corner[j].y - p.y, corner[j].z - p.z
    fx, fy, fz = corner[k].x - p.x, corner[k].y - p.y, corner[k].z - p.z
    nx, ny, nz = cross(ex, ey, ez, fx, fy, fz)
    return dot(nx, ny, nz, corner[m].x - p.x, corner[m].y - p.y, corner[m].z - p.z)


@part
def off_line(corner, j):
    """Twice the area of the triangle of the corners 0, 1 and j, squared."""
    ex, ey, ez = corner[1].x - corner[0].x, corner[1].y - corner[0].y, corner[1].z - corner[0].z
    fx, fy, fz = corner[j].x - corner[0].x, corner[j].y - corner[0].y, corner[j].z - corner[0].z
    nx, ny, nz = cross(ex, ey, ez, fx, fy, fz)
    return dot(nx, ny, nz, nx, ny, nz)


@block
def try_corner(a, b, pose_ab, vertex, dx, dy, dz, corner, at):
    wx, wy, wz, ax, ay, az = difference_support(a, b, pose_ab, vertex, dx, dy, dz)
    set_corner(corner[at], wx, wy, wz, ax, ay, az)


@block
def grow_to_tetrahedron(a, b, pose_ab, vertex, size, corner, count):
    """From a simplex that has the origin to a tetrahedron that has it; returns its corners, fewer than 4 if none has.

    Each new corner is the support point that is farthest off: of six axes from a point, of four directions from a line,
    of both from a triangle. corner[4] is where the next one is tried.
    """
    if count == 4 and abs(volume_of(corner, 0, 1, 2, 3)) <= TOO_SMALL * size**3:
        count = 3
    if count == 3 and off_line(corner, 2) <= (TOO_SMALL * size * size) ** 2:
        count = 2
    if count == 1:
        best = TOO_SMALL * size
        for k in range(6):
            s = 1.0 if k < 3 else -1.0
            dx, dy, dz = (s if k % 3 == 0 else 0.0), (s if k % 3 == 1 else 0.0), (s if k % 3 == 2 else 0.0)
            try_corner(a, b, pose_ab, vertex, dx, dy, dz, corner, 4)
            far = max(abs(corner[4].x - corner[0].x), abs(corner[4].y - corner[0].y), abs(corner[4].z - corner[0].z))
            if far > best:
                best, count = far, 2
                corner[1] = corner[4]
    if count == 2:
        ex, ey, ez, _ = unit(corner[1].x - corner[0].x, corner[1].y - corner[0].y, corner[1].z - corner[0].z)
        ux, uy, uz, vx, vy, vz = tangents(ex, ey, ez)
        best = (TOO_SMALL * size * size) ** 2
        for k in range(4):
            s, t = (1.0 if k == 0 else -1.0 if k == 2 else 0.0), (1.0 if k == 1 else -1.0 if k == 3 else 0.0)
            try_corner(a, b, pose_ab, vertex, s * ux + t * vx, s * uy + t * vy, s * uz + t * vz, corner, 4)
            if off_line(corner, 4) > best:
                best, count = off_line(corner, 4), 3
                corner[2] = corner[4]
    if count == 3:
        p = corner[0]
        nx, ny, nz = cross(
            corner[1].x - p.x, corner[1].y - p.y, corner[1].z - p.z,
            corner[2].x - p.x, corner[2].y - p.y, corner[2].z - p.z,
        )  # fmt: skip
        best = 1e-2 * TOO_SMALL * size**3
        for k in range(2):
            s = 1.0 if k == 0 else -1.0
            try_corner(a, b, pose_ab, vertex, s * nx, s * ny, s * nz, corner, 4)
            if abs(volume_of(corner, 0, 1, 2, 4)) > best:
                best, count = abs(volume_of(corner, 0, 1, 2, 4)), 4
                corner[3] = corner[4]
    return count


@block
def flat_answer(a, b, pose_ab, vertex, corner, count, answer):
    """A difference without volume: across it the cores overlap by nothing."""
    p = corner[0]
    nx, ny, nz = 0.0, 0.0, 1.0
    if count >= 2:
        ex, ey, ez, _ = unit(corner[1].x - p.x, corner[1].y - p.y, corner[1].z - p.z)
        nx, ny, nz, _, _, _ = tangents(ex, ey, ez)
        if count == 3:
            nx, ny, nz = cross(ex, ey, ez, corner[2].x - p.x, corner[2].y - p.y, corner[2].z - p.z)
            nx, ny, nz, _ = unit(nx, ny, nz)
    wx, wy, wz, answer.x, answer.y, answer.z = difference_support(a, b, pose_ab, vertex, nx, ny, nz)
    answer.nx, answer.ny, answer.nz = nx, ny, nz
    answer.distance = -dot(nx, ny, nz, wx, wy, wz)
