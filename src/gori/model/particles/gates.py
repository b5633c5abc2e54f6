"""Gates: walls that vanish at a time. Their primitives stay in the tables, but are found by no particle any more."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gori.kernels.particles import columns as t
from gori.model.particles.walls import Walls


def vanishing_times(shapes: Iterable[Any]) -> np.ndarray:
    """Time at which each shape is no longer a wall (shapes,) [s]; inf if it stays."""
    return np.array([np.inf if shape.until is None else shape.until for shape in shapes])


def without(walls: Walls, gone: np.ndarray) -> Walls:
    """Walls whose grids do not offer the shapes that are gone, (shapes,) booleans in the order of their names."""
    if not gone.any():
        return walls
    left_out = gone[walls.wall_i[:, t.SHAPE]]
    bin_i = walls.bin_i.copy()
    always = []
    for row in bin_i:
        own = walls.always[row[t.FIRST_ALWAYS] : row[t.FIRST_ALWAYS] + row[t.ALWAYS]]
        own = own[~left_out[own]]
        row[t.FIRST_ALWAYS], row[t.ALWAYS] = len(always), len(own)
        always += own.tolist()
    keep = ~left_out[walls.bin_wall]
    kept_before = np.concatenate([[0], np.cumsum(keep)])
    return walls._replace(
        bin_i=bin_i,
        always=np.array(always, np.int32),
        bin_wall=walls.bin_wall[keep],
        bin_start=kept_before[walls.bin_start].astype(np.int32),
    )
