"""Wheels and drive trains between bodies and ground: the door that `forces.py` and the methods call.

When the bodies have arrived at the end of a step, the fast part follows in steps of its own: spins, transient slip of
the tyres, engine and gearbox, with the hubs' motion interpolated over the step (bodies first, then what is fast: Gear
and Wells 1984). Then the ground's forces are taken at the new state. So the bodies are pushed by forces that belong to
their state, and a method of one evaluation a step keeps its order.
"""

import math

from gori.kernels.codes import OK
from gori.kernels.forces.elements import point_velocity, push_body
from gori.kernels.jit import block, kernel, part
from gori.kernels.machine import ADVANCE, BEGIN, OUTSIDE
from gori.kernels.tree.kinematics import turn
from gori.kernels.vehicle import patch
from gori.kernels.vehicle import tables as c
from gori.kernels.vehicle import tyre as ty
from gori.kernels.vehicle.differentials import BRAKE, DRIVE, N_OUT, SHAFT
from gori.kernels.vehicle.drivetrain import N_TRAIN, train_step
from gori.kernels.vehicle.wheels import (
    carry,
    press,
    react,
    sink,
    steer_at,
    touch,
    train_at,
    tyre_at,
    wheel_at,
    wheel_place,
)


@part
def forces_here(machine, data, t, dt, z, now, room, commit):
    """Forces of the ground at the state where the bodies are, told in z. Returns a result code.

    commit   1: soil remembers, and on hard ground only the contacts are found, since slips and spins have yet to follow
    """
    oi, code = machine.outside_i, OK
    for w in range(oi[c.WHEELS]):
        s, record = z[wheel_at(machine, w) :], now[c.N_RECORD * w : c.N_RECORD * (w + 1)]
        if oi[c.SOIL_F] >= 0:
            out = room[9 * oi[c.WHEELS] :]
            answer = sink(machine, data, w, s, record, t, dt, commit, out)
            code = answer if answer != OK else code
            if commit == 1:  # torque and its slope, for the spin
                room[2 * oi[c.WHEELS] + w] = out[patch.TORQUE]
                room[3 * oi[c.WHEELS] + w] = out[patch.K_SPIN]
        else:
            touch(machine, data, w, record)
            if commit == 0:
                press(machine, w, s, record)
    react(machine, data, z)
    return code


