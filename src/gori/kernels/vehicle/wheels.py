"""One wheel between its carrier and the ground, hard or soft: where it touches, and what the hub then does.

A wheel's mass and transverse inertia belong to its carrier, its spin is a state here. The carrier gets the hub's force,
the moment less its part about the axle, the reactions of brake and hub gear, and the gyroscopic moment; the chassis
gets the reaction of the half shafts.
"""

import math

from gori.kernels.codes import OFF_GRID, OK, SUNK
from gori.kernels.forces.elements import point_velocity
from gori.kernels.jit import block, part
from gori.kernels.tree.columns import P_WB, SPIN
from gori.kernels.tree.kinematics import cross, turn
from gori.kernels.vehicle import patch
from gori.kernels.vehicle import tables as c
from gori.kernels.vehicle import tyre as ty
from gori.kernels.vehicle.contact import contact_axes, contact_motion, disc_contact

STANDING = 0.5
"""speed that slips are divided by at least, where they are only told [m/s]"""


@part
def wheel_place(machine, data, w):
    """Centre, its velocity, axis, and angular velocity of the carrier of wheel w; world axes."""
    oi, of, body_w = machine.outside_i, machine.outside_f, data.body_w
    row, f = oi[oi[c.WHEEL_I] + c.N_WHEEL_I * w + c.CARRIER], oi[c.WHEEL_F] + c.N_WHEEL_F * w
    rx, ry, rz = turn(body_w, row, of[f + c.HUB], of[f + c.HUB + 1], of[f + c.HUB + 2])
    ax, ay, az = turn(body_w, row, of[f + c.AXIS], of[f + c.AXIS + 1], of[f + c.AXIS + 2])
    vx, vy, vz = point_velocity(row, rx, ry, rz, body_w)
    return (
        rx + body_w[row, P_WB], ry + body_w[row, P_WB + 1], rz + body_w[row, P_WB + 2], vx, vy, vz, ax, ay, az,
        body_w[row, SPIN], body_w[row, SPIN + 1], body_w[row, SPIN + 2],
    )  # fmt: skip


@part
def tyre_at(machine, w):
    """First place of its tyre in outside_f."""
    return machine.outside_i[machine.outside_i[c.WHEEL_I] + c.N_WHEEL_I * w + c.TYRE]


@part
def wheel_at(machine, w):
    """First place of its states in z."""
    return machine.outside_i[c.Z_FIRST] + c.N_Z_WHEEL * w


@part
def train_at(machine, k):
    """First place of its states in z."""
    return machine.outside_i[c.Z_FIRST] + c.N_Z_WHEEL * machine.outside_i[c.WHEELS] + c.N_Z_TRAIN * k


@part
def steer_at(machine, k):
    """Its place in z."""
    return train_at(machine, machine.outside_i[c.TRAINS]) + c.N_Z_STEER * k


@block
def touch(machine, data, w, record):
    """Where wheel w meets hard ground, how it moves there, and its load: into the record."""
    oi, of = machine.outside_i, machine.outside_f
    cx, cy, cz, vx, vy, vz, ax, ay, az, wx, wy, wz = wheel_place(machine, data, w)
    p, ti, tf = of[tyre_at(machine, w) :], oi[oi[c.TERRAIN_I] :], of[oi[c.TERRAIN_F] :]
    depth, nx, ny, nz, px, py, pz, mu = disc_contact(ti, tf, cx, cy, cz, ax, ay, az, p[ty.RADIUS])
    xx, xy, xz, yx, yy, yz, gamma = contact_axes(ax, ay, az, nx, ny, nz)
    rx, ry, rz = px - cx, py - cy, pz - cz
    forward, _, lateral, rate = contact_motion(
        rx, ry, rz, nx, ny, nz, xx, xy, xz, yx, yy, yz, gamma, vx, vy, vz, wx, wy, wz, 0.0, 0.0
    )
    load = ty.vertical_load(p, depth, rate)
    record[c.R_LOAD], record[c.R_FORWARD], record[c.R_LATERAL] = load, forward, lateral
    record[c.R_GAMMA], record[c.R_MU], record[c.R_RADIUS] = gamma, mu, ty.rolling_radius(p, load, depth)
    note_place(record, cx, cy, cz, vx, vy, vz, ax, ay, az, wx, wy, wz)
    put(record, c.R_ARM, rx, ry, rz)
    put(record, c.R_NORMAL, nx, ny, nz)
    put(record, c.R_AHEAD, xx, xy, xz)
    put(record, c.R_LEFT, yx, yy, yz)


