"""A drive train from the throttle to the wheels' spins, one small step at a time.

engine p --pump | converter | turbine t-- clutch -- gears G -- carrier l -- differentials -- wheels w

  J_e p' = T_e(p, throttle) - T_i(p, t),  T_i = (p / K(sr))^2,  T_o = TR(sr) T_i,  sr = t / p
  J_t t' = T_o - q,                       q: the clutch of the gearbox, stuck (t = G l) or slipping (|q| = its capacity)
  D_i w_i' = ground + brake + s_i P,      P = f G q - J_p l',  l = sum s_i w_i,  f: efficiency, or 1 over it

Engine and converter are linearised and taken at the end of the step (a linearly implicit Euler step), so that the
stiff converter near sr = 1 needs no small steps. That leaves the line P = a - c l, on which `differentials.py` finds
the wheels and their brakes. (Equations 5 to 19 of the paper on vehicles on soft soil, with the usual law of a converter
in place of its misprinted 11 and 12.)

All works are impulse times mean speed, so that kinetic energy and the books agree to the last digits.
"""

import math

from gori.kernels.jit import block, part
from gori.kernels.vehicle.differentials import (
    A_SHARE,
    BRAKE,
    DRIVE,
    I_AXLE,
    I_WHEEL,
    I_WHEELS,
    N_A,
    N_W,
    SHAFT,
    W_D,
    W_SPIN,
    locked_centre,
    move_axles,
    open_centre,
)

# states s (N_TRAIN,)
ENGINE, TURBINE = 0, 1
"""speeds [rad/s]"""
GEAR, TARGET, CLOCK, RANGE = 2, 3, 4, 5
"""gear in force (-1, 0, 1..), the one it changes to, time since the change began [s], transfer position in force"""
PEDAL = 6
"""throttle that has reached the engine, 0 to 1"""
ENGINE_TORQUE, PUMP_TORQUE, TURBINE_TORQUE, CLUTCH_TORQUE = 7, 8, 9, 10
"""means over the last step [N m]"""
ENGINE_WORK, CONVERTER_LOSS, CLUTCH_LOSS, GEAR_LOSS, BRAKE_WORK, GROUND_WORK = 11, 12, 13, 14, 15, 16
"""since the start [J]: engine and ground give work, the others take it"""
N_TRAIN = 17

# positions of the selector and of the transfer case
REVERSE, NEUTRAL, AUTOMATIC = -1, 0, 10
"""1, 2, ..: that gear, held; AUTOMATIC + k: automatic up to gear k"""
TRANSFER_NEUTRAL, HIGH, LOW, HIGH_LOCKED = 0, 1, 2, 3

# table ti: sizes, flags, and where the tables begin in tf; the rest of it in `differentials.py`
I_GEARS, I_CENTRE, I_LOW_LOCKS = 1, 2, 3
"""count of forward gears; centre differential always locked; locked in low"""
I_SPEEDS, I_THROTTLES, I_MAP, I_RATIOS, I_CONVERTER = 4, 5, 6, 7, 8
"""map: speeds, throttles, torque row by row of throttle; converter: sr, 1/K^2, TR, all of length I_RATIOS"""
I_UPS, I_UP, I_DOWNS, I_DOWN, I_GEAR = 9, 10, 11, 12, 13
"""up and down: throttles, then turbine speeds; rows (ratio, efficiency) from reverse on"""

# table tf: numbers, then the tables
F_ENGINE_J, F_LOWEST, F_IDLE, F_IDLE_GAIN, F_CUT, F_CUT_GAIN, F_LAG = 0, 1, 2, 3, 4, 5, 6
F_TURBINE_J, F_PROP_J, F_FINAL, F_HUB, F_HIGH, F_LOW, F_EFFICIENCY, F_HUB_EFFICIENCY = 7, 8, 9, 10, 11, 12, 13, 14
F_CLUTCH, F_RELEASE, F_SHIFT, F_DWELL, F_OVERSPEED, F_CHANGE, F_SLOW = 15, 16, 17, 18, 19, 20, 21
N_TRAIN_F = 22


# ---- engine and converter


@part
def interval(tf, at, n, x):
    """Interval k and fraction of x in the rising numbers tf[at : at + n]; the ends are held."""
    k = 0
    while k < n - 2 and x >= tf[at + k + 1]:
        k += 1
    width = tf[at + k + 1] - tf[at + k]
    return k, min(max((x - tf[at + k]) / width, 0.0), 1.0), width


