"""Contact of a wheel and the ground: a disc in its own plane against the profile of the ground in that plane.

The profile is given by r(s), the distance from the centre down to the ground in the wheel plane at the position s along
the heading. The contact is its point nearest to the centre: depth = R - min sqrt(s^2 + r^2). On a plane r is linear and
the square a parabola, so that a parabola through three samples finds it exactly. A corner of a feature is no parabola,
so corners are tried as points of their own.

The load is a spring over the depth. So that it gives back what it took, its force is U'(depth) G, with G the gradient
of -depth by the centre: u, from the contact to the centre, if the ground goes on across the wheel in the direction
l = a, and u - a (u.l) / (a.l) in general. l is the slope of the ground across the wheel, or the crease of a corner.
Where walls are within reach (`walls.py`), the part of a contact that counts as a wall is taken from its depth here.
"""

import math
from typing import NamedTuple

from gori.kernels.jit import block, part
from gori.kernels.tree.kinematics import cross
from gori.kernels.vehicle.tables import SINE
from gori.kernels.vehicle.terrain import STEEP, friction, height, is_plane, position_on, relief
from gori.kernels.vehicle.walls import wall_share

FLAT = 0.02
"""sine of the angle between wheel axis and ground normal below which a wheel lies on its side and touches nothing"""
SAMPLES = 15
CORNER, CREASE = 1e-4, 0.02
"""distance within which a contact is on a corner [m], and change of the slope that makes one"""
ASKEW = 0.35
"""smallest part of a crease that counts across the wheel: along it, a wheel would slip onto it at once"""
TYRES_OWN = 1.03
"""|G| of an upright wheel up to which slopes across it are left to the law of the tyre"""
STRAIGHT, LEANING = 0.985, 0.95
"""sines of the angle between axis and ground: to the one slopes are left to that law, from the other on no more"""
LOST = 0.05
"""change of r in a step of Newton, by the radius, that leads to other ground"""


class Disc(NamedTuple):
    """A wheel as its plane sees it: centre c, level heading e, direction d up in the wheel plane."""

    cx: float
    cy: float
    cz: float
    ex: float
    ey: float
    dx: float
    dy: float
    dz: float
    lean: float


@part
def profile(ground, disc, guess, s):
    """r at s: how far down in the wheel plane, along -d, the ground lies.

    Exact for an upright wheel, and on planes. A leaning wheel meets other ground the deeper it reaches: one step of
    Newton from the guess, with the slope below the centre in `lean` = dz - dh/dx dx - dh/dy dy.
    """
    x, y = disc.cx + s * disc.ex, disc.cy + s * disc.ey
    below = height(ground, x - guess * disc.dx, y - guess * disc.dy)
    return guess + (disc.cz - guess * disc.dz - below) / disc.lean


@part
def plane_contact(terrain, cx, cy, cz, ax, ay, az, R):
    """The disc on the plane of the terrain, exactly. Returns depth, normal, point."""
    gx, gy, at = terrain.grade[0], terrain.grade[1], terrain.point
    nz = 1.0 / math.sqrt(1.0 + gx * gx + gy * gy)
    nx, ny = -gx * nz, -gy * nz
    clearance = (cz - at[2] - gx * (cx - at[0]) - gy * (cy - at[1])) * nz
    along = ax * nx + ay * ny + az * nz
    upright = math.sqrt(max(0.0, 1.0 - along * along))
    if upright < FLAT:
        return -R, nx, ny, nz, cx - clearance * nx, cy - clearance * ny, cz - clearance * nz
    # r: from the centre to the line in which the plane cuts the wheel plane, along the normal's part in that plane
    r = max(0.0, clearance / upright)
    k = r / upright
    px, py, pz = cx - k * (nx - along * ax), cy - k * (ny - along * ay), cz - k * (nz - along * az)
    return R - r, nx, ny, nz, px, py, pz


