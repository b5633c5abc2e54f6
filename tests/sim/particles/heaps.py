"""Heaps of grains on the CPU, and the laws of their contacts, for tests."""

import math
from types import SimpleNamespace

import numpy as np

from gori.kernels.particles import columns as t
from gori.model.particles.state import fresh_state
from gori.model.particles.walls import wall_tables
from gori.sim.particles.cpu import CpuEngine
from gori.sim.particles.engine import ParticleSetup
from tests.reference import particles as twin
from tests.sim.particles.poses import still

RADIUS, DENSITY, STEP = 1e-3, 2500.0, 5e-6
GLASS, RUBBER = (5e7, 0.25), (2e7, 0.4)
GRAVITY = np.array([1.0, -2.0, -9.81])


def table(pairs, count):
    """pair_f of the twin's pairs of materials."""
    pair_f = np.zeros((count * count, t.N_PAIR_F))
    pair_f[:, t.HALF], pair_f[:, t.ONE], pair_f[:, t.DEEP], pair_f[:, t.TINY] = 0.5, 1.0, 0.5, 1e-200
    for (a, b), pair in pairs.items():
        for row in (a * count + b, b * count + a):
            pair_f[row, : t.MU_ROLL + 1] = pair
            pair_f[row, t.C_ROLL] = 0.6 * math.sqrt(1.4 * pair.kt)
    return pair_f


def corner(material=0):
    """Three planes that meet at the origin."""
    return [twin.Plane(np.zeros(3), np.eye(3)[k], material) for k in range(3)]


def setup_of(pairs, count=1, law=t.HERTZ, planes=(), rolling=False, skin=0.1 * RADIUS, radius=RADIUS, workers=1):
    shapes = [
        (0, f"ground.{k}", SimpleNamespace(type="plane", normal=plane.normal), np.eye(3), plane.point, plane.material)
        for k, plane in enumerate(planes)
    ]
    walls = wall_tables(shapes, radius, 1)
    far = np.full(3, 10.0)
    return ParticleSetup(table(pairs, count), law, rolling, walls, GRAVITY, skin, radius, -1, -far, far, workers)


def heap(count, seed=0, spread=0.0, materials=1):
    """Grains on a lattice, large and small ones in turn, so narrow that neighbours touch; off their places by chance,
    and in motion: place and motion."""
    rng = np.random.default_rng(seed)
    side = math.ceil(count ** (1.0 / 3.0))
    cells = np.stack(np.unravel_index(rng.permutation(side**3)[:count], (side, side, side)), axis=1)
    place = np.zeros((count, 4))
    place[:, :3] = RADIUS * ((1.96 - spread) * cells + 0.98 + rng.uniform(-0.03, 0.03, (count, 3)))
    small = cells.sum(axis=1) % 2
    place[:, 3] = RADIUS * (1.0 - small * spread * rng.uniform(0.9, 1.0, count))
    motion = np.zeros((count, 8))
    motion[:, :3], motion[:, 4:7] = rng.normal(0.0, 0.05, (count, 3)), rng.normal(0.0, 40.0, (count, 3))
    motion[:, :3] -= 20.0 * place[:, :3]  # into the corner
    motion[:, t.MATERIAL] = rng.integers(materials, size=count)
    motion[:, t.MASS] = DENSITY * 4.0 / 3.0 * math.pi * place[:, 3] ** 3 * (1.0 + motion[:, t.MATERIAL])
    return place, motion


def bed_of(setup, place, motion):
    return CpuEngine(setup, fresh_state(place, motion, np.arange(len(place)), still(0)[0]))


ONE = {(0, 0): twin.hertz_pair(GLASS, GLASS, 0.5, 0.4)}


TWO = {
    (0, 0): twin.hertz_pair(GLASS, GLASS, 0.5, 0.4),
    (0, 1): twin.hertz_pair(GLASS, RUBBER, 0.7, 0.2),
    (1, 1): twin.hertz_pair(RUBBER, RUBBER, 0.8, 0.0),
}


ROLLING = {(0, 0): twin.hertz_pair(GLASS, GLASS, 0.5, 0.4, 0.1)}


SOME_ROLLING = {
    (0, 0): twin.hertz_pair(GLASS, GLASS, 0.5, 0.4, 0.1),
    (0, 1): twin.hertz_pair(GLASS, RUBBER, 0.7, 0.2),
    (1, 1): twin.hertz_pair(RUBBER, RUBBER, 0.8, 0.3, 0.05),
}


VOIGT = {(0, 0): twin.Pair(8e5, 2.0, 4e5, 0.5, 0.4)}


CASES = {
    "equal": (ONE, 1, t.HERTZ, False, 0.0),
    "sizes": (ONE, 1, t.HERTZ, False, 0.5),
    "materials": (TWO, 2, t.HERTZ, False, 0.0),
    "materials and sizes": (TWO, 2, t.HERTZ, False, 0.6),
    "rolling": (ROLLING, 1, t.HERTZ, True, 0.0),
    "some roll": (SOME_ROLLING, 2, t.HERTZ, True, 0.4),
    "voigt": (VOIGT, 1, t.VOIGT, False, 0.0),
    "voigt, sizes": (VOIGT, 1, t.VOIGT, False, 0.5),
}


def pile(workers, count=6000, **given):
    """A bed of several chunks."""
    place, motion = heap(count, 2, given.pop("spread", 0.0))
    return bed_of(setup_of(ONE, planes=corner(), workers=workers, **given), place, motion)
