"""A drive train from throttle to wheel speeds, one sub-step at a time.

engine p --pump | converter | turbine t-- clutch -- gears G -- carrier l -- differentials -- wheels w

  J_e p' = T_e(p, throttle) - T_i(p, t),  T_i = (p / K(sr))^2,  T_o = TR(sr) T_i,  sr = t / p
  J_t t' = T_o - q,                       q: the clutch of the gearbox, stuck (t = G l) or slipping (|q| = its capacity)
  D_i w_i' = ground + brake + s_i P,      P = f G q - J_p l',  l = sum s_i w_i,  f: efficiency, or 1 over it

Engine and converter are linearised and taken at the end of the step (a linearly implicit Euler step), so that the
stiff converter near sr = 1 needs no small steps. That leaves the line P = a - c l, on which `differentials.py` finds
the wheels and their brakes. (Equations 5 to 19 of the paper on vehicles on soft soil, with the usual law of a converter
in place of its misprinted 11 and 12.)

All work is impulse times mean speed, so that kinetic energy and energy balance agree to rounding.
"""

import math

from gori.kernels.jit import block, part
from gori.kernels.vehicle.differentials import locked_centre, move_axles, open_centre

# positions of the selector and of the transfer case
REVERSE, NEUTRAL, AUTOMATIC = -1, 0, 10
"""1, 2, ..: that gear, held; AUTOMATIC + k: automatic up to gear k"""
TRANSFER_NEUTRAL, HIGH, LOW, HIGH_LOCKED = 0, 1, 2, 3


# ---- engine and converter


@part
def interval(curve, at, n, x):
    """Interval k and fraction of x in the rising numbers curve[at : at + n]; constant beyond the ends."""
    k = 0
    while k < n - 2 and x >= curve[at + k + 1]:
        k += 1
    width = curve[at + k + 1] - curve[at + k]
    return k, min(max((x - curve[at + k]) / width, 0.0), 1.0), width


@part
def lookup(curve, at, n, x):
    """Table of n abscissae and n values, linear, constant beyond the ends."""
    k, f, _ = interval(curve, at, n, x)
    return curve[at + n + k] + f * (curve[at + n + k + 1] - curve[at + n + k])


@part
def engine_torque(train, curve, speed, pedal):
    """Torque at the flywheel [N m], and its slope over speed. The governors move the throttle: one opens it about
    idle speed, the other closes it from the governed speed to the cut-off.
    """
    u, du = pedal, 0.0
    idle = (train.idle - speed) * train.idle_gain
    if idle > u:
        u, du = (idle, -train.idle_gain) if idle < 1.0 else (1.0, 0.0)
    limit = (train.cut - speed) * train.cut_gain
    if limit < u:
        u, du = (limit, -train.cut_gain) if limit > 0.0 else (0.0, 0.0)
    n, m, at = train.speeds, train.throttles, train.map
    k, f, width = interval(curve, at, n, speed)
    j, g, height = interval(curve, at + n, m, u)
    low = at + n + m + j * n + k
    high = low + n
    a, b, c, d = curve[low], curve[low + 1], curve[high], curve[high + 1]
    below, above = a + f * (b - a), c + f * (d - c)
    slope = ((1.0 - g) * (b - a) + g * (d - c)) / width if 0.0 < f < 1.0 else 0.0
    return below + g * (above - below), slope + (above - below) / height * du


@part
def converter(train, curve, p, t):
    """Torques T_i on the pump and T_o of the turbine, with dT_i/dp, dT_i/dt, dT_o/dp, dT_o/dt.

    The table holds C = 1/K^2, which is 0 at sr = 1; sr > 1 is overrun: -C(2 - sr) and no more than what comes in;
    sr < 0 is treated as 0 in the table.
    """
    sr = t / p
    x = sr if sr <= 1.0 else 2.0 - sr
    n, at = train.ratios, train.converter
    k, f, width = interval(curve, at, n, x)
    c = at + n + k
    C, dC = curve[c] + f * (curve[c + 1] - curve[c]), (curve[c + 1] - curve[c]) / width
    TR, dTR = curve[c + n] + f * (curve[c + n + 1] - curve[c + n]), (curve[c + n + 1] - curve[c + n]) / width
    if x < 0.0:
        dC, dTR = 0.0, 0.0
    if sr > 1.0:
        C, TR, dTR = -C, 1.0, 0.0
    T_i = p * p * C
    T_it, T_ip = p * dC, 2.0 * p * C - t * dC
    return T_i, TR * T_i, T_ip, T_it, TR * T_ip - T_i * dTR * sr / p, TR * T_it + T_i * dTR / p