@part
def counted(s, r, R, sheer):
    """Square of the distance with which a point of the profile counts [m2]: less deep the more it is a wall."""
    square = s * s + r * r
    if sheer == 0.0:
        return square
    if r <= 0.0 or square >= R * R:
        return max(square, R * R)
    distance = math.sqrt(square)
    share, _ = wall_share(r / distance, sheer)
    if share == 0.0:
        return square
    distance = R - (R - distance) * (1.0 - share)
    return distance * distance


@part
def across(ground, px, py, ex, ey, ax, ay):
    """Direction l, to the left, in which the ground goes on at a contact, and whether it is a crease (1)."""
    _, gx, gy = relief(ground, px - CORNER * ex, py - CORNER * ey)
    _, hx, hy = relief(ground, px + CORNER * ex, py + CORNER * ey)
    bx, by, crease = gx - hx, gy - hy, 1
    bend = math.sqrt(bx * bx + by * by)
    if bend <= CREASE:
        # smooth: along the slope; on a wall along its face
        bx, by, crease = 0.5 * (gx + hx), 0.5 * (gy + hy), 0
        bend = math.sqrt(bx * bx + by * by)
        if bend <= STEEP:
            return ax, ay, bx * ax + by * ay, 0
    lx, ly = -by / bend, bx / bend
    if lx * ax + ly * ay < 0.0:
        lx, ly = -lx, -ly
    lack = max(0.0, ASKEW - lx * ax - ly * ay)
    lx, ly = lx + lack * ax, ly + lack * ay
    # both sides have the height of their crease; beside it, that of the gentler one
    if gx * gx + gy * gy > hx * hx + hy * hy:
        gx, gy = hx, hy
    return lx, ly, gx * lx + gy * ly if crease == 1 else 0.0, crease


