"""Grains that move: out of a hole, in a spinning drum, under a ball that hits them."""

import math
from typing import Any, NamedTuple

import numpy as np

import gori
from gori.analysis import granular
from validation.balance import noted
from validation.particles_scenes import UP, G, filled, scene, simulation, tube
from validation.solvers import Solver

# ---- discharge


def discharge(
    hole: float, count: int = 2000, ratio: int = 12, duration: float = 0.5, begin: float = 0.15, seed: int = 0
) -> float:
    """Mass flow [kg/s] out of a flat-bottomed bin of `ratio` grains across, through a hole of `hole` grains across."""
    d, step = 4e-3, 5e-3
    R = 0.5 * ratio * d
    length = count * math.pi / 6.0 * d**3 / 0.42 / (math.pi * R**2)
    floor = {"type": "cone", "material": "wall", "at": [0.0, 0.0, -1e-4], "length": 1e-4, "radius": 0.5 * hole * d,
             "top_radius": R, "hollow": True, "open": ["base", "top"], **UP}  # fmt: skip
    spec = scene(
        None, {"bin": tube(R, length), "floor": floor}, E=1e6, restitution=0.4, friction=0.5, skin=0.25 * d,
        particles=filled("ground.bin", count, [0.45 * d, 0.55 * d], seed=seed), outlets={"drain": {"below": -0.02}},
    )  # fmt: skip
    sim = simulation(spec, step)
    particles = sim.particles
    assert particles is not None
    mass, first = [], float(particles.mass.sum())
    for _ in range(round(duration / step)):
        sim.advance()
        mass.append((sim.time, float(particles.mass.sum())))
        if mass[-1][1] < 0.4 * first:
            break
    time, left = np.array(mass).T
    return -float(np.polyfit(time[time > begin], left[time > begin], 1)[0])


def beverloo(holes: Any, flows: Any) -> tuple[float, float]:
    """n and k of W = C (hole - k)^n, holes in grains across: k such that W^(2/5) is a straight line, then n with k 1.4.

    Beverloo, Leniger and van de Velde (1961): n = 5/2, k between 1 and 2, 1.4 for spheres.
    """
    slope, offset = np.polyfit(holes, np.asarray(flows) ** 0.4, 1)
    k = -offset / slope
    return float(np.polyfit(np.log(np.asarray(holes) - 1.4), np.log(flows), 1)[0]), float(k)


# ---- drum


class Drum(NamedTuple):
    """Radii of rings (n,) [m], height of the surface there and of the paraboloid [m], slopes of both between them
    (n - 1,) [rad]; mean height of the paraboloid, and out of the volume of the grains [m]; spin of the grains over that
    of the drum.
    """

    r: np.ndarray
    height: np.ndarray
    paraboloid: np.ndarray
    slope: np.ndarray
    exact_slope: np.ndarray
    mean: float
    by_volume: float
    together: float


def drum_spec(count: int, R: float, d: float, spin: float, friction: float = 0.05, E: float = 5e5) -> gori.Spec:
    """Grains in a rough cylinder that spins about its vertical axis, driven by a motion; they start with it."""
    length = max(3.0 * R, 1.1 * count * math.pi / 6.0 * d**3 / 0.5 / (math.pi * R**2))
    return scene(
        None, E=E, skin=0.5 * d,  # a wide one: all grains move
        contacts={
            "grain/grain": {"restitution": 0.5, "friction": friction},
            "grain/wall": {"restitution": 0.5, "friction": 1.0},
        },
        particles=filled("drum.wall", count, d / 2, "poured"),
        bodies={"drum": {"mass": 1.0, "inertia": [1.0, 1.0, 1.0], "shapes": {"wall": tube(R, length, ends=("top",))}}},
        joints={"axle": {"type": "revolute", "parent": "ground", "child": "drum", **UP}},
        motions={"drive": {"joint": "axle", "speed": spin}},
    )  # fmt: skip


