"""The footprint of a wheel on soft soil: the ground below it, the tyre in series with the soil, and the tread.

Tyre in series: its deflection d raises the tread, and flattens it. The flattened tread is a larger circle that meets
the undeformed one where that enters the soil: both have the half length sqrt(2 R (z + d)) there, so

    R' = R (1 + d / z),   its lowest point R - d below the axle, z deep in the soil

On hard soil z tends to 0 and the tread to the flat patch of a tyre on a road; without d it is the rigid wheel.
"""

import math

from gori.kernels.codes import OFF_GRID, OK
from gori.kernels.jit import part
from gori.kernels.vehicle.terrain import STEEP, height, is_plane
from gori.kernels.vehicle.tyre import elastic_load

SUDDEN = 0.01
"""rise of the ground under a wheel, beyond what its speed explains, that is other ground [m]"""
FLATTEST = 0.1
"""smallest share of a level axle: a wheel on its side touches with no tread"""


@part
def series_step(s, spring, stiff, damping, moved, dt):
    """Deflection [m] of a tyre in series with the soil when the undeformed wheel has moved deeper by `moved` [m].

    spring(d) + damping d' = load, by one step of Newton's method with last step's slopes. At first the tread is taken
    to stay where it is; the force g that is then missing makes it rise or sink. Soil comes back much more stiffly than
    it sinks, so the slope is that for the way it goes.

    s               state of the wheel
    spring, stiff   force of the tyre's spring at s.deflection [N] and its slope [N/m]; stiff = 0: it is held
    damping         [N s/m]
    """
    if stiff <= 0.0:
        return s.deflection
    own = stiff + damping / dt if dt > 0.0 else stiff
    g = s.soil_load - spring - own * moved
    return max(0.0, s.deflection + moved + g / ((s.rise_stiffness if g > 0.0 else s.sink_stiffness) + own))


@part
def carrying_height(ground, foot, cz, x, y, away, below):
    """Height of ground that a tread can stand on [m]; next to walls, nothing that these are.

    cz      of the axle [m];  away: how far from below it [m];  below: the height there [m]
    """
    h = height(ground, x, y)
    if foot.walled == 0:
        return h
    return below if cz - h < away / STEEP else max(h, below - away)


@part
def ground_below(ground, tyre, contact, foot):
    """Heading, and the ground as a plane through five positions ahead and behind. False: the wheel is on its side, or
    in a wall.
    """
    c, a, radius, width = contact.centre, contact.axis, tyre.radius, tyre.width
    cx, cy, cz, ax, ay, az = c[0], c[1], c[2], a[0], a[1], a[2]
    flat = 1.0 - az * az
    if flat < FLATTEST:
        return False
    # heading (hx, hy) and left side (-hy, hx), both level
    level = math.sqrt(flat)
    hx, hy = ay / level, -ax / level
    fx, fy = cx + radius * az * ax / level, cy + radius * az * ay / level
    smooth = is_plane(ground, fx, fy, 1.5 * radius + width)
    near, beyond, side = 0.4 * radius, 0.8 * radius, 0.5 * width
    h0 = height(ground, fx, fy)
    if foot.walled == 1 and h0 >= cz:
        return False
    h1 = carrying_height(ground, foot, cz, fx + near * hx, fy + near * hy, near, h0)
    h2 = carrying_height(ground, foot, cz, fx - near * hx, fy - near * hy, near, h0)
    h3 = carrying_height(ground, foot, cz, fx - side * hy, fy + side * hx, side, h0)
    h4 = carrying_height(ground, foot, cz, fx + side * hy, fy - side * hx, side, h0)
    grade, bank, bump = (h1 - h2) / (2.0 * near), (h3 - h4) / width, 0.0
    if not smooth:
        h5 = carrying_height(ground, foot, cz, fx + beyond * hx, fy + beyond * hy, beyond, h0)
        h6 = carrying_height(ground, foot, cz, fx - beyond * hx, fy - beyond * hy, beyond, h0)
        bump = max(0.5 * (h1 + h2), h5 - beyond * grade, h6 + beyond * grade, h3 - side * bank, h4 + side * bank) - h0
        bump = max(bump, 0.0)
    gx, gy = grade * hx - bank * hy, grade * hy + bank * hx
    nt = 1.0 / math.sqrt(1.0 + gx * gx + gy * gy)

    # u: the ground's normal, turned into the wheel's plane; along it the tyre gives way
    tilt = nt * (az - gx * ax - gy * ay)
    ux, uy, uz = -gx * nt - tilt * ax, -gy * nt - tilt * ay, nt - tilt * az
    lean = math.sqrt(ux * ux + uy * uy + uz * uz)
    if lean < FLATTEST:
        return False
    foot.flat, foot.level, foot.smooth = flat, level, 1 if smooth else 0
    foot.heading[0], foot.heading[1], foot.foot[0], foot.foot[1] = hx, hy, fx, fy
    foot.height, foot.slope[0], foot.slope[1], foot.grade, foot.cosine = h0, gx, gy, grade, nt
    foot.up[0], foot.up[1], foot.up[2] = ux / lean, uy / lean, uz / lean
    foot.above = nt * (cz - h0 - gx * (cx - fx) - gy * (cy - fy)) / lean
    # the ground beside the middle may be higher, and the edge of a leaning tread lower: these touch first
    foot.bump = (bump * nt + 0.5 * width * abs(tilt)) / lean
    return True


