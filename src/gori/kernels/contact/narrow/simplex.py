"""The point of a simplex that is closest to the origin, as barycentric coordinates of its corners.

An inner point of a triangle with the normal n = (b - a) x (c - a) has the coordinates n.(b x c) / n.n and so on, and
the closest point is n (n.a) / n.n: it keeps its relative accuracy where the corners are far and the distance small.
Outside of an edge with a negative coordinate the edge itself is searched. A tetrahedron contains the origin, or it is
one of the faces that see it (Ericson 2005, Real-Time Collision Detection, section 5.1; Montanari et al. 2017).
"""

from gori.kernels.contact.narrow.frames import cross, dot
from gori.kernels.jit import block, part

THIN = 1e-28
"""squared sine of the angle between two edges, below which a triangle has no normal"""
FLAT_VOLUME = 1e-14
"""share of the product of its edges, below which a tetrahedron is flat"""


@part
def segment_point(p, i, j):
    """v, and the coordinates of both ends."""
    ax, ay, az = p[i].x, p[i].y, p[i].z
    ex, ey, ez = p[j].x - ax, p[j].y - ay, p[j].z - az
    along, squared = -dot(ax, ay, az, ex, ey, ez), dot(ex, ey, ez, ex, ey, ez)
    if along <= 0.0:
        return ax, ay, az, 1.0, 0.0
    if along >= squared:
        return p[j].x, p[j].y, p[j].z, 0.0, 1.0
    t = along / squared
    return ax + t * ex, ay + t * ey, az + t * ez, 1.0 - t, t


@block
def triangle_point(p, i, j, k):
    """v, and the coordinates of the three corners."""
    ax, ay, az = p[i].x, p[i].y, p[i].z
    bx, by, bz = p[j].x, p[j].y, p[j].z
    cx, cy, cz = p[k].x, p[k].y, p[k].z
    # edges against their corners; the normal from the two shorter ones, which loses least
    ex, ey, ez = cx - bx, cy - by, cz - bz
    fx, fy, fz = ax - cx, ay - cy, az - cz
    gx, gy, gz = bx - ax, by - ay, bz - az
    ee, ff, gg = dot(ex, ey, ez, ex, ey, ez), dot(fx, fy, fz, fx, fy, fz), dot(gx, gy, gz, gx, gy, gz)
    if ee >= ff and ee >= gg:
        nx, ny, nz = cross(fx, fy, fz, gx, gy, gz)
        edges = ff * gg
    elif ff >= gg:
        nx, ny, nz = cross(gx, gy, gz, ex, ey, ez)
        edges = gg * ee
    else:
        nx, ny, nz = cross(ex, ey, ez, fx, fy, fz)
        edges = ee * ff
    squared = dot(nx, ny, nz, nx, ny, nz)
    thin = squared <= THIN * edges

    # b x c = b x (c - b), and so on
    ux, uy, uz = cross(bx, by, bz, ex, ey, ez)
    sa = dot(nx, ny, nz, ux, uy, uz)
    ux, uy, uz = cross(cx, cy, cz, fx, fy, fz)
    sb = dot(nx, ny, nz, ux, uy, uz)
    ux, uy, uz = cross(ax, ay, az, gx, gy, gz)
    sc = dot(nx, ny, nz, ux, uy, uz)
    if not thin and sa > 0.0 and sb > 0.0 and sc > 0.0:
        share = dot(nx, ny, nz, ax, ay, az) / squared
        total = 1.0 / (sa + sb + sc)
        return nx * share, ny * share, nz * share, sa * total, sb * total, sc * total

    # the closest of the edges that the origin is outside of
    vx, vy, vz, best = 0.0, 0.0, 0.0, -1.0
    si = sj = sk = 0.0
    if thin or sc <= 0.0:
        vx, vy, vz, si, sj = segment_point(p, i, j)
        best = dot(vx, vy, vz, vx, vy, vz)
    if thin or sa <= 0.0:
        x, y, z, s, t = segment_point(p, j, k)
        if best < 0.0 or dot(x, y, z, x, y, z) < best:
            vx, vy, vz, si, sj, sk = x, y, z, 0.0, s, t
            best = dot(x, y, z, x, y, z)
    if thin or sb <= 0.0:
        x, y, z, s, t = segment_point(p, k, i)
        if best < 0.0 or dot(x, y, z, x, y, z) < best:
            vx, vy, vz, si, sj, sk = x, y, z, t, 0.0, s
    return vx, vy, vz, si, sj, sk


@part
def sees_origin(p, i, j, k, other):
    """Whether the origin is on the other side of a face than the fourth corner; also if the tetrahedron is flat."""
    ax, ay, az = p[i].x, p[i].y, p[i].z
    ex, ey, ez = p[j].x - ax, p[j].y - ay, p[j].z - az
    fx, fy, fz = p[k].x - ax, p[k].y - ay, p[k].z - az
    gx, gy, gz = p[other].x - ax, p[other].y - ay, p[other].z - az
    nx, ny, nz = cross(ex, ey, ez, fx, fy, fz)
    volume = dot(nx, ny, nz, gx, gy, gz)
    edges = dot(ex, ey, ez, ex, ey, ez) * dot(fx, fy, fz, fx, fy, fz) * dot(gx, gy, gz, gx, gy, gz)
    if volume * volume <= FLAT_VOLUME * FLAT_VOLUME * edges:
        return True
    return dot(nx, ny, nz, ax, ay, az) * volume > 0.0


@part
def tetrahedron_point(p):
    """v, and the coordinates of the four corners; all four positive if the origin is inside.

    The face of the three older corners was left behind by the fourth, and is not looked at.
    """
    vx, vy, vz, best = 0.0, 0.0, 0.0, -1.0
    s0 = s1 = s2 = s3 = 0.25
    if sees_origin(p, 3, 0, 1, 2):
        vx, vy, vz, s3, s0, s1 = triangle_point(p, 3, 0, 1)
        s2, best = 0.0, dot(vx, vy, vz, vx, vy, vz)
    if sees_origin(p, 3, 1, 2, 0):
        x, y, z, s, t, u = triangle_point(p, 3, 1, 2)
        if best < 0.0 or dot(x, y, z, x, y, z) < best:
            vx, vy, vz, s3, s1, s2 = x, y, z, s, t, u
            s0, best = 0.0, dot(x, y, z, x, y, z)
    if sees_origin(p, 3, 2, 0, 1):
        x, y, z, s, t, u = triangle_point(p, 3, 2, 0)
        if best < 0.0 or dot(x, y, z, x, y, z) < best:
            vx, vy, vz, s3, s2, s0 = x, y, z, s, t, u
            s1 = 0.0
    return vx, vy, vz, s0, s1, s2, s3


@block
def closest_point(p, count):
    """Reduce the simplex p[:count] to the corners that the closest point v rests on, and set their shares.

    Returns v and the number of corners left: 4 if the origin is inside.
    """
    if count == 1:
        p[0].share = 1.0
        return p[0].x, p[0].y, p[0].z, 1
    if count == 2:
        vx, vy, vz, p[0].share, p[1].share = segment_point(p, 0, 1)
    elif count == 3:
        vx, vy, vz, p[0].share, p[1].share, p[2].share = triangle_point(p, 0, 1, 2)
    else:
        vx, vy, vz, p[0].share, p[1].share, p[2].share, p[3].share = tetrahedron_point(p)
    left = 0
    for k in range(count):
        if p[k].share > 0.0:
            if left < k:
                p[left] = p[k]
            left += 1
    return vx, vy, vz, left
