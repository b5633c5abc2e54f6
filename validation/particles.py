"""Grains by formulas that are exact: single collisions (Chung and Ooi 2011), free clouds, the weight in a box."""

import math
from collections.abc import Iterator

import numpy as np

from gori.analysis import granular
from gori.model import threads
from tests.reference.collisions import e_star, hertz_impact, sliding_impact
from validation.check import Check, attempt, compare, order, small
from validation.particles_rest import weigh
from validation.particles_scenes import FLOOR, peak, scene, simulation, sphere_mass, track

CASE = "grains"
STILL = (0.0, 0.0, 0.0)
OXIDE, IRON = (3.8e11, 0.23, 4000.0), (1.0e11, 0.25, 7000.0)
DIAMETERS = (0.030, 0.025, 0.020, 0.015, 0.010)
NUMBERS = {1000: (10, 10, 10), 2744: (14, 14, 14), 4840: (22, 20, 11)}
MORE = {10648: (22, 22, 22), 20700: (30, 30, 23), 54872: (38, 38, 38)}


def checks(long: bool = False) -> Iterator[Check]:
    before = threads()
    threads(1)  # cases run side by side
    try:
        for work in (elastic, on_a_plane, restitution, oblique, opposite_spins, cloud):
            yield from attempt(CASE, work.__name__, lambda _, work=work: work())
        yield from attempt(CASE, "weight", lambda _: weights(long))
    finally:
        threads(before)


def meeting(material: tuple, R: float, v: float, per_impact: int, e: float, mu: float, spin: float = 0.0):
    """Two spheres head on, from where they touch: the track, and exact peak force, overlap and duration."""
    E, nu, density = material
    exact = hertz_impact(e_star(E, nu, E, nu), R / 2.0, sphere_mass(R, density) / 2.0, 2.0 * v)
    dt = exact[2] / per_impact
    rows = [[-R, 0, 0, R, v, 0, 0, 0, 0, spin], [R, 0, 0, R, -v, 0, 0, 0, 0, -spin]]
    spec = scene(rows, E=E, nu=nu, density=density, restitution=e, friction=mu, gravity=STILL, step=dt)
    return track(spec, dt, int(1.2 * per_impact)), exact


def falling(material: tuple, R: float, v: float, degrees: float, e: float, mu: float, impacts: float = 1.2):
    """A sphere onto a rigid plane, from where it touches; 200 steps an impact."""
    (E, nu, density), angle = material, math.radians(degrees)
    exact = hertz_impact(e_star(E, nu), R, sphere_mass(R, density), v * math.cos(angle))
    dt = exact[2] / 200
    rows = [[0, 0, R, R, v * math.sin(angle), 0, -v * math.cos(angle)]]
    spec = scene(rows, FLOOR, E=E, nu=nu, density=density, restitution=e, friction=mu, gravity=STILL, step=dt)
    return track(spec, dt, int(200 * impacts)), exact


# ---- rows


def elastic() -> Iterator[Check]:
    """Test 1, with 50, 100 and 200 steps an impact."""
    for name, material, hertz in (
        ("glass", (4.8e10, 0.20, 2800.0), 10696.9),
        ("limestone", (2.0e10, 0.25, 2500.0), 7108.2),
    ):
        errors, force = [], 0.0
        for steps in (50, 100, 200):
            found, (F, _, _) = meeting(material, 0.01, 10.0, steps, 1.0, 0.35)
            force = peak(np.abs(found.force(sphere_mass(0.01, material[2]))[:, 0]))
            errors.append(abs(force / F - 1.0))
        words = f"test 1, {name}: peak force [N]"
        yield compare(CASE, words, "200 steps an impact", hertz, force, 1e-4, relative=True, source="exact")
        yield order(CASE, f"peak force, test 1, {name}", "100 and 200 steps", 2, errors[1], errors[2], 0.05)


def on_a_plane() -> Iterator[Check]:
    """Test 2."""
    for name, material, hertz in (
        ("Al alloy", (7.0e10, 0.30, 2699.0), (11369.9, 49.717)),
        ("Mg alloy", (4.0e10, 0.35, 1800.0), (7232.7, 52.123)),
    ):
        found, _ = falling(material, 0.1, 0.2, 0.0, 1.0, 0.0)
        ours = peak(-found.wall[:, 2]), 1e6 * peak(0.1 - found.position[:, 0, 2])
        names = ("peak force on the wall [N]", "overlap [um]")
        words = f"test 2, {name}"
        yield compare(
            CASE,
            words,
            "200 steps an impact",
            dict(zip(names, hertz)),
            dict(zip(names, ours)),
            1e-4,
            relative=True,
            source="exact",
        )


