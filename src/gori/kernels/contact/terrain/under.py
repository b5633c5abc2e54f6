"""Where a vertical line enters a convex shape from below: its lower surface over the middle of a cell of soil.

In the shape's own frame the line is o + t u. A box, and the hull of a mesh, are what half-spaces n.x <= d have in
common: the line enters the last of those that it enters, and must not leave one before (Cyrus and Beck 1978). Round
shapes are quadrics between two planes.
"""

import math

from gori.kernels.contact.narrow.frames import turned, turned_back
from gori.kernels.contact.tables import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE
from gori.kernels.jit import block, part

ALONG = 1e-12
"""cosine between a line and a face up to which the line does not meet it"""


@part
def through_slab(o, u, half):
    """Where a line is inside -half <= o + t u <= half: first and last t; first > last: nowhere."""
    if abs(u) < ALONG:
        return (-math.inf, math.inf) if abs(o) <= half else (1.0, -1.0)
    a, b = (-half - o) / u, (half - o) / u
    return min(a, b), max(a, b)


@part
def enter_box(size, ox, oy, oz, ux, uy, uz):
    """t where a line enters a box, and the normal there; infinite: it does not."""
    ax, bx = through_slab(ox, ux, size[0])
    ay, by = through_slab(oy, uy, size[1])
    az, bz = through_slab(oz, uz, size[2])
    t = max(ax, ay, az)
    if not t <= min(bx, by, bz):
        return math.inf, 0.0, 0.0, 0.0
    if t == az:
        return t, 0.0, 0.0, -1.0 if uz > 0.0 else 1.0
    if t == ay:
        return t, 0.0, -1.0 if uy > 0.0 else 1.0, 0.0
    return t, -1.0 if ux > 0.0 else 1.0, 0.0, 0.0


@part
def enter_hull(plane, first, count, ox, oy, oz, ux, uy, uz):
    """The same for a hull of planes (n.x <= d), rows (nx, ny, nz, d)."""
    enters, leaves, best = -math.inf, math.inf, -1
    for k in range(first, first + count):
        p = plane[k]
        toward = p[0] * ux + p[1] * uy + p[2] * uz
        room = p[3] - p[0] * ox - p[1] * oy - p[2] * oz
        if abs(toward) < ALONG:
            if room < 0.0:
                return math.inf, 0.0, 0.0, 0.0
        elif toward < 0.0:
            if room / toward > enters:
                enters, best = room / toward, k
        else:
            leaves = min(leaves, room / toward)
    if best < 0 or enters > leaves:
        return math.inf, 0.0, 0.0, 0.0
    return enters, plane[best, 0], plane[best, 1], plane[best, 2]


@part
def enter_ball(radius, ox, oy, oz, ux, uy, uz):
    """The same for a sphere; u need not be of unit length, and the normal is not."""
    a, b = ux * ux + uy * uy + uz * uz, ox * ux + oy * uy + oz * uz
    root = b * b - a * (ox * ox + oy * oy + oz * oz - radius * radius)
    if root < 0.0:
        return math.inf, 0.0, 0.0, 0.0
    t = (-b - math.sqrt(root)) / a
    return t, (ox + t * ux) / radius, (oy + t * uy) / radius, (oz + t * uz) / radius


@part
def enter_frustum(base, top, half, ox, oy, oz, ux, uy, uz):
    """The same for a frustum about z: radius `base` at z = -half, `top` at half; the normal is not of unit length."""
    low, high = through_slab(oz, uz, half)
    if low > high:
        return math.inf, 0.0, 0.0, 0.0
    taper = 0.5 * (top - base) / half
    r0, dr = 0.5 * (base + top) + taper * oz, taper * uz  # radius along the line
    a, b = ux * ux + uy * uy - dr * dr, ox * ux + oy * uy - r0 * dr
    c = ox * ox + oy * oy - r0 * r0
    if math.isfinite(low) and (a * low + 2.0 * b) * low + c <= 0.0:
        return low, 0.0, 0.0, -1.0 if uz > 0.0 else 1.0
    root = b * b - a * c
    if root < 0.0:
        return math.inf, 0.0, 0.0, 0.0
    t = math.inf
    if abs(a) < ALONG:
        if b != 0.0:
            t = -0.5 * c / b
    else:
        p, q = (-b - math.sqrt(root)) / a, (-b + math.sqrt(root)) / a
        p, q = min(p, q), max(p, q)
        t = p if p >= low else q
    if not (low <= t and t <= high):
        return math.inf, 0.0, 0.0, 0.0
    x, y, r = ox + t * ux, oy + t * uy, r0 + t * dr
    return t, x, y, -taper * r


@part
def enter_capsule(radius, half, ox, oy, oz, ux, uy, uz):
    """The same for a capsule about z."""
    t, x, y, z = enter_ball(radius, ox, oy, oz - half, ux, uy, uz)
    other, px, py, pz = enter_ball(radius, ox, oy, oz + half, ux, uy, uz)
    if other < t:
        t, x, y, z = other, px, py, pz
    other, px, py, pz = enter_frustum(radius, radius, half, ox, oy, oz, ux, uy, uz)
    if other < t:
        t, x, y, z = other, px, py, pz
    return t, x, y, z


@block
def lower_surface(shape, pose, plane, x, y):
    """Height [m] of the lower surface of a shape over a position, infinite where it is not over it, and its unit normal
    there, out of the shape, world axes.

    pose    (12,) of the shape;  plane: (n, 4) of hulls
    """
    ox, oy, oz = turned_back(pose, x - pose[9], y - pose[10], 0.0)
    ux, uy, uz = pose[6], pose[7], pose[8]
    kind, size, radius = shape.kind, shape.size, shape.radius
    t, nx, ny, nz = math.inf, 0.0, 0.0, 0.0
    if kind == BOX:
        t, nx, ny, nz = enter_box(size, ox, oy, oz, ux, uy, uz)
    elif kind == SPHERE:
        t, nx, ny, nz = enter_ball(radius, ox, oy, oz, ux, uy, uz)
    elif kind == HULL:
        t, nx, ny, nz = enter_hull(plane, shape.first_plane, shape.planes, ox, oy, oz, ux, uy, uz)
    elif kind == CAPSULE:
        t, nx, ny, nz = enter_capsule(radius, size[2], ox, oy, oz, ux, uy, uz)
    elif kind == CYLINDER:
        t, nx, ny, nz = enter_frustum(size[0], size[0], size[2], ox, oy, oz, ux, uy, uz)
    elif kind == CONE:
        t, nx, ny, nz = enter_frustum(size[0], size[1], size[2], ox, oy, oz, ux, uy, uz)
    elif kind == ELLIPSOID:
        a, b, c = size[0], size[1], size[2]
        t, nx, ny, nz = enter_ball(1.0, ox / a, oy / b, oz / c, ux / a, uy / b, uz / c)
        nx, ny, nz = nx / a, ny / b, nz / c
    if not t < math.inf:
        return math.inf, 0.0, 0.0, -1.0
    over = 1.0 / math.sqrt(max(1e-300, nx * nx + ny * ny + nz * nz))
    nx, ny, nz = turned(pose, nx * over, ny * over, nz * over)
    return pose[11] + t, nx, ny, nz
