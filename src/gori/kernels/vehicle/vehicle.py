"""Wheels and drive trains between bodies and ground: the kernel that `forces/apply.py` and the methods call.

When the bodies have arrived at the end of a step, the fast part follows in steps of its own: angular velocities and
transient slip of the wheels, engine and gearbox, with the hubs' motion interpolated over the step (slowest first:
Gear and Wells 1984). Then the ground's forces are taken at the new state. So the bodies move under forces
that belong to their state, and a method of one evaluation per step keeps its order.

At the stages of a step, wheel states are extrapolated with the rates of the last step.
"""

import math

from gori.kernels.codes import OK
from gori.kernels.forces.elements import add_wrench, point_velocity
from gori.kernels.jit import block, kernel, part
from gori.kernels.machine import ADD_WRENCHES, ADVANCE, VEHICLE
from gori.kernels.tree.kinematics import turn, velocities
from gori.kernels.vehicle.blows import pressing, strike
from gori.kernels.vehicle.differentials import shrink
from gori.kernels.vehicle.drivetrain import train_step
from gori.kernels.vehicle.state import LIVE
from gori.kernels.vehicle.tables import Ground
from gori.kernels.vehicle.tyre import V_TURN, slip_step, tyre_forces
from gori.kernels.vehicle.wheels import carry, press, put, shaft_reaction, sink, touch, wheel_pose
from gori.kernels.whole import ceil


@part
def ground_of(machine, data):
    return Ground(
        machine.terrain, machine.feature, machine.area, machine.curve, machine.soil, data.cells, data.window,
        data.forgotten,
    )  # fmt: skip


@part
def moving(s, since):
    """Angular velocity and transient slip of a wheel, extrapolated by a time [s]."""
    return (
        s.angular_velocity + since * s.acceleration,
        s.transient_x + since * s.rate_x,
        s.transient_y + since * s.rate_y,
    )


@part
def ground_forces(machine, data, t, since, contacts, outputs):
    """Forces of the ground where the bodies are, into contacts and outputs; no state changes.

    since   time [s] since the wheels' states
    """
    ground, code = ground_of(machine, data), OK
    for w in range(machine.wheel.shape[0]):
        wheel, state, contact, out = machine.wheel[w], data.wheel[w], contacts[w], outputs[w]
        tyre = machine.tyre[wheel.tyre]
        wheel_pose(wheel, data.body_w, contact)
        if machine.soil.shape[0] > 0:
            omega, _, _ = moving(state, since)
            when = (t, max(0.0, since), 0)
            answer = sink(ground, wheel, tyre, state, omega, contact, when, data.footprint[w], data.patch[w], out)
            code = answer if answer != OK else code
        else:
            touch(ground, tyre, contact)
            press(wheel, tyre, state, moving(state, since), contact, out)
    return code


@part
def note_reactions(machine, data):
    for k in range(machine.train.shape[0]):
        mx, my, mz = shaft_reaction(machine, data, k)
        put(data.train_output[k].reaction, mx, my, mz)


# ---- a step


@part
def arrive(machine, data, t, dt):
    """Contacts at the end of the step; updates soft soil. Returns a result code."""
    ground, code = ground_of(machine, data), OK
    for w in range(machine.wheel.shape[0]):
        wheel, state, contact, work = machine.wheel[w], data.wheel[w], data.contact[w], data.wheel_work[w]
        tyre = machine.tyre[wheel.tyre]
        work.load_before, work.forward_before = contact.load, contact.forward
        work.lateral_before, work.power_before = contact.lateral, contact.power
        work.carrier_before = own_speed(contact)
        wheel_pose(wheel, data.body_w, contact)
        if machine.soil.shape[0] > 0:
            answer = sink(
                ground, wheel, tyre, state, state.angular_velocity, contact, (t, dt, 1), data.footprint[w],
                data.patch[w], data.wheel_output[w],
            )  # fmt: skip
            code = answer if answer != OK else code
        else:
            touch(ground, tyre, contact)
    return code


@part
def own_speed(contact):
    """Angular velocity of a wheel's carrier about its axis [rad/s]."""
    w, a = contact.angular_velocity, contact.axis
    return w[0] * a[0] + w[1] * a[1] + w[2] * a[2]


@part
def torque_of_bodies(state, work):
    """Torque of bodies that touch a wheel in a sub-step [N m]: springs of what sticks to it give way as it turns."""
    return (
        state.touch_torque - state.touch_stiffness * work.turned
        - state.touch_damping * (work.speed - state.angular_velocity)
    )  # fmt: skip


