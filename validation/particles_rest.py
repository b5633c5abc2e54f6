"""Grains at rest, or nearly: their weight, a silo, a heap."""

import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import curve_fit

from gori.analysis import granular
from gori.model.particles.container import container_of
from gori.model.particles.packing import random
from gori.spec.shape import Cylinder
from tests.reference.collisions import e_star
from validation.particles_scenes import UP, G, filled, scene, simulation, tube

# ---- weight


class Weight(NamedTuple):
    """Of all grains, and what the walls carry, mean over time [N]; share of it that no change of momentum explains."""

    theory: float
    carried: float
    unexplained: float


def weigh(sides: tuple[int, int, int], diameter: float, settle: float = 1.2, mean: float = 0.4) -> Weight:
    """Spheres of steel's density from a cubic grid in an open box; after `settle` seconds the mean over `mean` seconds.

    E is far below that of steel, as much as leaves overlaps at a hundredth of a radius; the weight does not care.
    """
    g, step, radius = 9.807, 2e-3, 0.5 * diameter
    size = [2.0202 * radius * n for n in sides]
    size[2] *= 1.3
    box = {
        "type": "box",
        "size": size,
        "at": [0.0, 0.0, 0.5 * size[2]],
        "hollow": True,
        "open": ["z+"],
        "material": "wall",
    }
    spec = scene(
        None, {"bin": box}, E=1.7e8 * diameter * sides[2], density=7800.0, restitution=0.3, friction=0.5,
        gravity=(0.0, 0.0, -g), particles=filled("ground.bin", math.prod(sides), radius, "regular"),
    )  # fmt: skip
    sim = simulation(spec, step)
    particles = sim.particles
    assert particles is not None
    sim.advance(round(settle / step))
    before, forces = particles.momentum[2], []
    for _ in range(round(mean / step)):
        sim.advance()
        forces.append(sum(float(force[:, 2].sum()) for force in particles.wall_forces().values()))
    theory = math.prod(sides) * 7800.0 * math.pi / 6.0 * diameter**3 * g
    carried = -float(np.mean(forces))
    gained = (particles.momentum[2] - before) / (len(forces) * step)
    return Weight(theory, carried, (carried - gained) / theory - 1.0)


# ---- silo


class Silo(NamedTuple):
    """Wall force over friction times normal force; K of Janssen's curve; rms deviation of the pressure on the wall from
    the curve, over its limit; load on the bottom over that of the curve; share of the weight on the bottom.
    """

    mobilised: float
    K: float
    deviation: float
    bottom: float
    share: float


def janssen(ratio: int = 8, filling: float = 4.0, friction: float = 0.15, duration: float = 0.5, seed: int = 0) -> Silo:
    """A silo of `ratio` grains across, filled `filling` times as high; its wall is drawn up, slowly, so that friction
    is at its limit everywhere.
    """
    d, E, step = 5e-3, 2e6, 1e-3
    D, count = ratio * d, int(0.855 * filling * ratio**3)
    rng = np.random.default_rng(seed)
    radii = rng.uniform(0.45 * d, 0.55 * d, count)
    inside = Cylinder.model_validate(tube(D / 2, 1.15 * filling * D))
    room = container_of(inside, "the silo")
    rows = np.column_stack([room.to_body(random(room, radii, rng)), radii])
    wall = tube(D / 2, (1.15 * filling + 2.0) * D, at=-D)
    spec = scene(
        rows, E=E,
        contacts={
            "grain/grain": {"restitution": 0.5, "friction": 0.5},
            "grain/wall": {"restitution": 0.5, "friction": friction},
        },
        bodies={
            "ground": {"shapes": {"floor": {"type": "plane", "material": "wall"}}},
            "silo": {"mass": 1.0, "inertia": [1.0, 1.0, 1.0], "shapes": {"wall": wall}},
        },
        joints={"lift": {"type": "prismatic", "parent": "ground", "child": "silo", **UP}},
        motions={"drive": {"joint": "lift", "speed": 0.02}},
    )  # fmt: skip
    sim = simulation(spec, step)
    particles = sim.particles
    assert particles is not None
    sim.advance(round(0.6 * duration / step))
    k, edges = 4.0 / 3.0 * e_star(E, 0.25) * np.sqrt(radii), np.arange(0.0, filling + 1e-9, 1.0) * D
    up, bottom, normal, samples = 0.0, 0.0, np.zeros(len(edges) - 1), round(0.4 * duration / step)
    total = 0.0
    for _ in range(samples):
        sim.advance()
        pushed = {name: force.sum(axis=0) for name, force in particles.wall_forces().items()}
        up, bottom = up - pushed["silo.wall"][2] / samples, bottom - pushed["ground.floor"][2] / samples
        place = particles.position
        overlap = np.maximum(0.0, radii - (D / 2 - np.hypot(place[:, 0], place[:, 1])))
        force = k * overlap**1.5
        total += float(force.sum()) / samples
        normal += np.histogram(place[:, 2], edges, weights=force)[0] / samples
    # a column of even density is twice as high as its middle
    mass, area = float(particles.mass.sum()), math.pi * D**2 / 4.0
    height = 2.0 * float(granular.center_of_mass(particles.frame())[2])
    limit = mass / (area * height) * G * D / (4.0 * friction)
    depth = height - 0.5 * (edges[1:] + edges[:-1])
    pressure, use = normal / (math.pi * D * D), depth > 0.25 * D

    def curve(z, K):
        return limit * (1.0 - np.exp(-4.0 * friction * K * z / D))

    (K,), _ = curve_fit(curve, depth[use], pressure[use], p0=[0.7])
    off = float(np.sqrt(np.mean((pressure[use] - curve(depth[use], K)) ** 2))) / limit
    return Silo(up / (friction * total), float(K), off, bottom / (area * curve(height, K) / K), bottom / (mass * G))


# ---- heap


def heap(friction: float, rolling: float, count: int = 700, duration: float = 2.5, seed: int = 0) -> granular.Repose:
    """Angle of the heap that stays on a plate with a rim, one grain high, when a pipe full of grains is drawn up from
    it; without the rim grains that roll would leave nothing.
    """
    d, step = 0.01, 2e-3
    R, plate = 5.0 * d, 9.0 * d
    length = count * math.pi / 6.0 * d**3 / 0.45 / (math.pi * R**2)
    spec = scene(
        None, E=1e6, restitution=0.5, friction=friction, rolling=rolling, skin=0.25 * d,
        particles=filled("pipe.wall", count, [0.45 * d, 0.55 * d], seed=seed),
        bodies={
            "ground": {"shapes": {"plate": tube(plate, d, ends=("top",))}},
            "pipe": {"mass": 1.0, "inertia": [1.0, 1.0, 1.0], "shapes": {"wall": tube(R, length)}},
        },
        joints={"lift": {"type": "prismatic", "parent": "ground", "child": "pipe", **UP}},
        motions={"drive": {"joint": "lift", "value": "0.2*max(0, t - 0.2)"}},
        outlets={"off": {"below": -0.05}},
    )  # fmt: skip
    sim = simulation(spec, step)
    assert sim.particles is not None
    sim.advance(round(duration / step))
    on_it = np.hypot(*sim.particles.position[:, :2].T) < plate
    place = np.column_stack([sim.particles.position, sim.particles.radius])[on_it]
    return granular.angle_of_repose(place, origin=(0.0, 0.0), floor=d, between=(2.0 * d, plate - d))
