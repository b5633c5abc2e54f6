"""A ball on round walls, true ones and meshes, at rest, bouncing and rolling: scenes for tests and for both engines."""

import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from gori.kernels.particles import columns as t
from gori.model.particles.meshes import write_stl
from gori.model.particles.state import fresh_state
from gori.model.particles.walls import wall_tables
from gori.sim.particles.cpu import CpuEngine
from gori.sim.particles.engine import ParticleSetup
from gori.spec import Mesh
from tests.kernels.particles import round_meshes
from tests.reference import particles as twin
from tests.sim.particles.heaps import DENSITY, table
from tests.sim.particles.poses import riding, still

Z, OPEN, SLOPE = np.array([0.0, 0.0, 1.0]), ("base", "top"), 0.6
NU = 0.25


class Round(NamedTuple):
    """A round wall about z, of radius 1, seen from inside.

    true    the wall as a shape that is round itself
    mesh    vertices and triangles of a mesh, of a number that tells how fine it is
    width   of a triangle of that [m]
    at      of an azimuth: a point of the wall, the normal there, away from the inside, and the way around
    """

    true: Any
    mesh: Callable[[int], tuple[np.ndarray, np.ndarray]]
    width: Callable[[int], float]
    at: Callable[[float], tuple[np.ndarray, np.ndarray, np.ndarray]]


def _around(turn: float) -> tuple[np.ndarray, np.ndarray]:
    return np.array([math.cos(turn), math.sin(turn), 0.0]), np.array([-math.sin(turn), math.cos(turn), 0.0])


