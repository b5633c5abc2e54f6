"""A wheel against walls: steep flanks and sides of features, which it meets with its front, its back or its side.

For this the wheel is a disc with a rounded edge: all points within rho, half its width, of a disc of radius R - rho. A
wall is a wedge: a face, and the ground on top of it, which meet in an edge. How deep the wheel is in a wedge is the
shortest way out of it (the separating directions of convex bodies: Ericson 2005, section 5.2.1),

    depth = min over phi of (R - rho) sqrt(1 - (a.n)^2) + rho - (c - p).n,     n = o cos(phi) + z sin(phi)

c the centre and a the axis of the wheel, p a point of the edge, o the level direction out of the wall. phi goes from
the normal of the face to the vertical. The gradient of the depth by c is -n, so that a spring along n has a potential,
for any direction of the wheel against the wall.

What the tread stands on is found by `contact.py`. A contact counts as one or the other by its normal: as a wall up to
n_z = sheer, that of the face or SHEER, as ground from GENTLE or sheer + BETWEEN on, and with the share w(n_z) as a wall
in between; the potential w U(depth) has the gradient of w, too. A face itself is a wall alone, and no tread stands on
it. Walls are smooth: they have no friction. A block that a feature raises is left on the side that gives the shortest
way out; the walls of a hole count each by itself.
"""

import math

from gori.kernels.jit import block, part
from gori.kernels.tree.kinematics import cross
from gori.kernels.vehicle.blows import note_gap
from gori.kernels.vehicle.tables import SINE
from gori.kernels.vehicle.terrain import STEEP, feature_height, height, position_on
from gori.kernels.vehicle.tyre import elastic_energy, vertical_load

GENTLE, SHEER = 0.5, 0.1
"""cosines of the inclination from which on a contact is ground, and up to which it is a wall, next to sheer faces"""
BETWEEN = 0.25
"""smallest difference of these two, next to faces that are less steep"""
INSIDE = 1e-6
"""how far from an edge the height on top of a wall is taken [m]"""
DIRECTIONS = 9
"""normals of a wedge that are tried before Newton's method"""
SHARPEST = 0.05
"""smallest curvature of the depth over phi with which the share of a wall may change [m]"""


@part
def wall_share(cosine, sheer):
    """Share w with which a contact counts as a wall, by the vertical part of its normal; and dw / dcosine.

    sheer   vertical part up to which it is one
    """
    over = 1.0 / (max(GENTLE, sheer + BETWEEN) - sheer)
    x = 1.0 - (cosine - sheer) * over
    if x <= 0.0:
        return 0.0, 0.0
    if x >= 1.0:
        return 1.0, 0.0
    return x * x * (3.0 - 2.0 * x), -6.0 * x * (1.0 - x) * over


@part
def wedge_depth(core, edge, lean_out, lean_up, out, up, phi):
    """Depth along the normal phi, and its first and second derivative by phi [m].

    core, edge          radius of the disc and of its edge [m]
    lean_out, lean_up   parts of the wheel's axis out of the wall and up
    out, up             of the centre from the edge of the wall [m]
    """
    c, s = math.cos(phi), math.sin(phi)
    m, dm = lean_out * c + lean_up * s, lean_up * c - lean_out * s
    q = math.sqrt(max(1e-4, 1.0 - m * m))
    depth = core * q + edge - out * c - up * s
    slope = -core * m * dm / q + out * s - up * c
    bend = core * ((m * m - dm * dm) / q - m * m * dm * dm / (q * q * q)) + out * c + up * s
    return depth, slope, bend


@block
def way_out(core, edge, lean_out, lean_up, out, up, lowest):
    """The shortest way out of a wedge: depth [m], phi, and d2 depth / dphi2, 0 if phi is at an end of its range.

    lowest   phi of the face
    """
    highest = 0.5 * math.pi
    stride = (highest - lowest) / (DIRECTIONS - 1)
    best, phi = 1e300, lowest
    for i in range(DIRECTIONS):
        depth, _, _ = wedge_depth(core, edge, lean_out, lean_up, out, up, lowest + i * stride)
        if depth < best:
            best, phi = depth, lowest + i * stride
    for _ in range(6):
        _, slope, bend = wedge_depth(core, edge, lean_out, lean_up, out, up, phi)
        if bend <= 0.0:
            break
        there = min(highest, max(lowest, phi - min(stride, max(-stride, slope / bend))))
        depth, _, _ = wedge_depth(core, edge, lean_out, lean_up, out, up, there)
        if depth > best:
            break
        best, phi = depth, there
    _, _, bend = wedge_depth(core, edge, lean_out, lean_up, out, up, phi)
    return best, phi, bend if lowest < phi < highest else 0.0


