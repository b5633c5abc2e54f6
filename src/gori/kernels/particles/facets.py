"""Distance from a sphere's centre to a flat facet, a rectangle or a triangle, among its neighbours.

A facet answers FAR unless it owns the feature that its closest point q lies on, and q is a minimum on the neighbours
too:

edge    s = (c - q).out >= 0 for the direction `out` that leads out of the neighbour, square to the edge
corner  (c - q).e <= 0 for all edges e that leave the corner
FLAT    an edge between facets of one smooth surface is no feature; the plane through it and the normal of the surface
        there divides what they see

A centre exactly above an edge or a corner would be a matter of rounding, different for each facet. So features are
chosen for a centre that is nudged by 1e-10 m in a direction that no drawing has, and distances measured from the true
one: ties move to where nothing rests.
"""

from gori.kernels.jit import part
from gori.kernels.particles.columns import CORNER, E1, E2, FACE, FAR, KIND, OUT, OWNED, POINT, RECT
from gori.kernels.particles.geometry import direction

EDGE_BIT, CORNER_BIT, FLAT_BIT, CURVED_BIT = 0, 4, 8, 12
"""OWNED of a facet: first bits of the edges it owns, of the corners it owns, and of edges that are no feature; whether
it is curved (`curved.py`)"""

INSIDE = 1e-5
"""share of an edge that a point must be away from it to be well inside: much more than the nudge"""
NUDGE_X, NUDGE_Y, NUDGE_Z = 0.41421356e-10, 0.73205081e-10, 0.61803399e-10


@part
def side_of(wall_f, rect, k, j):
    """Edge j of a facet, from its corner j to the next one: where it begins, seen from POINT, and its vector."""
    ax, ay, az = wall_f[k, E1], wall_f[k, E1 + 1], wall_f[k, E1 + 2]
    bx, by, bz = wall_f[k, E2], wall_f[k, E2 + 1], wall_f[k, E2 + 2]
    if j == 0:
        return 0.0, 0.0, 0.0, ax, ay, az
    if j == 1:
        if rect:
            return ax, ay, az, bx, by, bz
        return ax, ay, az, bx - ax, by - ay, bz - az
    if j == 2 and rect:
        return ax + bx, ay + by, az + bz, -ax, -ay, -az
    return bx, by, bz, -bx, -by, -bz


@part
def to_facet(wall_i, wall_f, rim_i, rim_f, k, cx, cy, cz, reach):
    """As `nearest`, of a flat rectangle or triangle."""
    rect = wall_i[k, KIND] == RECT
    owned = wall_i[k, OWNED]
    dx, dy, dz = cx - wall_f[k, POINT], cy - wall_f[k, POINT + 1], cz - wall_f[k, POINT + 2]
    nx, ny, nz = wall_f[k, FACE], wall_f[k, FACE + 1], wall_f[k, FACE + 2]
    h = dx * nx + dy * ny + dz * nz
    if abs(h) >= reach:
        return FAR, 0.0, 0.0, 1.0
    ax, ay, az = wall_f[k, E1], wall_f[k, E1 + 1], wall_f[k, E1 + 2]
    bx, by, bz = wall_f[k, E2], wall_f[k, E2 + 1], wall_f[k, E2 + 2]

    # well inside the facet, as most are: nothing more to be asked
    on_a, on_b = dx * ax + dy * ay + dz * az, dx * bx + dy * by + dz * bz
    aa, bb = ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz
    if rect:
        within = on_a > INSIDE * aa and on_a < (1.0 - INSIDE) * aa and on_b > INSIDE * bb and on_b < (1.0 - INSIDE) * bb
    else:
        ab = ax * bx + ay * by + az * bz
        u, v, whole = bb * on_a - ab * on_b, aa * on_b - ab * on_a, aa * bb - ab * ab
        within = u > INSIDE * whole and v > INSIDE * whole and u + v < (1.0 - INSIDE) * whole
    if within:
        side = -1.0 if h >= 0.0 else 1.0
        return abs(h), side * nx, side * ny, side * nz

    # of the edges that the centre is beyond, the one that is closest, and where on it: 0 at its beginning, 1 at its end
    edge, place, closest, beyond = -1, 0.0, FAR, 0.0
    for j in range(4 if rect else 3):
        sx, sy, sz, ex, ey, ez = side_of(wall_f, rect, k, j)
        qx, qy, qz = dx + NUDGE_X - sx, dy + NUDGE_Y - sy, dz + NUDGE_Z - sz
        out = OUT + 3 * j
        from_neighbour = qx * wall_f[k, out] + qy * wall_f[k, out + 1] + qz * wall_f[k, out + 2]
        if (owned >> (FLAT_BIT + j)) & 1:
            inside = from_neighbour >= 0.0
        else:  # n x e leads into the facet
            ix, iy, iz = ny * ez - nz * ey, nz * ex - nx * ez, nx * ey - ny * ex
            inside = qx * ix + qy * iy + qz * iz >= 0.0
        if not inside:
            t = (qx * ex + qy * ey + qz * ez) / (ex * ex + ey * ey + ez * ez)
            clamped = min(max(t, 0.0), 1.0)
            rx, ry, rz = qx - clamped * ex, qy - clamped * ey, qz - clamped * ez
            distance = rx * rx + ry * ry + rz * rz
            if distance < closest:
                edge, place, closest, beyond = j, t, distance, from_neighbour

    if edge < 0:
        side = -1.0 if h >= 0.0 else 1.0
        return abs(h), side * nx, side * ny, side * nz
    sx, sy, sz, ex, ey, ez = side_of(wall_f, rect, k, edge)
    if place > 0.0 and place < 1.0:
        if (owned >> (EDGE_BIT + edge)) & 1 == 0 or (owned >> (FLAT_BIT + edge)) & 1 or beyond < 0.0:
            return FAR, 0.0, 0.0, 1.0
        qx, qy, qz = dx - sx, dy - sy, dz - sz
        t = (qx * ex + qy * ey + qz * ez) / (ex * ex + ey * ey + ez * ez)
        return direction(t * ex - qx, t * ey - qy, t * ez - qz, nx, ny, nz)

    corner = edge
    if place >= 1.0:
        corner = (edge + 1) % (4 if rect else 3)
        sx, sy, sz = sx + ex, sy + ey, sz + ez
    if (owned >> (CORNER_BIT + corner)) & 1 == 0:
        return FAR, 0.0, 0.0, 1.0
    qx, qy, qz = dx - sx, dy - sy, dz - sz
    row = wall_i[k, CORNER + corner]
    first = rim_i[row, 0]
    for j in range(first, first + rim_i[row, 1]):
        ahead = (qx + NUDGE_X) * rim_f[j, 0] + (qy + NUDGE_Y) * rim_f[j, 1] + (qz + NUDGE_Z) * rim_f[j, 2]
        if ahead > 0.0:
            return FAR, 0.0, 0.0, 1.0
    return direction(-qx, -qy, -qz, nx, ny, nz)
