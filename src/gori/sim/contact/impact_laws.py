"""Laws of impact: impulses p of k contacts from their speeds u, and the mobility W = J M^-1 J' (3k, 3k).

Rows of a contact are its normal and two tangents; u+ = u + W p. Impulses of friction obey |p_t| <= mu p_n, and oppose
the slip wherever there is any. The change of kinetic energy is p (u + u+) / 2.

One contact (Darboux 1880; Keller 1986): the normal impulse p grows, and serves as time. At each instant friction is
that of the present slip, which may stop, stick or reverse:

    du/dp = W (1, t),   t = -mu u_t/|u_t| where it slides,  W_tt t = -W_tn where it sticks and |t| <= mu

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

COARSE, FINE = 64, 4096
"""increments of the normal impulse up to the end of compression: where slip keeps its direction, and where it turns"""
TURNED = 1e-9
SWEEPS, EXACT = 20000, 1e-15
HALVINGS = 60
ROUNDING = 1e-12
"""share of the kinetic energy of the impact that is not worth mentioning"""
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


def friction_for(W: np.ndarray, c: np.ndarray, limit: float) -> tuple[float, float]:
    """p_t with |p_t| <= limit: it ends the slip c + W_tt p_t, or else is opposite to what is left of it.

    (W_tt + s 1) p_t = -c with the smallest s >= 0 for which |p_t| <= limit, by Newton's method in 1/|p_t|, which comes
    from below and never overshoots (Conn, Gould and Toint 2000, section 7.3).
    """
    a, b, d = float(W[1, 1]), float(W[1, 2]), float(W[2, 2])
    x, y = -float(c[0]), -float(c[1])
    if not limit > 0.0 or (x == 0.0 and y == 0.0):
        return 0.0, 0.0
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
    tx, ty = friction_for(W, u[1:] + W[1:, 0] * dp, mu * dp)
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
    p, turned = _process(W, u, mu, e, law, COARSE)
    return _process(W, u, mu, e, law, FINE)[0] if turned > TURNED else p


def _first(function: Callable[[float], float], high: float) -> float:
    """Where a function that is negative at zero and positive at `high` is zero, by bisection."""
    low = 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if function(middle) < 0.0 else (low, middle)
    return high


class _Process:
    """An impact of one contact in increments of its normal impulse.

    p, u, work   impulses (3,), speeds (3,) and work of the normal force so far
    turned       by how much the direction of slip has turned in an increment, at most
    """

    def __init__(self, W: np.ndarray, u: np.ndarray, mu: float):
        self.W, self.u, self.mu, self.p, self.work, self.turned = W, u, mu, np.zeros(3), 0.0, 0.0
        self.scale, self._direction = abs(float(u[0])), None

    def after(self, dp: float) -> np.ndarray:
        """Speeds after an increment."""
        return self.u + self.W @ _increment(self.W, self.u, self.mu, dp)

    def slip_left(self, dp: float) -> float:
        return float(np.hypot(*self.after(dp)[1:]))

    def work_after(self, dp: float) -> float:
        return self.work + 0.5 * float(self.u[0] + self.after(dp)[0]) * dp

    def until_slip_stops(self, dp: float) -> float:
        """The increment, or less of it: slip that stops in it ends it, so that it may then stick or slide back."""
        slip = float(np.hypot(*self.u[1:]))
        if slip <= 1e-12 * self.scale or self.slip_left(dp) > 1e-12 * slip:
            return dp
        return _first(lambda x: 1e-12 * slip - self.slip_left(x), dp)

    def take(self, dp: float) -> None:
        """Go on by an increment."""
        self.work, self.p, self.u = (
            self.work_after(dp), self.p + _increment(self.W, self.u, self.mu, dp), self.after(dp)
        )  # fmt: skip
        slip = np.hypot(*self.u[1:])
        if slip > 1e-9 * self.scale:
            now, before = self.u[1:] / slip, self._direction
            if before is not None:
                self.turned = max(self.turned, abs(float(now[0] * before[1] - now[1] * before[0])))
            self._direction = now


def _process(W: np.ndarray, u: np.ndarray, mu: float, e: float, law: str, count: int) -> tuple[np.ndarray, float]:
    """Both phases; impulses (3,), and by how much the direction of slip turned."""
    impact, size = _Process(W, u.copy(), mu), -float(u[0]) / W[0, 0] / count
    while impact.u[0] < -1e-14 * impact.scale:
        dp = impact.until_slip_stops(size)
        if impact.after(dp)[0] >= 0.0:
            dp = _first(lambda x: float(impact.after(x)[0]), dp)
        impact.take(dp)
    if law == "poisson":
        end = (1.0 + e) * impact.p[0]
        while impact.p[0] < end * (1.0 - 1e-15):
            impact.take(impact.until_slip_stops(min(size, end - impact.p[0])))
        return impact.p, impact.turned
    taken = impact.work
    end = (1.0 - e * e) * taken
    while impact.work < end - 1e-14 * abs(taken):
        dp = impact.until_slip_stops(size)
        if impact.work_after(dp) >= end:
            dp = _first(lambda x: impact.work_after(x) - end, dp)
        impact.take(dp)
    return impact.p, impact.turned


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
    for _ in range(SWEEPS):
        change = 0.0
        for i in range(k):
            rows = slice(3 * i, 3 * i + 3)
            own = W[rows, rows]
            if not own[0, 0] > 0.0:
                continue
            new = p[rows].copy()
            speed = u[rows] + W[rows] @ p
            new[0] = max(least[i], p[3 * i] - (speed[0] - wanted[i]) / own[0, 0])
            slip = speed[1:] - own[1:, 1:] @ p[rows][1:] + own[1:, 0] * (new[0] - p[3 * i])
            new[1:] = friction_for(own, slip, float(contacts.mu[i]) * new[0])
            change = max(change, float(np.abs(new - p[rows]).max()))
            p[rows] = new
        if change <= EXACT * np.abs(p).max(initial=0.0):
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