# ---- gearbox and transfer case


@part
def gear_ratio(train, curve, gear):
    return curve[train.gear + (0 if gear < 0 else gear)]


@part
def wanted_gear(train, curve, gear, selector, throttle, carrier, shaft):
    """Gear requested by selector and schedule. shaft: speed of the gearbox's output [rad/s]."""
    top = train.gears
    if selector < 0:
        # rolling the other way: neutral until it is slow
        return 0 if gear >= 0 and carrier > train.change_speed else -1
    if selector == NEUTRAL or (gear <= 0 and carrier < -train.change_speed):
        return 0
    if selector < AUTOMATIC:
        held = min(selector, top)
        if 0 < gear <= held or gear_ratio(train, curve, held) * shaft <= train.overspeed:
            return held
        return max(gear, 0)  # still too fast
    if selector > AUTOMATIC:
        top = min(top, selector - AUTOMATIC)
    up = lookup(curve, train.up, train.ups, throttle)
    if gear <= 0:
        gear = 1
        while gear < top and gear_ratio(train, curve, gear) * shaft > up:
            gear += 1
        return gear
    if gear > top:
        return gear - 1 if gear_ratio(train, curve, gear - 1) * shaft <= train.overspeed else gear
    speed = gear_ratio(train, curve, gear) * shaft
    if gear < top and speed > up:
        return gear + 1
    if gear > 1 and speed < lookup(curve, train.down, train.downs, throttle):
        return gear - 1
    return gear


@part
def position_of(value):
    """A lever's position out of a signal: the nearest one; NaN is 0."""
    if value < -0.5:
        return -1
    return int(min(value, 99.0) + 0.5) if value > 0.5 else 0


@part
def shift(train, curve, s, driver, throttle, carrier, dt):
    """Moves gear, clock and transfer case on; returns the capacity of the gearbox's clutch [N m].

    A shift opens the clutch within `release`, changes the gear, and closes it until `shift_time`. The transfer
    case changes only at low speed and in neutral; standing, the gearbox goes there by itself.
    """
    gear, target = int(s.gear), int(s.target)
    lever, wanted = position_of(driver.selector), min(max(position_of(driver.transfer), TRANSFER_NEUTRAL), HIGH_LOCKED)
    position = int(s.range)
    shaft = carrier * train.final * (train.low if position == LOW else train.high)
    if (wanted == HIGH and position == HIGH_LOCKED) or (wanted == HIGH_LOCKED and position == HIGH):
        position = wanted  # only a lock: at any speed
    elif wanted != position and abs(carrier) < train.change_speed:
        if gear == 0:
            position = wanted
        else:
            lever = NEUTRAL
    s.range = position

    wish = wanted_gear(train, curve, gear, lever, throttle, carrier, shaft)
    clock = min(s.shift_clock + dt, train.shift_time + train.dwell)
    if wish == 0:
        gear = target = 0
        clock = train.shift_time + train.dwell
    elif gear == target and wish != gear:
        # the dwell keeps the schedule from hunting; a lever is obeyed at once
        wait = train.shift_time + (train.dwell if lever >= AUTOMATIC and gear > 0 else 0.0)
        if clock >= wait:
            target = wish
            clock = 0.0 if gear != 0 else train.release
    if gear != target and clock >= train.release:
        gear = target
    s.gear, s.target, s.shift_clock = gear, target, clock
    if gear == 0 or position == TRANSFER_NEUTRAL:
        return 0.0
    if gear != target:
        return train.clutch * (1.0 - clock / train.release)
    if clock < train.shift_time:
        return train.clutch * max(0.0, clock - train.release) / (train.shift_time - train.release)
    return train.clutch


@part
def passed_on(efficiency, sense):
    """What gears pass on of a torque: their efficiency when driving (sense 1), 1 over it in overrun (sense -1)."""
    if sense >= 0.0:
        return 1.0 - (1.0 - efficiency) * sense
    return 1.0 / (1.0 + (1.0 - efficiency) * sense)


# ---- the step


