"""The penalty law of contact in NumPy: one point, and a collision along its normal."""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

HIGHEST, SHARE, RATIO, LEAST = 0.5, 0.8, 0.2, 0.02


def collision_damping(e):
    """a of (1 + e) a = ln((1 + a) / (1 - e a)); for e < 0.05 it is 1/e to more digits than matter."""
    e = max(e, LEAST)
    if e == 1.0:
        return 0.0
    if e < 0.05:
        return 1.0 / e
    return brentq(lambda a: (1 + e) * a - np.log((1 + a) / (1 - e * a)), 0.1 * (1 - e), (1 - 1e-12) / e, xtol=1e-15)


def damping_factor(k, mass, d, speed, a):
    """c of F = k d^1.5 (1 + c d')."""
    if a == 0.0:
        return 0.0
    zeta = 0.5 * np.sqrt(1.25 / 1.5) * np.sqrt(2.0 * (a - np.log(1.0 + a)))
    deepest = (1.25 * mass / k * speed**2 * 2.0 * (a - np.log(1.0 + a)) / a**2) ** 0.4
    if d <= deepest:
        return a / speed
    critical = 2.0 * np.sqrt(1.5 * mass / k) / d**1.25
    if zeta <= HIGHEST:
        return zeta * critical
    return max(HIGHEST * critical, (zeta * critical) ** 2 * speed / a)


def first_speed(k, mass, d, rate, a):
    """v0 of surfaces that are found inside each other."""
    return np.sqrt(max(rate, 0.0) ** 2 + 2.0 / mass * (1.0 + a) * k * d**2.5 / 2.5)


def normal_force(k, mass, d, rate, speed, a):
    """F [N], never attractive."""
    return max(0.0, k * d**1.5 * (1.0 + damping_factor(k, mass, d, speed, a) * rate)) if d > 0.0 else 0.0


def clipped(vector, limit):
    """A vector no longer than the limit."""
    size = np.linalg.norm(vector)
    return vector * limit / size if size > limit else vector


def tangential(k, mass, d, s, u, limit):
    """Force (3,) of a spring of the length s (3,) with damping, and the length that is kept of it."""
    stiffness = SHARE * 1.5 * k * np.sqrt(d)
    damping = 2.0 * RATIO * np.sqrt(mass * stiffness)
    return clipped(-stiffness * s - damping * u, limit), clipped(stiffness * s, limit) / stiffness


def rebound(e, k, mass, v0):
    """Speed over v0 with which a mass leaves a wall that it hits, nothing else acting; by a general solver."""
    a, contact_time = collision_damping(e), (mass / k) ** 0.4 * v0**-0.2
    first = 1e-6 * v0 * contact_time

    def leaves(_, y):
        return y[0]

    leaves.terminal, leaves.direction = True, -1.0
    found = solve_ivp(
        lambda _, y: [y[1], -normal_force(k, mass, y[0], y[1], v0, a) / mass], (0.0, 200.0 * contact_time), [first, v0],
        method="LSODA", rtol=1e-9, atol=1e-12 * v0 * contact_time, events=leaves,
    )  # fmt: skip
    return -found.y[1, -1] / v0
