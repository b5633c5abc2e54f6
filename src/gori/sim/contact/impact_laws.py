"""Laws of impact: impulses p of k contacts from their speeds u, and the mobility W = J M^-1 J' (3k, 3k).

Rows of a contact are its normal and two tangents; u+ = u + W p. Impulses of friction obey |p_t| <= mu p_n, and oppose
the slip wherever there is any. The change of kinetic energy is p (u + u+) / 2.

One contact (Darboux 1880; Keller 1986): the normal impulse p grows, and serves as time. At each instant friction is
that of the present slip, which may stop, stick or reverse:

    du/dp = W (1, t),   t = -mu u_t/|u_t| where it slides,  W_tt t = -W_tn where it sticks and |t| <= mu

Once slip has stopped, it sticks or slides in one direction: all that follows is in closed form. So is slip that does
not turn; slip that does is integrated.

Compression ends at u_n = 0 with the impulse p_c and the work of the normal force A_c < 0. Restitution e ends it all:

    poisson    p - p_c = e p_c
    stronge    A - A_c = -e^2 A_c                   energy is never gained, as no phase gives back more than it took
    newton     u_n+ = -e u_n-, with the friction of the slip that is left: Kane's law, which may gain energy

Several contacts at once (Moreau 1988; Pfeiffer and Glocker 1996): both phases are complementarity problems.
Compression is that without restitution; in restitution each p_n is at least e times that of compression. What is found
by poisson or stronge is made with a smaller e for all, if it had more energy than before: that with e = 0 never has.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

TURNED, STOPPED = 1e-11, 1e-13
"""relative error of a step while slip turns, and the slip, as a share of the largest speed, that counts as none"""
SWEEPS, EXACT, SETTLED = 20000, 1e-15, 1e-14
"""sweeps at most; change of an impulse, or of all speeds, in a sweep at which they end, as a share of the largest"""
HALVINGS = 60
ROUNDING = 1e-12
"""share of the kinetic energy of the impact that is not worth mentioning"""
IMMOBILE = 1e-12
"""mobility along the tangents, by that along the normal, which counts as none"""
MOST_IN_SEQUENCE = 20000


class Colliding(NamedTuple):
    """Colliding that take part: W (3k, 3k), u (3k,), friction mu (k,), restitution e (k,)."""

    W: np.ndarray
    u: np.ndarray
    mu: np.ndarray
    e: np.ndarray

    def gain(self, p: np.ndarray) -> float:
        """Kinetic energy that impulses give [J]."""
        return float(p @ self.u + 0.5 * p @ self.W @ p)

    def energy(self) -> float:
        """A measure of the kinetic energy that takes part [J]."""
        diagonal = np.diag(self.W)
        return float(0.5 * (self.u[diagonal > 0.0] ** 2 / diagonal[diagonal > 0.0]).sum())

    def one(self, k: int, u: np.ndarray) -> "Colliding":
        """Contact k alone, with other speeds."""
        rows = slice(3 * k, 3 * k + 3)
        return Colliding(self.W[rows, rows], u[rows], self.mu[k : k + 1], self.e[k : k + 1])


def impulses(contacts: Colliding, law: str, order: str, slow: float) -> np.ndarray:
    """Impulses (3k,) of an impact; slow: approach speed up to which there is no restitution [m/s]."""
    if order == "sequential" and len(contacts.mu) > 1:
        return in_sequence(contacts, law, slow)
    alone = single if len(contacts.mu) == 1 else together
    p = alone(contacts, law, slow)
    if law == "newton" or contacts.gain(p) <= ROUNDING * contacts.energy():
        return p
    low, high = 0.0, 1.0  # shares of e, without and with more energy than before
    best = alone(contacts._replace(e=0.0 * contacts.e), law, slow)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        p = alone(contacts._replace(e=middle * contacts.e), law, slow)
        if contacts.gain(p) <= 0.0:
            low, best = middle, p
        else:
            high = middle
    return best


def in_sequence(contacts: Colliding, law: str, slow: float) -> np.ndarray:
    """One contact after the other, that which approaches fastest first, until none approaches."""
    total = np.zeros(len(contacts.u))
    for _ in range(MOST_IN_SEQUENCE):
        u = contacts.u + contacts.W @ total
        k = int(np.argmin(u[::3]))
        if u[3 * k] >= -slow:
            break
        total[3 * k : 3 * k + 3] += impulses(contacts.one(k, u), law, "simultaneous", slow)
    u = contacts.u + contacts.W @ total
    if u[::3].min() < -ROUNDING * np.abs(contacts.u).max():
        total += together(contacts._replace(u=u, e=0.0 * contacts.e), "poisson")
    return total


# ---- friction of one contact for a given normal impulse


def friction_for(W: np.ndarray, c: np.ndarray, limit: float, least: float = 0.0) -> tuple[float, float]:
    """p_t with |p_t| <= limit: it ends the slip c + W_tt p_t, or else is opposite to what is left of it.

    Where no impulse changes the slip (W_tt = 0), it is -limit c/|c|; slip up to `least` counts as none there.

    (W_tt + s 1) p_t = -c with the smallest s >= 0 for which |p_t| <= limit, by Newton's method in 1/|p_t|, which comes
    from below and never overshoots (Conn, Gould and Toint 2000, section 7.3).
    """
    a, b, d = float(W[1, 1]), float(W[1, 2]), float(W[2, 2])
    x, y = -float(c[0]), -float(c[1])
    if not limit > 0.0 or (x == 0.0 and y == 0.0):
        return 0.0, 0.0
    if not a + d > IMMOBILE * float(W[0, 0]):
        slip = math.hypot(x, y)
        return (limit * x / slip, limit * y / slip) if slip > least else (0.0, 0.0)
    s, px, py, size = 0.0, 0.0, 0.0, 0.0
    if not a * d - b * b > 1e-14 * a * d:
        s = 1e-14 * (a + d)  # a direction in which nothing moves
    for _ in range(HALVINGS):
        determinant = (a + s) * (d + s) - b * b
        px, py = ((d + s) * x - b * y) / determinant, ((a + s) * y - b * x) / determinant
        size = math.hypot(px, py)
        if size <= limit * (1.0 + 1e-15):
            break
        slope = (px * ((d + s) * px - b * py) + py * ((a + s) * py - b * px)) / determinant / (size * size)
        s += (size / limit - 1.0) / slope
    if size > limit:
        px, py = px * limit / size, py * limit / size
    return px, py


def _increment(W: np.ndarray, u: np.ndarray, mu: float, dp: float) -> np.ndarray:
    """Impulses (3,) of an increment of the normal impulse, with the friction of the slip at its end."""
    tx, ty = friction_for(W, u[1:] + W[1:, 0] * dp, mu * dp, STOPPED * float(np.abs(u).max()))
    return np.array([dp, tx, ty])


# ---- one contact


def single(contact: Colliding, law: str, slow: float = 0.0) -> np.ndarray:
    """Impulses (3,) of one contact."""
    W, u, mu, e = contact.W, contact.u, float(contact.mu[0]), float(contact.e[0])
    if u[0] >= 0.0 or not W[0, 0] > 0.0:
        return np.zeros(3)
    if u[0] > -slow:
        e = 0.0
    if law == "newton":
        return _kinematic(W, u, mu, e)
    if not mu > 0.0:
        return np.array([-(1.0 + e) * u[0] / W[0, 0], 0.0, 0.0])  # all laws agree
    return _process(W, u, mu, e, law)


def _first(function: Callable[[float], float], high: float) -> float:
    """Where a function that is negative at zero and positive at `high` is zero, by the rule of false position (the
    Illinois variant: Dowell and Jarratt 1971).
    """
    low, at_low, at_high, kept = 0.0, function(0.0), function(high), 0
    for _ in range(HALVINGS):
        if not high - low > 4e-16 * high or at_high == 0.0:
            break
        middle = high - at_high * (high - low) / (at_high - at_low)
        if not low < middle < high:
            middle = 0.5 * (low + high)
        value = function(middle)
        if value < 0.0:
            at_high *= 0.5 if kept == -1 else 1.0
            low, at_low, kept = middle, value, -1
        else:
            at_low *= 0.5 if kept == 1 else 1.0
            high, at_high, kept = middle, value, 1
    return high


class _Process:
    """An impact of one contact as its normal impulse grows.

    p, u, work   impulses (3,), speeds (3,) and work of the normal force so far
    goal         what is looked for: (impulse, normal speed, work) -> negative before it, zero there
    """

    def __init__(self, W: np.ndarray, u: np.ndarray, mu: float):
        self.W, self.mu, self.p, self.u, self.work = W, mu, np.zeros(3), u.copy(), 0.0
        self.scale = float(np.abs(u).max())
        (_, a, b), (_, c, d), (_, _, e) = W.tolist()
        self._numbers = float(W[0, 0]), a, b, c, d, e

    def until(self, goal: Callable[[float, float, float], float]) -> None:
        """Go on to where the goal is reached: slip that turns, then none or one whose direction stays."""
        slip = math.hypot(*self.u[1:])
        if slip > STOPPED * self.scale and self._slide(slip, goal):
            return
        tangents = friction_for(self.W, self.W[1:, 0], self.mu, math.inf)
        self._straight(np.array([1.0, *tangents]), math.inf, goal)

    def _straight(self, direction: np.ndarray, most: float, goal: Callable[[float, float, float], float]) -> bool:
        """Go on along a direction of the impulse, by `most` or to the goal; whether it is reached."""
        rate, start, speed = self.W @ direction, float(self.p[0]), float(self.u[0])

        def ahead(dp: float) -> float:
            return goal(start + dp, speed + float(rate[0]) * dp, self.work + (speed + 0.5 * float(rate[0]) * dp) * dp)

        end, reached = most, True
        if math.isinf(most):
            end = self.scale / self._numbers[0]
            while ahead(end) < 0.0:
                end *= 2.0
        else:
            reached = ahead(end) >= 0.0
        dp = _first(ahead, end) if reached else end
        self.work += (speed + 0.5 * float(rate[0]) * dp) * dp
        self.p, self.u = self.p + dp * direction, self.u + dp * rate
        return reached

    def _slide(self, slip: float, goal: Callable[[float, float, float], float]) -> bool:
        """Go on while it slides; whether the goal is reached before the slip has stopped.

        With dp = |u_t| ds the direction of the slip has an equation of its own, and the slip shrinks exponentially,
        so that it turns smoothly up to its end.
        """
        angle = math.atan2(self.u[2], self.u[1])
        x = (angle, math.log(slip), float(self.p[0]), float(self.u[0]), self.work, *self.p[1:].tolist())
        rates = self._rates(x)
        if abs(rates[0]) <= 1e-14 * sum(map(abs, self._numbers)):  # it does not turn
            direction = np.array([1.0, -self.mu * math.cos(angle), -self.mu * math.sin(angle)])
            reached = self._straight(direction, slip / -rates[1] if rates[1] < 0.0 else math.inf, goal)
            if not reached:
                self.u[1:] = 0.0
            return reached
        h, reached = 0.1 / sum(map(abs, self._numbers)), False
        while x[1] > math.log(STOPPED * self.scale):
            new, error = _step(self._rates, x, rates, h, (1.0, 1.0, max(x[2], 1e-3 * self._typical()), self.scale))
            if error > 1.0:
                h *= max(0.2, 0.9 * error**-0.2)
                continue
            if goal(*new[2:5]) >= 0.0:
                share = _first(lambda s: goal(*_step(self._rates, x, rates, s, None)[0][2:5]), h)  # noqa: B023
                x, reached = _step(self._rates, x, rates, share, None)[0], True
                break
            x, rates = new, self._rates(new)
            h *= min(5.0, 0.9 * max(error, 1e-8) ** -0.2)
        slip = math.exp(x[1]) if reached else 0.0
        self.u = np.array([x[3], slip * math.cos(x[0]), slip * math.sin(x[0])])
        self.p, self.work = np.array([x[2], x[5], x[6]]), x[4]
        return reached

    def _typical(self) -> float:
        return self.scale / self._numbers[0]

    def _rates(self, x: tuple[float, ...]) -> tuple[float, ...]:
        """d/ds of angle and logarithm of the slip, normal impulse, normal speed, work, and friction."""
        nn, ns, nt, ss, st, tt = self._numbers
        c, s, mu, slip = math.cos(x[0]), math.sin(x[0]), self.mu, math.exp(x[1])
        along, across = ns - mu * (ss * c + st * s), nt - mu * (st * c + tt * s)
        return (
            across * c - along * s, along * c + across * s, slip, slip * (nn - mu * (ns * c + nt * s)), slip * x[3],
            -mu * slip * c, -mu * slip * s,
        )  # fmt: skip


def _process(W: np.ndarray, u: np.ndarray, mu: float, e: float, law: str) -> np.ndarray:
    """Both phases; impulses (3,)."""
    impact = _Process(W, u, mu)
    impact.until(lambda p, speed, work: speed)
    if e > 0.0 and law == "poisson":
        end = (1.0 + e) * float(impact.p[0])
        impact.until(lambda p, speed, work: p - end)
    elif e > 0.0:
        end = (1.0 - e * e) * impact.work
        impact.until(lambda p, speed, work: work - end)
    return impact.p


_STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)


def _step(
    rates: Callable[[tuple[float, ...]], tuple[float, ...]],
    x: tuple[float, ...],
    first: tuple[float, ...],
    h: float,
    scale: tuple[float, ...] | None,
) -> tuple[tuple[float, ...], float]:
    """A step of Dormand and Prince, and its error by that which is allowed; without a scale there is none."""
    k, new = [first], x
    for weights in _STAGES:
        new = tuple(v + h * sum(w * s[i] for w, s in zip(weights, k)) for i, v in enumerate(x))
        if scale is None and len(k) == 6:
            return new, 0.0
        k.append(rates(new))
    if scale is None:
        return new, 0.0
    error = max(abs(h * sum(w * s[i] for w, s in zip(_ERROR, k))) / size for i, size in enumerate(scale))
    return new, error / TURNED


def _kinematic(W: np.ndarray, u: np.ndarray, mu: float, e: float) -> np.ndarray:
    """Newton's law for one contact: u_n+ = -e u_n, and the friction of the slip after the impact."""
    goal = -e * u[0]
    high = -(1.0 + e) * u[0] / W[0, 0]
    while (u + W @ _increment(W, u, mu, high))[0] < goal:
        high *= 2.0
    dp = _first(lambda x: (u + W @ _increment(W, u, mu, x))[0] - goal, high)
    return _increment(W, u, mu, dp)


