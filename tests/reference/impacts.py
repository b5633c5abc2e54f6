"""Impact and friction in closed form: a bouncing ball, a rocking block, balls that slide until they roll, Newton's
cradle, a block on an incline, Painlevé's rod. Spinning bodies that need an integration stand in `tops.py`.
"""

import math

import numpy as np
from scipy.integrate import quad

G = 9.81
"""[m/s2]"""


def bouncing_ball(height, restitution, count, g=G):
    """Times (count,) [s] of the first impacts of a ball that falls from a height [m], and its speeds after them [m/s].

    It meets the ground with v0 = sqrt(2 g height), leaves the k-th time with e^k v0, and flies for 2 e^k v0 / g.
    """
    v0 = math.sqrt(2.0 * g * height)
    speeds = v0 * restitution ** np.arange(1, count + 1)
    flights = 2.0 * speeds / g
    return v0 / g + np.concatenate([[0.0], np.cumsum(flights)[:-1]]), speeds


def end_of_bouncing(height, restitution, g=G):
    """Time at which infinitely many impacts are over [s]: t0 (1 + e) / (1 - e), t0 the time of the fall."""
    return math.sqrt(2.0 * height / g) * (1.0 + restitution) / (1.0 - restitution)


class RockingBlock:
    """A rigid rectangular block that rocks about its lower edges without slip or bounce (Housner 1963).

    width, height [m]. R is half the diagonal, alpha the angle between it and the vertical, and with the inertia
    4/3 m R^2 about an edge theta'' = -p^2 sin(alpha - theta), p^2 = 3 g / (4 R), for 0 < theta < alpha.
    """

    def __init__(self, width, height, g=G):
        self.R = math.hypot(width, height) / 2.0
        self.alpha = math.atan2(width, height)
        self.p = math.sqrt(3.0 * g / (4.0 * self.R))

    def period(self, angle):
        """One full cycle without loss from rest at an angle, slender block [s]: 4/p arcosh(1 / (1 - angle/alpha))."""
        return 4.0 / self.p * math.acosh(1.0 / (1.0 - angle / self.alpha))

    def quarter(self, angle):
        """Time from rest at an angle to the impact, for any block [s]: the integral of 1 / theta'.

        theta'^2 = 2 p^2 (cos(alpha - angle) - cos(alpha - theta)); with theta = angle (1 - s^2) the integrand is smooth
        """

        def slowness(s):
            a, b = self.alpha - angle, self.alpha - angle * (1.0 - s * s)
            fall = 2.0 * math.sin((a + b) / 2.0) * math.sin((b - a) / 2.0)  # cos a - cos b
            return 2.0 * angle * s / (self.p * math.sqrt(2.0 * fall))

        return quad(slowness, 1e-12, 1.0)[0]

    @property
    def speed_ratio(self):
        """Angular velocity after / before an impact, from the angular momentum about the new edge."""
        return 1.0 - 1.5 * math.sin(self.alpha) ** 2

    @property
    def energy_ratio(self):
        return self.speed_ratio**2

    def amplitudes(self, angle, count):
        """Largest angles after 1 ... count impacts, slender block: 1 - sqrt(1 - r^n (1 - (1 - angle/alpha)^2))."""
        n = np.arange(1, count + 1)
        start = 1.0 - (1.0 - angle / self.alpha) ** 2
        return self.alpha * (1.0 - np.sqrt(1.0 - self.energy_ratio**n * start))


def sliding_ball(t, v0, w0, mu, radius, g=G):
    """Velocity [m/s] and angular velocity [rad/s] at a time of a homogeneous ball set down on a rough floor.

    v0 forward, w0 positive if it would roll forward. It slips with s = v0 - R w0, friction changes v by -+mu g and
    R w by +-5/2 mu g, so slip ends after 2 |s| / (7 mu g): thrown without spin it then rolls with 5/7 v0, and set down
    spinning with 2/7 R w0.
    """
    slip = v0 - radius * w0
    t = np.minimum(t, rolling_from(v0, w0, mu, radius, g))
    change = math.copysign(mu * g, slip) * t
    return v0 - change, w0 + 2.5 * change / radius


