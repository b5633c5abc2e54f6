"""Wheels behind differentials, with brakes: D_i w_i = R_i + s_i P + b_i for one step, P = a - c l, l = sum s_i w_i.

R is the momentum with the ground's impulse, P the impulse at the centre differential, which falls with its speed l,
and b the brake's, within +-capacity. A brake is Coulomb friction, w = shrink(r, capacity) / D: inside the capacity the
wheel stands. What remains is one equation in l, monotone and piecewise linear, that Newton's method inside a bracket
solves to the last digits: a held wheel stands, without chatter.

A locked axle is one wheel of both inertias; with a locked centre all driven axles turn at l. Speeds that differ when a
lock closes are made equal in the step, and angular momentum is kept.

On the way in out[i, DRIVE] holds R_i and out[i, BRAKE] the brake's capacity times dt.
"""

import math

from gori.kernels.jit import part

# out (nw, N_OUT): means over the last step [N m]
DRIVE, SHAFT, BRAKE = 0, 1, 2
"""torque on the wheel from its hub, of the half shaft before the hub, of the brake on the wheel"""
N_OUT = 3

# columns of the tables ti and tf of a drive train
I_WHEELS, I_WHEEL, I_AXLE, I_LOCKED = 0, 14, 15, 16
"""count of wheels; where the rows of wheels and of axles begin in tf; one flag for each axle"""
W_SPIN, W_D, W_INVERSE, N_W = 0, 1, 2, 3
"""spin inertia of the wheel, with its half shaft seen through the hub, and 1 over that"""
A_SHARE, A_INVERSE, N_A = 0, 1, 2
"""share of the torque; 1 over the inertia of both wheels"""

SWEEPS = 60


@part
def shrink(r, capacity):
    """What is left of a momentum when friction of this capacity has acted against it."""
    if r > capacity:
        return r - capacity
    if r < -capacity:
        return r + capacity
    return 0.0