@part
def lookup(tf, at, n, x):
    """Table of n abscissae and n values, linear, the ends held."""
    k, f, _ = interval(tf, at, n, x)
    return tf[at + n + k] + f * (tf[at + n + k + 1] - tf[at + n + k])


@part
def engine_torque(ti, tf, speed, pedal):
    """Torque at the flywheel [N m], and its slope over speed. The governors move the throttle: one opens it about
    idle speed, the other closes it from the governed speed to the cut-off.
    """
    u, du = pedal, 0.0
    idle = (tf[F_IDLE] - speed) * tf[F_IDLE_GAIN]
    if idle > u:
        u, du = (idle, -tf[F_IDLE_GAIN]) if idle < 1.0 else (1.0, 0.0)
    limit = (tf[F_CUT] - speed) * tf[F_CUT_GAIN]
    if limit < u:
        u, du = (limit, -tf[F_CUT_GAIN]) if limit > 0.0 else (0.0, 0.0)
    n, m, at = ti[I_SPEEDS], ti[I_THROTTLES], ti[I_MAP]
    k, f, width = interval(tf, at, n, speed)
    j, g, height = interval(tf, at + n, m, u)
    low = at + n + m + j * n + k
    high = low + n
    a, b, c, d = tf[low], tf[low + 1], tf[high], tf[high + 1]
    below, above = a + f * (b - a), c + f * (d - c)
    slope = ((1.0 - g) * (b - a) + g * (d - c)) / width if 0.0 < f < 1.0 else 0.0
    return below + g * (above - below), slope + (above - below) / height * du


@part
def converter(ti, tf, p, t):
    """Torques T_i on the pump and T_o of the turbine, with dT_i/dp, dT_i/dt, dT_o/dp, dT_o/dt.

    The table holds C = 1/K^2, which is 0 at sr = 1; sr > 1 is overrun: -C(2 - sr) and no more than what comes in;
    sr < 0 counts as 0 in the table.
    """
    sr = t / p
    x = sr if sr <= 1.0 else 2.0 - sr
    n, at = ti[I_RATIOS], ti[I_CONVERTER]
    k, f, width = interval(tf, at, n, x)
    c = at + n + k
    C, dC = tf[c] + f * (tf[c + 1] - tf[c]), (tf[c + 1] - tf[c]) / width
    TR, dTR = tf[c + n] + f * (tf[c + n + 1] - tf[c + n]), (tf[c + n + 1] - tf[c + n]) / width
    if x < 0.0:
        dC, dTR = 0.0, 0.0
    if sr > 1.0:
        C, TR, dTR = -C, 1.0, 0.0
    T_i = p * p * C
    T_it, T_ip = p * dC, 2.0 * p * C - t * dC
    return T_i, TR * T_i, T_ip, T_it, TR * T_ip - T_i * dTR * sr / p, TR * T_it + T_i * dTR / p


# ---- gearbox and transfer case


@part
def gear_ratio(ti, tf, gear):
    return tf[ti[I_GEAR] + 2 * (0 if gear < 0 else gear)]


@part
def wanted_gear(ti, tf, gear, selector, throttle, carrier, shaft):
    """Gear that the selector and the schedule ask for. shaft: speed of the gearbox's output [rad/s]."""
    top = ti[I_GEARS]
    if selector < 0:
        # rolling the other way: neutral until it is slow
        return 0 if gear >= 0 and carrier > tf[F_CHANGE] else -1
    if selector == NEUTRAL or (gear <= 0 and carrier < -tf[F_CHANGE]):
        return 0
    if selector < AUTOMATIC:
        held = min(selector, top)
        if 0 < gear <= held or gear_ratio(ti, tf, held) * shaft <= tf[F_OVERSPEED]:
            return held
        return max(gear, 0)  # too fast for it yet
    if selector > AUTOMATIC:
        top = min(top, selector - AUTOMATIC)
    up = lookup(tf, ti[I_UP], ti[I_UPS], throttle)
    if gear <= 0:
        gear = 1
        while gear < top and gear_ratio(ti, tf, gear) * shaft > up:
            gear += 1
        return gear
    if gear > top:
        return gear - 1 if gear_ratio(ti, tf, gear - 1) * shaft <= tf[F_OVERSPEED] else gear
    speed = gear_ratio(ti, tf, gear) * shaft
    if gear < top and speed > up:
        return gear + 1
    if gear > 1 and speed < lookup(tf, ti[I_DOWN], ti[I_DOWNS], throttle):
        return gear - 1
    return gear


