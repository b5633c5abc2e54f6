"""From a soil to its table, and the grid of cells that remembers."""

import math
from collections.abc import Mapping

import numpy as np

from gori.errors import InputError
from gori.kernels.vehicle.state import CELL, NEVER, PLACE
from gori.kernels.vehicle.tables import BEKKER, EXPONENTIAL, SOIL
from gori.spec.vehicle.soil import BekkerSoil, ExponentialSoil
from gori.spec.vehicle.terrain import SoftGround

LARGEST = 20_000_000
"""cells that are kept, at most: more than a gigabyte"""
LONGEST = 2**31
"""cells along a grid of which a window is kept"""


def soil_row(
    soil: ExponentialSoil | BekkerSoil,
    corner: tuple[float, float],
    size: tuple[float, float],
    cell: float,
    window: tuple[float, float] | None = None,
) -> np.ndarray:
    """Table (1,) of a soil.

    corner   x and y of the corner with the smallest coordinates [m]
    size     lengths of the grid along x and y [m]; the last cells may reach beyond
    cell     cell size [m]
    window   lengths along x and y [m] of what there is room for; default: the whole grid
    """
    if not 0.0 < cell < math.inf:
        raise InputError(f"the cell of a soil grid must be positive, is {cell:g} m")
    count = [max(1, math.ceil(min(length / cell, 1e18) - 1e-9)) for length in size]
    room = count
    if window is not None:
        room = [min(n, max(1, math.ceil(min(length / cell, 1e18) - 1e-9))) for n, length in zip(count, window)]
        if max(count) > LONGEST:
            raise InputError(f"a grid of {count[0]:.6g} x {count[1]:.6g} cells is too long (at most {LONGEST:,})")
    if room[0] * room[1] > LARGEST:
        what = "grid" if room == count else "window"
        raise InputError(
            f"a {what} of {room[0]:.6g} x {room[1]:.6g} cells is too large (at most {LARGEST:,} in all): "
            "use larger cells, or a smaller size"
        )
    table = SOIL.zeros(1)
    p = table[0]
    if isinstance(soil, BekkerSoil):
        p["kind"] = BEKKER
        p["kc"], p["kphi"], p["exponent"] = soil.kc, soil.kphi, soil.n
    else:
        p["kind"] = EXPONENTIAL
        p["p0"], p["k1"], p["k2"] = soil.p0, soil.k1, soil.k2
    p["rebound"] = soil.rebound
    p["cohesion"], p["tan_phi"] = soil.cohesion, math.tan(math.radians(soil.friction_deg))
    p["shear_length"], p["share"] = soil.shear_length, 1.0
    if soil.hump is not None:
        p["share"], p["hump"] = 1.0 / soil.hump, soil.hump / (1.0 - math.exp(-1.0)) - 1.0
    p["p_crit"] = 1.0
    if soil.slip_sinkage is not None:
        slip = soil.slip_sinkage
        p["c0"], p["c1"], p["c2"], p["p_crit"] = slip.c0, slip.c1, slip.c2, slip.p_crit
    p["x0"], p["y0"] = corner
    p["cell"], p["nx"], p["ny"], p["wx"], p["wy"] = cell, *count, *room
    return table


def has_window(soil: np.ndarray) -> bool:
    """Whether there is room for a part of the grid only; soil (1,), or (0,) for none."""
    return bool((soil["wx"] * soil["wy"] < soil["nx"] * soil["ny"]).any())


def fresh_cells(soil: np.ndarray) -> np.ndarray:
    """The cells of a soil (wx * wy,), that nothing has touched; soil (1,), or (0,) for none. A window has one more,
    which stays so (`kernels/vehicle/window.py`).
    """
    cells = CELL.zeros(int((soil["wx"] * soil["wy"]).sum()) + has_window(soil))
    cells["stamp"] = NEVER
    return cells


def soil_memory(soil: np.ndarray) -> dict[str, np.ndarray]:
    """Members of Data: cells, the window that they are, and how many were forgotten; soil (1,), or (0,) for none."""
    cells, windowed = fresh_cells(soil), has_window(soil)
    return {
        "cells": cells,
        "window": PLACE.zeros(len(cells) - 1 if windowed else 0),
        "forgotten": np.zeros(int(windowed), np.int64),
    }


def places_of(soil: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Where cells of the grid stand (n,); index: in the grid (n,)."""
    p = soil[0]
    j, i = np.divmod(index, p["nx"])
    return (j % p["wy"]) * p["wx"] + i % p["wx"]


def touched_cells(cells: np.ndarray, window: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cells that something has touched: index in the grid (n,), ascending, and place (n,)."""
    if not len(window):
        found = np.flatnonzero(cells["stamp"] > NEVER)
        return found, found
    places = np.flatnonzero(window["cell"])
    index = window["cell"][places] - 1
    order = np.argsort(index)
    return index[order], places[order]


def rut_depths(soft: SoftGround, saved: Mapping[str, np.ndarray] | None) -> np.ndarray:
    """Depth [m] that is left of what rolled over soft soil, (ny, nx): less what comes back when nothing presses.

    saved   what a State keeps of vehicles: index of the cells that something has touched, and what they remember
    """
    p = soil_row(soft.soil, soft.at, soft.size, soft.cell)[0]  # the whole grid
    depths = np.zeros(p["nx"] * p["ny"])
    if saved is not None and "cells" in saved:
        cells = saved["cells"]
        depths[saved["cell_index"]] = cells["z_dyn"] + (1.0 - soft.soil.rebound) * cells["z_max"]
    return depths.reshape(p["ny"], p["nx"])
