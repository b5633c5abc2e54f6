"""One wheel between its carrier and the ground, hard or soft: contact, and forces at the hub.

A wheel's mass and transverse inertia belong to its carrier, its angular velocity is a state here. The carrier gets the
hub's force, the moment less its part about the axle, the reactions of brake and hub gear, and the gyroscopic moment;
the chassis gets the reaction of the half shafts.
"""

import math

from gori.kernels.codes import OFF_GRID, OFF_WINDOW, OK, SUNK
from gori.kernels.forces.elements import point_velocity
from gori.kernels.jit import block, part
from gori.kernels.tree.columns import OMEGA, P_WB
from gori.kernels.tree.kinematics import cross, turn
from gori.kernels.vehicle.blows import note_gap
from gori.kernels.vehicle.contact import contact_axes, contact_motion, disc_contact, disc_gain
from gori.kernels.vehicle.leaning import lean_of, lean_over, upright_share
from gori.kernels.vehicle.patch import clear, soft_wheel
from gori.kernels.vehicle.terrain import is_plane
from gori.kernels.vehicle.tyre import elastic_energy, elastic_load, rolling_radius, tyre_forces, vertical_load
from gori.kernels.vehicle.walls import meet_walls

STANDING = 0.5
"""speed that slips given out are divided by at least [m/s]"""


@part
def put(vector, x, y, z):
    vector[0], vector[1], vector[2] = x, y, z


@part
def wheel_pose(wheel, body_w, contact):
    """Centre, its velocity, axis, and angular velocity of the carrier, into the contact."""
    row, hub, axis = wheel.carrier, wheel.hub, wheel.axis
    rx, ry, rz = turn(body_w, row, hub[0], hub[1], hub[2])
    ax, ay, az = turn(body_w, row, axis[0], axis[1], axis[2])
    vx, vy, vz = point_velocity(row, rx, ry, rz, body_w)
    put(contact.centre, rx + body_w[row, P_WB], ry + body_w[row, P_WB + 1], rz + body_w[row, P_WB + 2])
    put(contact.velocity, vx, vy, vz)
    put(contact.axis, ax, ay, az)
    put(contact.angular_velocity, body_w[row, OMEGA], body_w[row, OMEGA + 1], body_w[row, OMEGA + 2])


@part
def find_walls(ground, tyre, contact):
    """Forces of walls, into the contact. Returns the largest `sheer` of walls within reach, 0 if there are none."""
    contact.walls, contact.wall_load, contact.wall_elastic = 0.0, 0.0, 0.0
    contact.haste[0], contact.haste[1] = 0.0, 0.0
    c, R = contact.centre, tyre.radius
    if ground.feature.shape[0] == 0 or is_plane(ground, c[0], c[1], 1.5 * R):
        return 0.0
    return meet_walls(ground, tyre, contact)


@part
def put_axes(contact):
    a, n = contact.axis, contact.normal
    xx, xy, xz, yx, yy, yz, contact.camber = contact_axes(a[0], a[1], a[2], n[0], n[1], n[2])
    put(contact.ahead, xx, xy, xz)
    put(contact.left, yx, yy, yz)


@block
def touch(ground, tyre, contact):
    """Where a wheel meets hard ground, how it moves there, and its load: into the contact, which holds its pose."""
    c, a, R = contact.centre, contact.axis, tyre.radius
    sheer = find_walls(ground, tyre, contact)
    depth, nx, ny, nz, px, py, pz, mu, size, share, mx, my, mz = disc_contact(
        ground, c[0], c[1], c[2], a[0], a[1], a[2], R, sheer
    )
    put(contact.arm, px - c[0], py - c[1], pz - c[2])
    put(contact.normal, nx, ny, nz)
    put_axes(contact)
    contact.friction, contact.depth, contact.elastic = mu, depth, elastic_energy(tyre, depth)
    contact.forward, contact.lateral, rate = contact_motion(contact)
    m, _, _, _, _, _ = lean_of(ground, c, a, R)
    q = math.sqrt(max(0.0, 1.0 - m * m))
    gain, spring = disc_gain(size, share, q), q * max(0.0, elastic_load(tyre, depth))
    contact.load = gain * vertical_load(tyre, depth, rate)
    x, rate = lean_over(ground, tyre, contact, gain, rate, 0)
    depth, n, r, M = contact.depth, contact.normal, contact.arm, contact.lean_moment
    put(M, M[0] + x * spring * mx, M[1] + x * spring * my, M[2] + x * spring * mz)
    if depth > 0.0:
        note_gap(contact, 0, R - tyre.rim - depth, rate, n[0], n[1], n[2], r[0], r[1], r[2])
    contact.rolling_radius = rolling_radius(tyre, contact.load, depth)


