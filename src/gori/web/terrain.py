"""The ground under wheels as a grid of heights, fine enough for its bumps and small enough for a page."""

import math
from typing import Any

import numpy as np

from gori.spec.vehicle.terrain import Terrain
from gori.web.shapes import Put

MOST = 500
"""heights along the longer side"""
FINEST = 0.02
"""[m]"""
AROUND = 8.0
"""of the ground beyond the machine and its way [m], at least"""


def terrain_entry(terrain: Terrain, low: np.ndarray, high: np.ndarray, size: float, put: Put) -> dict[str, Any]:
    """Ground between two corners [m] and a margin around them, with all of its soft soil.

    size   of the machine [m]
    """
    margin = max(AROUND, 1.5 * size)
    first, last = np.array(low[:2], float) - margin, np.array(high[:2], float) + margin
    if terrain.soft is not None:
        corner = np.array(terrain.soft.at)
        first = np.minimum(first, corner - 0.5 * margin)
        last = np.maximum(last, corner + terrain.soft.size + 0.5 * margin)
    longest = float((last - first).max())
    cell = max(_wanted(terrain, longest), longest / MOST, FINEST)
    first = cell * np.floor(first / cell)  # grids of two pictures of one ground have the same lines
    nx, ny = (math.ceil((last[k] - first[k]) / cell - 1e-9) + 1 for k in range(2))
    x, y = np.meshgrid(first[0] + cell * np.arange(nx), first[1] + cell * np.arange(ny))
    height = terrain.height(x, y).astype(np.float32)
    entry = {"low": first, "cell": cell, "shape": [ny, nx], "height": put("terrain.height", height), "soft": None}
    if (soft := terrain.soft) is not None:
        counts = [max(1, math.ceil(soft.size[k] / soft.cell - 1e-9)) for k in (1, 0)]
        entry["soft"] = {"at": list(soft.at), "cell": soft.cell, "shape": counts}
    return entry


def _wanted(terrain: Terrain, longest: float) -> float:
    """Distance between heights that shows all there is [m]."""
    cells = [longest]  # a plane needs its corners alone
    if terrain.field is not None:
        cells += list(terrain.field.cells())
    for feature in terrain.features.values():
        up, top, down = feature.flanks()
        lengths = [part for part in (up, top, down) if 0.0 < part < np.inf]
        # a step rises within a millimetre: as steep as the finest grid allows is steep enough
        cells += [max(min(lengths) / 2.0, 0.05)] if feature.type != "sine" else [feature.length / 16.0]
    return min(cells)
