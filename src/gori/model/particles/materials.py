"""From materials and contacts to the table of pairs, and the step that their stiffness asks for.

Where materials a and b touch (Hertz 1881; Mindlin and Deresiewicz 1953; Tsuji, Tanaka and Ishida 1992):

    1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b
    1/G* = 2 (2 - nu_a)(1 + nu_a)/E_a + 2 (2 - nu_b)(1 + nu_b)/E_b
    KN = 4/3 E*,  CN = 2 sqrt(5/6) beta sqrt(2 E*),  KT = 8 G*,  CT = 2 sqrt(5/6) beta sqrt(8 G*)

and with contact radius a = sqrt(R* d), normal force KN a d + CN sqrt(m* a) d', tangential stiffness KT a.

Damping from restitution. In units of the impact the overlap obeys x'' = -x^3/2 - sqrt(5) beta x^1/4 x'. With y = x^5/4
and a time that runs as x^1/4 dt, that is the linear oscillator v' = -(y + sqrt(5) beta v), y' = 5/4 v, of damping ratio
beta (Antypov and Elliott 2011). The contact never pulls, so it ends where the force is zero, not where the overlap is
(Schwager and Poeschel 2007), and the speed there is

    e = exp(-2 beta t / s),   s = sqrt(1 - beta^2), t = acos(beta);   beyond beta = 1: s = sqrt(beta^2 - 1), t = acosh

whatever the speed of the impact.
"""

import math
from collections.abc import Mapping
from functools import cache

import numpy as np

from gori.errors import InputError
from gori.kernels.particles import columns as t
from gori.model.particles.positions import given_rows
from gori.spec import Contact, Material, ParticleGroup, Spec
from gori.spec.material import contacts_of, particle_materials
from gori.spec.particles.groups import radius_range

LEAST_RESTITUTION = 0.01
"""restitution that smaller ones count as: none at all would take an infinite damping"""
TINY_SQUARE = 1e-200
"""added where zero must not be divided by; a square of forces, so far below any"""
DEEPEST = 0.5
"""overlap, in radii, at which a run ends: the stiffness is far too low, or the step too large"""
SHARE = 0.2
"""of the Rayleigh time: the step that is taken unless one is given"""
HERTZ_TIME = 2.0 * math.sqrt(math.pi) * math.gamma(1.4) / math.gamma(0.9)
"""duration of an elastic impact over largest overlap and speed: 2.943"""
TYPICAL = 0.01
"""overlap, in radii, at which the law voigt is as stiff as its step is chosen for"""
LAWS = {"hertz": t.HERTZ, "voigt": t.VOIGT}
"""of contacts, by their names in a Spec"""
PER_PERIOD = 30
"""steps in a period of the law voigt there: as many as SHARE of a Rayleigh time gives Hertz's law"""


def pair_table(spec: Spec) -> tuple[tuple[str, ...], np.ndarray, int]:
    """Names of the materials, their pairs (nm * nm, N_PAIR_F), and the law of all contacts, HERTZ or VOIGT.

    Materials a and b stand in row a * nm + b. Pairs that no contact is given for cannot meet, and have no stiffness.
    """
    names, known = tuple(spec.materials), contacts_of(spec)
    pair_f = np.zeros((len(names) ** 2, t.N_PAIR_F))
    pair_f[:, t.HALF], pair_f[:, t.ONE], pair_f[:, t.DEEP], pair_f[:, t.TINY] = 0.5, 1.0, DEEPEST, TINY_SQUARE
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            if (key := known.get((a, b))) is not None:
                _fill(pair_f[i * len(names) + j], spec.contacts[key], spec.materials[a], spec.materials[b])
    grains = particle_materials(spec)
    laws = {spec.contacts[key].law for (a, b), key in known.items() if a in grains or b in grains} or {"hertz"}
    return names, pair_f, LAWS[laws.pop()]  # all contacts of particles have the same


def _fill(row: np.ndarray, contact: Contact, a: Material, b: Material) -> None:
    row[t.MU] = contact.friction
    if contact.law == "voigt":
        row[t.KN], row[t.CN], row[t.KT], row[t.CT] = contact.k_n, contact.c_n, contact.k_t, contact.c_t
        return
    if any(m.E is None and not m.rigid for m in (a, b)) or (a.rigid and b.rigid):
        return  # of two walls, which do not meet here
    E, G = effective_moduli(a, b)
    beta = damping_for(contact.restitution or 0.0)
    row[t.KN], row[t.KT] = 4.0 / 3.0 * E, 8.0 * G
    row[t.CN], row[t.CT] = (2.0 * math.sqrt(5.0 / 6.0) * beta * math.sqrt(k) for k in (2.0 * E, 8.0 * G))
    row[t.MU_ROLL], row[t.C_ROLL] = contact.rolling_friction, 0.6 * math.sqrt(1.4 * row[t.KT])


def effective_moduli(a: Material, b: Material) -> tuple[float, float]:
    """E* and G* of two materials [Pa], of which at most one is rigid."""
    soft = [(m.E, m.nu) for m in (a, b) if m.E is not None]
    if not soft:
        raise InputError("effective moduli need a material with E: two rigid materials have no contact stiffness")
    normal = sum((1.0 - nu * nu) / E for E, nu in soft)
    return 1.0 / normal, 1.0 / sum(2.0 * (2.0 - nu) * (1.0 + nu) / E for E, nu in soft)


