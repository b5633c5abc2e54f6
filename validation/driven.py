"""Machines whose motions leave no freedom: positions, velocities and accelerations at given times."""

from typing import NamedTuple

import numpy as np

import gori


class Path(NamedTuple):
    """N poses: time (N,), q (N, nq), v (N, nv), a (N, nv)."""

    model: gori.Model
    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray

    def joint(self, name: str) -> np.ndarray:
        """q, v and a of a joint with one coordinate, (N, 3)."""
        info = self.model.joint(name)
        return np.column_stack([self.q[:, info.q], self.v[:, info.v], self.a[:, info.v]])


def driven(model: gori.Model, times: np.ndarray, q: np.ndarray | None = None) -> Path:
    """The motion at times in any order; ClosureError where the machine cannot go on.

    q   near the pose at the earliest time; default: the start of the Spec
    """
    sorted_times, back = np.unique(np.asarray(times, float), return_inverse=True)
    rec = gori.kinematics(model, sorted_times, q=q, progress=False)
    return Path(rec.model, rec.time[back], rec.q[back], rec.v[back], rec["a"][back])