def restitution() -> Iterator[Check]:
    """Test 3."""
    for name, material in (("Al oxide", OXIDE), ("cast iron", IRON)):
        given = {f"e {e:g}": e for e in (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0)}
        ours = {}
        for word, e in given.items():
            found, _ = falling(material, 0.0025, 3.9, 0.0, e, 0.0, impacts=3.0)
            ours[word] = float(found.velocity[-1, 0, 2]) / 3.9
        yield compare(CASE, f"test 3, {name}: restitution", "200 steps an impact", given, ours, 1e-3, source="exact")


def oblique() -> Iterator[Check]:
    """Test 4, from gross sliding on. The arm of friction is shorter than R by the overlap: the spin by 0.2 %."""
    e, mu, R, v = 0.98, 0.092, 0.0025, 3.9
    for name, material in (("Al oxide", OXIDE), ("Al alloy", (7.0e10, 0.33, 2700.0))):
        share, spin, got_share, got_spin = {}, {}, {}, {}
        for degrees in (30, 40, 50, 60, 70, 80):
            word = f"{degrees} deg"
            found, _ = falling(material, R, v, degrees, e, mu)
            share[word], spin[word] = sliding_impact(v, math.radians(degrees), e, mu, R)
            got_share[word] = float(found.velocity[-1, 0, 0]) / (v * math.sin(math.radians(degrees)))
            got_spin[word] = -float(found.angular_velocity[-1, 0, 1])
        words = "200 steps an impact"
        yield compare(
            CASE, f"test 4, {name}: tangential speed that is left", words, share, got_share, 1e-3, source="exact"
        )
        yield compare(CASE, f"test 4, {name}: spin [rad/s]", words, spin, got_spin, 8e-3, relative=True, source="exact")


def opposite_spins() -> Iterator[Check]:
    """Test 7."""
    for name, material in (("Al alloy", (7.0e10, 0.33, 2700.0)), ("copper", (1.2e11, 0.35, 8900.0))):
        found, _ = meeting(material, 0.1, 0.2, 100, 0.5, 0.4, 10.0)
        sideways = float(np.abs(found.velocity[-1, :, 1:]).max())
        yield small(CASE, f"test 7, {name}: tangential speed [m/s]", "100 steps an impact", sideways, 1e-12)
        yield compare(
            CASE,
            f"test 7, {name}: spin [rad/s]",
            "100 steps",
            10.0,
            float(found.angular_velocity[-1, 0, 2]),
            1e-12,
            source="exact",
        )


def cloud() -> Iterator[Check]:
    """1000 grains that fly into each other, with friction: momentum to rounding."""
    rng = np.random.default_rng(3)
    grid = np.stack(np.meshgrid(*[np.arange(10.0)] * 3), -1).reshape(-1, 3) - 4.5
    rows = np.column_stack(
        [
            0.023 * grid,
            rng.uniform(0.007, 0.01, 1000),
            rng.normal(size=(1000, 3)) - 0.3 * grid,
            rng.normal(size=(1000, 3)),
        ]
    )
    sim = simulation(scene(rows, restitution=0.7, friction=0.4, rolling=0.1, gravity=STILL), 1e-2)
    particles = sim.particles
    assert particles is not None
    before = granular.momentum(particles.frame())
    scale = float(particles.mass @ np.linalg.norm(particles.velocity, axis=1))
    sim.advance(20)
    after = granular.momentum(particles.frame())
    words = "1000 grains, 0.2 s"
    linear = float(np.abs(after.linear - before.linear).max())
    angular = float(np.abs(after.angular - before.angular).max())
    yield small(CASE, "momentum that a free cloud gained, over that of its grains", words, linear / scale, 1e-13)
    yield small(CASE, "angular momentum, the same, times 0.1 m", words, angular / (0.1 * scale), 1e-12)


def weights(long: bool) -> Iterator[Check]:
    """The tables of the paper: mean vertical force on all faces of the box over 0.4 s, against N rho pi/6 d^3 g."""
    for d in DIAMETERS:
        yield from weight((10, 10, 10), d, f"1000 spheres of {1e3 * d:g} mm")
    for count, sides in (NUMBERS | (MORE if long else {})).items():
        if count > 1000:
            yield from weight(sides, 0.025, f"{count} spheres of 25 mm")


def weight(sides: tuple[int, int, int], d: float, words: str) -> Iterator[Check]:
    found = weigh(sides, d, settle=max(1.2, 0.1 * sides[2]))
    yield compare(
        CASE, f"weight of {words} [N]", "at rest", found.theory, found.carried, 1e-4, relative=True, source="exact"
    )
    yield small(CASE, f"force that no momentum explains, {words}", "at rest", found.unexplained, 1e-12)
