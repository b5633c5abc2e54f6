"""A wheel that leans over: how the tyre law of an upright one hands over to the rounded edge of one that lies.

Up to UPRIGHT a wheel is the disc of `contact.py`, from LYING on a ring of balls (`sides.py`) as wide as the tyre, about
a circle of radius R - rho, rho half the width. In between both share the load: the energy of the tyre's spring U is

    E = X (q U(d) + W) + (1 - X) U(D),      X = x(q) s,      D = (sum of S over the balls / C)^(2/17)

s is 1 but next to walls, where it hands over too (`edges.py`); q the sine of the angle between the axis and the
ground's normal, d the depth of the disc, W its energy at walls (`walls.py`), D the depth of the ring in ground and
walls: a smooth maximum of the depths of its balls, that has as many contacts as it needs in a ditch.

On a plane the balls of an upright ring at the angles phi have the depths d - (R - rho) phi^2 / 2, and their sum of S is
C d^8.5 with

    C = BALLS / (2 pi) sqrt(2 / (R - rho)) B,      B = integral of (1 - t^2)^8 over -1 <= t <= 1

so that D is the depth of the lowest one, and the load that of the disc. The factor q makes the load of a disc the
spring's on any plane, q U' |G| = U' (|G| = 1/q). Forces are the gradient of E, by the centre and by the direction of
the axis, and so have a potential; the part by q is a moment about the heading.

The ground's normal is that of the ground on the whole: of its heights at a radius from the centre on four sides,
without features that have walls or end at their sides.
"""

import math

from gori.kernels.jit import block, part
from gori.kernels.tree.kinematics import cross
from gori.kernels.vehicle.contact import contact_axes, contact_motion
from gori.kernels.vehicle.edges import disc_share
from gori.kernels.vehicle.sides import ball_strength, has_walls
from gori.kernels.vehicle.terrain import feature_height, friction, open_relief, position_on
from gori.kernels.vehicle.tyre import elastic_energy, vertical_load
from gori.kernels.vehicle.walls import SHEER, wall_share

UPRIGHT, LYING = 0.95, 0.8
"""sines of the angle between axis and normal: from the one on a wheel is a disc, up to the other a ring (18, 37 deg)"""
BALLS = 48
FACTOR = 2.0**17 * 40320.0**2 / 355687428096000.0
"""B = 2^17 (8!)^2 / 17!"""


@part
def upright_share(q):
    """x: share of the disc in the energy of a wheel; and dx/dq."""
    if q >= UPRIGHT:
        return 1.0, 0.0
    if q <= LYING:
        return 0.0, 0.0
    x = (q - LYING) / (UPRIGHT - LYING)
    return x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x) / (UPRIGHT - LYING)


@part
def wide_relief(ground, x, y):
    """Height [m] and slopes of plane, field and features without end at their sides and without walls."""
    h, gx, gy = open_relief(ground, x, y)
    for n in range(ground.feature.shape[0]):
        feature = ground.feature[n]
        if feature.half_width == math.inf and not has_walls(feature):
            s, _ = position_on(feature, x, y)
            rise, g = feature_height(feature, s)
            h, gx, gy = h + rise, gx + g * feature.cos, gy + g * feature.sin
    return h, gx, gy


@block
def lean_of(ground, c, a, R):
    """How a wheel leans: m = a.n, the ground's normal n (3), and dm/dx, dm/dy by its centre.

    c, a   centre [m] and axis of the wheel, world axes;  R: its radius [m]
    """
    terrain = ground.terrain[0]
    gx, gy, xx, xy, yx, yy = terrain.grade[0], terrain.grade[1], 0.0, 0.0, 0.0, 0.0
    if terrain.nx > 0 or ground.feature.shape[0] > 0:
        over = 0.5 / R
        h1, x1, y1 = wide_relief(ground, c[0] + R, c[1])
        h0, x0, y0 = wide_relief(ground, c[0] - R, c[1])
        gx, xx, xy = over * (h1 - h0), over * (x1 - x0), over * (y1 - y0)
        h1, x1, y1 = wide_relief(ground, c[0], c[1] + R)
        h0, x0, y0 = wide_relief(ground, c[0], c[1] - R)
        gy, yx, yy = over * (h1 - h0), over * (x1 - x0), over * (y1 - y0)
    nz = 1.0 / math.sqrt(1.0 + gx * gx + gy * gy)
    nx, ny = -gx * nz, -gy * nz
    m = a[0] * nx + a[1] * ny + a[2] * nz
    by_gx, by_gy = nz * (m * nx - a[0]), nz * (m * ny - a[1])
    return m, nx, ny, nz, by_gx * xx + by_gy * yx, by_gx * xy + by_gy * yy


