"""Distance from a sphere's centre to a wall, and which walls a sphere may touch.

A wall is made of primitives (`columns.py`), each a thin shell that acts from both sides; only PLANE is a half-space. A
sphere touches a surface at each local minimum of the distance between its centre c and the surface: once in the middle
of a face, once on a convex edge or corner, twice in a concave edge. Facets (RECT, TRIANGLE), tubes and discs share
edges, so each is asked for its own closest point q, and answers FAR unless it owns the feature that q lies on and q is
a minimum on the neighbours too:

edge    s = (c - q).out >= 0 for the direction `out` that leads out of the neighbour, square to the edge
corner  (c - q).e <= 0 for all edges e that leave the corner
FLAT    an edge between facets of one plane is no feature; the plane through it, square to both, divides what they see

A centre exactly above an edge or a corner would be a matter of rounding, different for each facet. So features are
chosen for a centre that is nudged by 1e-10 m in a direction that no drawing has, and distances measured from the true
one: ties move to where nothing rests.
"""

import math

from gori.kernels.jit import part
from gori.kernels.particles.columns import (
    AXIS,
    CAPSULE,
    CELL,
    CORNER,
    DISC,
    E1,
    E2,
    FACE,
    FAR,
    FIRST_CELL,
    KIND,
    LENGTH,
    NORMAL,
    NX,
    NY,
    NZ,
    OUT,
    OWNED,
    PLANE,
    POINT,
    RADIUS,
    RECT,
    TOP,
    TUBE,
    X0,
    Y0,
    Z0,
)

EDGE_BIT, CORNER_BIT, FLAT_BIT = 0, 4, 8
"""OWNED of a facet: first bits of the edges it owns, of the corners it owns, and of edges that are flat"""

INSIDE = 1e-5
"""share of an edge that a point must be away from it to be well inside: much more than the nudge"""
NUDGE_X, NUDGE_Y, NUDGE_Z = 0.41421356e-10, 0.73205081e-10, 0.61803399e-10


@part
def nearest(wall_i, wall_f, rim_i, rim_f, k, cx, cy, cz):
    """Distance [m] from a centre to primitive k and the unit vector from the centre to its closest point; FAR: none.

    c   centre [m], in the frame of the body that carries the primitive. Of a plane the distance is negative behind it.
    """
    kind = wall_i[k, KIND]
    if kind >= RECT:
        return to_facet(wall_i, wall_f, rim_i, rim_f, k, cx, cy, cz)
    if kind == TUBE:
        return to_tube(wall_i, wall_f, k, cx, cy, cz)
    if kind == DISC:
        return to_disc(wall_i, wall_f, k, cx, cy, cz)
    dx, dy, dz = cx - wall_f[k, POINT], cy - wall_f[k, POINT + 1], cz - wall_f[k, POINT + 2]
    nx, ny, nz = wall_f[k, NORMAL], wall_f[k, NORMAL + 1], wall_f[k, NORMAL + 2]
    if kind == PLANE:
        return dx * nx + dy * ny + dz * nz, -nx, -ny, -nz
    if kind == CAPSULE:
        along = min(max(dx * nx + dy * ny + dz * nz, 0.0), wall_f[k, LENGTH])
        dx, dy, dz = dx - along * nx, dy - along * ny, dz - along * nz
    away, ux, uy, uz = direction(dx, dy, dz, 1.0, 0.0, 0.0)
    gap = away - wall_f[k, RADIUS]
    if gap < 0.0:  # inside the ball
        return -gap, ux, uy, uz
    return gap, -ux, -uy, -uz


@part
def direction(x, y, z, ex, ey, ez):
    """Length of a vector and its direction; e if it has none."""
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-30:
        return length, ex, ey, ez
    return length, x / length, y / length, z / length


@part
def square_to(x, y, z):
    """A unit vector square to a unit vector."""
    if abs(x) < 0.6:
        _, ux, uy, uz = direction(0.0, z, -y, 1.0, 0.0, 0.0)
    else:
        _, ux, uy, uz = direction(-z, 0.0, x, 1.0, 0.0, 0.0)
    return ux, uy, uz


@part
def split(dx, dy, dz, ax, ay, az):
    """A vector along and across a unit axis: z along it, the distance from it, and the unit vector across."""
    z = dx * ax + dy * ay + dz * az
    ex, ey, ez = square_to(ax, ay, az)
    rho, ux, uy, uz = direction(dx - z * ax, dy - z * ay, dz - z * az, ex, ey, ez)
    return z, rho, ux, uy, uz


@part
def to_disc(wall_i, wall_f, k, cx, cy, cz):
    """As `nearest`, of a disc; its rim acts if bit 1 is set, or else belongs to a tube."""
    dx, dy, dz = cx - wall_f[k, POINT], cy - wall_f[k, POINT + 1], cz - wall_f[k, POINT + 2]
    nx, ny, nz = wall_f[k, NORMAL], wall_f[k, NORMAL + 1], wall_f[k, NORMAL + 2]
    radius = wall_f[k, RADIUS]
    _, rho, _, _, _ = split(dx + NUDGE_X, dy + NUDGE_Y, dz + NUDGE_Z, nx, ny, nz)
    if rho <= radius:
        h = dx * nx + dy * ny + dz * nz
        side = -1.0 if h >= 0.0 else 1.0
        return abs(h), side * nx, side * ny, side * nz
    if wall_i[k, OWNED] & 1 == 0:
        return FAR, 0.0, 0.0, 1.0
    z, rho, ux, uy, uz = split(dx, dy, dz, nx, ny, nz)
    dr = radius - rho
    return direction(dr * ux - z * nx, dr * uy - z * ny, dr * uz - z * nz, ux, uy, uz)


