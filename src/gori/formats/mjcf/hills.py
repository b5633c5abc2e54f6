"""The height field of a world as the terrain of the Spec.

A Spec has one terrain, level along x and y, which goes on beyond the edge of its field. So a height field is the
terrain where it is the only one, is not turned, is fixed to the world, and no plane lies around it.
"""

from typing import Any

import numpy as np

from gori.formats.mjcf.source import MjcfSource

PLANE, HFIELD = 0, 1
TERRAIN = "terrain"
"""type of what stands for the terrain among shapes, until `take_terrain`"""
MOST_HEIGHTS = 1_000_000


def is_terrain(m: Any, k: int) -> bool:
    """Whether geom k is a height field that can be the terrain."""
    if m.geom_type[k] != HFIELD or m.geom_bodyid[k] != 0:
        return False
    level = np.array_equal(m.geom_quat[k], (1.0, 0.0, 0.0, 0.0))
    field = int(m.geom_dataid[k])
    alone = np.count_nonzero((m.geom_type == HFIELD) | (m.geom_type == PLANE)) == 1
    rows, columns = int(m.hfield_nrow[field]), int(m.hfield_ncol[field])
    return bool(level and alone and min(rows, columns) > 1 and rows * columns <= MOST_HEIGHTS)


def take_terrain(source: MjcfSource, shapes: dict[str, dict[str, dict[str, Any]]]) -> dict[str, Any]:
    """The terrain of the Spec, which then is no shape any more."""
    m = source.m
    for k, name in enumerate(source.names.geoms):
        solids = shapes.get(source.names.bodies[m.geom_bodyid[k]], {})
        if solids.get(name, {}).get("type") == TERRAIN:
            material = solids.pop(name).get("material")
            source.left.note(f"the ground goes on beyond the edges of height field {name!r}")
            return {"terrain": _terrain(m, k) | ({"material": material} if material else {})}
    return {}


def _terrain(m: Any, k: int) -> dict[str, Any]:
    """Heights (rows along y, columns along x) between -size and size; MuJoCo has them from 0 to 1."""
    field, (x, y, z) = int(m.geom_dataid[k]), (float(p) for p in m.geom_pos[k])
    rows, columns, first = int(m.hfield_nrow[field]), int(m.hfield_ncol[field]), int(m.hfield_adr[field])
    half_x, half_y, top = (float(s) for s in m.hfield_size[field, :3])
    heights = top * m.hfield_data[first : first + rows * columns].astype(float).reshape(rows, columns)
    grid = {"at": [x - half_x, y - half_y], "cell": 2.0 * half_x / (columns - 1), "cell_y": 2.0 * half_y / (rows - 1)}
    return {"at": [0.0, 0.0, z], "field": grid | {"heights": heights.tolist()}}