@block
def ring_contact(ground, tyre, contact, m, nx, ny, nz):
    """The ring on the ground: D [m], its rate [m/s], its gradients by the centre (3) and by turns of the wheel (3) [m],
    both with the sign of forces, the mean position of the contact from the centre (3) [m], and the share of it that is
    on ground and not at walls, which have no friction.

    m, n   as `lean_of` gives them
    """
    c, a, v, w = contact.centre, contact.axis, contact.velocity, contact.angular_velocity
    rho = 0.5 * tyre.width
    radius, grade = tyre.radius - rho, ground.terrain[0].grade
    cosine = 1.0 / math.sqrt(1.0 + grade[0] * grade[0] + grade[1] * grade[1])
    # two directions across the axis: x and y after the shortest rotation from the vertical to it (Duff et al. 2017)
    side = 1.0 if a[2] >= 0.0 else -1.0
    over = -1.0 / (side + a[2])
    ex, ey, ez = 1.0 + side * a[0] * a[0] * over, side * a[0] * a[1] * over, -side * a[0]
    ux, uy, uz = a[0] * a[1] * over, side + a[1] * a[1] * over, -a[1]
    total, fx, fy, fz, mx, my, mz, px, py, pz, rough = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(BALLS):
        phi = 2.0 * math.pi * k / BALLS
        along, down = radius * math.sin(phi), radius * math.cos(phi)
        rx, ry, rz = along * ex - down * ux, along * ey - down * uy, along * ez - down * uz
        S, gx, gy, gz = ball_strength(ground, cosine, rho, c[0] + rx, c[1] + ry, c[2] + rz)
        if S > 0.0:
            tx, ty, tz = cross(rx, ry, rz, gx, gy, gz)
            total, fx, fy, fz = total + S, fx - gx, fy - gy, fz - gz
            mx, my, mz = mx - tx, my - ty, mz - tz
            px, py, pz = px + S * rx, py + S * ry, pz + S * rz
            wall, _ = wall_share(gz / -math.sqrt(max(1e-300, gx * gx + gy * gy + gz * gz)), SHEER)
            rough += S * (1.0 - wall)
    if not total > 0.0:
        R = tyre.radius
        px, py, pz = R * (m * a[0] - nx), R * (m * a[1] - ny), R * (m * a[2] - nz)
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, px, py, pz, 1.0
    many = BALLS / (2.0 * math.pi) * math.sqrt(2.0 / max(radius, 1e-3)) * FACTOR
    depth = math.exp(math.log(total / many) * 2.0 / 17.0)
    scale = 2.0 / 17.0 * depth / total  # of dD = 2 D / (17 total) d total
    fx, fy, fz, mx, my, mz = scale * fx, scale * fy, scale * fz, scale * mx, scale * my, scale * mz
    # as the axis turns, the balls turn about it by -z.turn / (1 + |a_z|)
    about = -side * (mx * a[0] + my * a[1] + mz * a[2]) / (1.0 + abs(a[2]))
    mx, my, mz = mx - about * a[2] * a[0], my - about * a[2] * a[1], mz + about * (1.0 - a[2] * a[2])
    size = math.sqrt(max(1e-30, fx * fx + fy * fy + fz * fz))
    px, py, pz = px / total - rho * fx / size, py / total - rho * fy / size, pz / total - rho * fz / size
    rate = -(v[0] * fx + v[1] * fy + v[2] * fz + w[0] * mx + w[1] * my + w[2] * mz)
    return depth, rate, fx, fy, fz, mx, my, mz, px, py, pz, rough / total


