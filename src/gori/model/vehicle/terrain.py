"""Terrain of a Spec -> its tables for the kernels; fields out of functions, and rough roads."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.kernels.vehicle import terrain as te
from gori.spec.vehicle.terrain import HeightField, Terrain

ISO_8608 = {name: 16e-6 * 4.0**k for k, name in enumerate("ABCDEFGH")}
"""displacement spectral density at 0.1 cycles/m, middle of each class [m3]"""


def terrain_tables(terrain: Terrain) -> tuple[np.ndarray, np.ndarray]:
    """ti int64 and tf float64, as `kernels/vehicle/terrain.py` describes them."""
    ti, head = np.zeros(te.N_TERRAIN_I, np.int64), np.zeros(te.N_TERRAIN_F)
    head[te.T_X : te.T_Z + 1] = terrain.at
    head[te.T_GX], head[te.T_GY] = terrain.grade
    head[te.T_MU] = terrain.friction
    head[te.T_CELL_X] = head[te.T_CELL_Y] = 1.0
    blocks, length = [head], len(head)
    if terrain.field is not None:
        heights = np.array(terrain.field.heights)
        ti[te.T_NY], ti[te.T_NX] = heights.shape
        head[te.T_FIELD_X], head[te.T_FIELD_Y] = terrain.field.at
        head[te.T_CELL_X], head[te.T_CELL_Y] = terrain.field.cells()
        ti[te.T_FIELD] = length
        blocks.append(heights.ravel())
        length += heights.size
    ti[te.T_FEATURES], ti[te.T_FEATURE] = len(terrain.features), length
    for feature in terrain.features.values():
        row = np.zeros(te.N_FEATURE)
        yaw = math.radians(feature.yaw_deg)
        row[te.F_KIND] = te.SINE if feature.type == "sine" else te.TRAPEZOID
        row[te.F_X], row[te.F_Y] = feature.at
        row[te.F_COS], row[te.F_SIN] = math.cos(yaw), math.sin(yaw)
        row[te.F_HALF] = np.inf if feature.width is None else 0.5 * feature.width
        row[te.F_HEIGHT] = feature.height
        row[te.F_UP], row[te.F_TOP], row[te.F_DOWN] = feature.flanks()
        blocks.append(row)
        length += te.N_FEATURE
    ti[te.T_PATCHES], ti[te.T_PATCH] = len(terrain.patches), length
    for patch in terrain.patches.values():
        yaw = math.radians(patch.yaw_deg)
        size = 0.5 * patch.size[0], 0.5 * patch.size[1]
        blocks.append(np.array([*patch.at, math.cos(yaw), math.sin(yaw), *size, patch.friction]))
    return ti, np.concatenate(blocks)


def _axis(span: tuple[float, float], cell: float, name: str) -> np.ndarray:
    low, high = span
    if not (math.isfinite(low) and math.isfinite(high) and high > low and 0.0 < cell <= high - low):
        raise InputError(f"{name} must be a span [low, high] of one cell or more, is [{low}, {high}] with cell {cell}")
    return low + cell * np.arange(math.floor((high - low) / cell + 1e-9) + 1)


def sampled_field(
    function: Callable[[np.ndarray, np.ndarray], Any], x: tuple[float, float], y: tuple[float, float], cell: float
) -> HeightField:
    """A height field out of a function h(x, y) [m] of arrays, over spans of x and y [m]."""
    along, across = _axis(x, cell, "x"), _axis(y, cell, "y")
    heights = function(along[None, :], across[:, None])
    try:
        heights = np.broadcast_to(np.asarray(heights, float), (len(across), len(along)))
    except ValueError:
        raise InputError("the function must give heights for arrays x (1, nx) and y (ny, 1)") from None
    return HeightField.model_validate({"at": (along[0], across[0]), "cell": cell, "heights": heights})


def rough_road(
    roughness: str, length: float, width: float, cell: float = 0.1, seed: int = 0, at: tuple[float, float] = (0.0, 0.0)
) -> HeightField:
    """A random road of an ISO 8608 class, "A" (very good) to "H": G(n) = G(n0) (n / n0)^-2, n0 = 0.1 cycles/m.

    Heights vary along x with that spectrum, of wave lengths from two cells to the length [m], and are the same across.
    """
    if roughness not in ISO_8608:
        raise InputError(f"roughness {roughness!r} is not one of the classes {', '.join(ISO_8608)}")
    along = _axis((0.0, length), cell, "length")
    n = np.arange(1, len(along) // 2) / length
    if len(n) == 0:
        raise InputError("a rough road needs a length of six cells or more")
    amplitude = np.sqrt(2.0 * ISO_8608[roughness] * (n / 0.1) ** -2.0 / length)
    phase = np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, len(n))
    heights = np.zeros(len(along))
    for a, k, p in zip(amplitude, n, phase):
        heights += a * np.cos(2.0 * np.pi * k * along + p)
    heights -= heights[0]  # it joins the ground before it without a step
    return HeightField.model_validate({"at": at, "cell": cell, "cell_y": width, "heights": np.tile(heights, (2, 1))})