@block
def press(wheel, tyre, state, moving, contact, out):
    """Forces of hard ground on a wheel, into the contact and its outputs, by what `touch` has found.

    moving   angular velocity and transient slip (2)
    """
    omega, tx, ty = moving
    load, forward, lateral = contact.load, contact.forward, contact.lateral
    slipping = forward - omega * contact.rolling_radius
    Fx, Fy, Mz, _ = tyre_forces(tyre, load, contact.friction, contact.camber, forward, slipping, lateral, tx, ty)
    n, x, y, r = contact.normal, contact.ahead, contact.left, contact.arm
    fx, fy, fz = (
        load * n[0] + Fx * x[0] + Fy * y[0],
        load * n[1] + Fx * x[1] + Fy * y[1],
        load * n[2] + Fx * x[2] + Fy * y[2],
    )
    mx, my, mz = cross(r[0], r[1], r[2], fx, fy, fz)
    f, m = contact.lean_force, contact.lean_moment
    put(contact.force, fx + f[0], fy + f[1], fz + f[2])
    put(contact.moment, mx + Mz * n[0] + m[0], my + Mz * n[1] + m[1], mz + Mz * n[2] + m[2])
    out.load, out.fx, out.fy, out.mz, out.sinkage = load, Fx, Fy, Mz, 0.0
    add_walls(contact, out, contact.elastic)
    give_slip(out, forward, slipping, lateral)
    carry(wheel, state, omega, contact, out)


@part
def add_walls(contact, out, elastic):
    """Add the forces of walls to those of the ground; elastic: energy of the tyre's spring on the ground [J]."""
    if contact.walls > 0.0:
        for k in range(3):
            contact.force[k] += contact.wall_force[k]
            contact.moment[k] += contact.wall_moment[k]
    out.wall_load, out.elastic = contact.wall_load, elastic + contact.wall_elastic


@part
def give_slip(out, forward, slipping, lateral):
    speed = max(abs(forward), STANDING)
    out.slip, out.slip_angle = -slipping / max(speed, abs(forward - slipping)), math.atan2(lateral, speed)


@part
def carry(wheel, state, omega, contact, out):
    """Hub force and moment: of the ground, of brake and hub gear, and of the gyroscope; and their power."""
    F, M, v, a, w = contact.force, contact.moment, contact.velocity, contact.axis, contact.angular_velocity
    gx, gy, gz = cross(w[0], w[1], w[2], a[0], a[1], a[2])
    spin = wheel.inertia * omega
    about = M[0] * a[0] + M[1] * a[1] + M[2] * a[2] + state.drive_torque - state.shaft_torque + state.brake_torque
    mx = M[0] - about * a[0] - spin * gx
    my = M[1] - about * a[1] - spin * gy
    mz = M[2] - about * a[2] - spin * gz
    put(out.hub_force, F[0], F[1], F[2])
    put(out.hub_moment, mx, my, mz)
    contact.power = F[0] * v[0] + F[1] * v[1] + F[2] * v[2] + mx * w[0] + my * w[1] + mz * w[2]