@block
def press(machine, w, s, r):
    """Forces of hard ground on wheel w with the states s (N_Z_WHEEL,), told there, by the record r of `touch`."""
    p, load = machine.outside_f[tyre_at(machine, w) :], r[c.R_LOAD]
    forward, lateral = r[c.R_FORWARD], r[c.R_LATERAL]
    slipping = forward - s[c.OMEGA] * r[c.R_RADIUS]
    Fx, Fy, Mz, _ = ty.tyre_forces(p, load, r[c.R_MU], r[c.R_GAMMA], forward, slipping, lateral, s[c.U], s[c.W])
    n, x, y = r[c.R_NORMAL :], r[c.R_AHEAD :], r[c.R_LEFT :]
    fx, fy, fz = (
        load * n[0] + Fx * x[0] + Fy * y[0],
        load * n[1] + Fx * x[1] + Fy * y[1],
        load * n[2] + Fx * x[2] + Fy * y[2],
    )
    mx, my, mz = cross(r[c.R_ARM], r[c.R_ARM + 1], r[c.R_ARM + 2], fx, fy, fz)
    s[c.LOAD], s[c.FX], s[c.FY], s[c.MZ], s[c.SINKAGE] = load, Fx, Fy, Mz, 0.0
    tell_slip(s, forward, slipping, lateral)
    carry(machine, w, s, r, fx, fy, fz, mx + Mz * n[0], my + Mz * n[1], mz + Mz * n[2])


@part
def put(record, at, x, y, z):
    record[at], record[at + 1], record[at + 2] = x, y, z


@part
def tell_slip(s, forward, slipping, lateral):
    speed = max(abs(forward), STANDING)
    s[c.SLIP], s[c.SLIP_ANGLE] = -slipping / max(speed, abs(forward - slipping)), math.atan2(lateral, speed)


@part
def note_place(record, cx, cy, cz, vx, vy, vz, ax, ay, az, wx, wy, wz):
    put(record, c.R_PLACE, cx, cy, cz)
    put(record, c.R_PLACE + 3, vx, vy, vz)
    put(record, c.R_PLACE + 6, ax, ay, az)
    put(record, c.R_TURN, wx, wy, wz)


@part
def carry(machine, w, s, r, fx, fy, fz, mx, my, mz):
    """HUB_FORCE and HUB_MOMENT: of the ground, of brake and hub gear, and of the gyroscope. R_POWER: what they do."""
    J = machine.outside_f[machine.outside_i[c.WHEEL_F] + c.N_WHEEL_F * w + c.SPIN_J]
    v, a, turning = r[c.R_PLACE + 3 :], r[c.R_PLACE + 6 :], r[c.R_TURN :]
    ax, ay, az, wx, wy, wz = a[0], a[1], a[2], turning[0], turning[1], turning[2]
    gx, gy, gz = cross(wx, wy, wz, ax, ay, az)
    spin = J * s[c.OMEGA]
    about = mx * ax + my * ay + mz * az + s[c.DRIVE_TORQUE] - s[c.SHAFT_TORQUE] + s[c.BRAKE_TORQUE]
    mx, my, mz = mx - about * ax - spin * gx, my - about * ay - spin * gy, mz - about * az - spin * gz
    put(s, c.HUB_FORCE, fx, fy, fz)
    put(s, c.HUB_MOMENT, mx, my, mz)
    r[c.R_POWER] = fx * v[0] + fy * v[1] + fz * v[2] + mx * wx + my * wy + mz * wz


