"""Bodies that carry walls for particles, as the Model sees them: rigid groups, with the shapes in their frames."""

from typing import Any, NamedTuple

import numpy as np

from gori.model.model import Model
from gori.spec import GROUND


class Carrier(NamedTuple):
    """A row of the Model that carries walls.

    row      of the Model's tables; 0 is the ground
    name     of the first body of the row that has a wall
    shapes   (name, shape, R (3, 3), p (3,), index of its material), the shape's frame in that of the row
    bodies   name of the body of each shape
    """

    row: int
    name: str
    shapes: list[tuple[str, Any, np.ndarray, np.ndarray, int]]
    bodies: list[str]


class Holder(NamedTuple):
    """A body with walls. Several may be fixed to each other, as one carrier; the wrench on each is told apart.

    carrier   index of its row among the carriers
    walls     how many shapes are walls
    """

    name: str
    row: int
    carrier: int
    walls: int


def carriers(model: Model) -> list[Carrier]:
    """All rows with walls, or to which particles, inlets and outlets are attached; the ground is always first."""
    spec = model.spec
    found = {0: Carrier(0, GROUND, [], [])}
    if not (spec.particles or spec.inlets):
        return []
    materials = list(spec.materials)
    for name, body in spec.bodies.items():
        for label, shape in body.shapes.items():
            if shape.material is not None:
                row, R, p = row_frame(model, name)
                R_BS, p_BS = shape.pose()
                carrier = found.setdefault(row, Carrier(row, name, [], []))
                carrier.shapes.append(
                    (f"{name}.{label}", shape, R @ R_BS, p + R @ p_BS, materials.index(shape.material))
                )
                carrier.bodies.append(name)
    return list(found.values())


def holders(carried: tuple[Carrier, ...]) -> tuple[tuple[Holder, ...], np.ndarray]:
    """All bodies with walls, and the holder (shapes,) of each shape of the carriers; the ground is always first."""
    of_shape = [(k, body) for k, carrier in enumerate(carried) for body in carrier.bodies]
    names = dict.fromkeys([(0, GROUND), *of_shape])
    found = tuple(Holder(body, carried[k].row, k, of_shape.count((k, body))) for k, body in names)
    index = {key: k for k, key in enumerate(names)}
    return found, np.array([index[key] for key in of_shape], np.int64)


def row_frame(model: Model, body: str) -> tuple[int, np.ndarray, np.ndarray]:
    """Row of a body, and its frame in that of the row: rotation (3, 3), position (3,)."""
    if body == GROUND:
        return 0, np.eye(3), np.zeros(3)
    t, k = model.tables, model.frame(body)
    return int(t.frame_i[k]), t.frame_f[k, :9].reshape(3, 3), t.frame_f[k, 9:]
