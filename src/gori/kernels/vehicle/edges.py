"""Walls next to which a wheel is no disc, however upright.

A disc has no width, and touches the ground in one point. On an edge along it, or askew where the wheel leans, it is or
it is not, and its load would jump; before an edge across it, the force would turn at once from the ground to the edge.
There the ring of `sides.py`, which has the width of the tyre and touches in many points, takes its place:

    s = product over walls of (1 - p(D2))

D2 the square of the level distance from the centre of the wheel to a wall. p falls smoothly from 1 at R to 0 at FAR R,
so that s has a gradient.
"""

from gori.kernels.jit import block, part
from gori.kernels.vehicle.blocks import fading
from gori.kernels.vehicle.sides import has_walls
from gori.kernels.vehicle.terrain import position_on
from gori.kernels.vehicle.walls import face_of

FAR = 1.25
"""distance [radii] from which on a wall does not count"""


@part
def beyond(value, low, high):
    """How far a value is outside of a range; negative: below it."""
    if value < low:
        return value - low
    return value - high if value > high else 0.0


@part
def from_side(feature, side, s, across):
    """Level way to a side of a feature from a position on it, along and across it [m]."""
    f = feature
    length = f.up + f.top + f.down
    if side == 0:
        return beyond(s, 0.0, f.up), beyond(across, -f.half_width, f.half_width)
    if side == 1:
        return beyond(s, f.up + f.top, length), beyond(across, -f.half_width, f.half_width)
    return beyond(s, 0.0, length), across - (f.half_width if side == 2 else -f.half_width)


@block
def disc_share(ground, c, R):
    """s, and its gradient by the centre of the wheel, x and y [1/m].

    c   centre [m], world axes;  R: radius [m]
    """
    kept, by_x, by_y, far = 1.0, 0.0, 0.0, FAR * R
    for n in range(ground.feature.shape[0]):
        f = ground.feature[n]
        if not has_walls(f):
            continue
        s, across = position_on(f, c[0], c[1])
        if s < -far or s > f.up + f.top + f.down + far or abs(across) > f.half_width + far:
            continue
        for side in range(4):
            is_wall, _, _, _ = face_of(f, side)
            if is_wall == 0:
                continue
            u, w = from_side(f, side, s, across)
            p, by_square = fading(u * u + w * w, R * R, far * far)
            if p == 0.0:
                continue
            one, by_u, by_w = 1.0 - p, -2.0 * by_square * u, -2.0 * by_square * w
            by_x = one * by_x + kept * (by_u * f.cos - by_w * f.sin)
            by_y = one * by_y + kept * (by_u * f.sin + by_w * f.cos)
            kept *= one
    return kept, by_x, by_y