def drum(spec: gori.Spec, R: float, spin: float, duration: float, last: float = 0.3) -> Drum:
    """Run a drum, and compare the mean surface of its last frames with the paraboloid of the same height."""
    sim = simulation(spec, 2e-3)
    rec = noted(sim.run(duration, frames=0.02, sample=0.02, progress=False), Solver(sim.method))
    frames = [frame for frame in rec.frames if frame.time > duration - last]
    d = 2.0 * float(frames[0].radius.max())
    # rings of some grains: grains lie in layers, which would be steps of a finer profile
    edges = np.linspace(0.0, R - 0.75 * d, max(5, round(R / (3.0 * d))) + 1)
    profiles = [granular.surface_profile(frame, "r", edges) for frame in frames]
    r, height = profiles[0].at, np.mean([profile.mean for profile in profiles], axis=0)
    rise = spin**2 * r**2 / (2.0 * G)
    tip = float(np.average(height - rise, weights=r))
    middle, mean = 0.5 * (r[1:] + r[:-1]), tip + (spin * R) ** 2 / (4.0 * G)
    # how dense the grains lie, well inside: below the tip of the surface, away from walls
    core = granular.CylinderRegion((0.0, 0.0, d), R - d, max(d, tip - 2.0 * d))
    filled_share = 1.0 - float(np.mean([granular.porosity(frame, core) for frame in frames]))
    volume = float(np.sum(4.0 / 3.0 * np.pi * frames[0].radius ** 3))
    end = frames[-1]
    turning = granular.momentum(end).angular[2] - float(0.4 * end.mass * end.radius**2 @ end.angular_velocity[:, 2])
    rigid = spin * float(end.mass @ (end.position[:, :2] ** 2).sum(axis=1))
    return Drum(
        r, height, tip + rise, np.arctan(np.diff(height) / np.diff(r)), np.arctan(spin**2 * middle / G),
        mean, volume / (filled_share * math.pi * R**2), float(turning / rigid),
    )  # fmt: skip


# ---- impact


class Impact(NamedTuple):
    """Height of a ball's lowest point above the bed's floor (n,) [m] at times (n,) [s], and the bed's height [m]."""

    time: np.ndarray
    height: np.ndarray
    bed: float


STEEL = {"E": 2.1e11, "nu": 0.2, "density": 7200.0}
BED = {"restitution": 0.5, "friction": 0.3}
BALL = {"restitution": 0.4, "friction": 0.2}


def settled(count: int, d: float, size: tuple[float, float], E: float, duration: float) -> np.ndarray:
    """Places and radii (count, 4) of grains that have come to rest in a box."""
    height = count * d**3 / (size[0] * size[1]) * 1.4 + 2.0 * d
    box = {"type": "box", "size": [*size, height], "at": [0.0, 0.0, height / 2], "hollow": True, "material": "wall"}
    spec = scene(None, {"bin": box}, E=E, nu=0.2, **BED, particles=filled("ground.bin", count, d / 2))
    sim = simulation(spec, 1e-3)
    assert sim.particles is not None
    sim.advance(round(duration / 1e-3))
    return np.column_stack([sim.particles.position, sim.particles.radius])


def impact(rows: np.ndarray, size: tuple[float, float], step: float, duration: float, E: float = 1e9) -> Impact:
    """A steel ball of 20 mm, 5 m/s down, into a settled bed (Dosta et al. 2024); the ball is a body on a slide."""
    d, R, top = 2.0 * rows[0, 3], 0.01, float(rows[:, 2].max() + rows[0, 3])
    height = top + 0.1
    slide = {"type": "prismatic", "parent": "ground", "child": "ball", **UP}
    box = {"type": "box", "size": [*size, height], "at": [0.0, 0.0, height / 2], "hollow": True, "material": "bed_wall"}
    spec = gori.Spec(
        gravity=(0.0, 0.0, -G),
        materials={"grain": {"E": E, "nu": 0.2, "density": 2500.0}, "steel": STEEL, "bed_wall": {"E": E, "nu": 0.2}},
        contacts={"grain/grain": BED, "grain/bed_wall": BED, "grain/steel": BALL},
        bodies={
            "ground": {"shapes": {"bin": box}},
            "ball": {"shapes": {"skin": {"type": "sphere", "radius": R, "density": 7200.0, "material": "steel"}}},
        },
        joints={"drop": slide | {"q": top + R + 1e-4, "v": -5.0}},
        particles={"bed": {"material": "grain", "positions": rows}},
        run={"duration": 1.0, "subsystems": {"bed": {"step": step, "skin": 0.25 * d}}},
    )  # fmt: skip
    sim = simulation(spec, 8.0 * step)
    rec = noted(sim.run(duration, sample=duration / 200, progress=False), Solver(sim.method))
    return Impact(rec.time, rec.q[:, 0] - R, top - d / 2)
