"""Distance from a sphere's centre to a wall, and which walls a sphere may touch.

A wall is made of primitives (`columns.py`), each a thin shell that acts from both sides; only PLANE is a half-space. A
sphere touches a surface at each local minimum of the distance between its centre c and the surface: once in the middle
of a face, once on a convex edge or corner, twice in a concave edge. Facets (RECT, TRIANGLE; `facets.py`, `curved.py`),
tubes and discs share edges, so each is asked for its own closest point, and answers FAR unless that is a minimum on the
neighbours too. Primitives of different shapes do not know each other: what counts twice there is left out when all
contacts of a sphere are known (`wall_contacts.py`).
"""

import math

from gori.kernels.jit import part
from gori.kernels.particles.columns import (
    AXIS,
    BULGE,
    CAPSULE,
    CELL,
    DISC,
    FACE,
    FAR,
    FIRST_CELL,
    KIND,
    LENGTH,
    NORMAL,
    NX,
    NY,
    NZ,
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
from gori.kernels.particles.curved import to_curved
from gori.kernels.particles.facets import CURVED_BIT, NUDGE_X, NUDGE_Y, NUDGE_Z, side_of, to_facet
from gori.kernels.particles.geometry import direction


@part
def nearest(wall_i, wall_f, rim_i, rim_f, k, cx, cy, cz, reach):
    """Distance [m] from a centre to primitive k and the unit vector from the centre to its closest point; FAR: none.

    c       centre [m], in the frame of the body that carries the primitive. Of a plane the distance is negative behind
            it
    reach   what is farther off [m] may be FAR
    """
    kind = wall_i[k, KIND]
    if kind >= RECT:
        if (wall_i[k, OWNED] >> CURVED_BIT) & 1:
            return to_curved(wall_i, wall_f, rim_i, rim_f, k, cx, cy, cz, reach)
        return to_facet(wall_i, wall_f, rim_i, rim_f, k, cx, cy, cz, reach)
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
def within(wall_i, wall_f, rim_i, rim_f, k, cx, cy, cz, reach):
    """Whether a centre may be nearer than `reach` [m] to primitive k, whoever owns the closest feature.

    For lists: a particle that rolls on from one facet to the next needs both. Yes a little too often near corners.
    """
    kind = wall_i[k, KIND]
    dx, dy, dz = cx - wall_f[k, POINT], cy - wall_f[k, POINT + 1], cz - wall_f[k, POINT + 2]
    nx, ny, nz = wall_f[k, FACE], wall_f[k, FACE + 1], wall_f[k, FACE + 2]
    if kind >= RECT and (wall_i[k, OWNED] >> CURVED_BIT) & 1:
        reach += wall_f[k, BULGE]
    if (kind >= RECT) & (not abs(dx * nx + dy * ny + dz * nz) < reach):  # without a detour: most end here
        return False
    if kind < TUBE or kind == CAPSULE:
        gap, _, _, _ = nearest(wall_i, wall_f, rim_i, rim_f, k, cx, cy, cz, reach)
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