@part
def position_of(value):
    """A lever's position out of a signal: the nearest one; what is no number is 0."""
    if value < -0.5:
        return -1
    return int(min(value, 99.0) + 0.5) if value > 0.5 else 0


@part
def shift(ti, tf, s, dt, throttle, selector, transfer, carrier):
    """Moves gear, clock and transfer case on; returns the capacity of the gearbox's clutch [N m].

    A shift lets the clutch go within F_RELEASE, changes the gear, and closes it again until F_SHIFT. The transfer case
    changes only at low speed and in neutral; standing, the gearbox goes there by itself.
    """
    gear, target = int(s[GEAR]), int(s[TARGET])
    lever, place = position_of(selector), min(max(position_of(transfer), TRANSFER_NEUTRAL), HIGH_LOCKED)
    position = int(s[RANGE])
    shaft = carrier * tf[F_FINAL] * (tf[F_LOW] if position == LOW else tf[F_HIGH])
    if (place == HIGH and position == HIGH_LOCKED) or (place == HIGH_LOCKED and position == HIGH):
        position = place  # only a lock: at any speed
    elif place != position and abs(carrier) < tf[F_CHANGE]:
        if gear == 0:
            position = place
        else:
            lever = NEUTRAL
    s[RANGE] = position

    wish = wanted_gear(ti, tf, gear, lever, throttle, carrier, shaft)
    clock = min(s[CLOCK] + dt, tf[F_SHIFT] + tf[F_DWELL])
    if wish == 0:
        gear = target = 0
        clock = tf[F_SHIFT] + tf[F_DWELL]
    elif gear == target and wish != gear:
        # the dwell keeps the schedule from hunting; a lever is obeyed at once
        wait = tf[F_SHIFT] + (tf[F_DWELL] if lever >= AUTOMATIC and gear > 0 else 0.0)
        if clock >= wait:
            target = wish
            clock = 0.0 if gear != 0 else tf[F_RELEASE]
    if gear != target and clock >= tf[F_RELEASE]:
        gear = target
    s[GEAR], s[TARGET], s[CLOCK] = gear, target, clock
    if gear == 0 or position == TRANSFER_NEUTRAL:
        return 0.0
    if gear != target:
        return tf[F_CLUTCH] * (1.0 - clock / tf[F_RELEASE])
    if clock < tf[F_SHIFT]:
        return tf[F_CLUTCH] * max(0.0, clock - tf[F_RELEASE]) / (tf[F_SHIFT] - tf[F_RELEASE])
    return tf[F_CLUTCH]


@part
def passed_on(efficiency, sense):
    """What gears pass on of a torque: their efficiency when driving (sense 1), 1 over it in overrun (sense -1)."""
    if sense >= 0.0:
        return 1.0 - (1.0 - efficiency) * sense
    return 1.0 / (1.0 + (1.0 - efficiency) * sense)


# ---- the step


