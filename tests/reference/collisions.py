"""Single collisions of spheres, exactly: Hertz's elastic impact, damped impact without pull, sliding, sticking.

A contact is m d'' = -max(0, k d^1.5 + c d^0.25 d'). With y = d^1.25 it is a linear oscillator in a time of its own:
v dv/dy = -4/5 (k y + c v)/m, whose share of critical damping is beta = c / sqrt(5 m k) (Antypov & Elliott 2011).
"""

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import gamma


def e_star(E, nu, E_other=math.inf, nu_other=0.0):
    """Reduced modulus [Pa]; the other body is rigid if nothing is said."""
    return 1.0 / ((1.0 - nu**2) / E + (1.0 - nu_other**2) / E_other)


def g_star(E, nu, E_other=math.inf, nu_other=0.0):
    """Reduced shear modulus [Pa]."""
    return 1.0 / (2.0 * (2.0 - nu) * (1.0 + nu) / E + 2.0 * (2.0 - nu_other) * (1.0 + nu_other) / E_other)


def hertz_impact(E_red, R_red, m_red, speed):
    """Elastic impact: peak force [N], peak overlap [m], duration [s] (Johnson 1985, section 11.4).

    1/2 m v^2 = 2/5 k d^2.5 with k = 4/3 E* sqrt(R*);  duration = 2 d/v * integral of dx / sqrt(1 - x^2.5) over 0..1
    """
    k = 4.0 / 3.0 * E_red * math.sqrt(R_red)
    d = (1.25 * m_red * speed**2 / k) ** 0.4
    duration = 0.8 * d / speed * math.sqrt(math.pi) * gamma(0.4) / gamma(0.9)
    return k * d**1.5, d, duration


def restitution_pulling(beta):
    """Restitution if the contact may pull until the overlap is gone, half a period (Tsuji et al. 1992)."""
    return math.exp(-math.pi * beta / math.sqrt(1.0 - beta**2))


def restitution(beta):
    """Restitution if the contact never pulls: the bodies part where the force is zero, which is where v is extreme.

    With beta = cos f, y ~ e^(-w beta s) sin(w s sin f), the force is zero at w s sin f = 2 f, and there
    v = -v0 exp(-2 f beta / sin f); beyond critical damping f and sin f are imaginary, their ratio real.
    """
    if beta < 1.0:
        return math.exp(-2.0 * beta * math.acos(beta) / math.sqrt(1.0 - beta**2))
    if beta == 1.0:
        return math.exp(-2.0)
    return math.exp(-2.0 * beta * math.acosh(beta) / math.sqrt(beta**2 - 1.0))


def restitution_by_integration(beta):
    """The same by integrating x'' = -(x^1.5 + sqrt(5) beta x^0.25 x') from x = 0, x' = 1 until the force is zero."""

    def force(_, state):
        x = max(state[0], 0.0)
        return x**1.5 + math.sqrt(5.0) * beta * x**0.25 * state[1]

    def parting(t, state):
        return 1.0 if t < 1e-6 else force(t, state)

    parting.terminal, parting.direction = True, -1
    done = solve_ivp(
        lambda t, s: [s[1], -force(t, s)], (0.0, 1e4), [0.0, 1.0], "LSODA", rtol=1e-11, atol=1e-14, events=parting
    )
    return -done.y_events[0][0][1]


def damping_for(e):
    """beta whose restitution, without pull, is e (0 < e <= 1)."""
    return 0.0 if e == 1.0 else brentq(lambda beta: restitution(beta) - e, 0.0, 1.0 / math.sqrt(e), xtol=1e-15)


def sliding_impact(speed, angle, e, mu, R):
    """Sphere against a wall, sliding throughout: share of the tangential speed that is left, and the spin [rad/s].

    angle from the normal [rad]; the impulse is m (1 + e) v cos(angle), mu of it along the wall.
    """
    return 1.0 - mu * (1.0 + e) / math.tan(angle), -2.5 * mu * (1.0 + e) * speed * math.cos(angle) / R


def slid_until_rolling(speed, mu, g):
    """Sphere set down on a level plane without spin: time of sliding [s], and the speed it then rolls with [m/s]."""
    return 2.0 * speed / (7.0 * mu * g), 5.0 * speed / 7.0


def shaking_frequency(k_tangential, m, R, arm):
    """Natural frequency [rad/s] of a sphere that sticks to a plane by a tangential spring at its lowest point."""
    return np.sqrt(k_tangential * (1.0 / m + arm**2 / (0.4 * m * R**2)))