@part
def to_tube(wall_i, wall_f, k, cx, cy, cz):
    """As `nearest`, of the side of a cylinder or cone; in the plane through its axis and the centre it is a line.

    A rim (bit 1 base, 2 top) that is set is free; one that is not is closed by a disc, which has what lies before it.
    """
    dx, dy, dz = cx - wall_f[k, POINT], cy - wall_f[k, POINT + 1], cz - wall_f[k, POINT + 2]
    ax, ay, az = wall_f[k, AXIS], wall_f[k, AXIS + 1], wall_f[k, AXIS + 2]
    base, length, top = wall_f[k, RADIUS], wall_f[k, LENGTH], wall_f[k, TOP]
    slant = math.sqrt(length * length + (top - base) * (top - base))
    along, across = length / slant, (top - base) / slant  # direction of the line: along the axis, and away from it

    z_chosen, rho_chosen, _, _, _ = split(dx + NUDGE_X, dy + NUDGE_Y, dz + NUDGE_Z, ax, ay, az)
    t = z_chosen * along + (rho_chosen - base) * across
    z, rho, ux, uy, uz = split(dx, dy, dz, ax, ay, az)
    if t >= 0.0 and t <= slant:
        h = (rho - base) * along - z * across
        side = -1.0 if h >= 0.0 else 1.0
        p, q = -side * across, side * along
        return abs(h), p * ax + q * ux, p * ay + q * uy, p * az + q * uz
    end, radius, bit = 0.0, base, 1
    if t > 0.0:
        end, radius, bit = length, top, 2
    if wall_i[k, OWNED] & bit == 0 and rho_chosen <= radius:
        return FAR, 0.0, 0.0, 1.0
    p, q = end - z, radius - rho
    return direction(p * ax + q * ux, p * ay + q * uy, p * az + q * uz, ux, uy, uz)


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
def to_facet(wall_i, wall_f, rim_i, rim_f, k, cx, cy, cz):
    """As `nearest`, of a rectangle or triangle among its neighbours."""
    rect = wall_i[k, KIND] == RECT
    owned = wall_i[k, OWNED]
    dx, dy, dz = cx - wall_f[k, POINT], cy - wall_f[k, POINT + 1], cz - wall_f[k, POINT + 2]
    ax, ay, az = wall_f[k, E1], wall_f[k, E1 + 1], wall_f[k, E1 + 2]
    bx, by, bz = wall_f[k, E2], wall_f[k, E2 + 1], wall_f[k, E2 + 2]
    nx, ny, nz = wall_f[k, FACE], wall_f[k, FACE + 1], wall_f[k, FACE + 2]

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
        h = dx * nx + dy * ny + dz * nz
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
        h = dx * nx + dy * ny + dz * nz
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


@part
def within(wall_i, wall_f, rim_i, rim_f, k, cx, cy, cz, reach):
    """Whether a centre may be nearer than `reach` [m] to primitive k, whoever owns the closest feature.

    For lists: a particle that rolls on from one facet to the next needs both. Yes a little too often near corners.
    """
    kind = wall_i[k, KIND]
    dx, dy, dz = cx - wall_f[k, POINT], cy - wall_f[k, POINT + 1], cz - wall_f[k, POINT + 2]
    nx, ny, nz = wall_f[k, FACE], wall_f[k, FACE + 1], wall_f[k, FACE + 2]
    if (kind >= RECT) & (not abs(dx * nx + dy * ny + dz * nz) < reach):  # without a detour: most end here
        return False
    if kind < TUBE or kind == CAPSULE:
        gap, _, _, _ = nearest(wall_i, wall_f, rim_i, rim_f, k, cx, cy, cz)
        return gap < reach
    ax, ay, az = wall_f[k, AXIS], wall_f[k, AXIS + 1], wall_f[k, AXIS + 2]
    if kind in (TUBE, DISC):
        z, rho, _, _, _ = split(dx, dy, dz, ax, ay, az)
        rho -= wall_f[k, RADIUS]
        if kind == DISC:
            return abs(z) < reach and rho < reach
        length, wider = wall_f[k, LENGTH], wall_f[k, TOP] - wall_f[k, RADIUS]
        slant = math.sqrt(length * length + wider * wider)
        along, across = z * length + rho * wider, rho * length - z * wider  # both times the slant
        return abs(across) < reach * slant and along > -reach * slant and along < (slant + reach) * slant
    rect = kind == RECT
    for j in range(4 if rect else 3):
        sx, sy, sz, ex, ey, ez = side_of(wall_f, rect, k, j)
        ix, iy, iz = ny * ez - nz * ey, nz * ex - nx * ez, nx * ey - ny * ex  # leads into the facet
        inside = (dx - sx) * ix + (dy - sy) * iy + (dz - sz) * iz
        if inside < 0.0 and inside * inside > reach * reach * (ix * ix + iy * iy + iz * iz):
            return False
    return True


@part
def bin_range(bin_i, bin_f, bin_start, b, cx, cy, cz):
    """Where in `bin_wall` the facets stand that a sphere near c, in the frame of body b, may touch: start, stop."""
    size = bin_f[b, CELL]
    x, y, z = (cx - bin_f[b, X0]) / size, (cy - bin_f[b, Y0]) / size, (cz - bin_f[b, Z0]) / size
    nx, ny, nz = bin_i[b, NX], bin_i[b, NY], bin_i[b, NZ]
    if x >= 0.0 and y >= 0.0 and z >= 0.0 and x < nx and y < ny and z < nz:
        cell = bin_i[b, FIRST_CELL] + (int(z) * ny + int(y)) * nx + int(x)
        return bin_start[cell], bin_start[cell + 1]
    return bin_start[0], bin_start[0]
