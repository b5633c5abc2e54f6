"""Shapes of a Spec -> shapes of contact, each in a frame of its own: its origin in the middle, z along its axis.

shape               pieces
sphere              SPHERE; hollow: BOWL
box                 BOX; hollow: a BOX for each closed face
cylinder, cone      CYLINDER or CONE; hollow: TUBE, and a CYLINDER for each closed end
capsule             CAPSULE
ellipsoid, plane    ELLIPSOID, PLANE
mesh, gear          one or several HULL (`hulls.py`, `gears.py`)

Hollow shapes are seen from inside. Their slabs lie outside of the inner surface, so that what they hold has all
of the space that the Spec gives it.
"""

from typing import Any

import numpy as np

from gori.errors import SpecError, UnsupportedError
from gori.kernels.contact import tables as t
from gori.model.contact.gears import gear_pieces
from gori.model.contact.hulls import mesh_pieces
from gori.model.contact.piece import Piece
from gori.spec.base import rotation_to

SLAB = 0.1
"""thickness of a closed face of a hollow shape, of its smallest edge or diameter"""


def pieces_of(name: str, shape: Any) -> list[Piece]:
    """Shapes of contact of a shape of a Spec; name: "body.shape", for messages."""
    eye, origin = np.eye(3), np.zeros(3)
    match shape.type:
        case "sphere":
            r = shape.radius
            if shape.hollow:
                return [Piece(t.BOWL, eye, origin, (r, 0.0, 0.0), 0.0, (r, r, r), np.inf)]
            return [Piece(t.SPHERE, eye, origin, (0.0, 0.0, 0.0), r, (r, r, r), r)]
        case "ellipsoid":
            a, b, c = shape.radii
            return [Piece(t.ELLIPSOID, eye, origin, shape.radii, 0.0, shape.radii, (a * b * c) ** (1.0 / 3.0))]
        case "box":
            return _box_walls(name, shape) if shape.hollow else [_box(0.5 * np.array(shape.size), origin)]
        case "plane":
            flat = (np.inf, np.inf, np.inf)
            return [Piece(t.PLANE, rotation_to(shape.normal), origin, (0.0, 0.0, 0.0), 0.0, flat, np.inf)]
        case "capsule":
            _not_hollow(name, shape)
            r, h = shape.radius, 0.5 * shape.length
            return [Piece(t.CAPSULE, *_along(shape, h), (0.0, 0.0, h), r, (r, r, h + r), r)]
        case "cylinder":
            return _bar(shape, shape.radius, shape.radius)
        case "cone":
            return _bar(shape, shape.radius, shape.top_radius)
        case "mesh":
            _not_hollow(name, shape)
            return mesh_pieces(name, shape)
        case "gear":
            _not_hollow(name, shape)
            return gear_pieces(name, shape)
        case other:
            raise UnsupportedError(f"{name}: a shape of type {other} cannot collide")


def _not_hollow(name: str, shape: Any) -> None:
    if shape.hollow:
        raise UnsupportedError(
            f"{name}: a hollow {shape.type} cannot collide: use hollow boxes, cylinders, cones or spheres, or remove "
            "collide: true"
        )


def _along(shape: Any, distance: float) -> tuple[np.ndarray, np.ndarray]:
    """A frame whose z is the axis of a bar, so far along it [m]."""
    R = rotation_to(shape.axis)
    return R, distance * R[:, 2]


def _box(half: np.ndarray, p: np.ndarray) -> Piece:
    return Piece(t.BOX, np.eye(3), p, half, 0.0, half, 0.5 * float(half.min()))


def _box_walls(name: str, shape: Any) -> list[Piece]:
    """Slabs on the closed faces. Each reaches over its edges with other closed faces, so that corners are closed."""
    half = 0.5 * np.array(shape.size)
    thick = SLAB * min(shape.size) if shape.thickness is None else shape.thickness
    closed = np.array([face not in shape.open for face in shape.faces]).reshape(3, 2)
    walls = []
    for axis, side in np.argwhere(closed):
        low, high = -half - thick * closed[:, 0], half + thick * closed[:, 1]
        if side:
            low[axis] = half[axis]
        else:
            high[axis] = -half[axis]
        walls.append(_box(0.5 * (high - low), 0.5 * (low + high))._replace(curvature=np.inf))
    if not walls:
        raise SpecError(f"{name}: all faces of the box are open, so there is nothing to touch")
    return walls


def _bar(shape: Any, base: float, top: float) -> list[Piece]:
    """A cylinder or cone; hollow: its side, and a disc outside of each closed end."""
    h, wide = 0.5 * shape.length, max(base, top)
    size, half, (R, p) = (base, top, h), (wide, wide, h), _along(shape, h)
    if not shape.hollow:
        kind = t.CYLINDER if base == top else t.CONE
        return [Piece(kind, R, p, size, 0.0, half, 0.5 * (base + top))]
    thick = SLAB * min(2.0 * wide, shape.length) if shape.thickness is None else shape.thickness
    walls = [Piece(t.TUBE, R, p, size, 0.0, half, np.inf)]
    for face, radius, middle in (("base", base, -0.5 * thick), ("top", top, shape.length + 0.5 * thick)):
        if face not in shape.open and radius > 0.0:
            r, z = radius + thick, 0.5 * thick
            walls.append(Piece(t.CYLINDER, *_along(shape, middle), (r, r, z), 0.0, (r, r, z), np.inf))
    return walls