@part
def open_centre(ti, tf, a, c, carrier, out):
    """Speed of the carrier of an open centre differential, which gives each axle its share of P = a - c l."""
    below, above = -math.inf, math.inf
    wheels, axles = ti[I_WHEEL], ti[I_AXLE]
    for _ in range(SWEEPS):
        P = a - c * carrier
        reached, slope = 0.0, 1.0
        for x in range(ti[I_WHEELS] // 2):
            i, share = 2 * x, tf[axles + N_A * x + A_SHARE]
            if ti[I_LOCKED + x] != 0:
                cap = out[i, BRAKE] + out[i + 1, BRAKE]
                rest = shrink(out[i, DRIVE] + out[i + 1, DRIVE] + share * P, cap)
                inverse = tf[axles + N_A * x + A_INVERSE]
                reached += share * rest * inverse
                if rest != 0.0:
                    slope += c * share * share * inverse
            else:
                half = 0.5 * share
                for k in range(i, i + 2):
                    rest = shrink(out[k, DRIVE] + half * P, out[k, BRAKE])
                    inverse = tf[wheels + N_W * k + W_INVERSE]
                    reached += half * rest * inverse
                    if rest != 0.0:
                        slope += c * half * half * inverse
        gap = carrier - reached
        if abs(gap) <= 1e-14 * (abs(carrier) + abs(reached)):
            break
        if gap > 0.0:
            above = carrier
        else:
            below = carrier
        following = carrier - gap / slope
        if not below < following < above:
            following = 0.5 * (below + above)
            if not below < following < above:
                break
        carrier = following
    for x in range(ti[I_WHEELS] // 2):
        out[2 * x, SHAFT] = tf[axles + N_A * x + A_SHARE] * (a - c * carrier)
    return carrier


@part
def turned_axle(ti, tf, x, turn, out):
    """Impulse that axle x takes when its differential turns at a given speed (not 0), and the slope.

    Open: w = turn +- d, and d is where (D1 + D2) d + c1 sign(d + turn) + c2 sign(d - turn) = B.
    """
    i, wheels = 2 * x, ti[I_WHEEL]
    R1, R2, c1, c2 = out[i, DRIVE], out[i + 1, DRIVE], out[i, BRAKE], out[i + 1, BRAKE]
    D1, D2 = tf[wheels + N_W * i + W_D], tf[wheels + N_W * (i + 1) + W_D]
    A = D1 + D2
    if ti[I_LOCKED + x] != 0:
        return A * turn - R1 - R2 + math.copysign(c1 + c2, turn), A
    B, edge = R1 - R2 - (D1 - D2) * turn, abs(turn)
    low, high = (c1, c2) if turn > 0.0 else (c2, c1)
    held = 0  # -1: the wheel that stands at d = -edge is held, 1: the other
    if -A * edge + low - high < B < A * edge + low - high:
        d = (B - low + high) / A
    elif -A * edge + low - high >= B:
        d = (B + low + high) / A
        if d >= -edge:
            d, held = -edge, -1
    else:
        d = (B - low - high) / A
        if d <= edge:
            d, held = edge, 1
    first_held = (held < 0) if turn > 0.0 else (held > 0)
    if first_held:
        w = 2.0 * turn
        return 2.0 * (D2 * w - R2 + math.copysign(c2, w)), 4.0 * D2
    w = turn + d
    return 2.0 * (D1 * w - R1 + math.copysign(c1, w)), (4.0 * D1 if held != 0 else 4.0 * D1 * D2 / A)


@part
def standing_axle(ti, tf, x, out):
    """The range of impulses with which the differential of axle x stands."""
    i, wheels = 2 * x, ti[I_WHEEL]
    R1, R2, c1, c2 = out[i, DRIVE], out[i + 1, DRIVE], out[i, BRAKE], out[i + 1, BRAKE]
    if ti[I_LOCKED + x] != 0:
        return -R1 - R2 - c1 - c2, -R1 - R2 + c1 + c2
    if abs(R1 - R2) <= c1 + c2:
        return 2.0 * max(-R1 - c1, -R2 - c2), 2.0 * min(-R1 + c1, -R2 + c2)
    # the wheels turn against each other, w and -w: each with its brake at capacity
    D1, D2 = tf[wheels + N_W * i + W_D], tf[wheels + N_W * (i + 1) + W_D]
    w = (R1 - R2 - math.copysign(c1 + c2, R1 - R2)) / (D1 + D2)
    P = 2.0 * (D1 * w - R1 + math.copysign(c1, w))
    return P, P


@part
def locked_centre(ti, tf, a, c, carrier, out):
    """The one speed at which all driven axles turn; their impulses sum up to P = a - c l."""
    axles, n = ti[I_AXLE], ti[I_WHEELS] // 2
    for x in range(n):
        out[2 * x, SHAFT] = 0.0
    least, most = 0.0, 0.0
    for x in range(n):
        if tf[axles + N_A * x + A_SHARE] > 0.0:
            low, high = standing_axle(ti, tf, x, out)
            least += low
            most += high
    if least <= a <= most:
        # all stand; how they share the load is open: each as far into its range as the others
        f = (a - least) / (most - least) if most > least else 0.0
        for x in range(n):
            if tf[axles + N_A * x + A_SHARE] > 0.0:
                low, high = standing_axle(ti, tf, x, out)
                out[2 * x, SHAFT] = low + f * (high - low)
        return 0.0
    below, above = (0.0, math.inf) if a > most else (-math.inf, 0.0)
    if not below < carrier < above:
        carrier = 1e-3 if a > most else -1e-3
    for _ in range(SWEEPS):
        gap, slope = c * carrier - a, c
        size = abs(a) + abs(c * carrier)
        for x in range(n):
            if tf[axles + N_A * x + A_SHARE] > 0.0:
                P, dP = turned_axle(ti, tf, x, carrier, out)
                out[2 * x, SHAFT] = P
                gap += P
                slope += dP
                size += abs(P)
        if abs(gap) <= 1e-14 * size:
            break
        if gap > 0.0:
            above = carrier
        else:
            below = carrier
        following = carrier - gap / slope
        if not below < following < above:
            following = 0.5 * (below + above)
            if not below < following < above:
                break
        carrier = following
    return carrier


@part
def move_axles(ti, tf, out):
    """New speeds into out[:, SHAFT] and impulses of the brakes into out[:, BRAKE], from what each axle is given."""
    for x in range(ti[I_WHEELS] // 2):
        i, given, wheels = 2 * x, out[2 * x, SHAFT], ti[I_WHEEL]
        if ti[I_LOCKED + x] != 0:
            cap = out[i, BRAKE] + out[i + 1, BRAKE]
            r = out[i, DRIVE] + out[i + 1, DRIVE] + given
            rest = shrink(r, cap)
            share = (rest - r) / cap if cap > 0.0 else 0.0
            for k in range(i, i + 2):
                out[k, SHAFT] = rest * tf[ti[I_AXLE] + N_A * x + A_INVERSE]
                out[k, BRAKE] *= share
        else:
            for k in range(i, i + 2):
                r = out[k, DRIVE] + 0.5 * given
                rest = shrink(r, out[k, BRAKE])
                out[k, SHAFT] = rest * tf[wheels + N_W * k + W_INVERSE]
                out[k, BRAKE] = rest - r