@block
def rough_contact(ground, cx, cy, cz, ax, ay, az, R, sheer):
    """The disc on ground with a field or features. Returns depth, normal, point, |G|, its share as a wall,
    and -d depth / d turn (3) [m] as that share changes.

    sheer   as `wall_share` takes it, where there may be walls within reach; 0: there are none
    """
    h, gx, gy = relief(ground, cx, cy)
    if gx * gx + gy * gy > STEEP * STEEP:  # above a wall the ground leans as it does on the whole
        gx, gy = ground.terrain[0].grade[0], ground.terrain[0].grade[1]
    upright = math.sqrt(max(0.0, 1.0 - az * az))
    # heading e (level) and the direction d up in the wheel plane
    scale = 1.0 / max(upright, FLAT)
    ex, ey = ay * scale, -ax * scale
    dx, dy, dz = -az * ax * scale, -az * ay * scale, upright
    lean = dz - gx * dx - gy * dy
    clear = (cz - h) / max(lean, FLAT)
    if upright < FLAT or lean < FLAT or cz <= h:
        # on its side, or the centre in the ground: as on the tangent plane; out of a wall, that wall drives it
        nz = 1.0 / math.sqrt(1.0 + gx * gx + gy * gy)
        depth = -R if upright < FLAT or lean < FLAT or sheer > 0.0 else R
        return depth, -gx * nz, -gy * nz, nz, cx, cy, h, 1.0, 0.0, 0.0, 0.0, 0.0

    # the nearest of the samples across the wheel
    disc = Disc(cx, cy, cz, ex, ey, dx, dy, dz, lean)
    step = 2.0 * R / (SAMPLES - 1)
    guess = min(clear, R)
    best, s, r = 1e300, 0.0, clear
    for i in range(SAMPLES):
        si = -R + i * step
        ri = profile(ground, disc, guess, si)
        if ri <= 0.0 and sheer == 0.0:
            # a slope that is higher than the axle: met at the height of the axle
            near, far = 0.0, si
            for _ in range(12):
                middle = 0.5 * (near + far)
                if profile(ground, disc, guess, middle) > 0.0:
                    near = middle
                else:
                    far = middle
            si, ri = far, 1e-9
        square = counted(si, ri, R, sheer)
        if square < best:
            best, s, r = square, si, ri

    # parabolas through the nearest position and its neighbours, each time closer together
    for _ in range(3):
        ra = profile(ground, disc, r, s - step)
        rb = profile(ground, disc, r, s + step)
        a, b = counted(s - step, ra, R, sheer), counted(s + step, rb, R, sheer)
        bend = a - 2.0 * best + b
        if bend > 0.0:
            middle = s + step * min(1.0, max(-1.0, 0.5 * (a - b) / bend))
            rm = profile(ground, disc, r, middle)
            square = counted(middle, rm, R, sheer)
            if rm > 0.0 and square < best:
                best, s, r = square, middle, rm
        step *= 0.2

    # the foot on the straight side where that is: parabolas across a corner find the depth, but not quite the position
    _, gx, gy = relief(ground, cx + s * ex - r * dx, cy + s * ey - r * dy)
    fall = -(gx * ex + gy * ey) / max(FLAT, dz - gx * dx - gy * dy)
    foot = s - (s + r * fall) / (1.0 + fall * fall)
    rf = profile(ground, disc, r, foot)
    square = counted(foot, rf, R, sheer)
    if rf > 0.0 and square < (1.0 + 1e-5) * best:
        best, s, r = square, foot, rf

    # corners of the features: the upper ones
    for n in range(ground.feature.shape[0]):
        f = ground.feature[n]
        at, side = position_on(f, cx, cy)
        along = ex * f.cos + ey * f.sin
        if f.kind != SINE and abs(along) > 0.05 and abs(side) < f.half_width + R:
            for corner in range(2):
                if f.height > 0.0:
                    corner_at = f.up + (f.top if corner == 1 else 0.0)
                else:
                    corner_at = f.up + f.top + f.down if corner == 1 else 0.0
                # the corner seen from the centre, on ground that a leaning wheel reaches sideways
                back = r * (dx * f.cos + dy * f.sin)
                sc = (corner_at - at + back) / along
                if abs(sc) < R:
                    rc = profile(ground, disc, r, sc)
                    square = counted(sc, rc, R, sheer)
                    if rc > 0.0 and square < best:
                        best, s, r = square, sc, rc

    # one more step of Newton for a leaning wheel, then the point, and G. Where it leads away, the plane of the wheel
    # goes through the face of a wall, and there is no ground
    again = profile(ground, disc, r, s)
    if sheer > 0.0 and abs(again - r) > LOST * R:
        return -R, 0.0, 0.0, 1.0, cx, cy, h, 1.0, 0.0, 0.0, 0.0, 0.0
    r = max(1e-9, again)
    px, py, pz = cx + s * ex - r * dx, cy + s * ey - r * dy, cz - r * dz
    distance = math.sqrt(s * s + r * r)
    ux, uy, uz = (cx - px) / distance, (cy - py) / distance, (cz - pz) / distance
    lx, ly, lz, crease = across(ground, px, py, ex, ey, ax, ay)
    depth, share, slope = R - distance, 0.0, 0.0
    mx, my, mz = 0.0, 0.0, 0.0
    if sheer > 0.0 and depth > 0.0:
        share, slope = wall_share(r / distance, sheer)
    if share > 0.0:
        # what is left of it beside the wall, which changes as the wheel goes round a corner
        turn = depth * slope / distance if crease == 1 else 0.0
        twist = -turn * az / upright * s  # as the wheel leans, its plane's vertical turns in it
        mx, my, mz = twist * dx, twist * dy, twist * dz
        keep = 1.0 - share - turn * r / distance
        ux, uy, uz = keep * ux + turn * dx, keep * uy + turn * dy, keep * uz + turn * dz
        depth *= 1.0 - share
    k = (ux * lx + uy * ly + uz * lz) / (ax * lx + ay * ly + az * lz)
    nx, ny, nz = ux - k * ax, uy - k * ay, uz - k * az
    size = math.sqrt(max(1e-30, nx * nx + ny * ny + nz * nz))
    return depth, nx / size, ny / size, nz / size, px, py, pz, size, share, mx, my, mz


