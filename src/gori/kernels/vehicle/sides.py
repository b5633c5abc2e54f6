"""A ball on the ground next to walls: what the rounded edge of a leaning wheel consists of (`leaning.py`).

A ball of radius rho about a point has the strength S = d^8 on the ground, d its depth. S is a continuous function of
the point on any ground, with the gradient that is returned, so that whatever is a function of S has a potential.

Depths are measured along the vertical, times the cosine of the terrain's plane: exact on that plane, and continuous
where the slope is not. `blocks.py` has the distances from walls. A block that a feature raises stands on the ground
around it, which fades under it; a hole has a floor and ground around it. Strengths of all that a ball touches add up,
those of opposite walls of a hole too; of its ends and its sides the stronger counts. Where the floor of a hole rises to
the ground around it, the stronger of both counts.
"""

import math

from gori.kernels.jit import block, part
from gori.kernels.vehicle.blocks import fading, from_block, wedge_distance
from gori.kernels.vehicle.tables import SINE
from gori.kernels.vehicle.terrain import STEEP, feature_height, open_relief, position_on, relief
from gori.kernels.vehicle.walls import face_of
from gori.kernels.vehicle.window import depth_at

FADED = 2.0
"""depth [ball radii] below the sides of a block from which on the ground around it is no more"""
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
        depth, along, aside = depth_at(ground, x, y)
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
def pair_strength(feature, first, at_s, up, rho):
    """Strength of a ball at two opposite walls of a hole, its derivatives along that direction and up, and whether one
    of them is a wall.

    first   0: the ends, 2: the sides;  at_s: position along or across the hole [m]
    """
    S, by_s, by_up, there = 0.0, 0.0, 0.0, False
    for side in range(first, first + 2):
        is_wall, at, away, lean = face_of(feature, side)
        if is_wall == 1:
            distance, by_out, by_height = wedge_distance(away * (at_s - at), up, lean)
            here, slope = eighth(rho - distance)
            S, by_s, by_up, there = S + here, by_s - slope * away * by_out, by_up - slope * by_height, True
    return S, by_s, by_up, there


@part
def out_of_hole(feature, s, across):
    """How far a position is from the nearest wall of a hole [m]; negative: outside of it."""
    out = math.inf
    for side in range(4):
        is_wall, at, away, _ = face_of(feature, side)
        if is_wall == 1:
            out = min(out, away * ((s if side < 2 else across) - at))
    return out


@part
def into(feature, s, across):
    """The position of a feature that is next to another one and on its top, or over its floor; along and across it.

    Where it was moved, the factor of slopes in that direction is 0, otherwise 1.
    """
    up, top, half, rise = feature.up, feature.top, feature.half_width - BESIDE, abs(feature.height)
    raised, length = feature.height > 0.0, up + top + feature.down
    low, high = (0.0, length) if raised else (-math.inf, math.inf)
    if rise > STEEP * up:
        low = (up if raised else 0.0) + BESIDE
    if rise > STEEP * feature.down and length < math.inf:
        high = (up + top if raised else length) - BESIDE
    if low > high:  # a ridge
        low = high = 0.5 * (low + high)
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
def block_strength(ground, feature, s, across, rho, z, cosine):
    """Strength of a ball at a block and its gradient (3), and the share of the ground under it that is left, with its
    gradient (2); world axes.

    s, across   position on the feature [m];  z: height of the ball [m]
    """
    f = feature
    t, aside, along_share, aside_share = into(f, s, across)
    top, sx, sy = relief(ground, f.x + f.cos * t - f.sin * aside, f.y + f.sin * t + f.cos * aside)
    sx, sy = world_slopes(f, sx, sy, along_share, aside_share)
    distance, by_s, by_across, by_up, out, out_s, out_across = from_block(f, s, across, cosine * (z - top))
    S, slope = eighth(rho - distance)
    by_up *= -slope * cosine
    by_s, by_across = -slope * by_s, -slope * by_across
    x, y = f.cos * by_s - f.sin * by_across - by_up * sx, f.sin * by_s + f.cos * by_across - by_up * sy
    depth_left, by_out = fading(-out, 0.0, FADED * rho)
    left, by_depth = eighth(depth_left)
    u, w = -by_depth * by_out * out_s, -by_depth * by_out * out_across
    return S, x, y, by_up, left, f.cos * u - f.sin * w, f.sin * u + f.cos * w


@block
def hole_strength(feature, s, across, rho, up, sx, sy, cosine):
    """Strength of a ball at the walls of a hole, and its gradient (3).

    s, across   position on the feature [m];  up: height over the ground around it [m]
    sx, sy      slopes of that, world axes
    """
    f = feature
    S, by_s, by_up, ends = pair_strength(f, 0, s, up, rho)
    other, by_across, by_height, sides = pair_strength(f, 2, across, up, rho)
    if sides and (other > S or not ends):
        S, by_up, ox, oy = other, by_height, -f.sin * by_across, f.cos * by_across
    else:
        ox, oy = f.cos * by_s, f.sin * by_s
    by_up *= cosine
    return S, ox - by_up * sx, oy - by_up * sy, by_up


@block
def ball_strength(ground, cosine, rho, x, y, z):
    """Strength of a ball of radius rho [m] at a position [m], and its gradient (3); world axes.

    cosine   of the inclination of the terrain's plane
    """
    S, Sx, Sy, Sz = 0.0, 0.0, 0.0, 0.0
    h, gx, gy = gentle_relief(ground, x, y)
    up = cosine * (z - h)
    hole, hole_out = -1, -math.inf
    left, left_x, left_y = 1.0, 0.0, 0.0
    for n in range(ground.feature.shape[0]):
        f = ground.feature[n]
        if not has_walls(f):
            continue
        s, across = position_on(f, x, y)
        if not f.height > 0.0:
            out = out_of_hole(f, s, across)
            if hole < 0 or out > hole_out:
                hole, hole_out = n, out
        elif s > -3.0 * rho and s < f.up + f.top + f.down + 3.0 * rho and abs(across) < f.half_width + 3.0 * rho:
            wall, wx, wy, wz, one, ox, oy = block_strength(ground, f, s, across, rho, z, cosine)
            S, Sx, Sy, Sz = S + wall, Sx + wx, Sy + wy, Sz + wz
            left, left_x, left_y = left * one, one * left_x + left * ox, one * left_y + left * oy
    sunk, slope, ends = 0.0, 0.0, False
    if hole >= 0:
        # the floor of the hole, also below the ground around it; and that ground
        f = ground.feature[hole]
        s, across = position_on(f, x, y)
        t, _, along_share, _ = into(f, s, across)
        sunk, slope = feature_height(f, t)
        slope, ends = slope * along_share, ramped(f)
    floor, by_z = eighth(rho - cosine * (z - h - sunk))
    by_z *= -cosine * left
    fx, fy = -by_z * gx + left_x * floor, -by_z * gy + left_y * floor
    floor *= left
    if hole >= 0:
        f = ground.feature[hole]
        fx, fy = fx - by_z * slope * f.cos, fy - by_z * slope * f.sin
        wall, wx, wy, wz = hole_strength(f, s, across, rho, up, gx, gy, cosine)
        if ends and floor > wall:
            wall, wx, wy, wz = 0.0, 0.0, 0.0, 0.0
        elif ends:
            floor, fx, fy, by_z = 0.0, 0.0, 0.0, 0.0
        S, Sx, Sy, Sz = S + wall, Sx + wx, Sy + wy, Sz + wz
    return S + floor, Sx + fx, Sy + fy, Sz + by_z