@block
def advance(machine, data, t, z):
    """z from TIME to t, where the bodies are. Returns a result code."""
    oi, of, m = machine.outside_i, machine.outside_f, data.outside
    trains, steers, before_at, now_at, kept, forecast, room_at = c.ports_at(oi)
    nw, dt = oi[c.WHEELS], t - m[c.TIME]
    nz = forecast - kept
    first = oi[c.Z_FIRST]
    if dt <= 0.0:
        return OK
    for k in range(nz):  # what the method made of them was a forecast
        z[first + k] = m[kept + k]
    before, now, room = m[before_at:now_at], m[now_at:kept], m[room_at:]
    for k in range(c.N_RECORD * nw):
        before[k] = now[k]

    # where the wheels have come to
    code = forces_here(machine, data, t, dt, z, now, room, 1)
    if code != OK:
        return code

    # spins, slips, engines: in their own steps
    speed, torque = room[:nw], room[nw : 2 * nw]
    soil_torque, slope, turned = room[2 * nw : 3 * nw], room[3 * nw : 4 * nw], room[4 * nw : 5 * nw]
    out = room[5 * nw : 8 * nw].reshape((nw, N_OUT))
    soft = oi[c.SOIL_F] >= 0
    caps = of[oi[c.BRAKE_CAPS] : oi[c.BRAKE_CAPS] + nw]
    n = max(1, math.ceil(dt / of[c.SUB_STEP] - 1e-6))
    sub = dt / n
    for w in range(nw):
        s = z[wheel_at(machine, w) :]
        speed[w], turned[w] = s[c.OMEGA], 0.0
        s[c.DRIVE_TORQUE], s[c.SHAFT_TORQUE], s[c.BRAKE_TORQUE] = 0.0, 0.0, 0.0
    for step in range(n):
        share = (step + 0.5) / n
        for w in range(nw):
            s, p = z[wheel_at(machine, w) :], of[tyre_at(machine, w) :]
            b, a = before[c.N_RECORD * w :], now[c.N_RECORD * w :]
            load = b[c.R_LOAD] + share * (a[c.R_LOAD] - b[c.R_LOAD])
            forward = b[c.R_FORWARD] + share * (a[c.R_FORWARD] - b[c.R_FORWARD])
            if soft:
                drag = p[ty.ROLLING] * load * p[ty.RADIUS] * min(1.0, max(-1.0, speed[w] * p[ty.RADIUS] / ty.V_TURN))
                torque[w] = soil_torque[w] - slope[w] * turned[w] - drag
                continue
            lateral = b[c.R_LATERAL] + share * (a[c.R_LATERAL] - b[c.R_LATERAL])
            gamma, mu, radius = a[c.R_GAMMA], a[c.R_MU], a[c.R_RADIUS]
            slipping = forward - speed[w] * radius
            s[c.U], s[c.W] = ty.slip_step(p, load, mu, forward, slipping, lateral, s[c.U], s[c.W], sub)
            Fx, _, _, My = ty.tyre_forces(p, load, mu, gamma, forward, slipping, lateral, s[c.U], s[c.W])
            torque[w] = My - Fx * radius
        for k in range(oi[c.TRAINS]):
            row, port = oi[c.TRAIN_I] + c.N_TRAIN_ROW * k, trains + c.N_TRAIN_PORTS * k
            f, count = oi[row + c.FIRST_WHEEL], oi[row + c.WHEEL_COUNT]
            e, own = f + count, train_at(machine, k)
            train_step(
                oi[oi[row + c.TI] :], of[oi[row + c.TF] :], z[own : own + N_TRAIN], speed[f:e], torque[f:e], caps[f:e],
                out[f:e], sub, m[port + c.THROTTLE], m[port + c.BRAKE], m[port + c.SELECTOR], m[port + c.TRANSFER],
            )  # fmt: skip
        for w in range(nw):
            s = z[wheel_at(machine, w) :]
            if oi[oi[c.WHEEL_I] + c.N_WHEEL_I * w + c.WHEEL_TRAIN] < 0:
                speed[w] += sub * torque[w] / of[oi[c.WHEEL_F] + c.N_WHEEL_F * w + c.SPIN_J]
            else:
                s[c.DRIVE_TORQUE] += out[w, DRIVE] / n
                s[c.SHAFT_TORQUE] += out[w, SHAFT] / n
                s[c.BRAKE_TORQUE] += out[w, BRAKE] / n
            turned[w] += sub * (speed[w] - s[c.OMEGA])
    for w in range(nw):
        z[wheel_at(machine, w) + c.OMEGA] = speed[w]
    for k in range(oi[c.TRAINS]):
        s, port = z[train_at(machine, k) :], trains + c.N_TRAIN_PORTS * k
        for j in range(c.N_TRAIN_PORTS):
            s[c.THROTTLE_IN + j] = m[port + j]
    for k in range(oi[c.STEERS]):
        z[steer_at(machine, k)] = m[steers + k]

    # forces with what has come out; those of soil stay, only the reactions of the drive are new
    for w in range(nw):
        s, record = z[wheel_at(machine, w) :], now[c.N_RECORD * w :]
        if soft:
            f, g = record[c.R_NORMAL :], record[c.R_ARM :]
            carry(machine, w, s, record, f[0], f[1], f[2], g[0], g[1], g[2])
        else:
            press(machine, w, s, record)
    react(machine, data, z)
    for w in range(nw):
        b, a = before[c.N_RECORD * w + c.R_POWER], now[c.N_RECORD * w + c.R_POWER]
        z[wheel_at(machine, w) + c.HUB_WORK] += 0.5 * dt * (a + b)

    # the rates to expect of what is a state
    for k in range(nz):
        state = k % c.N_Z_WHEEL < c.FORECAST if k < c.N_Z_WHEEL * nw else False
        m[forecast + k] = (z[first + k] - m[kept + k]) / dt if state else 0.0
        m[kept + k] = z[first + k]
    m[c.TIME] = t
    return code


@part
def stands_here(machine, data, t, now):
    """Whether z was told for the place where the wheels are."""
    if t != data.outside[c.TIME]:
        return False
    for w in range(machine.outside_i[c.WHEELS]):
        p = now[c.N_RECORD * w + c.R_PLACE :]
        cx, cy, cz, vx, vy, vz, _, _, _, _, _, _ = wheel_place(machine, data, w)
        if p[0] != cx or p[1] != cy or p[2] != cz or p[3] != vx or p[4] != vy or p[5] != vz:
            return False
    return True


