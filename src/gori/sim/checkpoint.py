"""Checkpoints in the file of a recording: all that a run needs to go on, bit for bit."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.integrate import march as m
from gori.kernels.vehicle.patch import N_CELL
from gori.record import Recorder


def save(sim: Any, recorder: Recorder) -> None:
    """The Simulation as it stands, into the file."""
    arrays = {"y": sim._y, "clock": sim._clock, "count": sim._count, "memory": sim._memory}
    arrays |= {"counted": sim._counted, "loop": sim._data.loop, "outside": sim._data.outside}
    cells, ground = sim._gear.ground or (np.zeros(0, np.int64), np.zeros((0, N_CELL)))
    arrays |= {"cells": cells, "ground": ground}
    if sim.bulk is not None:
        arrays |= sim.bulk.save()
    recorder.checkpoint({**arrays, "watch": sim._watch[3], "events": json.dumps(sim.event_log)})


def take_up(sim: Any, saved: dict[str, Any], path: str | Path, frames: float | None) -> None:
    """A Simulation of the same Model, method and events stands as it did when it was saved.

    path, frames   of the recording, and time between the frames of grains beside it [s]
    """
    if saved["watch"].shape != sim._watch[3].shape:
        raise InputError(f"{path} was recorded with other events: give those of that run")
    sim._y[:], sim._clock[:], sim._count[:] = saved["y"], saved["clock"], saved["count"]
    sim._memory[:], sim._watch[3][:] = saved["memory"], saved["watch"]
    sim._counted[:], sim._data.loop[:] = saved["counted"], saved["loop"]
    sim._data.outside[:] = saved["outside"]
    sim._gear.ground = (saved["cells"], saved["ground"])
    if sim._closure is not None:
        sim._closure.resume()
    if sim.bulk is not None:
        sim.bulk.resume(saved, sim.time, frames, path, float(sim._clock[m.START]))
    sim.event_log = [(name, time) for name, time in json.loads(saved["events"])]
