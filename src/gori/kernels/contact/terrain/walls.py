"""Points of bodies against the walls of the terrain: steep flanks and sides of features.

A wall is a wedge as for wheels (`kernels/vehicle/walls.py`): a face, and the ground on top of it, which meet in an
edge. With o the way of a point out of the edge, u its height over it, and c, s the cosine and sine of the angle of the
face's normal over the horizontal, the point is nearest to

    the face   o c + u s      where it lies below the normal of the face at the edge, o s > u c
    the top    u              where o <= 0 < u, or inside, if that is the shorter way out: that is ground
    the edge   sqrt(o^2 + u^2)   elsewhere
"""

import math

from gori.kernels.jit import block, part
from gori.kernels.vehicle.tables import SINE
from gori.kernels.vehicle.terrain import position_on
from gori.kernels.vehicle.walls import INSIDE, face_of, top_height

OF_WALLS = 1 << 20
"""by which features of contacts with one wall differ from those with the next"""
TOP, FACE, LINE = 0, 1, 2


@part
def put_spot(spot, count, x, y, z, radius, nx, ny, nz, gap, id):
    """Note the contact of p, a point of the core, at the distance `gap` from the ground along n; returns the count.

    Where there is no room the one with the widest gap gives way.
    """
    at = count
    if count == spot.shape[0]:
        at = 0
        for k in range(1, count):
            if spot[k].gap > spot[at].gap:
                at = k
        if gap - radius >= spot[at].gap:
            return count
    down = 0.5 * (gap + radius)
    here = spot[at]
    here.x, here.y, here.z = x - down * nx, y - down * ny, z - down * nz
    here.nx, here.ny, here.nz = nx, ny, nz
    here.gap, here.id = gap - radius, id
    return max(count, at + 1)


@part
def wedge(out, up, c, s):
    """What a point is nearest to, and its distance; negative: inside."""
    face = out * c + up * s
    if face <= 0.0 and up <= 0.0:
        return (FACE, face) if face > up else (TOP, up)
    if out * s > up * c:
        return FACE, face
    if out <= 0.0:
        return TOP, up
    return LINE, math.sqrt(out * out + up * up)


@part
def outermost(feature, first, s, across):
    """Of two sides of a raised feature, the wall that a point is farthest out of: side (-1: none is a wall), where its
    edge is, the direction out, and phi (`face_of`); and the way out [m].
    """
    wall, out = (-1, 0.0, 0.0, 0.0), -math.inf
    for k in range(first, first + 2):
        is_wall, edge, direction, angle = face_of(feature, k)
        way = direction * ((s if first == 0 else across) - edge)
        if is_wall == 1 and way > out:
            wall, out = (k, edge, direction, angle), way
    return wall, out


@part
def within(feature, s, across, along):
    """Whether a point lies between the ends, or between the sides, of a feature."""
    if along:
        return s > 0.0 and s < feature.up + feature.top + feature.down
    return abs(across) < feature.half_width


@block
def touch_wall(tables, n, wall, point, radius, reach, id, spot, count, foot):
    """A point against one wall of feature n; returns the count, and the foot, moved out of the wall where that is the
    shorter way.

    wall    side, where its edge is, the direction out, phi (`face_of`)
    point   x, y, z, and at a corner the level direction (ox, oy) out of it and the way out; else zeros
    foot    (x, y) where the ground below the point is looked for
    """
    side, at, away, phi = wall
    x, y, z, ox, oy, out = point
    fx, fy = foot
    feature = tables.feature[n]
    s, across = position_on(feature, x, y)
    up = z - top_height(tables, feature, side, at, away, s, across)
    if ox == 0.0 and oy == 0.0:
        ox, oy = (away * feature.cos, away * feature.sin) if side < 2 else (-away * feature.sin, away * feature.cos)
        out = away * ((s if side < 2 else across) - at)
    cosine, sine = math.cos(phi), math.sin(phi)
    what, gap = wedge(out, up, cosine, sine)
    if what == TOP:
        return count, (fx, fy)
    if what == FACE:
        # beside the face, where that is at the height of the point
        beside = max(0.0, -up) * sine / cosine - out
        if beside > -2.0 * INSIDE:
            fx, fy = fx + (beside + 2.0 * INSIDE) * ox, fy + (beside + 2.0 * INSIDE) * oy
    if gap - radius < reach:
        share, rise = cosine, sine
        if what == LINE:
            share, rise = out / gap, up / gap
        name = id + OF_WALLS * (1 + 4 * n + side)
        count = put_spot(spot, count, x, y, z, radius, share * ox, share * oy, rise, gap, name)
    return count, (fx, fy)


@block
def touch_walls(tables, x, y, z, radius, reach, id, spot, count):
    """A point of a core against all walls; returns the count, and where the ground below the point is looked for."""
    foot, here, far = (x, y), (x, y, z, 0.0, 0.0, 0.0), radius + reach
    for n in range(tables.feature.shape[0]):
        f = tables.feature[n]
        s, across = position_on(f, x, y)
        if f.kind == SINE or s < -far or s > f.up + f.top + f.down + far or abs(across) > f.half_width + far:
            continue
        if f.height > 0.0:
            # a block: its outermost wall, or the corner of two of them
            end, out_end = outermost(f, 0, s, across)
            flank, out_flank = outermost(f, 2, s, across)
            if (end[0] < 0 and not within(f, s, across, True)) or (end[0] < 0 and flank[0] < 0):
                continue
            if out_end > 0.0 and out_flank > 0.0:
                out = math.sqrt(out_end * out_end + out_flank * out_flank)
                p, q = end[2] * out_end / out, flank[2] * out_flank / out
                point = (x, y, z, f.cos * p - f.sin * q, f.sin * p + f.cos * q, out)
                wall = (end[0], end[1], end[2], 0.0)
                count, foot = touch_wall(tables, n, wall, point, radius, reach, id, spot, count, foot)
            else:
                wall = end if out_end >= out_flank else flank
                count, foot = touch_wall(tables, n, wall, here, radius, reach, id, spot, count, foot)
        else:
            # a hole: each of its walls by itself, as far as it goes
            for side in range(4):
                is_wall, at, away, phi = face_of(f, side)
                if is_wall == 1 and within(f, s, across, side >= 2):
                    wall = (side, at, away, phi)
                    count, foot = touch_wall(tables, n, wall, here, radius, reach, id, spot, count, foot)
    return count, foot[0], foot[1]