@part
def press_tyre(tyre, s, speed, dt, foot):
    """Deflection of the tyre and sinkage of its tread. False: it touches nothing.

    speed   of the wheel's centre [m/s]
    """
    foot.spring = elastic_load(tyre, s.deflection)
    foot.stiffness = (elastic_load(tyre, s.deflection + 1e-4) - foot.spring) * 1e4
    foot.depth = tyre.radius - foot.above
    foot.before = s.depth
    if foot.walled == 1 and foot.depth - s.depth > dt * speed + SUDDEN:
        # other ground, next to a wall: the tyre is not pressed together by that, but meets it from here on
        foot.before = foot.depth
    d = series_step(s, foot.spring, foot.stiffness, tyre.damping, foot.depth - foot.before, dt)
    foot.deflection = min(d, 0.9 * tyre.radius)
    foot.sinkage = foot.depth - foot.deflection
    return foot.sinkage + foot.bump > 0.0


@part
def lay_tread(soil, tyre, contact, foot):
    """The tread: a larger circle where the tyre gives way; cells lie where the undeformed one is below the ground.

    Returns OK, or OFF_GRID if a part of the footprint is outside the grid.
    """
    c, radius, width, d, u = contact.centre, tyre.radius, tyre.width, foot.deflection, foot.up
    az, cell = contact.axis[2], soil.cell
    R = radius * (1.0 + d / max(foot.sinkage + foot.bump, 0.02 * d + 1e-6)) if d > 0.0 else radius
    foot.radius, foot.raised, foot.rolling_radius = R, R - radius + d, radius - d / 3.0
    over = max(foot.above - foot.bump, 0.0)
    ahead = math.sqrt(max(radius * radius - over * over, 0.0)) / math.sqrt(1.0 + foot.grade * foot.grade)
    aside = 0.5 * width * foot.level + 0.5 * cell + abs(az) * (radius - over)
    mx, my = c[0] - over * u[0], c[1] - over * u[1]
    foot.ahead, foot.aside, foot.centre[0], foot.centre[1] = ahead, aside, mx, my
    hx, hy = abs(foot.heading[0]), abs(foot.heading[1])
    ex, ey = hx * ahead + hy * aside, hy * ahead + hx * aside
    x0, y0 = soil.x0, soil.y0
    if mx - ex < x0 or my - ey < y0 or mx + ex > x0 + soil.nx * cell or my + ey > y0 + soil.ny * cell:
        return OFF_GRID
    return OK
