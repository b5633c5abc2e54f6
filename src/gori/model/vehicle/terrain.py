"""Terrain of a Spec -> its tables for the kernels; fields out of functions, and rough roads."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.kernels.vehicle.state import CELL
from gori.kernels.vehicle.tables import AREA, FEATURE, SINE, SOIL, TERRAIN, TRAPEZOID, Ground
from gori.spec.vehicle.terrain import HeightField, Terrain

ISO_8608 = {name: 16e-6 * 4.0**k for k, name in enumerate("ABCDEFGH")}
"""displacement spectral density at 0.1 cycles/m, middle of each class [m3]"""


def terrain_tables(terrain: Terrain) -> Ground:
    """Hard ground as the kernels read it."""
    table = TERRAIN.zeros(1)
    head, heights = table[0], np.zeros(0)
    head["point"], head["grade"], head["friction"], head["cell"] = terrain.at, terrain.grade, terrain.friction, 1.0
    if terrain.field is not None:
        field = np.array(terrain.field.heights)
        head["ny"], head["nx"] = field.shape
        head["corner"], head["cell"] = terrain.field.at, terrain.field.cells()
        heights = field.ravel()
    features = FEATURE.zeros(len(terrain.features))
    for row, feature in zip(features, terrain.features.values()):
        yaw = math.radians(feature.yaw_deg)
        row["kind"] = SINE if feature.type == "sine" else TRAPEZOID
        row["x"], row["y"] = feature.at
        row["cos"], row["sin"] = math.cos(yaw), math.sin(yaw)
        row["half_width"] = np.inf if feature.width is None else 0.5 * feature.width
        row["height"] = feature.height
        row["up"], row["top"], row["down"] = feature.flanks()
    areas = AREA.zeros(len(terrain.patches))
    for row, patch in zip(areas, terrain.patches.values()):
        yaw = math.radians(patch.yaw_deg)
        row["x"], row["y"] = patch.at
        row["cos"], row["sin"] = math.cos(yaw), math.sin(yaw)
        row["half_length"], row["half_width"] = 0.5 * patch.size[0], 0.5 * patch.size[1]
        row["friction"] = patch.friction
    return Ground(table, features, areas, heights, SOIL.zeros(0), CELL.zeros(0))


def _axis(span: tuple[float, float], cell: float, name: str) -> np.ndarray:
    low, high = span
    if not (math.isfinite(low) and math.isfinite(high) and high > low and 0.0 < cell <= high - low):
        raise InputError(
            f"{name} must be a range [low, high] of at least one cell, is [{low}, {high}] with cell {cell}"
        )
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
        raise InputError("the function must return heights for arrays x (1, nx) and y (ny, 1)") from None
    return HeightField.model_validate({"at": (along[0], across[0]), "cell": cell, "heights": heights})


def rough_road(
    roughness: str,
    length: float,
    width: float,
    cell: float = 0.1,
    seed: int = 0,
    at: tuple[float, float] = (0.0, 0.0),
    equal: bool = False,
) -> HeightField:
    """A random road of an ISO 8608 class, "A" (very good) to "H": G(n) = G(n0) (n / n0)^-2, n0 = 0.1 cycles/m.

    Every track along x has that spectrum, of wave lengths from two cells to the length [m]. Each wave runs in a
    direction of its own, with a wave number m across of the density n^2 / (n^2 + m^2)^1.5 / 2: the surface is as rough
    in all directions, and the coherence of tracks at a distance b is

        gamma(n, b) = 2 pi n b K1(2 pi n b)

    (Kamash and Robson 1978), for b = 1.8 m 0.88 at waves of 30 m, 0.06 at 3 m, and less below.

    equal   all tracks are the same: left and right wheels are lifted together
    """
    if roughness not in ISO_8608:
        raise InputError(f"roughness {roughness!r} is not one of the classes {', '.join(ISO_8608)}")
    along = _axis((0.0, length), cell, "length")
    periods = len(along) - 1
    n = np.arange(1, len(along) // 2) / (periods * cell)
    if len(n) == 0:
        raise InputError("a rough road needs a length of at least six cells")
    random = np.random.default_rng(seed)
    amplitude = np.sqrt(2.0 * ISO_8608[roughness] * (n / 0.1) ** -2.0 / (periods * cell))
    phase = random.uniform(0.0, 2.0 * np.pi, len(n))
    if equal:
        across, cell_y = np.zeros((2, 1)), width
    else:
        across, cell_y = _axis((0.0, width), min(cell, width), "width")[:, None], min(cell, width)
    aside = random.uniform(-1.0, 1.0, len(n))
    waves = np.zeros((len(across), periods // 2 + 1), complex)
    waves[:, 1 : len(n) + 1] = amplitude * np.exp(
        1j * (phase + 2.0 * np.pi * n * aside / np.sqrt(1.0 - aside**2) * across)
    )
    heights = 0.5 * periods * np.fft.irfft(waves, periods, axis=1)
    heights = np.concatenate([heights, heights[:, :1]], axis=1)  # the last place is the first of the next period
    heights -= heights[:, :1]  # it joins the ground before it without a step
    return HeightField.model_validate({"at": at, "cell": cell, "cell_y": cell_y, "heights": heights})
