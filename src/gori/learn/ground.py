"""Height of the hard ground of a Spec, as `Terrain.height` has it, with arrays of any package."""

import math
from typing import Any

from gori.errors import InputError
from gori.learn.arrays import Arrays
from gori.model import Model
from gori.spec.vehicle.terrain import HalfSine


class GroundHeights:
    """The terrain of a Model; of soft ground the height before anything rolled over it."""

    def __init__(self, model: Model, arrays: Arrays):
        if model.spec.terrain is None:
            raise InputError("there is no ground to look at: the Spec has no `terrain`")
        self._arrays, self._terrain = arrays, model.spec.terrain
        self._grid = None if self._terrain.field is None else arrays.of(self._terrain.field.heights)

    def height(self, x: Any, y: Any) -> Any:
        """Heights [m] at places x, y [m], arrays of one shape."""
        at, grade = self._terrain.at, self._terrain.grade
        h = at[2] + grade[0] * (x - at[0]) + grade[1] * (y - at[1])
        if self._grid is not None:
            h = h + self._field(x, y)
        for feature in self._terrain.features.values():
            h = h + self._feature(feature, x, y)
        return h

    def _field(self, x: Any, y: Any) -> Any:
        xp, cast, grid, field = self._arrays.xp, self._arrays.cast, self._grid, self._terrain.field
        assert grid is not None and field is not None
        rows, columns = len(grid), len(grid[0])
        (cx, cy), (x0, y0) = field.cells(), field.at
        a, b = xp.clip((x - x0) / cx, 0.0, columns - 1.0), xp.clip((y - y0) / cy, 0.0, rows - 1.0)
        i, j = xp.clip(cast(a, "int64"), 0, columns - 2), xp.clip(cast(b, "int64"), 0, rows - 2)
        a, b = a - i, b - j
        low = grid[j, i] + a * (grid[j, i + 1] - grid[j, i])
        high = grid[j + 1, i] + a * (grid[j + 1, i + 1] - grid[j + 1, i])
        return low + b * (high - low)

    def _feature(self, feature: Any, x: Any, y: Any) -> Any:
        xp = self._arrays.xp
        c, s = math.cos(math.radians(feature.yaw_deg)), math.sin(math.radians(feature.yaw_deg))
        dx, dy = x - feature.at[0], y - feature.at[1]
        along, across = c * dx + s * dy, c * dy - s * dx
        if isinstance(feature, HalfSine):
            rise = xp.sin(math.pi * xp.clip(along / feature.length, 0.0, 1.0))
        else:
            up, top, down = feature.flanks()
            rise = xp.clip(along / up, 0.0, 1.0) * xp.clip((up + top + down - along) / down, 0.0, 1.0)
        half = math.inf if feature.width is None else 0.5 * feature.width
        return feature.height * rise * (xp.abs(across) <= half)
