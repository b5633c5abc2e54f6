"""Height of the hard ground of a Spec, as `Terrain.height` has it, with arrays of any package."""

import math
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.learn.arrays import Arrays
from gori.model import Model
from gori.spec.vehicle.terrain import HalfSine

REFINED = 8
"""steps in which the end of a ray is found between two samples, by secants and by halves in turn"""


class GroundHeights:
    """The terrain of a Model; of soft ground the height before anything rolled over it."""

    def __init__(self, model: Model, arrays: Arrays):
        if model.spec.terrain is None:
            raise InputError("there is no ground to look at: the Spec has no `terrain`")
        self._arrays, self._terrain = arrays, model.spec.terrain
        self._ways: dict[tuple[float, int], Any] = {}  # which need not go to the device again
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

    def distance(self, at: Any, along: Any, reach: float, samples: int) -> Any:
        """How far rays go [m], up to `reach`: from places to where they first go below the ground.

        at, along   three arrays (machines, rays) each: x, y and z of places and of unit vectors
        samples     on each ray, evenly spaced: what is narrower than their distance may be missed
        """
        xp, ways = self._arrays.xp, self._samples(reach, samples)
        gap = self._gap([one[:, :, None] for one in at], [one[:, :, None] for one in along], ways)
        below = gap < 0.0
        first = xp.argmax(self._arrays.cast(below, "int64"), axis=2)[
            :, :, None
        ]  # of none the first, which is not below
        hit = xp.any(below, axis=2)
        before = xp.clip(first - 1, 0, samples)
        near, far = (self._picked(gap, one) for one in (before, first))
        low, high = (ways[0, 0][one[:, :, 0]] for one in (before, first))
        for k in range(REFINED):  # between a place above the ground and one below
            spread = xp.where(near > far, near - far, 1.0)
            share = 0.5 if k % 2 else xp.clip(xp.where(near > far, near, 0.0) / spread, 0.0, 1.0)
            middle = low + (high - low) * share
            there = self._gap(at, along, middle)
            above = there >= 0.0
            low, near = xp.where(above, middle, low), xp.where(above, there, near)
            high, far = xp.where(above, high, middle), xp.where(above, far, there)
        return xp.where(hit, low, reach)

    def _samples(self, reach: float, samples: int) -> Any:
        if (reach, samples) not in self._ways:
            self._ways[reach, samples] = self._arrays.of(np.linspace(0.0, reach, samples + 1))[None, None, :]
        return self._ways[reach, samples]

    def _gap(self, at: Any, along: Any, way: Any) -> Any:
        """Height above the ground of places on rays."""
        x, y, z = (place + way * direction for place, direction in zip(at, along))
        return z - self.height(x, y)

    def _picked(self, values: Any, at: Any) -> Any:
        """Of the last axis one number each."""
        take = self._arrays.xp.take_along_dim if self._arrays.name == "torch" else self._arrays.xp.take_along_axis
        return take(values, at, 2)[:, :, 0]

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
