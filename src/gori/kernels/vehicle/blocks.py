"""How far a point is from a block that a feature raises, or from the ground around a hole: continuous everywhere.

A wall with the ground on top of it is a wedge, of which a point is as far as from

    out <= 0, up >= 0     up                       the top
    along >= 0            face                     the face, along the distance down it from the edge
    both < 0              max(face, up)            inside
    otherwise             sqrt(out^2 + up^2)       the edge

out being the level distance from its edge, up the height over its top, and face the distance from its face, which may
lean. A block is what its wedges have in common: inside, and above it, the farthest of them counts; in front of a corner
of two, that corner. An end that is no wall but a slope down to the ground is an end at the foot of that slope.
"""

import math

from gori.kernels.jit import part
from gori.kernels.vehicle.walls import face_of

NOWHERE = -1e300
"""distance from a wall that is not there"""


@part
def fading(value, full, none):
    """1 up to `full`, 0 from `none` on, smooth in between; and the slope."""
    t = (value - full) / (none - full)
    if t <= 0.0:
        return 1.0, 0.0
    if t >= 1.0:
        return 0.0, 0.0
    return 1.0 - t * t * (3.0 - 2.0 * t), -6.0 * t * (1.0 - t) / (none - full)


@part
def wedge_distance(out, up, lean):
    """Distance of a point from a wall and the ground on top [m], and its derivatives by out and up.

    lean   of the face from the vertical [rad]
    """
    c, s = math.cos(lean), math.sin(lean)
    face = out * c + up * s
    if up < 0.0 and face < 0.0:
        if face > up:
            return face, c, s
        return up, 0.0, 1.0
    if out <= 0.0:
        return up, 0.0, 1.0
    if out * s - up * c >= 0.0:
        return face, c, s
    distance = math.sqrt(out * out + up * up)
    return distance, out / distance, up / distance


@part
def end_of(feature, side):
    """Where an end of a block (side 0 or 1) is along it [m], to which side of that the way out leads, and its lean."""
    is_wall, at, away, lean = face_of(feature, side)
    if is_wall == 1:
        return at, away, lean
    length = feature.up + feature.top + feature.down
    return (0.0, -1.0, 0.0) if side == 0 else (length, 1.0, 0.0)


@part
def from_block(feature, s, across, up):
    """Distance of a point from a block [m], its derivatives along, across and up, and the level way out of the block
    with its derivatives along and across; negative: over it.

    s, across   position on the feature [m];  up: height over its top next to the point
    """
    f = feature
    distance, by_s, by_up = NOWHERE, 0.0, 0.0
    out, out_s = NOWHERE, 0.0
    for side in range(2):
        at, away, lean = end_of(f, side)
        if abs(at) < math.inf:
            way = away * (s - at)
            here, by_out, by_height = wedge_distance(way, up, lean)
            if here > distance:
                distance, by_s, by_up = here, away * by_out, by_height
            if way > out:
                out, out_s = way, away
    by_across, out_across = 0.0, 0.0
    if f.half_width < math.inf:
        side = 1.0 if across > 0.0 else -1.0
        way = side * across - f.half_width
        if way > out:
            out, out_s, out_across = way, 0.0, side
        if way > 0.0 and distance > 0.0:
            corner = math.sqrt(way * way + distance * distance)
            by_s, by_up, by_across = by_s * distance / corner, by_up * distance / corner, side * way / corner
            distance = corner
        elif way > distance:
            distance, by_s, by_up, by_across = way, 0.0, 0.0, side
    return distance, by_s, by_across, by_up, out, out_s, out_across
