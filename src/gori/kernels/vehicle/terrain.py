"""Hard ground: a plane, with a height field and features on top, and friction by position.

h(x, y) = plane + field + sum of features. World axes, z up; features may be turned by a yaw angle.

feature     height above the rest, at the position s along its own x axis and inside its width
TRAPEZOID   0 up to `height` over `up`, level over `top`, down over `down`: bump, ramp, step, plateau. Flanks steeper
            than STEEP are walls (`walls.py`): below them the ground of a tread goes on, up to their upper edge
SINE        height * sin(pi s / length): half a wave
"""

import math

from gori.kernels.jit import part
from gori.kernels.vehicle.tables import SINE

STEEP = 1.7320508075688772
"""slope from which on a flank of a TRAPEZOID is a wall"""
LIP = 1e-6
"""how far ground reaches over the upper edge of a wall [m]: the edge itself is ground, whatever is rounded"""


@part
def position_on(part, x, y):
    """Position along and across a feature or area [m]."""
    dx, dy = x - part.x, y - part.y
    return part.cos * dx + part.sin * dy, part.cos * dy - part.sin * dx


@part
def flank_height(height, run, s):
    """Height [m] and slope of a flank that rises to the height over the run [m], s behind its beginning."""
    slope = height / run
    if abs(slope) <= STEEP:
        return slope * s, slope
    return height if s > (run - LIP if height > 0.0 else LIP) else 0.0, slope


@part
def feature_height(feature, s):
    """Height [m] and slope of a feature at the position s along it."""
    height, up, top, down = feature.height, feature.up, feature.top, feature.down
    if s <= 0.0 or s >= up + top + down:
        return 0.0, 0.0
    if feature.kind == SINE:
        turn = math.pi / top
        return height * math.sin(turn * s), height * turn * math.cos(turn * s)
    if s < up:
        return flank_height(height, up, s)
    if s <= up + top:
        return height, 0.0
    rise, fall = flank_height(height, down, up + top + down - s)
    return rise, -fall


@part
def field_cell(origin, cell, n, x):
    """Index of the cell and position in it, 0 to 1, and 1 / cell; outside the field its edge extends, and that is 0."""
    s = (x - origin) / cell
    if not s > 0.0:
        return 0, 0.0, 0.0
    if s >= n - 1.0:
        return n - 2, 1.0, 0.0
    i = int(s)
    return i, s - i, 1.0 / cell


@part
def open_relief(ground, x, y):
    """Height [m] and slopes dh/dx, dh/dy of plane and field, without features."""
    terrain, curve = ground.terrain[0], ground.curve
    gx, gy = terrain.grade[0], terrain.grade[1]
    h = terrain.point[2] + gx * (x - terrain.point[0]) + gy * (y - terrain.point[1])
    nx = terrain.nx
    if nx > 0:
        i, a, da = field_cell(terrain.corner[0], terrain.cell[0], nx, x)
        j, b, db = field_cell(terrain.corner[1], terrain.cell[1], terrain.ny, y)
        k = terrain.heights + j * nx + i
        h00, h10, h01, h11 = curve[k], curve[k + 1], curve[k + nx], curve[k + nx + 1]
        h += (1.0 - b) * (h00 + a * (h10 - h00)) + b * (h01 + a * (h11 - h01))
        gx += da * ((1.0 - b) * (h10 - h00) + b * (h11 - h01))
        gy += db * ((1.0 - a) * (h01 - h00) + a * (h11 - h10))
    return h, gx, gy


@part
def relief(ground, x, y):
    """Height [m] and slopes dh/dx, dh/dy of the ground."""
    h, gx, gy = open_relief(ground, x, y)
    for n in range(ground.feature.shape[0]):
        feature = ground.feature[n]
        s, across = position_on(feature, x, y)
        if abs(across) <= feature.half_width:
            rise, g = feature_height(feature, s)
            h += rise
            gx += g * feature.cos
            gy += g * feature.sin
    return h, gx, gy


@part
def height(ground, x, y):
    """Height of the ground [m]."""
    h, _, _ = relief(ground, x, y)
    return h


@part
def slope(ground, x, y):
    """Slopes of the ground, dh/dx and dh/dy."""
    _, gx, gy = relief(ground, x, y)
    return gx, gy


@part
def friction(ground, x, y):
    """Friction coefficient of the ground: that of the last area that holds the position, or of the whole terrain."""
    mu = ground.terrain[0].friction
    for n in range(ground.area.shape[0]):
        area = ground.area[n]
        along, across = position_on(area, x, y)
        if abs(along) <= area.half_length and abs(across) <= area.half_width:
            mu = area.friction
    return mu


@part
def is_plane(ground, x, y, reach):
    """Whether the ground is nothing but its plane within the reach [m] of a position."""
    if ground.terrain[0].nx > 0:
        return False
    for n in range(ground.feature.shape[0]):
        feature = ground.feature[n]
        s, across = position_on(feature, x, y)
        length = feature.up + feature.top + feature.down
        if s > -reach and s < length + reach and abs(across) < feature.half_width + reach:
            return False
    return True
