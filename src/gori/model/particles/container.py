"""Containers of particles: the inside of a hollow shape, or a box."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError
from gori.model.particles.clearance import Obstacle, clear_of
from gori.spec import Box, Capsule, Cone, Cylinder, Region, Sphere
from gori.spec.base import rotation_to

Distances = Callable[[np.ndarray], dict[str, tuple[np.ndarray, np.ndarray]]]
"""points (n, 3) -> {face: (distance (n,), unit direction inwards (n, 3))}; negative distances are outside"""

_Z = np.array([0.0, 0.0, 1.0])


class Container(NamedTuple):
    """Where particles can be, in a frame of its own: R (3, 3), p (3,) is its pose in the frame of the body.

    low, high   (3,)   corners of a box around it [m]
    walls              distances from its faces
    volume             [m3]
    up                 axis 0, 1, 2 and sign 1, -1 along which it is filled, from the floor up
    lid                name of the open face at its upper end: what does not fit may stand above; "" if it is closed
    name               for messages: tray.bin
    others             shapes that stand in it or near it, in the frame of the body
    """

    R: np.ndarray
    p: np.ndarray
    low: np.ndarray
    high: np.ndarray
    walls: Distances
    volume: float
    up: tuple[int, int]
    lid: str
    name: str
    others: tuple[Obstacle, ...] = ()

    def clearance(self, points: np.ndarray, lid: bool = True) -> np.ndarray:
        """Distance (n,) from the nearest face; without a lid, the open face at the upper end does not count."""
        found = [d for face, (d, _) in self.walls(points).items() if lid or face != self.lid]
        return np.min(found, axis=0)

    def free(self, points: np.ndarray, keep: float, lid: bool = True) -> np.ndarray:
        """Which of the points (n, 3) are at least `keep` [m] away from faces and from the shapes in the way."""
        within = self.clearance(points, lid) >= keep
        within[within] = clear_of(self.others, self.to_body(points[within]), keep)
        return within

    def widest(self) -> float:
        """Radius of the largest sphere inside [m], on its middle line; of a cone to a hundredth or so."""
        line = np.tile(0.5 * (self.low + self.high), (401, 1))
        line[:, 2] = np.linspace(self.low[2], self.high[2], 401)
        return float(self.clearance(line).max())

    def to_body(self, points: np.ndarray) -> np.ndarray:
        """Points (n, 3) of the container in the frame of the body."""
        return points @ self.R.T + self.p


def container_of(part: Any, name: str, down: Any = (0.0, 0.0, -1.0)) -> Container:
    """The inside of a shape or a box.

    name   of it, for messages
    down   direction of gravity in the frame of the body (3,); zero is that of -z
    """
    R, p = part.pose()
    match part:
        case Box() | Region():
            half = 0.5 * np.array(part.size)
            low, high, walls, volume = -half, half, _box(half), float(np.prod(part.size))
        case Sphere():
            high = np.full(3, part.radius)
            low, walls, volume = -high, _sphere(part.radius), part.unit()[0]
        case Cylinder() | Cone() | Capsule():
            R = R @ rotation_to(part.axis)
            top = part.top_radius if isinstance(part, Cone) else part.radius
            round_ends = isinstance(part, Capsule)
            wide, beyond = max(part.radius, top), part.radius if round_ends else 0.0
            low, high = np.array([-wide, -wide, -beyond]), np.array([wide, wide, part.length + beyond])
            walls = _capsule(part.radius, part.length) if round_ends else _frustum(part.radius, top, part.length)
            volume = part.unit()[0]
        case _:
            raise InputError(f"{name} cannot be filled")
    axis, sign, lid = _up(R.T @ np.asarray(down, float), getattr(part, "open", ()))
    return Container(R, p, low, high, walls, volume, (axis, sign), lid, name)


_FACES = {"x-": (0, -1), "x+": (0, 1), "y-": (1, -1), "y+": (1, 1), "z-": (2, -1), "z+": (2, 1),
          "base": (2, -1), "top": (2, 1)}  # fmt: skip


def _up(down: np.ndarray, faces: tuple[str, ...]) -> tuple[int, int, str]:
    """Axis and sign that lead up most, and the open face there; of several open faces the highest counts."""
    rises = {face: -_FACES[face][1] * down[_FACES[face][0]] for face in faces}
    highest = max(rises, key=rises.__getitem__, default="")
    if highest and rises[highest] > 0.1 * np.linalg.norm(down):
        return *_FACES[highest], highest
    if not down.any():
        return 2, 1, ""
    axis = int(np.argmax(np.abs(down)))
    return axis, -int(np.sign(down[axis])), ""


def _box(half: np.ndarray) -> Distances:
    def walls(points):
        found = {}
        for face in ("x-", "x+", "y-", "y+", "z-", "z+"):
            axis, sign = _FACES[face]
            inwards = np.zeros(3)
            inwards[axis] = -sign
            found[face] = half[axis] - sign * points[:, axis], np.broadcast_to(inwards, points.shape)
        return found

    return walls


def _sphere(radius: float) -> Distances:
    def walls(points):
        away = np.linalg.norm(points, axis=1)
        return {"side": (radius - away, -points / np.maximum(away, 1e-300)[:, None])}

    return walls


def _capsule(radius: float, length: float) -> Distances:
    sphere = _sphere(radius)

    def walls(points):
        return sphere(points - np.clip(points[:, 2], 0.0, length)[:, None] * _Z)

    return walls


def _frustum(radius: float, top: float, length: float) -> Distances:
    """From radius at z = 0 to top at z = length; beyond its ends it goes on straight."""
    slope = (top - radius) / length
    cosine = 1.0 / math.hypot(1.0, slope)

    def walls(points):
        z, rho = points[:, 2], np.hypot(points[:, 0], points[:, 1])
        within = (z >= 0.0) & (z <= length)
        inwards = -points * [1.0, 1.0, 0.0] / np.maximum(rho, 1e-300)[:, None]
        inwards = np.where(within[:, None], cosine * (inwards + slope * _Z), inwards)
        gap = np.where(within, cosine, 1.0) * (radius + slope * np.clip(z, 0.0, length) - rho)
        ends = {"base": (z, np.broadcast_to(_Z, points.shape)), "top": (length - z, np.broadcast_to(-_Z, points.shape))}
        return {"side": (gap, inwards)} | ends

    return walls