@part
def torque_of_ground(machine, data, w, share, sub):
    """Torque of the ground on wheel w in a sub-step at `share` of the step; transient slip moves on by `sub` [s]."""
    state, contact, work = data.wheel[w], data.contact[w], data.wheel_work[w]
    tyre = machine.tyre[machine.wheel[w].tyre]
    load = work.load_before + share * (contact.load - work.load_before)
    forward = work.forward_before + share * (contact.forward - work.forward_before)
    if machine.soil.shape[0] > 0:
        patch, radius = data.patch[w], tyre.radius
        drag = tyre.rolling * load * radius * min(1.0, max(-1.0, work.speed * radius / V_TURN))
        return patch.torque - patch.k_spin * work.turned - drag
    lateral = work.lateral_before + share * (contact.lateral - work.lateral_before)
    camber, mu, radius = contact.camber, contact.friction, contact.rolling_radius
    slipping = forward - work.speed * radius
    tx, ty = slip_step(tyre, load, mu, forward, slipping, lateral, state.transient_x, state.transient_y, sub)
    state.transient_x, state.transient_y = tx, ty
    Fx, _, _, My = tyre_forces(tyre, load, mu, camber, forward, slipping, lateral, tx, ty)
    return My - Fx * radius


@part
def turn_free(machine, data, w, sub):
    """A wheel without drive train in a sub-step [s]: the ground turns it, its brake is as those of `differentials.py`.

    Returns the mean torque of the brake [N m].
    """
    wheel, work = machine.wheel[w], data.wheel_work[w]
    limit = 0.0
    if wheel.driver >= 0:
        limit = sub * wheel.brake * min(1.0, max(0.0, data.driver[wheel.driver].brake))
    if limit == 0.0:
        work.speed += sub * work.ground_torque / wheel.inertia
        return 0.0
    momentum = wheel.inertia * work.speed + sub * work.ground_torque
    rest = shrink(momentum, limit)
    work.speed = rest / wheel.inertia
    return (rest - momentum) / sub


