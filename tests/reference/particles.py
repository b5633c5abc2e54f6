"""Spheres in contact as a textbook writes them: every pair tested, one contact at a time, leapfrog (Poeschel & Schwager
2005, chapter 2).

n points from i to j, d is the overlap, u the velocity of i against j at the contact, ut its part across n, vn along n:

hertz    Fn = kn a d + cn sqrt(m* a) vn,  a = sqrt(R* d)
         h = elastic tangential force: loses with a while the contact opens, then -kt a ut dt (Thornton et al. 2013)
         Ft = h - ct sqrt(m* a) ut, at most mu Fn; a sliding contact keeps h = Ft
voigt    Fn = kn d^1.5 + cn d^0.25 vn
         s = tangential displacement: + ut dt;  Ft = -(kt |s|^0.5 s + ct |s|^0.25 ut), at most mu Fn; then |s| no longer
         than what friction holds
rolling  g = elastic torque: -kt a R*^2 wr dt;  M = g - 0.6 R*^2 sqrt(1.4 m* kt a) wr, at most mu_roll R* Fn; then g = M
         (Ai et al. 2011, model C); wr the part of w_i - w_j across n

Fn never pulls. A history turns with the contact: by the mean spin about n, then by projection.
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tests.reference import collisions


class Pair(NamedTuple):
    """Law of two materials: the first columns of `pair_f`, in their order."""

    kn: float
    cn: float
    kt: float
    ct: float
    mu: float = 0.0
    mu_roll: float = 0.0


def hertz_pair(a, b, restitution=1.0, mu=0.0, mu_roll=0.0):
    """The law of two materials (E, nu), of which one may be rigid: (inf, 0)."""
    beta = collisions.damping_for(restitution)
    E, G = collisions.e_star(*a, *b), collisions.g_star(*a, *b)
    c = 2.0 * math.sqrt(5.0 / 6.0) * beta
    return Pair(4.0 / 3.0 * E, c * math.sqrt(2.0 * E), 8.0 * G, c * math.sqrt(8.0 * G), mu, mu_roll)


@dataclass
class Plane:
    """A half-space; the normal points to the grains. Walls move with v at `point` and spin w, which leaves them as they
    are in shape: planes about their normal."""

    point: np.ndarray
    normal: np.ndarray
    material: int = 0
    v: np.ndarray = field(default_factory=lambda: np.zeros(3))
    w: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def gap(self, x):
        """Distance of the surface, and the unit vector towards its closest point."""
        return (x - self.point) @ self.normal, -np.asarray(self.normal, float)


@dataclass
class Shell:
    """A sphere's surface, that holds grains from outside and from inside."""

    point: np.ndarray
    radius: float
    material: int = 0
    v: np.ndarray = field(default_factory=lambda: np.zeros(3))
    w: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def gap(self, x):
        out = x - self.point
        distance = np.linalg.norm(out)
        out = out / distance
        return (distance - self.radius, -out) if distance >= self.radius else (self.radius - distance, out)


class Touch(NamedTuple):
    """A contact: overlap, reduced radius and mass, normal, relative velocity there, both spins."""

    d: float
    R: float
    m: float
    n: np.ndarray
    u: np.ndarray
    w_i: np.ndarray
    w_j: np.ndarray


def across(n, vector):
    return vector - (vector @ n) * n


def turned(n, angle, vector):
    return across(n, vector + angle * np.cross(n, vector))


def capped(vector, limit):
    """The vector, no longer than the limit, and whether it was cut."""
    size = np.linalg.norm(vector)
    return (vector * (limit / size), True) if size > limit else (vector, False)


def hertz(pair, touch, h, dt):
    """Fn, Ft and the new h."""
    vn, ut = touch.u @ touch.n, across(touch.n, touch.u)
    a = math.sqrt(touch.R * touch.d)
    Fn = max(0.0, pair.kn * a * touch.d + pair.cn * math.sqrt(touch.m * a) * vn)
    kept = min(1.0, max(0.0, 1.0 + vn * dt / (2.0 * touch.d)))
    h = kept * h - pair.kt * a * dt * ut
    Ft, slides = capped(h - pair.ct * math.sqrt(touch.m * a) * ut, pair.mu * Fn)
    return Fn, Ft, Ft if slides else h


def voigt(pair, touch, s, dt):
    """Fn, Ft and the new s."""
    vn, ut = touch.u @ touch.n, across(touch.n, touch.u)
    Fn = max(0.0, pair.kn * touch.d**1.5 + pair.cn * touch.d**0.25 * vn)
    s = s + dt * ut
    length = np.linalg.norm(s)
    Ft, slides = capped(-(pair.kt * length**0.5 * s + pair.ct * length**0.25 * ut), pair.mu * Fn)
    if slides:
        s, _ = capped(s, (pair.mu * Fn / pair.kt) ** (2.0 / 3.0) if pair.kt > 0.0 else 0.0)
    return Fn, Ft, s


def rolling(pair, touch, Fn, g, dt):
    """Torque on i and the new g."""
    wr = across(touch.n, touch.w_i - touch.w_j)
    k = pair.kt * math.sqrt(touch.R * touch.d) * touch.R**2
    damping = 2.0 * 0.3 * touch.R**2 * math.sqrt(1.4 * touch.m * pair.kt * math.sqrt(touch.R * touch.d))
    g = g - k * dt * wr
    M, rolls = capped(g - damping * wr, pair.mu_roll * touch.R * Fn)
    return M, M if rolls else g