@part
def disc_contact(ground, cx, cy, cz, ax, ay, az, R, sheer):
    """A wheel as a disc of radius R [m], centre c, axis a (unit, to the left), on the ground; world axes.

    Returns depth [m] (how much the wheel plane's radius is shortened; at most R; negative: no contact), the unit normal
    of the ground that the wheel feels (3), the contact point (3) [m], the friction coefficient there, |G|, the
    share with which the contact is a wall, and the part of -d depth / d turn (3) [m] by that share.
    """
    if is_plane(ground, cx, cy, 1.5 * R):
        depth, nx, ny, nz, px, py, pz = plane_contact(ground.terrain[0], cx, cy, cz, ax, ay, az, R)
        along = ax * nx + ay * ny + az * nz
        size, share = 1.0 / math.sqrt(max(FLAT * FLAT, 1.0 - along * along)), 0.0
        mx, my, mz = 0.0, 0.0, 0.0
    else:
        depth, nx, ny, nz, px, py, pz, size, share, mx, my, mz = rough_contact(ground, cx, cy, cz, ax, ay, az, R, sheer)
    return depth, nx, ny, nz, px, py, pz, friction(ground, px, py), size, share, mx, my, mz


@part
def disc_gain(size, share, q):
    """Load of a disc by that of its spring: |G| q, as the energy of a disc is q U(depth) (`leaning.py`).

    size, share   as `disc_contact` gives them
    q             sine of the angle between axis and ground
    """
    full = size * q
    if share > 0.0:
        return full
    own = min(1.0, max(0.0, (q - LEANING) / (STRAIGHT - LEANING)))
    return own * (1.0 + max(0.0, full - TYRES_OWN)) + (1.0 - own) * full


@part
def contact_axes(ax, ay, az, nx, ny, nz):
    """Heading x = a x n and lateral y = n x x (unit vectors), and the camber angle asin(a.n) [rad].

    Camber is positive when the top of the wheel leans to the right. A wheel on its side has no heading: any direction.
    """
    xx, xy, xz = cross(ax, ay, az, nx, ny, nz)
    length = math.sqrt(xx * xx + xy * xy + xz * xz)
    if length < 1e-6:
        xx, xy, xz = cross(ax, ay, az, 0.0, 0.0, 1.0) if abs(nz) < 0.7 else cross(0.0, 1.0, 0.0, nx, ny, nz)
        length = math.sqrt(max(1e-30, xx * xx + xy * xy + xz * xz))
    xx, xy, xz = xx / length, xy / length, xz / length
    yx, yy, yz = cross(nx, ny, nz, xx, xy, xz)
    lean = min(1.0, max(-1.0, ax * nx + ay * ny + az * nz))
    return xx, xy, xz, yx, yy, yz, math.asin(lean)


@part
def contact_motion(contact):
    """Forward speed of the centre, speed of the contact point to the left, and rate of the depth [m/s].

    contact   with pose, axes, arm and camber
    """
    v, w, r, n = contact.velocity, contact.angular_velocity, contact.arm, contact.normal
    x, y = contact.ahead, contact.left
    forward = v[0] * x[0] + v[1] * x[1] + v[2] * x[2]
    sx, sy, sz = cross(w[0], w[1], w[2], r[0], r[1], r[2])
    lateral = (v[0] + sx) * y[0] + (v[1] + sy) * y[1] + (v[2] + sz) * y[2]
    rate = -(v[0] * n[0] + v[1] * n[1] + v[2] * n[2])
    return forward, lateral, rate / max(0.5, math.cos(contact.camber))
