"""A ball on the ground next to walls: what the rounded edge of a leaning wheel consists of (`leaning.py`).

A ball of radius rho about a point has the strength S = d^8 on the ground, d its depth. S is a continuous function of
the point on any ground, with the gradient that is returned, so that whatever is a function of S has a potential.

Depths are measured along the vertical, times the cosine of the terrain's plane: exact on that plane, and continuous
where the slope is not. The distance from a wall is that from its face, from its edge, or from the ground on top of it:

    out <= 0, up >= 0     up                       on top
    along >= 0            face                     at the face, along the distance down it from the edge
    both < 0              max(face, up)            inside
    otherwise             sqrt(out^2 + up^2)       at the edge

out being the level distance from its edge, up the height over its top, and face the distance from its face, which may
lean. A block that a feature raises stands on the ground around it; a hole has a floor and ground around it. Strengths
of all that a ball touches add up; where the floor of a hole rises to the ground around it, the stronger of both counts.
"""

import math

from gori.kernels.contact.terrain.surface import rut
from gori.kernels.jit import block, part
from gori.kernels.vehicle.tables import SINE
from gori.kernels.vehicle.terrain import STEEP, feature_height, open_relief, position_on, relief
from gori.kernels.vehicle.walls import face_of

BESIDE = 2e-6
"""how far from an edge heights are taken [m]: more than edges are rounded by"""


@part
def has_walls(feature):
    """Whether a side of a feature is a wall."""
    if feature.kind == SINE or feature.height == 0.0:
        return False
    rise, length = abs(feature.height), feature.up + feature.top + feature.down
    ends = rise > STEEP * feature.up or (rise > STEEP * feature.down and length < math.inf)
    return ends or feature.half_width < math.inf


@part
def gentle_relief(ground, x, y):
    """Height [m] and slopes of the ground without features that have walls; ruts in soft soil are part of it."""
    h, gx, gy = open_relief(ground, x, y)
    for n in range(ground.feature.shape[0]):
        feature = ground.feature[n]
        if not has_walls(feature):
            s, across = position_on(feature, x, y)
            if abs(across) <= feature.half_width:
                rise, g = feature_height(feature, s)
                h, gx, gy = h + rise, gx + g * feature.cos, gy + g * feature.sin
    if ground.soil.shape[0] > 0:
        depth, along, aside = rut(ground.soil[0], ground.cells, x, y)
        h, gx, gy = h - depth, gx - along, gy - aside
    return h, gx, gy


@part
def eighth(d):
    """d^8 and 8 d^7 of a depth; 0 if it is negative."""
    if not d > 0.0:
        return 0.0, 0.0
    square = d * d
    fourth = square * square
    return fourth * fourth, 8.0 * fourth * square * d


@part
def wedge_strength(rho, out, up, lean):
    """Strength of a ball at a wall, and its derivatives by out and up.

    lean   of the face from the vertical [rad]
    """
    c, s = math.cos(lean), math.sin(lean)
    face = out * c + up * s
    if up < 0.0 and face < 0.0:
        distance, by_out, by_up = (face, c, s) if face > up else (up, 0.0, 1.0)
    elif out <= 0.0:
        distance, by_out, by_up = up, 0.0, 1.0
    elif out * s - up * c >= 0.0:
        distance, by_out, by_up = face, c, s
    else:
        distance = math.sqrt(out * out + up * up)
        by_out, by_up = out / distance, up / distance
    S, dS = eighth(rho - distance)
    return S, -dS * by_out, -dS * by_up


@part
def from_wall(feature, s, across):
    """How far a position is from the walls of a feature [m], > 0 in front of them; the gradient of that along and
    across it; and how far that wall leans [rad].

    A block has the way to its farthest face, a hole to its nearest.
    """
    raised = feature.height > 0.0
    out, by_s, by_across, lean = (-1e300 if raised else 1e300), 0.0, 0.0, 0.0
    for side in range(4):
        is_wall, at, away, lowest = face_of(feature, side)
        if is_wall == 1:
            way = away * ((s if side < 2 else across) - at)
            if (way > out) if raised else (way < out):
                out, lean = way, lowest
                by_s, by_across = (away, 0.0) if side < 2 else (0.0, away)
    return out, by_s, by_across, lean


