"""The terrain of a Spec as a height field of MJCF: where it is a level plane with heights on it, and hard."""

from typing import Any
from xml.etree import ElementTree

import numpy as np

from gori.formats.export.elements import add
from gori.formats.left_out import LeftOut
from gori.formats.plain import free_name
from gori.spec import Spec
from gori.spec.vehicle.terrain import Terrain

BASE = 1.0
"""thickness below the lowest height [m]; MuJoCo wants some"""


def is_height_field(terrain: Terrain) -> bool:
    """Whether heights are all that there is to it."""
    return terrain.field is not None and not (
        any(terrain.grade) or terrain.features or terrain.patches or terrain.soft is not None
    )


def write_terrain(
    spec: Spec,
    left: LeftOut,
    asset: ElementTree.Element,
    world: ElementTree.Element,
    masks: dict[str, tuple[int, int, float]],
) -> None:
    """A height field on the world; `masks` are contype, conaffinity and friction of the materials."""
    terrain = spec.terrain
    if terrain is None:
        return
    if terrain.field is None or not is_height_field(terrain):
        left.add("terrain")
        return
    field, heights = terrain.field, np.array(terrain.field.heights)
    low, top = heights.min(), float(np.ptp(heights))
    half = np.array(field.cells()) * (np.array(heights.shape[::-1]) - 1.0) / 2.0
    name = free_name("terrain", {shape for body in spec.bodies.values() for shape in body.shapes})
    rows, columns = heights.shape
    shares = (heights - low) / top if top else np.zeros_like(heights)
    # the attribute has its rows from the far edge to the near one
    size = (*half, top or 1.0, BASE)
    add(asset, "hfield", name=name, nrow=rows, ncol=columns, size=size, elevation=shares[::-1])
    touch: dict[str, Any] = {"contype": 0, "conaffinity": 0}
    if terrain.material is not None:
        contype, conaffinity, friction = masks.get(terrain.material, (0, 0, 1.0))
        touch = {"contype": contype, "conaffinity": conaffinity, "friction": (friction, 0.005, 0.0001)}
    at = (*(np.array(field.at) + half), terrain.at[2] + low)
    add(world, "geom", name=name, type="hfield", hfield=name, pos=at, **touch)
    left.note("the terrain ends at the edges of its heights")