@block
def sink(machine, data, w, s, record, t, dt, commit, out):
    """Forces of soft soil on wheel w with the states s, told there; out (N_PATCH_OUT,) is what `soft_wheel` says.

    Returns a result code. With commit = 1 soil and tyre remember.
    """
    oi, of = machine.outside_i, machine.outside_f
    cx, cy, cz, vx, vy, vz, ax, ay, az, wx, wy, wz = wheel_place(machine, data, w)
    p, soil = of[tyre_at(machine, w) :], of[oi[c.SOIL_F] :]
    ti, tf = oi[oi[c.TERRAIN_I] :], of[oi[c.TERRAIN_F] :]
    keeps = s[c.SOFT : c.SOFT + patch.N_SOFT]
    spring = ty.elastic_load(p, keeps[patch.S_D])
    stiff = (ty.elastic_load(p, keeps[patch.S_D] + 1e-4) - spring) * 1e4
    own = s[c.OMEGA] - (wx * ax + wy * ay + wz * az)
    code = patch.soft_wheel(
        soil, data.ground, ti, tf, p[ty.RADIUS], p[ty.WIDTH], cx, cy, cz, ax, ay, az, vx, vy, vz, wx, wy, wz, own,
        keeps, spring, stiff, p[ty.DAMPING], t, dt, commit, out,
    )  # fmt: skip
    if code == patch.OFF_GRID:
        return OFF_GRID
    if out[patch.SINKAGE] > p[ty.RADIUS]:
        return SUNK
    fx, fy, fz = out[patch.FX], out[patch.FY], out[patch.FZ]
    level = math.sqrt(max(1e-9, ax * ax + ay * ay))
    hx, hy = ay / level, -ax / level
    forward, lateral = vx * hx + vy * hy, vy * hx - vx * hy
    s[c.LOAD], s[c.FX], s[c.FY], s[c.MZ] = fz, fx * hx + fy * hy, fy * hx - fx * hy, out[patch.MZ]
    s[c.SINKAGE] = out[patch.SINKAGE]
    tell_slip(s, forward, forward - s[c.OMEGA] * (p[ty.RADIUS] - keeps[patch.S_D] / 3.0), lateral)
    note_place(record, cx, cy, cz, vx, vy, vz, ax, ay, az, wx, wy, wz)
    record[c.R_LOAD], record[c.R_FORWARD] = out[patch.LOAD], forward
    # the moment of the patch has no part about the axle; its force and moment are kept for `carry` later in the step
    put(record, c.R_ARM, out[patch.MX], out[patch.MY], out[patch.MZ])
    put(record, c.R_NORMAL, fx, fy, fz)
    carry(machine, w, s, record, fx, fy, fz, out[patch.MX], out[patch.MY], out[patch.MZ])
    return OK


@part
def react(machine, data, z):
    """REACTION of each train: the half shafts pull on the chassis with the opposite of what they give the hubs."""
    oi, of = machine.outside_i, machine.outside_f
    for k in range(oi[c.TRAINS]):
        row, s = oi[c.TRAIN_I] + c.N_TRAIN_ROW * k, z[train_at(machine, k) :]
        mx, my, mz = 0.0, 0.0, 0.0
        for w in range(oi[row + c.FIRST_WHEEL], oi[row + c.FIRST_WHEEL] + oi[row + c.WHEEL_COUNT]):
            carrier, f = oi[oi[c.WHEEL_I] + c.N_WHEEL_I * w + c.CARRIER], oi[c.WHEEL_F] + c.N_WHEEL_F * w
            ax, ay, az = turn(data.body_w, carrier, of[f + c.AXIS], of[f + c.AXIS + 1], of[f + c.AXIS + 2])
            torque = z[wheel_at(machine, w) + c.SHAFT_TORQUE]
            mx, my, mz = mx - torque * ax, my - torque * ay, mz - torque * az
        s[c.REACTION], s[c.REACTION + 1], s[c.REACTION + 2] = mx, my, mz
