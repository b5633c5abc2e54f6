"""Wheels behind differentials, with brakes: D_i w_i = R_i + s_i P + b_i for one step, P = a - c l, l = sum s_i w_i.

R is the momentum with the ground's impulse, P the impulse at the centre differential, which falls with its speed l,
and b the brake's, within +-capacity. A brake is Coulomb friction, w = shrink(r, capacity) / D: inside the capacity the
wheel rests. What remains is one equation in l, monotone and piecewise linear, that Newton's method inside a bracket
solves to rounding: a held wheel stays at rest, without chatter.

A locked axle is one wheel of both inertias; with a locked centre all driven axles turn at l. Speeds that differ when a
lock closes are made equal in the step, and angular momentum is conserved.

axle     rows of AXLE of the train
wheels   rows of WHEEL_WORK, left and right of each axle: momentum R_i and brake_limit on the way in, new_speed and
         brake_impulse on the way out; axle_impulse of the left one is what its axle is given
"""

import math

from gori.kernels.jit import part

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
def next_speed(carrier, gap, slope, below, above):
    """One step of Newton's method inside a bracket: the next speed, the new bracket, and whether it goes on."""
    if gap > 0.0:
        above = carrier
    else:
        below = carrier
    following = carrier - gap / slope
    if not below < following < above:
        following = 0.5 * (below + above)
        if not below < following < above:
            return carrier, below, above, False
    return following, below, above, True


@part
def open_centre(axle, a, c, carrier, wheels):
    """Speed of the carrier of an open centre differential, which gives each axle its share of P = a - c l."""
    below, above = -math.inf, math.inf
    for _ in range(SWEEPS):
        P = a - c * carrier
        reached, slope = 0.0, 1.0
        for x in range(axle.shape[0]):
            i, share = 2 * x, axle[x].share
            if axle[x].locked != 0:
                cap = wheels[i].brake_limit + wheels[i + 1].brake_limit
                rest = shrink(wheels[i].momentum + wheels[i + 1].momentum + share * P, cap)
                inverse = axle[x].inverse
                reached += share * rest * inverse
                if rest != 0.0:
                    slope += c * share * share * inverse
            else:
                half = 0.5 * share
                for k in range(2):
                    rest = shrink(wheels[i + k].momentum + half * P, wheels[i + k].brake_limit)
                    inverse = axle[x].inverse_inertia[k]
                    reached += half * rest * inverse
                    if rest != 0.0:
                        slope += c * half * half * inverse
        gap = carrier - reached
        if abs(gap) <= 1e-14 * (abs(carrier) + abs(reached)):
            break
        carrier, below, above, more = next_speed(carrier, gap, slope, below, above)
        if not more:
            break
    for x in range(axle.shape[0]):
        wheels[2 * x].axle_impulse = axle[x].share * (a - c * carrier)
    return carrier


@part
def turned_axle(axle, first, second, turn):
    """Impulse that an axle takes when its differential turns at a given speed (not 0), and the slope.

    Open: w = turn +- d, and d is where (D1 + D2) d + c1 sign(d + turn) + c2 sign(d - turn) = B.
    """
    R1, R2, c1, c2 = first.momentum, second.momentum, first.brake_limit, second.brake_limit
    D1, D2 = axle.inertia[0], axle.inertia[1]
    A = D1 + D2
    if axle.locked != 0:
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
def standing_axle(axle, first, second):
    """The range of impulses for which the differential of an axle stays at rest."""
    R1, R2, c1, c2 = first.momentum, second.momentum, first.brake_limit, second.brake_limit
    if axle.locked != 0:
        return -R1 - R2 - c1 - c2, -R1 - R2 + c1 + c2
    if abs(R1 - R2) <= c1 + c2:
        return 2.0 * max(-R1 - c1, -R2 - c2), 2.0 * min(-R1 + c1, -R2 + c2)
    # the wheels turn against each other, w and -w: each with its brake at capacity
    D1, D2 = axle.inertia[0], axle.inertia[1]
    w = (R1 - R2 - math.copysign(c1 + c2, R1 - R2)) / (D1 + D2)
    P = 2.0 * (D1 * w - R1 + math.copysign(c1, w))
    return P, P


@part
def locked_centre(axle, a, c, carrier, wheels):
    """The one speed at which all driven axles turn; their impulses sum up to P = a - c l."""
    n = axle.shape[0]
    for x in range(n):
        wheels[2 * x].axle_impulse = 0.0
    least, most = 0.0, 0.0
    for x in range(n):
        if axle[x].share > 0.0:
            low, high = standing_axle(axle[x], wheels[2 * x], wheels[2 * x + 1])
            least += low
            most += high
    if least <= a <= most:
        # all stand; how they share the load is open: each as far into its range as the others
        f = (a - least) / (most - least) if most > least else 0.0
        for x in range(n):
            if axle[x].share > 0.0:
                low, high = standing_axle(axle[x], wheels[2 * x], wheels[2 * x + 1])
                wheels[2 * x].axle_impulse = low + f * (high - low)
        return 0.0
    below, above = (0.0, math.inf) if a > most else (-math.inf, 0.0)
    if not below < carrier < above:
        carrier = 1e-3 if a > most else -1e-3
    for _ in range(SWEEPS):
        gap, slope = c * carrier - a, c
        size = abs(a) + abs(c * carrier)
        for x in range(n):
            if axle[x].share > 0.0:
                P, dP = turned_axle(axle[x], wheels[2 * x], wheels[2 * x + 1], carrier)
                wheels[2 * x].axle_impulse = P
                gap += P
                slope += dP
                size += abs(P)
        if abs(gap) <= 1e-14 * size:
            break
        carrier, below, above, more = next_speed(carrier, gap, slope, below, above)
        if not more:
            break
    return carrier


@part
def move_axles(axle, wheels):
    """New speeds and impulses of the brakes, from what each axle is given."""
    for x in range(axle.shape[0]):
        first, second = wheels[2 * x], wheels[2 * x + 1]
        given = first.axle_impulse
        if axle[x].locked != 0:
            cap = first.brake_limit + second.brake_limit
            r = first.momentum + second.momentum + given
            rest = shrink(r, cap)
            share = (rest - r) / cap if cap > 0.0 else 0.0
            for k in range(2 * x, 2 * x + 2):
                wheels[k].new_speed = rest * axle[x].inverse
                wheels[k].brake_impulse = wheels[k].brake_limit * share
        else:
            for k in range(2):
                wheel = wheels[2 * x + k]
                r = wheel.momentum + 0.5 * given
                rest = shrink(r, wheel.brake_limit)
                wheel.new_speed = rest * axle[x].inverse_inertia[k]
                wheel.brake_impulse = rest - r
