"""Contact points of a run: what of them goes into a State and comes out of one."""

from collections.abc import Mapping

import numpy as np

from gori.errors import InputError
from gori.kernels.contact.memory import HEAD, POINT
from gori.kernels.contact.penalty import penalty_at
from gori.kernels.machine import START, Data, Machine
from gori.model import Model
from gori.sim.callers.pickled import Bound
from gori.sim.check import check_array, require

UNIT = 1e-6
"""by how much the length of a normal may differ from 1"""


class ContactPoints(Bound):
    """Contact points of one Simulation; without shapes that collide, nothing happens."""

    def __init__(self, model: Model, machine: Machine, data: Data):
        self._there, self._shapes = model.contact is not None, 0
        self._machine, self._data = machine, data
        self._memory = data.contact_memory
        if model.contact is not None:
            self._shapes = len(model.contact.tables.shape)

    def state(self) -> dict[str, np.ndarray]:
        """What must be kept: the points of the last step, counts, and what was recorded of contact."""
        if not self._there:
            return {}
        memory = self._memory
        points = memory.point[: int(memory.head["points"][0])].copy()
        return {"head": memory.head.copy(), "points": points, "wrench": memory.wrench, "measured": memory.measured}

    def check(self, saved: Mapping[str, np.ndarray] | None) -> None:
        """Raise InputError if a part of a State is not that of such a run."""
        if not saved:
            return
        if not self._there:
            raise InputError(f"state.contact holds {', '.join(saved)}, but nothing in the Model collides")
        require("contact", saved, ("head", "points", "wrench", "measured"))
        check_array("contact", "wrench", saved["wrench"], self._memory.wrench)
        check_array("contact", "measured", saved["measured"], self._memory.measured, finite=False)
        check_array("contact", "head", saved["head"], HEAD.zeros(1))
        points = saved["points"]
        if points.ndim != 1 or len(points) > len(self._memory.point) or len(points) != saved["head"]["points"][0]:
            raise InputError("state.contact['points'] must have as many rows as state.contact['head'] says")
        like = np.zeros(points.shape, POINT.dtype)
        most = {"a": self._shapes - 1, "b": self._shapes - 1, "sticking": 1, "feature": np.iinfo(np.int64).max}
        check_array("contact", "points", points, like, most)
        if not np.allclose(np.linalg.norm(points["normal"], axis=1), 1.0, atol=UNIT):
            raise InputError("state.contact['points']['normal'] must be unit vectors")

    def load(self, saved: Mapping[str, np.ndarray] | None, time: float, y: np.ndarray) -> None:
        """Go on with the points of a State that was checked; None: nothing has touched before, the bodies are at y."""
        if not self._there:
            return
        memory = self._memory
        memory.head[:] = np.zeros(1, HEAD.dtype)
        memory.wrench[:], memory.measured[:] = 0.0, (0.0, np.nan)
        if saved:
            memory.wrench[:], memory.measured[:] = saved["wrench"], saved["measured"]
            memory.head[:] = saved["head"]
            memory.point[: len(saved["points"])] = saved["points"]
        elif self._machine.penalty:
            penalty_at(self._machine, self._data, time, y, START)  # too many points: the first step says so
