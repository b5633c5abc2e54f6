"""Contact points of a run: what of them goes into a State and comes out of one."""

from collections.abc import Mapping

import numpy as np

from gori.errors import InputError
from gori.kernels.contact.memory import HEAD, POINT
from gori.kernels.contact.penalty import penalty_at
from gori.kernels.machine import STAND, START, Data, Machine
from gori.model import Model
from gori.model.contact.tables import BodyContact
from gori.sim.callers.pickled import Bound
from gori.sim.check import check_array, require

STANDARD_GRAVITY = 9.81
"""[m/s2] for what counts as thrown: higher than the size of the smaller of both shapes"""
DEEP = 0.01
"""of that size, from which on a depth counts as deep"""
UNIT = 1e-6
"""by how much the length of a normal may differ from 1"""


def thrown(contact: BodyContact, point: np.void) -> float:
    """Speed [m/s] with which the penalty law parts two bodies that start from rest inside each other, undamped.

    The work of k d^1.5 over the depth is 0.4 k d^2.5.
    """
    one, other = contact.tables.shape[point["a"]], contact.tables.shape[point["b"]]
    law = contact.tables.law[one["material"], other["material"]]
    with np.errstate(divide="ignore"):
        radius = 1.0 / (1.0 / one["curvature"] + 1.0 / other["curvature"])
        mass = 1.0 / (1.0 / one["mass"] + 1.0 / other["mass"])
    k = float(law["fixed_stiffness"] or law["stiffness"] * np.sqrt(radius))
    depth = max(0.0, -float(point["gap"]))
    return float(np.sqrt(0.8 * k * depth**2.5 / mass)) if 0.0 < mass < np.inf else 0.0


def refuse_deep_start(contact: BodyContact, points: np.ndarray) -> None:
    """Raise InputError where bodies start so deep in each other that the penalty law would throw them away."""
    for point in points:
        one, other = contact.tables.shape[point["a"]], contact.tables.shape[point["b"]]
        size, speed = min(one["half"].max(), other["half"].max()), thrown(contact, point)
        if np.isfinite(size) and speed**2 > 2.0 * STANDARD_GRAVITY * size and -point["gap"] > DEEP * size:
            names = f"{contact.names[point['a']]} and {contact.names[point['b']]}"
            raise InputError(
                f"{names} are inside each other by {-point['gap']:.3g} m at the start: the penalty law would throw "
                f"them apart with {speed:.3g} m/s. Move them apart, list them in no_contact, or part them slowly "
                "by a run with time_stepping"
            )


class ContactPoints(Bound):
    """Contact points of one Simulation; without shapes that collide, nothing happens."""

    def __init__(self, model: Model, machine: Machine, data: Data):
        self._there, self._shapes = model.contact is not None, 0
        self._machine, self._data = machine, data
        self._memory, self._contact = data.contact_memory, model.contact
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
            if self._machine.penalty:
                penalty_at(self._machine, self._data, time, y, STAND)
        elif self._machine.penalty:
            penalty_at(self._machine, self._data, time, y, START)  # too many points: the first step says so
            refuse_deep_start(self._contact, memory.point[: int(memory.head["points"][0])])