# ---- several contacts at once


def complementary(
    contacts: Colliding, u: np.ndarray, least: np.ndarray | float = 0.0, wanted: np.ndarray | float = 0.0
) -> np.ndarray:
    """p with p_n >= least, u_n+ >= wanted, one of them equal, and friction; by Gauss-Seidel sweeps."""
    W, k = contacts.W, len(contacts.mu)
    least, wanted = np.broadcast_to(least, k), np.broadcast_to(wanted, k)
    p = np.zeros(3 * k)
    p[::3] = least
    fastest = float(np.abs(u).max(initial=0.0))
    slowest = SETTLED * fastest
    for _ in range(SWEEPS):
        change, before = 0.0, p.copy()
        for i in range(k):
            rows = slice(3 * i, 3 * i + 3)
            own = W[rows, rows]
            if not own[0, 0] > 0.0:
                continue
            new = p[rows].copy()
            speed = u[rows] + W[rows] @ p
            new[0] = max(least[i], p[3 * i] - (speed[0] - wanted[i]) / own[0, 0])
            slip = speed[1:] - own[1:, 1:] @ p[rows][1:] + own[1:, 0] * (new[0] - p[3 * i])
            new[1:] = friction_for(own, slip, float(contacts.mu[i]) * new[0], STOPPED * fastest)
            change = max(change, float(np.abs(new - p[rows]).max()))
            p[rows] = new
        # of more points than a body needs, impulses may drift on without end, and do nothing
        if change <= EXACT * np.abs(p).max(initial=0.0) or np.abs(W @ (p - before)).max(initial=0.0) <= slowest:
            break
    return p


def together(contacts: Colliding, law: str, slow: float = 0.0) -> np.ndarray:
    """Impulses (3k,) of contacts at the same time."""
    u, W, e = contacts.u, contacts.W, contacts.e
    if law == "newton":
        return complementary(contacts, u, wanted=np.where(u[::3] < -slow, -e * u[::3], 0.0))
    compression = complementary(contacts, u)
    least = np.where(np.diag(W)[::3] * compression[::3] > slow, e * compression[::3], 0.0)
    if not least.any():
        return compression
    return compression + complementary(contacts, u + W @ compression, least=least)