def _on_tube(turn: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    out, along = _around(turn)
    return out + 0.93 * Z, out, along


def _on_cone(turn: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    out, along = _around(turn)
    return (1.0 - 0.47 * SLOPE) * out + 0.47 * Z, (out + SLOPE * Z) / math.hypot(1.0, SLOPE), along


def _on_sphere(turn: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    out, along = _around(turn)
    return out, out, along


def _belt(level: int) -> tuple[np.ndarray, np.ndarray]:
    """The part of a sphere around its equator, which lies across the edges of the mesh."""
    lean = math.radians(17.0)
    turned = np.array([[1.0, 0.0, 0.0], [0.0, math.cos(lean), -math.sin(lean)], [0.0, math.sin(lean), math.cos(lean)]])

    def keep(corners: np.ndarray) -> np.ndarray:
        height, wide = corners @ turned[2] / np.linalg.norm(corners, axis=2), 8.0 * 1.1 / 2.0**level
        return (height.min(axis=1) < wide) & (height.max(axis=1) > -wide)

    vertices, faces = round_meshes.sphere(level, keep=keep)
    return vertices @ turned.T, faces


ROUND = {
    "tube": Round(
        SimpleNamespace(type="cylinder", radius=1.0, length=2.0, axis=Z, open=OPEN),
        lambda count: round_meshes.tube(count, 1, length=2.0),
        lambda count: 2.0 * math.pi / count,
        _on_tube,
    ),
    "cone": Round(
        SimpleNamespace(type="cone", radius=1.0, top_radius=1.0 - SLOPE, length=1.0, axis=Z, open=OPEN),
        lambda count: round_meshes.cone(count, 1, top=1.0 - SLOPE, length=1.0),
        lambda count: 2.0 * math.pi * (1.0 - 0.47 * SLOPE) / count,
        _on_cone,
    ),
    "sphere": Round(SimpleNamespace(type="sphere", radius=1.0), _belt, lambda level: 1.1 / 2.0**level, _on_sphere),
}


def as_stl(folder: Path, vertices: np.ndarray, faces: np.ndarray, name: str = "wall", **fields: Any) -> Mesh:
    """The shape of a mesh that was written into a file."""
    write_stl(folder / f"{name}.stl", vertices, faces)
    return Mesh(type="mesh", file=str(folder / f"{name}.stl"), surface=True, **fields)


class Ball(NamedTuple):
    """One ball and what it is made of; walls are rigid."""

    r: float
    restitution: float = 0.5
    friction: float = 0.5
    rolling: float = 0.0

    @property
    def E(self) -> float:
        return 1e7 * max(1.0, self.r / 0.01)

    @property
    def mass(self) -> float:
        return DENSITY * 4.0 / 3.0 * math.pi * self.r**3

    @property
    def step(self) -> float:
        """A tenth of Rayleigh's."""
        G = self.E / (2.0 * (1.0 + NU))
        return 0.1 * math.pi * self.r * math.sqrt(DENSITY / G) / (0.1631 * NU + 0.8766)

    def sunk(self, force: float) -> float:
        """Overlap at rest under a force (Hertz) [m]."""
        return (0.75 * force * (1.0 - NU**2) / (self.E * math.sqrt(self.r))) ** (2.0 / 3.0)

    def setup(self, shapes: list[Any], gravity: Any = (0.0, 0.0, 0.0)) -> ParticleSetup:
        """shapes   each a shape, or (shape, place)"""
        pair = twin.hertz_pair((self.E, NU), (math.inf, 0.0), self.restitution, self.friction, self.rolling)
        skin, far = 0.1 * self.r, np.full(3, 1e3)
        placed = [shape if isinstance(shape, tuple) else (shape, np.zeros(3)) for shape in shapes]
        rows = [(0, f"w{k}", shape, np.eye(3), np.array(at, float), 0) for k, (shape, at) in enumerate(placed)]
        walls, pairs = wall_tables(rows, self.r + skin, 1), table({(0, 0): pair}, 1)
        return ParticleSetup(
            pairs, t.HERTZ, self.rolling > 0.0, walls, np.array(gravity, float), skin, self.r, -1, -far, far, 1
        )

    def on(self, setup: ParticleSetup, c: Any, v: Any, w: Any = (0.0, 0.0, 0.0), engine: Any = CpuEngine) -> Any:
        """An engine with the ball at c, with its velocity and angular velocity; several rows for several balls."""
        c = np.atleast_2d(c)
        sphere, motion = np.zeros((len(c), 4)), np.zeros((len(c), 8))
        sphere[:, :3], sphere[:, 3] = c, self.r
        motion[:, :3], motion[:, 3], motion[:, 4:7] = v, self.mass, w
        return engine(setup, fresh_state(sphere, motion, np.arange(len(c)), still(0)[0]))

    def energy(self, motion: np.ndarray) -> float:
        """Kinetic energy of a row of motion [J]."""
        v, w = motion[:3], motion[4:7]
        return float(0.5 * self.mass * (v @ v + 0.4 * self.r**2 * w @ w))


def overlap(bed: Any) -> float:
    """Sum of the overlaps of the first ball with all that acts on it [m]."""
    g = bed._g
    s = np.flatnonzero(g.wall_touching[: g.wall_end[0]])
    return float((bed.setup.radius - g.wall_near[s, 0]).sum())


def at_rest(wall: Round, shape: Any, ball: Ball, turn: float) -> tuple[int, float, float]:
    """Pressed straight onto the wall, until nothing moves: number of contacts, overlap, and the same measured from the
    true wall [m].
    """
    point, n, _ = wall.at(turn)
    start = point - (ball.r - ball.sunk(9.81 * ball.mass)) * n
    bed = ball._replace(restitution=0.1).on(ball._replace(restitution=0.1).setup([shape], 9.81 * n), start, 0.0)
    assert bed.march(still(3000), ball.step) is None
    place = bed.snapshot()[1][0, :3]
    return bed.counts()["wall_contacts"], overlap(bed), float((place - point) @ n + ball.r)


def bounced(wall: Round, shape: Any, ball: Ball, turn: float, speed: float = 0.5) -> np.ndarray:
    """Thrown straight onto the wall: velocity afterwards in its speed, away from the wall, and along it (2)."""
    point, n, along = wall.at(turn)
    bed = ball.on(ball.setup([shape]), point - 1.0001 * ball.r * n, speed * n)
    assert bed.march(still(int(4e-4 * ball.r / speed / ball.step) + 600), ball.step) is None
    v = bed.snapshot()[2][0, :3] / speed
    return np.array([-v @ n, v @ along, v @ np.cross(n, along)])


def rolled(wall: Round, shape: Any, ball: Ball, turn: float, speed: float = 2.0) -> tuple[float, np.ndarray]:
    """Once around: share of the energy that is lost, and where it ends. In a cone, gravity holds it at its height."""
    point, n, along = wall.at(turn)
    start = point - ball.r * n
    round_radius = math.hypot(*start[:2])
    pull = ball.mass * speed**2 / round_radius / math.hypot(*n[:2])
    start = start + ball.sunk(pull) * n
    setup = ball.setup([shape], speed**2 / round_radius * n[2] / math.hypot(*n[:2]) * Z)
    bed = ball.on(setup, start, speed * along, np.cross(n, speed * along) / -ball.r)
    before = ball.energy(bed.snapshot()[2][0])
    assert bed.march(still(int(2.0 * math.pi * round_radius / speed / ball.step)), ball.step) is None
    _, sphere, motion = bed.snapshot()
    return 1.0 - ball.energy(motion[0]) / before, sphere[0, :3]


def carried(wall: Round, shape: Any, ball: Ball, turn: float, spin: float = 2.0) -> tuple[float, float]:
    """The wall turns once about z under a ball that is pressed onto it: work of the wall [J] and its last spin."""
    point, n, _ = wall.at(turn)
    bed = ball.on(ball.setup([shape], 9.81 * n), point - (ball.r - ball.sunk(9.81 * ball.mass)) * n, 0.0)
    steps = int(2.0 * math.pi / spin / ball.step)
    assert bed.march(riding(steps, ball.step, np.zeros(3), spin), ball.step) is None
    return -spin * ball.step * bed.wrench[0, 2], bed.snapshot()[2][0, 6]