@part
def face_of(feature, side):
    """A side of a feature: whether it is a wall (1), where its upper edge is along the feature or across it [m], to
    which side of that the way out leads (1.0 or -1.0), and phi of its normal.

    side   0 where the feature begins, 1 where it ends, 2 on the left, 3 on the right
    """
    height, up, top, down = feature.height, feature.up, feature.top, feature.down
    raised, length = height > 0.0, up + top + down
    if side < 2:
        run = up if side == 0 else down
        if abs(height) <= STEEP * run or (side == 1 and not length < math.inf):
            return 0, 0.0, 0.0, 0.0
        if raised:
            at = up if side == 0 else up + top
        else:
            at = 0.0 if side == 0 else length
        away = -1.0 if (side == 0) == raised else 1.0
        return 1, at, away, math.atan2(run, abs(height))
    if not feature.half_width < math.inf or height == 0.0:
        return 0, 0.0, 0.0, 0.0
    away = 1.0 if (side == 2) == raised else -1.0
    return 1, feature.half_width if side == 2 else -feature.half_width, away, 0.0


@part
def crest(feature, s):
    """Height of a raised feature at the position s along it [m], where its walls are as high as its top."""
    height, up, down = feature.height, feature.up, feature.down
    fall = up + feature.top + down - s
    if s < up and height <= STEEP * up:
        return height * max(0.0, s) / up
    if fall < down and height <= STEEP * down:
        return height * max(0.0, fall) / down
    return height


@part
def top_height(ground, feature, side, at, away, s, across):
    """Height of the ground on top of a wall, next to the wheel [m].

    side, at, away   of the wall (`face_of`);  s, across: position of the wheel on the feature [m]
    """
    up, top, half = feature.up, feature.top, feature.half_width - INSIDE
    if side < 2:
        s, across = at - away * INSIDE, min(half, max(-half, across))
    else:
        across = at - away * INSIDE
    rise = crest(feature, s)
    # where the feature has that height, or is gentle
    if side >= 2:
        sheer = rise == feature.height
        s = min(up + top - INSIDE, max(up + INSIDE, s)) if sheer else min(up + top + feature.down, max(0.0, s))
    x, y = feature.x + feature.cos * s - feature.sin * across, feature.y + feature.sin * s + feature.cos * across
    h = height(ground, x, y)
    if feature.height > 0.0:
        own, _ = feature_height(feature, s)
        h += rise - own
    return h


@part
def speed_into(v, w, rx, ry, rz, nx, ny, nz):
    """Speed against the normal n of a point of a wheel, r from its centre [m/s]; v of that, w of the carrier."""
    sx, sy, sz = cross(w[0], w[1], w[2], rx, ry, rz)
    return -((v[0] + sx) * nx + (v[1] + sy) * ny + (v[2] + sz) * nz)


