"""Runs that are driven step by step, kept as Recordings that can be downloaded."""

import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from gori.model import Model
from gori.record import Recording
from gori.record.channels import WORK

LONGEST_KEPT = 900.0
"""of a run in memory [s]"""


def recording_of(model: Model, rows: list[np.ndarray], info: dict[str, Any]) -> Recording:
    """A Recording of rows of samples: time, q, v, z, work, outputs, as a Stepper gives them.

    info   as `Simulation` tells it, with `outputs`, the columns of channels
    """
    table = np.concatenate(rows) if rows[0].ndim == 2 else np.array(rows)
    _, first = np.unique(table[:, 0], return_index=True)
    table = table[first]
    sizes = np.cumsum([1, model.nq, model.nv, model.nz, 1])
    moment, q, v, z, work, outputs = np.split(table, sizes, axis=1)
    if model.vehicle is not None:
        outputs[:, model.vehicle.unread()] = 0.0  # files are smaller without them
    extra = {WORK: work[:, 0]} | ({"outputs": outputs} if outputs.shape[1] else {})
    length = float(moment[-1, 0] - moment[0, 0])
    told = {**info, "duration": length, "end": "complete", "complete": True}
    return Recording(model, moment[:, 0], q, v, z, extra, told)


class RunFolder:
    """A folder for recordings of this session: a given one, or one that goes with the session."""

    def __init__(self, path: Path | None = None):
        self._own = path is None
        self.path = Path(tempfile.mkdtemp(prefix="gori-")) if path is None else path
        self.path.mkdir(parents=True, exist_ok=True)

    def new(self, name: str) -> Path:
        """A path that is not taken."""
        stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
        tries = [self.path / f"{stem}{'' if k == 0 else f'-{k}'}.h5" for k in range(100)]
        return next(path for path in tries if not path.exists())

    def close(self) -> None:
        """Remove what was only for this session."""
        if self._own:
            shutil.rmtree(self.path, ignore_errors=True)