@block
def lean_over(ground, tyre, contact, gain, rate, soft):
    """Load, normal, arm and energy of a wheel on the ground, into the contact, which holds those of the disc, and what
    walls do to it.

    gain, rate   load of the disc by that of its spring; rate of its depth [m/s]
    soft         1: the upright wheel stands in soft soil, and its share is not in the contact but for its energy

    Returns X, and the rate of the depth [m/s].
    """
    a, arm, n, F, M = contact.axis, contact.arm, contact.normal, contact.lean_force, contact.lean_moment
    m, nx, ny, nz, by_x, by_y = lean_of(ground, contact.centre, a, tyre.radius)
    q = math.sqrt(max(1e-12, 1.0 - m * m))
    x, by_q = upright_share(q)
    kept, by_cx, by_cy = 1.0, 0.0, 0.0
    if soft == 0 and x > 0.0 and ground.feature.shape[0] > 0:
        kept, by_cx, by_cy = disc_share(ground, contact.centre, tyre.radius)
        by_cx, by_cy = x * by_cx, x * by_cy
        x, by_q = x * kept, by_q * kept
    energy = contact.elastic
    upright = energy * (1.0 if soft == 1 else q)
    # the part by q: of the disc alone as long as it is upright
    lean = by_q * (upright + contact.wall_elastic) + (0.0 if soft == 1 else x * energy)
    if x == 1.0:
        contact.elastic = upright
        put_lean(F, M, a, lean * m / q, nx, ny, nz, by_x, by_y)
        return x, rate
    depth, ring_rate, fx, fy, fz, mx, my, mz, px, py, pz, rough = ring_contact(ground, tyre, contact, m, nx, ny, nz)
    unshared = contact.wall_elastic
    contact.wall_load, contact.wall_elastic = x * contact.wall_load, x * unshared
    for k in range(3):
        contact.wall_force[k], contact.wall_moment[k] = x * contact.wall_force[k], x * contact.wall_moment[k]
    stored, load = elastic_energy(tyre, depth), (1.0 - x) * vertical_load(tyre, depth, ring_rate)
    put_lean(F, M, a, (lean - by_q * stored) * m / q, nx, ny, nz, by_x, by_y)
    if kept < 1.0:
        more = upright + unshared - stored  # what the disc stores more than the ring
        F[0], F[1] = F[0] - more * by_cx, F[1] - more * by_cy
    contact.elastic = x * upright + (1.0 - x) * stored
    size = math.sqrt(fx * fx + fy * fy + fz * fz)
    tread = 0.0 if soft == 1 else x * gain * vertical_load(tyre, contact.depth, rate)
    whole, mean = tread + load * size, 0.0 if soft == 1 else x
    if whole > 0.0:
        mean = tread / whole
    # wrench of both, less that of the whole load along the mean normal at the mean arm: what is left is kept beside it
    sx, sy, sz = tread * n[0] + load * fx, tread * n[1] + load * fy, tread * n[2] + load * fz
    tx, ty, tz = cross(arm[0], arm[1], arm[2], tread * n[0], tread * n[1], tread * n[2])
    tx, ty, tz = tx + load * mx, ty + load * my, tz + load * mz
    length = math.sqrt(sx * sx + sy * sy + sz * sz)
    if length > 0.0:
        n[0], n[1], n[2] = sx / length, sy / length, sz / length
    elif mean == 0.0:
        n[0], n[1], n[2] = nx, ny, nz
    arm[0], arm[1], arm[2] = (
        mean * arm[0] + (1.0 - mean) * px, mean * arm[1] + (1.0 - mean) * py, mean * arm[2] + (1.0 - mean) * pz,
    )  # fmt: skip
    gx, gy, gz = cross(arm[0], arm[1], arm[2], whole * n[0], whole * n[1], whole * n[2])
    F[0], F[1], F[2] = F[0] + sx - whole * n[0], F[1] + sy - whole * n[1], F[2] + sz - whole * n[2]
    M[0], M[1], M[2] = M[0] + tx - gx, M[1] + ty - gy, M[2] + tz - gz
    contact.load = whole
    contact.depth = mean * max(0.0, contact.depth) + (1.0 - mean) * depth
    turn_axes(ground, contact)
    contact.friction *= mean + (1.0 - mean) * rough
    v, w = contact.velocity, contact.angular_velocity
    ox, oy, oz = cross(w[0], w[1], w[2], arm[0], arm[1], arm[2])
    falling = -((v[0] + ox) * n[0] + (v[1] + oy) * n[1] + (v[2] + oz) * n[2])
    return x, falling


@part
def put_lean(F, M, a, share, nx, ny, nz, by_x, by_y):
    """Force and moment of the energy's part by q; share: dE/dq m / q [J]."""
    tx, ty, tz = cross(a[0], a[1], a[2], nx, ny, nz)
    F[0], F[1], F[2] = share * by_x, share * by_y, 0.0
    M[0], M[1], M[2] = share * tx, share * ty, share * tz


@part
def turn_axes(ground, contact):
    """Axes, speeds and friction of a contact whose normal and arm are new."""
    a, n, c, r = contact.axis, contact.normal, contact.centre, contact.arm
    x, y = contact.ahead, contact.left
    x[0], x[1], x[2], y[0], y[1], y[2], camber = contact_axes(a[0], a[1], a[2], n[0], n[1], n[2])
    contact.camber, contact.friction = camber, friction(ground, c[0] + r[0], c[1] + r[1])
    contact.forward, contact.lateral, _ = contact_motion(contact)