def rolling_from(v0, w0, mu, radius, g=G):
    """Time after which such a ball rolls [s]."""
    return 2.0 * abs(v0 - radius * w0) / (7.0 * mu * g)


def rolling_speed(v0, w0, radius):
    """Its velocity from then on [m/s], whatever the friction."""
    return (5.0 * v0 + 2.0 * radius * w0) / 7.0


def cradle(masses, velocities, restitution=1.0):
    """Velocities after all impacts of balls in a row, as in Newton's cradle: pairs collide one after the other.

    Equal masses without loss exchange velocities: as many balls leave as came in. Touching balls have a moment between
    any two impacts, so of several pairs that approach the fastest is first.
    """
    m, v = np.asarray(masses, float), np.array(velocities, float)
    while True:
        approach = v[:-1] - v[1:]
        k = int(np.argmax(approach))
        if approach[k] <= 1e-14 * np.abs(v).max():
            return v
        impulse = (1.0 + restitution) * approach[k] / (1.0 / m[k] + 1.0 / m[k + 1])
        v[k] -= impulse / m[k]
        v[k + 1] += impulse / m[k + 1]


def incline(angle, mu, g=G):
    """Acceleration down an incline of a block at rest [m/s2]: none up to atan(mu), then g (sin - mu cos)."""
    if math.tan(angle) <= mu:
        return 0.0
    return g * (math.sin(angle) - mu * math.cos(angle))


def angle_of_no_toppling(width, height):
    """Steepest incline on which a block of this width along it does not topple."""
    return math.atan2(width, height)


def ball_impulses(approach, slip, restitution, mu, mass, bodies):
    """Normal impulse and friction impulse [N s] of a homogeneous ball that strikes a wall (bodies = 1) or a ball like
    itself (2), with a speed of approach and of slip at the contact point [m/s].

    Forces at the surface move the point by 1/m along the normal and by 1/m + R^2/J = 7/(2 m) across it, for each ball,
    and do not mix: the normal impulse is that without friction, and friction is mu times it, or what ends the slip.
    """
    normal = (1.0 + restitution) * approach * mass / bodies
    return normal, min(mu * normal, 2.0 * mass * slip / (7.0 * bodies))


class PainleveRod:
    """A homogeneous rod whose lower end slides on a rough floor, at an angle theta to it (Painlevé 1895).

    The rod leans towards +x from its contact point, which slides with the sign `direction` along x. The acceleration of
    the contact point along the normal is A N + b with the normal force N >= 0. With half length l and inertia m l^2/3
        m A = 1 + 3 cos(theta) (cos(theta) + direction mu sin(theta)),   b = l theta'^2 sin(theta) - g
    A < 0 is the paradox: pressing makes the end accelerate into the floor.
    """

    def __init__(self, mass, length, theta, mu, direction=-1, rate=0.0, g=G):
        c, s = math.cos(theta), math.sin(theta)
        self.A = (1.0 + 3.0 * c * (c + direction * mu * s)) / mass
        self.b = length / 2.0 * rate**2 * s - g

    @property
    def case(self):
        """contact, flight, indeterminate (both are solutions) or inconsistent (neither is: the rod jams)."""
        if self.A > 0.0:
            return "contact" if self.b < 0.0 else "flight"
        return "inconsistent" if self.b < 0.0 else "indeterminate"

    @property
    def force(self):
        """Normal force of the solution with contact, which exists where A and b have opposite signs [N]."""
        return -self.b / self.A

    @staticmethod
    def critical_friction(theta):
        """Friction from which the paradox occurs, (1 + 3 cos^2) / (3 sin cos); least at tan(theta) = 2: 4/3."""
        c, s = math.cos(theta), math.sin(theta)
        return (1.0 + 3.0 * c * c) / (3.0 * s * c)
