"""Shapes as triangles, in the frame of their body: to look at, not to compute with."""

from typing import Any

import numpy as np

from gori.model.particles.clearance import drawn_mesh
from gori.spec.base import rotation_to

AROUND = 48
"""corners of a circle"""
_ANGLES = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
_CIRCLE = np.stack([np.cos(_ANGLES), np.sin(_ANGLES), np.zeros(AROUND)], axis=1)
_FACES = {"x-": (0, 2, 6, 4), "x+": (1, 3, 7, 5), "y-": (0, 1, 5, 4), "y+": (2, 3, 7, 6), "z-": (0, 1, 3, 2),
          "z+": (4, 5, 7, 6)}  # fmt: skip
"""of a box, whose corner 4 z + 2 y + x is at the upper end of these axes"""
Mesh = tuple[np.ndarray, np.ndarray]
"""vertices (n, 3) [m], triangles (m, 3)"""


def wall_mesh(shape: Any, wide: float) -> Mesh:
    """A shape less its open faces; of a plane, which has no end, a square about its point of this width [m]."""
    vertices, faces = _own_frame(shape, wide)
    R, p = shape.pose()
    return vertices @ R.T + p, faces


def _own_frame(shape: Any, wide: float) -> Mesh:
    if (mesh := drawn_mesh(shape)) is not None:
        return mesh
    match shape.type:
        case "plane":
            square = 0.5 * wide * np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
            return square @ rotation_to(shape.normal).T, _fan(np.arange(4))
        case "box":
            ends = [(x, y, z) for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)]
            faces = [_fan(np.array(four)) for face, four in _FACES.items() if face not in shape.open]
            return np.array(ends) * shape.size, np.concatenate(faces)
        case "sphere":
            return _turned(np.linspace(-0.5 * np.pi, 0.5 * np.pi, 25), 0.0, shape.radius)
        case "ellipsoid":
            vertices, faces = _turned(np.linspace(-0.5 * np.pi, 0.5 * np.pi, 25), 0.0, 1.0)
            return vertices * shape.radii, faces
        case "capsule":
            around = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 26)
            vertices, faces = _turned(around, shape.length, shape.radius)
            return vertices @ rotation_to(shape.axis).T, faces
    top = shape.radius if shape.type == "cylinder" else shape.top_radius
    base, end = shape.radius * _CIRCLE, top * _CIRCLE + [0.0, 0.0, shape.length]
    ends = [start for name, start in (("base", 0), ("top", AROUND)) if name not in shape.open]
    faces = [_strip(0, AROUND), *(_fan(start + np.arange(AROUND)) for start in ends)]
    return np.concatenate([base, end]) @ rotation_to(shape.axis).T, np.concatenate(faces)


def _turned(latitude: np.ndarray, length: float, radius: float) -> Mesh:
    """A ball of circles along z; the upper half of them stands `length` higher."""
    rings = [
        radius * (np.cos(a) * _CIRCLE + [0.0, 0.0, np.sin(a)]) + [0.0, 0.0, length if k >= len(latitude) // 2 else 0.0]
        for k, a in enumerate(latitude)
    ]
    return np.concatenate(rings), np.concatenate([_strip(AROUND * k, AROUND * (k + 1)) for k in range(len(rings) - 1)])


def _strip(first: int, second: int) -> np.ndarray:
    """Triangles between two circles whose vertices begin at these."""
    k = np.arange(AROUND)
    following = (k + 1) % AROUND
    one = np.stack([first + k, first + following, second + k], axis=1)
    return np.concatenate([one, np.stack([second + k, first + following, second + following], axis=1)])


def _fan(corners: np.ndarray) -> np.ndarray:
    """Triangles of a convex polygon."""
    return np.stack([np.full(len(corners) - 2, corners[0]), corners[1:-1], corners[2:]], axis=1)
