"""Ruts of a recorded run: from the last State where there is one, and when each cell was rolled over."""

from typing import Any

import numpy as np

from gori.model.state import State
from gori.model.vehicle.soil import rut_depths
from gori.record import Recording
from gori.web.arrows import point_on
from gori.web.packet import pack

LEAST = 5e-4
"""depth that is drawn [m]"""


def ruts_packet(recording: Recording, state: State | None = None) -> bytes | None:
    """Ruts in soft soil, with the time from which on each cell is as deep; None without soft soil.

    state   at the end of the run: its depths are those of the soil. Without it they are the sinkage of the wheels
            where they have passed, less what comes back.
    """
    terrain = recording.model.spec.terrain
    if terrain is None or terrain.soft is None:
        return None
    depth, since = tracks(recording)
    if state is not None and state.vehicle is not None and "cells" in state.vehicle:
        depth = rut_depths(terrain.soft, state.vehicle).ravel()
    cells = np.flatnonzero(depth > LEAST)
    head = {"type": "ruts", "cells": "cells", "depth": "depth", "since": "since", "exact": state is not None}
    when = _nearest(since, rut_depths(terrain.soft, None).shape)[cells]
    arrays = {"cells": cells.astype(np.uint32), "depth": depth[cells].astype(np.float32)}
    return pack(head, arrays | {"since": when.astype(np.float32)})


def _nearest(since: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Times of cells beside a track, which soil that gave way has deepened: those of the nearest cell of a track."""
    from scipy.ndimage import distance_transform_edt

    known = np.isfinite(since).reshape(shape)
    if not known.any():
        return np.zeros(since.size)
    nearest: Any = distance_transform_edt(~known, return_distances=False, return_indices=True)
    rows, columns = nearest
    return since.reshape(shape)[rows, columns].ravel()


def tracks(recording: Recording) -> tuple[np.ndarray, np.ndarray]:
    """Depth [m] left by the wheels, and time [s] at which the first of them came, of each cell; 0 and inf elsewhere."""
    soft = recording.model.spec.terrain.soft  # pyright: ignore[reportOptionalMemberAccess]
    assert soft is not None
    ny, nx = rut_depths(soft, None).shape
    depth, since = np.zeros(ny * nx), np.full(ny * nx, np.inf)
    vehicle, rows = recording.model.vehicle, np.arange(len(recording))
    for wheel in () if vehicle is None else vehicle.mounted:
        if f"{wheel.name}.sinkage" not in recording:
            continue
        sinkage = recording[f"{wheel.name}.sinkage"]
        centre = point_on(recording, wheel.body, wheel.at, rows)
        axis = recording[f"{wheel.body}.rotation"] @ wheel.axis
        side = axis[:, :2] / np.maximum(np.linalg.norm(axis[:, :2], axis=1, keepdims=True), 1e-9)
        width = recording.model.spec.wheels[wheel.name].tyre.width
        for across in np.arange(-0.5 * width, 0.5 * width + 1e-9, min(0.5 * soft.cell, 0.5 * width)):
            x, y = (centre[:, :2] + across * side).T
            i, j = (
                np.floor((x - soft.at[0]) / soft.cell).astype(int),
                np.floor((y - soft.at[1]) / soft.cell).astype(int),
            )
            inside = (i >= 0) & (i < nx) & (j >= 0) & (j < ny) & (sinkage > 0.0)
            cell = (j * nx + i)[inside]
            np.maximum.at(depth, cell, (1.0 - soft.soil.rebound) * sinkage[inside])
            np.minimum.at(since, cell, recording.time[inside])
    return depth, since