@block
def sink(ground, wheel, tyre, state, omega, contact, when, foot, patch, out):
    """Forces of soft soil on a wheel, into the contact and its outputs. Returns a result code.

    when   time [s], time since the last step [s], and 1 to update soil and tyre
    """
    t, dt, commit = when
    a, v, w, F, M = contact.axis, contact.velocity, contact.angular_velocity, patch.force, patch.moment
    near = find_walls(ground, tyre, contact)
    m, _, _, _, _, _ = lean_of(ground, contact.centre, a, tyre.radius)
    x, _ = upright_share(math.sqrt(max(0.0, 1.0 - m * m)))
    level = math.sqrt(max(1e-9, a[0] * a[0] + a[1] * a[1]))
    hx, hy = a[1] / level, -a[0] / level
    forward, lateral = v[0] * hx + v[1] * hy, v[1] * hx - v[0] * hy
    clear(patch)
    if x > 0.0:
        foot.walled = 1 if near > 0.0 else 0
        own = omega - (w[0] * a[0] + w[1] * a[1] + w[2] * a[2])
        code = soft_wheel(ground, tyre, state, contact, own, t, dt, commit, foot, patch)
        if code in (OFF_GRID, OFF_WINDOW):
            return code
        if patch.sinkage > tyre.radius:
            return SUNK
    contact.elastic = elastic_energy(tyre, state.deflection) if patch.load > 0.0 else 0.0
    out.load, out.fx, out.fy, out.mz = F[2], F[0] * hx + F[1] * hy, F[1] * hx - F[0] * hy, M[2]
    out.sinkage = patch.sinkage
    give_slip(out, forward, forward - omega * (tyre.radius - state.deflection / 3.0), lateral)
    if x < 1.0:
        lie_down(ground, tyre, contact, omega, x, patch, out)
    contact.load, contact.forward, contact.lateral, contact.rolling_radius = patch.load, forward, lateral, 0.0
    put(contact.force, F[0], F[1], F[2])
    put(contact.moment, M[0], M[1], M[2])
    add_walls(contact, out, contact.elastic)
    carry(wheel, state, omega, contact, out)
    return OK


@block
def lie_down(ground, tyre, contact, omega, x, patch, out):
    """A wheel that leans on soft soil: the share x of what its tread does there, and the rest as on hard ground.

    The ground is as hard as a floor for its side, at the height that wheels have left it with; the forces are added to
    the patch.
    """
    F, M = patch.force, patch.moment
    for k in range(3):
        F[k], M[k] = x * F[k], x * M[k]
    patch.torque, patch.load, patch.k_spin = x * patch.torque, x * patch.load, x * patch.k_spin
    _, rate = lean_over(ground, tyre, contact, 0.0, 0.0, 1)
    n, r, ahead, left, load = contact.normal, contact.arm, contact.ahead, contact.left, contact.load
    depth = contact.depth
    if depth > 0.0:
        note_gap(contact, 0, tyre.radius - tyre.rim - depth, rate, n[0], n[1], n[2], r[0], r[1], r[2])
    slipping = contact.forward - omega * rolling_radius(tyre, load, depth)
    Fx, Fy, Mz, _ = tyre_forces(
        tyre, load, contact.friction, contact.camber, contact.forward, slipping, contact.lateral, 0.0, 0.0
    )
    fx, fy, fz = (
        load * n[0] + Fx * ahead[0] + Fy * left[0],
        load * n[1] + Fx * ahead[1] + Fy * left[1],
        load * n[2] + Fx * ahead[2] + Fy * left[2],
    )
    mx, my, mz = cross(r[0], r[1], r[2], fx, fy, fz)
    f, m = contact.lean_force, contact.lean_moment
    F[0], F[1], F[2] = F[0] + fx + f[0], F[1] + fy + f[1], F[2] + fz + f[2]
    M[0], M[1], M[2] = M[0] + mx + Mz * n[0] + m[0], M[1] + my + Mz * n[1] + m[1], M[2] + mz + Mz * n[2] + m[2]
    out.load, out.fx, out.fy, out.mz = F[2], x * out.fx + Fx, x * out.fy + Fy, x * out.mz + Mz


@part
def shaft_reaction(machine, data, k):
    """Moment of the half shafts on the chassis of train k: the opposite of what they give the hubs."""
    train = machine.train[k]
    mx, my, mz = 0.0, 0.0, 0.0
    for w in range(train.first_wheel, train.first_wheel + train.wheels):
        wheel, torque = machine.wheel[w], data.wheel[w].shaft_torque
        ax, ay, az = turn(data.body_w, wheel.carrier, wheel.axis[0], wheel.axis[1], wheel.axis[2])
        mx, my, mz = mx - torque * ax, my - torque * ay, mz - torque * az
    return mx, my, mz