LAWS = {"hertz": hertz, "voigt": voigt}


class Grains:
    """Spheres, walls and what happens at their contacts.

    place (N, 4): x y z radius; mass, material (N,); v, w (N, 3); pairs: law of materials (a, b), a <= b
    history: of each contact that lasts, by (i, j) or (i, ("wall", k)): tangential and rolling (2, 3)
    """

    def __init__(
        self,
        place,
        mass,
        pairs,
        law="hertz",
        *,
        v=None,
        w=None,
        material=None,
        walls=(),
        gravity=(0, 0, 0),
        full_arm=False,
    ):
        self.lost = 0.0 if full_arm else 1.0  # share of the overlap by which arms are shorter than radii
        self.place, self.mass, self.pairs, self.law = np.array(place, float), np.array(mass, float), pairs, LAWS[law]
        count = len(self.place)
        self.v = np.zeros((count, 3)) if v is None else np.array(v, float)
        self.w = np.zeros((count, 3)) if w is None else np.array(w, float)
        self.material = np.zeros(count, int) if material is None else np.asarray(material)
        self.walls, self.gravity, self.time = walls, np.array(gravity, float), 0.0
        self.history, self.normal_force = {}, {}

    def contacts(self):
        """Of all that touch: key, Touch, arms of both from their centres to the contact, materials."""
        x, r, v, w = self.place[:, :3], self.place[:, 3], self.v, self.w
        for i in range(len(x)):
            for j in range(i + 1, len(x)):
                distance = np.linalg.norm(x[j] - x[i])
                d = r[i] + r[j] - distance
                if d > 0.0:
                    n = (x[j] - x[i]) / distance
                    arms = r[i] - self.lost * d / 2.0, r[j] - self.lost * d / 2.0
                    u = v[i] - v[j] + np.cross(arms[0] * w[i] + arms[1] * w[j], n)
                    R, m = r[i] * r[j] / (r[i] + r[j]), self.mass[i] * self.mass[j] / (self.mass[i] + self.mass[j])
                    yield (i, j), Touch(d, R, m, n, u, w[i], w[j]), arms, (self.material[i], self.material[j])
            for k, wall in enumerate(self.walls):
                gap, n = wall.gap(x[i])
                d = r[i] - gap
                if d > 0.0:
                    arm = r[i] - self.lost * d
                    carried = wall.v + np.cross(wall.w, x[i] + arm * n - wall.point)
                    u = v[i] + np.cross(arm * w[i], n) - carried
                    touch = Touch(d, r[i], self.mass[i], n, u, w[i], np.asarray(wall.w))
                    yield (i, ("wall", k)), touch, (arm, 0.0), (self.material[i], wall.material)

    def forces(self, dt):
        """Force and torque on each grain (N, 3); histories advance by dt. Forces on walls are in `wall_force`."""
        F, M = self.mass[:, None] * self.gravity, np.zeros_like(self.w)
        self.wall_force = np.zeros((len(self.walls), 3))
        kept, self.normal_force = {}, {}
        for key, touch, arms, materials in self.contacts():
            pair = self.pairs[tuple(sorted(int(m) for m in materials))]
            angle = dt * 0.5 * (touch.w_i + touch.w_j) @ touch.n
            h, g = (turned(touch.n, angle, old) for old in self.history.get(key, np.zeros((2, 3))))
            Fn, Ft, h = self.law(pair, touch, h, dt)
            roll = np.zeros(3)
            if pair.mu_roll > 0.0:
                roll, g = rolling(pair, touch, Fn, g, dt)
            kept[key], self.normal_force[key] = np.array([h, g]), Fn

            i, j = key
            on_i = Ft - Fn * touch.n
            F[i] += on_i
            M[i] += arms[0] * np.cross(touch.n, Ft) + roll
            if isinstance(j, tuple):
                self.wall_force[j[1]] -= on_i
            else:
                F[j] -= on_i
                M[j] += arms[1] * np.cross(touch.n, Ft) - roll
        self.history = kept
        return F, M

    def step(self, dt, count=1):
        """Leapfrog: v and w from the forces of now, then places (and walls) from the new v."""
        inertia = 0.4 * self.mass * self.place[:, 3] ** 2
        for _ in range(count):
            F, M = self.forces(dt)
            self.v += dt * F / self.mass[:, None]
            self.w += dt * M / inertia[:, None]
            self.place[:, :3] += dt * self.v
            for wall in self.walls:
                wall.point = wall.point + dt * np.asarray(wall.v)
            self.time += dt

    def energy(self):
        """Kinetic energy [J]."""
        inertia = 0.4 * self.mass * self.place[:, 3] ** 2
        return 0.5 * float(self.mass @ (self.v**2).sum(1) + inertia @ (self.w**2).sum(1))

    def momentum(self):
        """Linear (3,) and, about the origin, angular momentum (3,)."""
        inertia = 0.4 * self.mass * self.place[:, 3] ** 2
        p = self.mass[:, None] * self.v
        return p.sum(0), (np.cross(self.place[:, :3], p) + inertia[:, None] * self.w).sum(0)
