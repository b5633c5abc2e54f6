"""Small descriptions with grains, for the table and for tests, and what grains do in them step by step."""

from typing import Any, NamedTuple

import numpy as np

import gori

G = 9.81
UP = {"axis": [0.0, 0.0, 1.0]}
FLOOR = {"floor": {"type": "plane", "material": "wall"}}


class Track(NamedTuple):
    """Of grains after each step: time (n,), position, velocity, angular_velocity (n, grains, 3), sum of forces on all
    walls (n, 3).
    """

    time: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    wall: np.ndarray

    def force(self, mass: float, grain: int = 0) -> np.ndarray:
        """(n - 1, 3) on one grain in each step but the first, out of the change of its velocity [N]."""
        return mass * np.diff(self.velocity[:, grain], axis=0) / (self.time[1] - self.time[0])


def scene(
    positions: Any = None,
    shapes: dict[str, Any] | None = None,
    E: float = 1e7,
    nu: float = 0.25,
    density: float = 2500.0,
    restitution: float = 0.5,
    friction: float = 0.4,
    rolling: float = 0.0,
    gravity: Any = (0.0, 0.0, -G),
    step: float | str = "auto",
    skin: float | str = "auto",
    **more: Any,
) -> gori.Spec:
    """Grains of one material and fixed, rigid walls; the same contact everywhere."""
    contact = {"restitution": restitution, "friction": friction, "rolling_friction": rolling}
    load = {"material": "grain", "positions": positions}
    parts = {
        "gravity": gravity,
        "materials": {"grain": {"E": E, "nu": nu, "density": density}, "wall": {"rigid": True}},
        "contacts": {"grain/grain": contact, "grain/wall": contact},
        "bodies": {"ground": {"shapes": shapes}} if shapes else {},
        "particles": {} if positions is None else {"load": load},
        "run": {"duration": 1.0, "subsystems": {"load": {"step": step, "skin": skin}}},
    }
    return gori.Spec(**(parts | more))


def tube(radius: float, length: float, at: float = 0.0, ends: tuple[str, ...] = ("base", "top")) -> dict[str, Any]:
    """A hollow cylinder that stands upright, with these ends open."""
    place = {"at": [0.0, 0.0, at], "radius": radius, "length": length, "hollow": True, "open": list(ends)}
    return {"type": "cylinder", "material": "wall"} | UP | place


def filled(shape: str, count: int, radius: Any, packing: str = "random", seed: int = 0) -> dict[str, Any]:
    fill = {"shape": shape, "count": count, "packing": packing, "seed": seed}
    return {"load": {"material": "grain", "radius": radius, "fill": fill}}


def simulation(spec: gori.Spec, step: float, **options: Any) -> gori.Simulation:
    """The bodies with a step [s], the grains with that of the Spec."""
    return gori.Simulation(gori.compile(spec), gori.RK4(step=step), **options)


def track(spec: gori.Spec, step: float, steps: int) -> Track:
    """Follow grains that take the same steps as the bodies."""
    sim = simulation(spec, step)
    assert sim.particles is not None
    rows = []
    for _ in range(steps):
        sim.advance()
        wall = sum((f.sum(axis=0) for f in sim.particles.wall_forces().values()), np.zeros(3))
        rows.append((sim.time, sim.particles.position, sim.particles.velocity, sim.particles.angular_velocity, wall))
    return Track(*(np.array(column) for column in zip(*rows)))


def peak(values: np.ndarray) -> float:
    """Largest value, by a parabola through the highest samples."""
    k = int(np.argmax(values))
    a, b, c = values[k - 1 : k + 2]
    return float(b + (a - c) ** 2 / (8.0 * (2.0 * b - a - c)))


def sphere_mass(radius: Any, density: float) -> Any:
    return 4.0 / 3.0 * np.pi * radius**3 * density