@block
def train_step(train, axle, curve, s, out, wheels, driver, dt):
    """Advance a drive train and its wheels by dt [s].

    train, axle, curve   its row of TRAIN, its rows of AXLE, and the maps
    s, out               its rows of TRAIN_STATE and TRAIN_OUTPUT
    wheels               rows of WHEEL_WORK, left and right of each axle: speed is moved by ground_torque, drive and
                         brake; drive, shaft, brake are means over the step
    driver               row of DRIVER; pedals are clamped to 0 to 1
    """
    if not dt > 0.0:
        return
    throttle = min(driver.throttle, 1.0) if driver.throttle > 0.0 else 0.0
    brake = min(driver.brake, 1.0) if driver.brake > 0.0 else 0.0

    # momenta of the wheels, and the speed of the carrier
    before = 0.0
    for i in range(train.wheels):
        wheel, own = wheels[i], axle[i // 2]
        wheel.momentum = own.inertia[i % 2] * wheel.speed + dt * wheel.ground_torque
        wheel.brake_limit = dt * brake * own.brake[i % 2]
        before += 0.5 * own.share * wheel.speed

    capacity = dt * shift(train, curve, s, driver, throttle, before, dt)
    gear, position = int(s.gear), int(s.range)
    G = gear_ratio(train, curve, gear) * train.final * (train.low if position == LOW else train.high)
    locked = train.centre_locked != 0 or position == HIGH_LOCKED or (position == LOW and train.low_locks != 0)

    # engine and turbine, linear in their changes: E (p' - p) = e - dt T_it (t' - t), B (t' - t) = A - q
    p, t = s.engine, s.turbine
    s.pedal += dt / (train.lag + dt) * (throttle - s.pedal)
    T_e, T_ep = engine_torque(train, curve, p, s.pedal)
    T_i, T_o, T_ip, T_it, T_op, T_ot = converter(train, curve, p, t)
    J_e, J_t, J_p = train.engine_inertia, train.turbine_inertia, train.prop_inertia
    E = max(J_e + dt * (T_ip - T_ep), 0.5 * J_e)
    e = dt * (T_e - T_i)
    A = dt * (T_o + T_op * e / E)
    B = max(J_t - dt * T_ot + dt * T_op * dt * T_it / E, 0.5 * J_t)

    # wheels: with the clutch stuck, and if it cannot hold that, slipping
    sense = min(max(G * before / train.slow, -1.0), 1.0)
    if s.clutch_torque < 0.0:
        sense = -sense
    f = passed_on(train.gear_efficiency * train.efficiency, sense)
    stuck, q, after = capacity > 0.0, 0.0, before
    for _ in range(2):
        a, c = f * G * q + J_p * before, J_p
        if stuck:
            a, c = f * G * (A + B * t) + J_p * before, f * G * G * B + J_p
        after = locked_centre(axle, a, c, before, wheels) if locked else open_centre(axle, a, c, before, wheels)
        if not stuck:
            break
        q = A - B * (G * after - t)
        if abs(q) <= capacity:
            break
        stuck, q = False, math.copysign(capacity, q)
    move_axles(axle, wheels)
    t_new = G * after if stuck else t + (A - q) / B
    p_new = p + (e - dt * T_it * (t_new - t)) / E

    # torques that have acted; the engine's own is what remains, so that its governor and its limits are in it
    pump = dt * (T_i + T_ip * (p_new - p) + T_it * (t_new - t))
    p_new = max(p_new, train.lowest)
    motor, turbine = J_e * (p_new - p) + pump, J_t * (t_new - t) + q
    p_mean, t_mean, l_mean = 0.5 * (p + p_new), 0.5 * (t + t_new), 0.5 * (before + after)
    s.engine, s.turbine, s.clutch_torque = p_new, t_new, q / dt
    out.engine_torque, out.pump_torque, out.turbine_torque = motor / dt, pump / dt, turbine / dt
    s.engine_work += motor * p_mean
    s.converter_loss += pump * p_mean - turbine * t_mean
    s.clutch_loss += q * (t_mean - G * l_mean)
    lost = q * G * l_mean - J_p * (after - before) * l_mean

    hub = 1.0 / (train.hub * passed_on(train.hub_efficiency, sense))
    for i in range(train.wheels):
        wheel, own = wheels[i], axle[i // 2]
        ground, braking = dt * wheel.ground_torque, wheel.brake_impulse
        mean, change = 0.5 * (wheel.speed + wheel.new_speed), wheel.new_speed - wheel.speed
        lost -= (own.inertia[i % 2] * change - ground - braking) * mean
        s.brake_work -= braking * mean
        s.ground_work += ground * mean
        wheel.speed = wheel.new_speed
        drive = (own.wheel_inertia[i % 2] * change - ground - braking) / dt
        wheel.drive, wheel.shaft, wheel.brake = drive, drive * hub, braking / dt
    s.gear_loss += lost