@block
def train_step(ti, tf, s, speed, ground_torque, brake_cap, out, dt, throttle, brake, selector, transfer):
    """Moves a drive train and the spins of its wheels on by dt [s].

    ti, tf                      tables (`model/vehicle/drivetrain.py`)
    s              (N_TRAIN,)   states, moved
    speed          (nw,)        spins of the wheels, left and right of each axle [rad/s], moved
    ground_torque  (nw,)        of the ground on each spin, with rolling resistance [N m]
    brake_cap      (nw,)        torque of each brake at full pedal [N m]
    out            (nw, N_OUT)  DRIVE, SHAFT, BRAKE: means over the step [N m]
    throttle, brake             pedals, 0 to 1; outside they count as the nearer end
    selector                    REVERSE, NEUTRAL, a gear that is held, AUTOMATIC, AUTOMATIC + highest gear
    transfer                    TRANSFER_NEUTRAL, HIGH, LOW, HIGH_LOCKED
    """
    if not dt > 0.0:
        return
    throttle = min(throttle, 1.0) if throttle > 0.0 else 0.0
    brake = min(brake, 1.0) if brake > 0.0 else 0.0
    wheels, n = ti[I_WHEEL], ti[I_WHEELS]

    # momenta of the wheels, and the speed of the carrier
    before = 0.0
    for i in range(n):
        out[i, DRIVE] = tf[wheels + N_W * i + W_D] * speed[i] + dt * ground_torque[i]
        out[i, BRAKE] = dt * brake * brake_cap[i]
        before += 0.5 * tf[ti[I_AXLE] + N_A * (i // 2) + A_SHARE] * speed[i]

    capacity = dt * shift(ti, tf, s, dt, throttle, selector, transfer, before)
    gear, position = int(s[GEAR]), int(s[RANGE])
    G = gear_ratio(ti, tf, gear) * tf[F_FINAL] * (tf[F_LOW] if position == LOW else tf[F_HIGH])
    locked = ti[I_CENTRE] != 0 or position == HIGH_LOCKED or (position == LOW and ti[I_LOW_LOCKS] != 0)

    # engine and turbine, linear in their changes: E (p' - p) = e - dt T_it (t' - t), B (t' - t) = A - q
    p, t = s[ENGINE], s[TURBINE]
    s[PEDAL] += dt / (tf[F_LAG] + dt) * (throttle - s[PEDAL])
    T_e, T_ep = engine_torque(ti, tf, p, s[PEDAL])
    T_i, T_o, T_ip, T_it, T_op, T_ot = converter(ti, tf, p, t)
    J_e, J_t, J_p = tf[F_ENGINE_J], tf[F_TURBINE_J], tf[F_PROP_J]
    E = max(J_e + dt * (T_ip - T_ep), 0.5 * J_e)
    e = dt * (T_e - T_i)
    A = dt * (T_o + T_op * e / E)
    B = max(J_t - dt * T_ot + dt * T_op * dt * T_it / E, 0.5 * J_t)

    # wheels: with the clutch stuck, and if it cannot hold that, slipping
    sense = min(max(G * before / tf[F_SLOW], -1.0), 1.0)
    if s[CLUTCH_TORQUE] < 0.0:
        sense = -sense
    eta = tf[ti[I_GEAR] + 2 * max(gear, 0) + 1] * tf[F_EFFICIENCY]
    f = passed_on(eta, sense)
    stuck, q, after = capacity > 0.0, 0.0, before
    for _ in range(2):
        a, c = f * G * q + J_p * before, J_p
        if stuck:
            a, c = f * G * (A + B * t) + J_p * before, f * G * G * B + J_p
        after = locked_centre(ti, tf, a, c, before, out) if locked else open_centre(ti, tf, a, c, before, out)
        if not stuck:
            break
        q = A - B * (G * after - t)
        if abs(q) <= capacity:
            break
        stuck, q = False, math.copysign(capacity, q)
    move_axles(ti, tf, out)
    t_new = G * after if stuck else t + (A - q) / B
    p_new = p + (e - dt * T_it * (t_new - t)) / E

    # torques that have acted; the engine's own is what remains, so that its governor and its limits are in it
    pump = dt * (T_i + T_ip * (p_new - p) + T_it * (t_new - t))
    p_new = max(p_new, tf[F_LOWEST])
    motor, turbine = J_e * (p_new - p) + pump, J_t * (t_new - t) + q
    p_mean, t_mean, l_mean = 0.5 * (p + p_new), 0.5 * (t + t_new), 0.5 * (before + after)
    s[ENGINE], s[TURBINE] = p_new, t_new
    s[ENGINE_TORQUE], s[PUMP_TORQUE], s[TURBINE_TORQUE], s[CLUTCH_TORQUE] = motor / dt, pump / dt, turbine / dt, q / dt
    s[ENGINE_WORK] += motor * p_mean
    s[CONVERTER_LOSS] += pump * p_mean - turbine * t_mean
    s[CLUTCH_LOSS] += q * (t_mean - G * l_mean)
    lost = q * G * l_mean - J_p * (after - before) * l_mean

    hub = 1.0 / (tf[F_HUB] * passed_on(tf[F_HUB_EFFICIENCY], sense))
    for i in range(n):
        w, w_new, ground, braking = speed[i], out[i, SHAFT], dt * ground_torque[i], out[i, BRAKE]
        mean, change = 0.5 * (w + w_new), w_new - w
        lost -= (tf[wheels + N_W * i + W_D] * change - ground - braking) * mean
        s[BRAKE_WORK] -= braking * mean
        s[GROUND_WORK] += ground * mean
        speed[i] = w_new
        drive = (tf[wheels + N_W * i + W_SPIN] * change - ground - braking) / dt
        out[i, DRIVE], out[i, SHAFT], out[i, BRAKE] = drive, drive * hub, braking / dt
    s[GEAR_LOSS] += lost