@part
def fast_part(machine, data, dt):
    """Advance angular velocities, slips and drive trains by dt [s], in their own steps."""
    nw = machine.wheel.shape[0]
    n = max(1, ceil(dt / data.vehicle_setting[0].sub_step - 1e-6))
    sub = dt / n
    for w in range(nw):
        s, work = data.wheel[w], data.wheel_work[w]
        work.speed, work.turned = s.angular_velocity, 0.0
        work.transient_x, work.transient_y = s.transient_x, s.transient_y
        s.drive_torque, s.shaft_torque, s.brake_torque = 0.0, 0.0, 0.0
    for step in range(n):
        for w in range(nw):
            work = data.wheel_work[w]
            work.ground_torque = torque_of_ground(machine, data, w, (step + 0.5) / n, sub)
            work.ground_torque += torque_of_bodies(data.wheel[w], work)
        for k in range(machine.train.shape[0]):
            train = machine.train[k]
            f, x = train.first_wheel, train.first_axle
            wheels, axle = data.wheel_work[f : f + train.wheels], machine.axle[x : x + train.wheels // 2]
            driver = data.driver[train.driver]
            train_step(train, axle, machine.curve, data.train[k], data.train_output[k], wheels, driver, sub)
        for w in range(nw):
            wheel, s, work = machine.wheel[w], data.wheel[w], data.wheel_work[w]
            if wheel.train < 0:
                s.brake_torque += turn_free(machine, data, w, sub) / n
            else:
                s.drive_torque += work.drive / n
                s.shaft_torque += work.shaft / n
                s.brake_torque += work.brake / n
            work.turned += sub * (work.speed - s.angular_velocity)
    for w in range(nw):
        s, work = data.wheel[w], data.wheel_work[w]
        s.angle += work.turned + dt * (s.angular_velocity - 0.5 * (work.carrier_before + own_speed(data.contact[w])))
        s.acceleration = (work.speed - s.angular_velocity) / dt
        s.rate_x, s.rate_y = (s.transient_x - work.transient_x) / dt, (s.transient_y - work.transient_y) / dt
        s.angular_velocity = work.speed


@part
def new_forces(machine, data, dt):
    """Forces with the new states; those of soil stay, only the reactions of the drive are new. And their work."""
    for w in range(machine.wheel.shape[0]):
        wheel, s, contact, out = machine.wheel[w], data.wheel[w], data.contact[w], data.wheel_output[w]
        if machine.soil.shape[0] > 0:
            carry(wheel, s, s.angular_velocity, contact, out)
        else:
            press(wheel, machine.tyre[wheel.tyre], s, moving(s, 0.0), contact, out)
        s.work += 0.5 * dt * (contact.power + data.wheel_work[w].power_before)
    note_reactions(machine, data)


@block
def take_blows(machine, data, q, v, dt):
    """Let blows change the velocities of the bodies, and see how the wheels move then."""
    strike(machine, data, q, v, dt)
    velocities(machine.body_i, v, data.body_w, data.dof_w)
    ground = ground_of(machine, data)
    for w in range(machine.wheel.shape[0]):
        wheel, contact = machine.wheel[w], data.contact[w]
        wheel_pose(wheel, data.body_w, contact)
        if machine.soil.shape[0] == 0:
            touch(ground, machine.tyre[wheel.tyre], contact)
        contact.wall_load += (data.blow[2 * w].impulse + data.blow[2 * w + 1].impulse) / dt
        data.wheel_output[w].wall_load = contact.wall_load


@block
def advance(machine, data, t, q, v):
    """Advance wheels and drive trains to t, where the bodies are; a blow changes their velocities v. Returns a result
    code.
    """
    clock = data.vehicle_clock[0]
    dt = t - clock.time
    code = arrive(machine, data, t, dt)
    if code != OK:
        return code
    if pressing(machine, data, q, v, dt):
        take_blows(machine, data, q, v, dt)
    fast_part(machine, data, dt)
    new_forces(machine, data, dt)
    clock.time = t
    return OK


@block
def start(machine, data, t):
    """Initialise wheels and drive trains at t: nothing is kept of the step before. Returns a result code."""
    for w in range(machine.wheel.shape[0]):
        s = data.wheel[w]
        s.acceleration, s.rate_x, s.rate_y = 0.0, 0.0, 0.0
    code = ground_forces(machine, data, t, 0.0, data.contact, data.wheel_output)
    note_reactions(machine, data)
    data.vehicle_clock[0].time = t
    return code


# ---- forces at a state


@part
def stand(data, q, v):
    """The outputs are those of this state."""
    for k in range(q.shape[0]):
        data.standing[k] = q[k]
    for k in range(v.shape[0]):
        data.standing[q.shape[0] + k] = v[k]


@part
def stands_here(data, t, q, v):
    """Whether the outputs are those of this state. (Poses are no measure: recomputed, they may differ by rounding.)"""
    if t != data.vehicle_clock[0].time:
        return False
    for k in range(q.shape[0]):
        if data.standing[k] != q[k]:
            return False
    for k in range(v.shape[0]):
        if data.standing[q.shape[0] + k] != v[k]:
            return False
    return True


@block
def stage_forces(machine, data, t):
    """Forces at a trial state of a step. Returns a result code."""
    return ground_forces(machine, data, t, t - data.vehicle_clock[0].time, data.stage_contact, data.stage_output)


@part
def wrenches(machine, data, t, q, v):
    """Add all forces at a state: those of the end of the step, or recomputed at its stages. Returns a result code."""
    body_w, tau, code = data.body_w, data.tau, OK
    live, outputs = data.vehicle_setting[0].mode == LIVE, data.wheel_output
    if live and not stands_here(data, t, q, v):
        code = stage_forces(machine, data, t)
        outputs = data.stage_output
    for w in range(machine.wheel.shape[0]):
        wheel, g, n = machine.wheel[w], outputs[w].hub_force, outputs[w].hub_moment
        rx, ry, rz = turn(body_w, wheel.carrier, wheel.hub[0], wheel.hub[1], wheel.hub[2])
        add_wrench(wheel.carrier, rx, ry, rz, n[0], n[1], n[2], g[0], g[1], g[2], body_w)
    for k in range(machine.train.shape[0]):
        n = data.train_output[k].reaction
        mx, my, mz = n[0], n[1], n[2]
        if live:
            mx, my, mz = shaft_reaction(machine, data, k)
        add_wrench(machine.train[k].chassis, 0.0, 0.0, 0.0, mx, my, mz, 0.0, 0.0, 0.0, body_w)
    for k in range(machine.steer.shape[0]):
        steer = machine.steer[k]
        target = steer.travel * min(1.0, max(-1.0, data.driver[steer.driver].steer))
        tau[steer.dof] += steer.stiffness * (target - q[steer.coordinate]) - steer.damping * v[steer.dof]
    for k in range(machine.drag.shape[0]):
        drag = machine.drag[k]
        rx, ry, rz = turn(body_w, drag.body, drag.point[0], drag.point[1], drag.point[2])
        vx, vy, vz = point_velocity(drag.body, rx, ry, rz, body_w)
        factor = -drag.factor * math.sqrt(vx * vx + vy * vy + vz * vz)
        add_wrench(drag.body, rx, ry, rz, 0.0, 0.0, 0.0, factor * vx, factor * vy, factor * vz, body_w)
    return code


@kernel(VEHICLE)
def vehicle(machine, data, t, q, v, what):
    if what == ADD_WRENCHES:
        return wrenches(machine, data, t, q, v)
    if what == ADVANCE and not t > data.vehicle_clock[0].time:
        return OK
    code = advance(machine, data, t, q, v) if what == ADVANCE else start(machine, data, t)
    stand(data, q, v)
    return code
