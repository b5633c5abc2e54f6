"""The ground under wheels as lines, and the ruts in soft soil as a map."""

import math
import os
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.model import Model
from gori.model.state import State
from gori.model.vehicle.soil import rut_depths
from gori.spec.vehicle.terrain import Terrain
from gori.text.arguments import path_of

LINES = 12
"""about so many lines of the ground along the longer side of a picture"""
POINTS = 400


def ground_lines(terrain: Terrain, low: np.ndarray, high: np.ndarray, view: str) -> np.ndarray:
    """Points (n, 3) [m] of lines on the ground between two corners, with a row of nan after each line.

    In "3d" a net whose lines stay where they are on the ground when the window moves; in "xz" and "yz" its section
    through the middle; in "xy" nothing.
    """
    middle = 0.5 * (low + high)
    if view == "xy":
        return np.zeros((0, 3))
    if view in ("xz", "yz"):
        k = "xyz".index(view[0])
        points = np.tile(middle, (POINTS + 1, 1))
        points[:-1, k] = np.linspace(low[k], high[k], POINTS)
        points[:, 2] = terrain.height(points[:, 0], points[:, 1])
        points[-1] = np.nan
        return points
    cell = _round(max(high[0] - low[0], high[1] - low[1]) / LINES)
    x, y = (cell * np.arange(math.ceil(low[k] / cell), math.floor(high[k] / cell) + 1) for k in range(2))
    # in pieces, so that bumps are seen
    fine_x, fine_y = (np.linspace(low[k], high[k], 8 * LINES) for k in range(2))
    lines = [np.column_stack([fine_x, np.full(len(fine_x), at)]) for at in y]
    lines += [np.column_stack([np.full(len(fine_y), at), fine_y]) for at in x]
    gap = np.full((1, 3), np.nan)
    pieces = [np.zeros((0, 3))]
    for line in lines:
        pieces += [np.column_stack([line, terrain.height(line[:, 0], line[:, 1])]), gap]
    return np.concatenate(pieces)


def _round(length: float) -> float:
    """1, 2 or 5 times a power of ten, not below the length."""
    power = 10.0 ** math.floor(math.log10(max(length, 1e-6)))
    return next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor >= length * (1.0 - 1e-9))


def ruts(model: Model, state: State, path: str | os.PathLike | None = None, ax: Any = None) -> Any:
    """Draw the depth of ruts in soft soil as a map, seen from above; returns the axes, and saves them to `path`.

    state   `simulation.state` after a run
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    terrain = model.spec.terrain
    if terrain is None or terrain.soft is None:
        raise InputError("there is no soft soil: add terrain: {soft: {soil: lete_sand, size: [60, 6]}}")
    depths = rut_depths(terrain.soft, state.vehicle)
    (x, y), cell = terrain.soft.at, terrain.soft.cell
    length, width = cell * depths.shape[1], cell * depths.shape[0]
    figure = None
    if ax is None:
        figure = Figure(figsize=(min(14.0, max(5.0, 1.5 + 3.0 * length / width)), 3.6), layout="constrained")
        FigureCanvasAgg(figure)
        ax = figure.add_subplot(aspect="equal")
    picture = ax.imshow(
        1e3 * depths, origin="lower", extent=(x, x + length, y, y + width), cmap="YlOrBr", vmin=0.0, aspect="equal",
        interpolation="nearest",
    )  # fmt: skip
    ax.set(xlabel="x [m]", ylabel="y [m]")
    ax.figure.colorbar(picture, ax=ax, label="depth of the rut [mm]", shrink=0.8)
    if path is not None:
        path_of(path).parent.mkdir(parents=True, exist_ok=True)
        ax.figure.savefig(path, dpi=110)
    return ax