@block
def feel(tyre, contact, sheer, ox, oy, depth, phi, bend):
    """Add what a wall does to a wheel, into the contact.

    sheer        as `wall_share` takes it
    o            level direction out of the wall
    depth, ...   as `way_out` gives them
    """
    a, v, w = contact.axis, contact.velocity, contact.angular_velocity
    c, s = math.cos(phi), math.sin(phi)
    share, slope = wall_share(s, sheer)
    if share <= 0.0:
        return
    edge = 0.5 * tyre.width
    core = tyre.radius - edge
    nx, ny, nz = ox * c, oy * c, s
    m = a[0] * nx + a[1] * ny + a[2] * nz
    q = math.sqrt(max(1e-4, 1.0 - m * m))
    # from the centre to the point of the wheel that is deepest in the wall
    ux, uy, uz = (nx - m * a[0]) / q, (ny - m * a[1]) / q, (nz - m * a[2]) / q
    rx, ry, rz = -core * ux - edge * nx, -core * uy - edge * ny, -core * uz - edge * nz
    load = share * vertical_load(tyre, depth, speed_into(v, w, rx, ry, rz, nx, ny, nz))
    # the rim likewise: a disc with half of the rounding
    gap = (core - tyre.rim + 0.5 * edge) * q + 0.5 * edge - depth
    core = tyre.rim - 0.5 * edge
    gx, gy, gz = -core * ux - 0.5 * edge * nx, -core * uy - 0.5 * edge * ny, -core * uz - 0.5 * edge * nz
    note_gap(contact, 1, gap, speed_into(v, w, gx, gy, gz, nx, ny, nz), nx, ny, nz, gx, gy, gz)
    energy = elastic_energy(tyre, depth)
    turn = -energy * slope * c / max(bend, SHARPEST) if bend > 0.0 else 0.0
    fx, fy, fz = load * nx, load * ny, load * nz
    mx, my, mz = cross(rx, ry, rz, fx, fy, fz)
    if turn != 0.0:
        # the share changes as the wheel turns, too
        dm = a[2] * c - (a[0] * ox + a[1] * oy) * s
        both = (tyre.radius - edge) * turn / q
        by_out, by_up = (
            both * (c * dm - m * s + m * m * dm * c / (q * q)),
            both * (s * dm + m * c + m * m * dm * s / (q * q)),
        )
        tx, ty, tz = cross(a[0], a[1], a[2], by_out * ox, by_out * oy, by_up)
        mx, my, mz = mx + tx, my + ty, mz + tz
    F, M = contact.wall_force, contact.wall_moment
    F[0] += fx - turn * ox * s
    F[1] += fy - turn * oy * s
    F[2] += fz + turn * c
    M[0] += mx
    M[1] += my
    M[2] += mz
    contact.walls += 1.0
    contact.wall_load += load
    contact.wall_elastic += share * energy


@block
def meet_walls(ground, tyre, contact):
    """Forces of all walls on a wheel, into the contact, which holds its pose.

    Returns the largest `sheer` of walls within reach (`wall_share`); 0: there are none.
    """
    p, a, R = contact.centre, contact.axis, tyre.radius
    edge = 0.5 * tyre.width
    core, near = R - edge, 0.0
    for k in range(3):
        contact.wall_force[k], contact.wall_moment[k] = 0.0, 0.0
    for n in range(ground.feature.shape[0]):
        f = ground.feature[n]
        if f.kind == SINE:
            continue
        s, across = position_on(f, p[0], p[1])
        length = f.up + f.top + f.down
        if s < -2.0 * R or s > length + 2.0 * R or abs(across) > f.half_width + 2.0 * R:
            continue
        raised = f.height > 0.0
        best, best_phi, best_bend, best_x, best_y, best_sheer = 1e300, 0.0, 0.0, 0.0, 0.0, 0.0
        for side in range(4):
            is_wall, at, away, lowest = face_of(f, side)
            if is_wall == 0:
                continue
            along = side < 2
            # the wall of a hole ends where the hole does
            if not raised and (abs(across) >= f.half_width if along else s <= 0.0 or s >= length):
                continue
            out = away * ((s if along else across) - at)
            up = p[2] - top_height(ground, f, side, at, away, s, across)
            steepness = math.sin(lowest)
            if out * math.cos(lowest) + up * steepness >= R + edge:
                best = -1e300 if raised else best
                continue
            ox, oy = (away * f.cos, away * f.sin) if along else (-away * f.sin, away * f.cos)
            sheer = max(SHEER, steepness)
            depth, phi, bend = way_out(core, edge, a[0] * ox + a[1] * oy, a[2], out, up, lowest)
            if raised:
                if depth < best:
                    best, best_phi, best_bend, best_x, best_y, best_sheer = depth, phi, bend, ox, oy, sheer
            elif depth > -R:
                near = max(near, sheer)
                if depth > 0.0:
                    feel(tyre, contact, sheer, ox, oy, depth, phi, bend)
        if raised and -R < best < 1e300:
            near = max(near, best_sheer)
            if best > 0.0:
                feel(tyre, contact, best_sheer, best_x, best_y, best, best_phi, best_bend)
    return near