@part
def into(feature, s, across):
    """The position of a feature that is next to another one and on its top, or over its floor; along and across it.

    Where it was moved, the factor of slopes in that direction is 0, otherwise 1.
    """
    up, top, half, rise = feature.up, feature.top, feature.half_width - BESIDE, abs(feature.height)
    raised, length = feature.height > 0.0, up + top + feature.down
    low, high = -1e300, 1e300
    if rise > STEEP * up:
        low = (up if raised else 0.0) + BESIDE
    if rise > STEEP * feature.down and length < math.inf:
        high = (up + top if raised else length) - BESIDE
    t, aside = min(high, max(low, s)), min(half, max(-half, across))
    return t, aside, 1.0 if t == s else 0.0, 1.0 if aside == across else 0.0


@part
def world_slopes(feature, gx, gy, along, aside):
    """Slopes in world axes of which only shares of the parts along and across a feature remain."""
    c, s = feature.cos, feature.sin
    u, w = along * (c * gx + s * gy), aside * (c * gy - s * gx)
    return c * u - s * w, s * u + c * w


@part
def ramped(feature):
    """Whether a hole ends in a slope: its floor goes on as the ground there."""
    rise, length = abs(feature.height), feature.up + feature.top + feature.down
    return rise <= STEEP * feature.up or (rise <= STEEP * feature.down and length < math.inf)


@block
def wall_strength(feature, s, across, rho, up, sx, sy, cosine):
    """Strength of a ball at the walls of a feature, and its gradient (3).

    s, across   position on the feature [m];  up: height over their top [m]
    sx, sy      slopes of the top, world axes
    """
    f = feature
    out, by_s, by_across, lean = from_wall(f, s, across)
    S, by_out, by_up = wedge_strength(rho, out, up, lean)
    ox, oy = f.cos * by_s - f.sin * by_across, f.sin * by_s + f.cos * by_across
    by_up *= cosine
    return S, by_out * ox - by_up * sx, by_out * oy - by_up * sy, by_up


@block
def ball_strength(ground, cosine, rho, x, y, z):
    """Strength of a ball of radius rho [m] at a position [m], and its gradient (3); world axes.

    cosine   of the inclination of the terrain's plane
    """
    S, Sx, Sy, Sz = 0.0, 0.0, 0.0, 0.0
    h, gx, gy = gentle_relief(ground, x, y)
    up = cosine * (z - h)
    hole, hole_out = -1, -1e300
    for n in range(ground.feature.shape[0]):
        f = ground.feature[n]
        if not has_walls(f):
            continue
        s, across = position_on(f, x, y)
        out, _, _, _ = from_wall(f, s, across)
        if not f.height > 0.0:
            if out > hole_out:
                hole, hole_out = n, out
        elif out < 3.0 * rho:
            t, aside, along_share, aside_share = into(f, s, across)
            top, sx, sy = relief(ground, f.x + f.cos * t - f.sin * aside, f.y + f.sin * t + f.cos * aside)
            sx, sy = world_slopes(f, sx, sy, along_share, aside_share)
            wall, wx, wy, wz = wall_strength(f, s, across, rho, cosine * (z - top), sx, sy, cosine)
            S, Sx, Sy, Sz = S + wall, Sx + wx, Sy + wy, Sz + wz
    sunk, slope, ends = 0.0, 0.0, False
    if hole >= 0:
        # the floor of the hole, also below the ground around it; and that ground
        f = ground.feature[hole]
        s, across = position_on(f, x, y)
        t, _, along_share, _ = into(f, s, across)
        sunk, slope = feature_height(f, t)
        slope, ends = slope * along_share, ramped(f)
    floor, by_z = eighth(rho - cosine * (z - h - sunk))
    by_z *= -cosine
    fx, fy = -by_z * gx, -by_z * gy
    if hole >= 0:
        f = ground.feature[hole]
        fx, fy = fx - by_z * slope * f.cos, fy - by_z * slope * f.sin
        wall, wx, wy, wz = wall_strength(f, s, across, rho, up, gx, gy, cosine)
        if ends and floor > wall:
            wall, wx, wy, wz = 0.0, 0.0, 0.0, 0.0
        elif ends:
            floor, fx, fy, by_z = 0.0, 0.0, 0.0, 0.0
        S, Sx, Sy, Sz = S + wall, Sx + wx, Sy + wy, Sz + wz
    return S + floor, Sx + fx, Sy + fy, Sz + by_z