@part
def push(machine, data, t, q, v, z, zdot):
    """Add all forces at a state: as z tells, or found anew for the stages of a step. Returns a result code."""
    oi, of, m, body_w, tau = machine.outside_i, machine.outside_f, data.outside, data.body_w, data.tau
    _, _, _, now_at, kept, forecast, _ = c.ports_at(oi)
    nw, first = oi[c.WHEELS], oi[c.Z_FIRST]
    code = OK
    if m[c.MODE] == c.LIVE:
        now = m[now_at:kept]
        if not stands_here(machine, data, t, now):
            code = stage_forces(machine, data, t, z)
        for k in range(zdot.shape[0] - first):
            zdot[first + k] = m[forecast + k]
    for w in range(nw):
        row, f = oi[oi[c.WHEEL_I] + c.N_WHEEL_I * w + c.CARRIER], oi[c.WHEEL_F] + c.N_WHEEL_F * w
        s = z[wheel_at(machine, w) :]
        g, n = s[c.HUB_FORCE :], s[c.HUB_MOMENT :]
        rx, ry, rz = turn(body_w, row, of[f + c.HUB], of[f + c.HUB + 1], of[f + c.HUB + 2])
        push_body(row, rx, ry, rz, n[0], n[1], n[2], g[0], g[1], g[2], body_w)
    for k in range(oi[c.TRAINS]):
        s = z[train_at(machine, k) :]
        row = oi[oi[c.TRAIN_I] + c.N_TRAIN_ROW * k + c.CHASSIS]
        n = s[c.REACTION :]
        push_body(row, 0.0, 0.0, 0.0, n[0], n[1], n[2], 0.0, 0.0, 0.0, body_w)
    for k in range(oi[c.STEERS]):
        i, f = oi[c.STEER_I] + c.N_STEER_I * k, oi[c.STEER_F] + c.N_STEER_F * k
        d = oi[i + c.RACK_DOF]
        target = of[f + c.TRAVEL] * min(1.0, max(-1.0, z[steer_at(machine, k)]))
        tau[d] += of[f + c.STIFFNESS] * (target - q[oi[i + c.RACK_Q]]) - of[f + c.DAMPING] * v[d]
    for k in range(oi[c.DRAGS]):
        row, f = oi[oi[c.DRAG_I] + c.N_DRAG_I * k + c.DRAG_ROW], oi[c.DRAG_F] + c.N_DRAG_F * k
        rx, ry, rz = turn(body_w, row, of[f], of[f + 1], of[f + 2])
        vx, vy, vz = point_velocity(row, rx, ry, rz, body_w)
        factor = -of[f + c.DRAG_FACTOR] * math.sqrt(vx * vx + vy * vy + vz * vz)
        push_body(row, rx, ry, rz, 0.0, 0.0, 0.0, factor * vx, factor * vy, factor * vz, body_w)
    return code


@block
def stage_forces(machine, data, t, z):
    """Forces at a trial state of a step, told in z; nothing is remembered. Returns a result code."""
    oi, m = machine.outside_i, data.outside
    _, _, before_at, now_at, _, _, room_at = c.ports_at(oi)
    # records of the stages go to the place of those before, which `advance` fills anew
    return forces_here(machine, data, t, max(0.0, t - m[c.TIME]), z, m[before_at:now_at], m[room_at:], 0)


@block
def begin(machine, data, t, z):
    """z stands at t. Returns a result code."""
    oi, m = machine.outside_i, data.outside
    _, steers, _, now_at, kept, forecast, room_at = c.ports_at(oi)
    nz, first = forecast - kept, oi[c.Z_FIRST]
    for k in range(oi[c.STEERS]):
        z[steer_at(machine, k)] = m[steers + k]
    code = forces_here(machine, data, t, 0.0, z, m[now_at:kept], m[room_at:], 0)
    for k in range(nz):
        m[kept + k], m[forecast + k] = z[first + k], 0.0
    m[c.TIME] = t
    return code


@kernel(OUTSIDE)
def vehicles(machine, data, t, q, v, z, zdot, what):
    if what == ADVANCE:
        return advance(machine, data, t, z)
    if what == BEGIN:
        return begin(machine, data, t, z)
    return push(machine, data, t, q, v, z, zdot)