def restitution_of(beta: float) -> float:
    """Restitution of a head-on impact of damping ratio beta, of a contact that never pulls."""
    if beta < 0.0:
        raise InputError(f"a damping ratio must not be negative, is {beta:g}")
    if abs(beta - 1.0) < 1e-6:
        ratio = 1.0 - (beta - 1.0) / 3.0  # both branches below tend to it
    elif beta < 1.0:
        ratio = math.acos(beta) / math.sqrt((1.0 - beta) * (1.0 + beta))
    else:
        ratio = math.acosh(beta) / math.sqrt((beta - 1.0) * (beta + 1.0))
    return math.exp(-2.0 * beta * ratio)


@cache
def damping_for(restitution: float) -> float:
    """The damping ratio beta that makes a restitution come out, of at least LEAST_RESTITUTION."""
    if not 0.0 <= restitution <= 1.0:
        raise InputError(f"a restitution must lie between 0 and 1, is {restitution:g}")
    e = max(restitution, LEAST_RESTITUTION)
    if e == 1.0:
        return 0.0
    from scipy.optimize import brentq  # slow to import

    # e is about 1 / (4 beta^2) where the damping is strong
    beta = brentq(lambda beta: math.log(restitution_of(beta) / e), 0.0, 1.0 / math.sqrt(e), xtol=1e-15)
    return float(beta)  # pyright: ignore[reportArgumentType]


def rayleigh_step(radius: float, density: float, E: float, nu: float) -> float:
    """Time in which a Rayleigh wave runs over half a particle [s]: pi r sqrt(density / G) / (0.1631 nu + 0.8766)."""
    G = E / (2.0 * (1.0 + nu))
    return math.pi * radius * math.sqrt(density / G) / (0.1631 * nu + 0.8766)


def contact_time(radius: float, mass: float, E: float, speed: float) -> float:
    """Duration of an elastic head-on impact [s] (Hertz).

    radius, mass   R* and m* of the pair [m, kg]: of two equal spheres half of one, against a wall that of the sphere
    E              E* [Pa]
    speed          at which they meet [m/s]
    """
    depth = (15.0 * mass * speed**2 / (16.0 * math.sqrt(radius) * E)) ** 0.4
    return HERTZ_TIME * depth / speed


def damped_share(beta: float) -> float:
    """Share of the step of elastic particles that damped ones can take, at most 1.

    A leapfrog whose damping lags by half a step is stable for (w dt)^2 + 4 z w dt < 4, which is
    w dt < 2 / (z + sqrt(1 + z^2)). In a bed z is that of rolling and sliding particles that are held from all sides,
    2.4 beta: beds of 400 particles come to rest with this share and jitter with 1.4 of it, for e from 0.05 to 0.5.
    """
    z = 2.4 * beta
    return min(1.0, 2.0 / (z + math.sqrt(1.0 + z * z)))


def voigt_step(radius: float, density: float, contact: Contact) -> float:
    """Step for equal particles of the law voigt [s]: a share of the period at an overlap of TYPICAL radii."""
    mass, depth = 2.0 / 3.0 * math.pi * radius**3 * density, TYPICAL * radius
    stiffness = 1.5 * (contact.k_n or 0.0) * math.sqrt(depth)
    frequency = math.sqrt(stiffness / mass)
    ratio = (contact.c_n or 0.0) * depth**0.25 / (2.0 * mass * frequency)
    return 2.0 * math.pi / frequency / PER_PERIOD / max(1.0, ratio)


def suggested_step(spec: Spec, smallest: Mapping[str, float] | None = None) -> float:
    """The step of `step: auto` [s]: the smallest of all particles.

    Hertz: SHARE of the Rayleigh time, less for restitutions below 0.45 (`damped_share`); voigt: `voigt_step`.

    smallest   smallest radius of each material of particles [m]; if not given, as the Spec says
    """
    smallest = smallest_radii(spec) if smallest is None else smallest
    known, steps = contacts_of(spec), []
    for name, radius in smallest.items():
        material = spec.materials[name]
        density = material.density or 0.0
        contacts = {key: spec.contacts[key] for pair, key in known.items() if pair[0] == name}
        for contact in contacts.values():
            if contact.law == "voigt":
                steps.append(voigt_step(radius, density, contact))
            else:
                share = SHARE * damped_share(damping_for(contact.restitution or 0.0))
                steps.append(share * rayleigh_step(radius, density, material.E or 0.0, material.nu))
    if not steps:
        raise InputError("there are no particles, so there is no suggested step")
    return min(steps)


def smallest_radii(spec: Spec) -> dict[str, float]:
    """Smallest radius of each material of particles [m]: of the rules of radii, and of positions that are given."""
    found = dict.fromkeys(particle_materials(spec), math.inf)
    for name, part in (*spec.particles.items(), *spec.inlets.items()):
        if isinstance(part, ParticleGroup) and part.positions is not None:
            radius = float(given_rows(part, name)[:, 3].min())
        else:
            radius = radius_range(part.radius)[0]
        found[part.material] = min(found[part.material], radius)
    return found
