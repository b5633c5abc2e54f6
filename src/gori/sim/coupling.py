"""Bodies and what is fast beside them, in turn: the bodies take a step, then the other follows.

A Subsystem has steps of its own. When the bodies have come from t to t + H with the wrenches that were held, it is
given their motion over that step, and answers with the mean wrench over its sub-steps. The bodies feel that wrench
during the next step: a lag of one step. What the subsystem gave in momentum the bodies receive, a step later.

The lag makes the exchange explicit: it is stable while H is short against the period of the bodies on the stiffness
of what touches them, and of first order in H.
"""

from typing import Any, Protocol

import numpy as np

from gori.kernels.particles.grains import N_POSE
from gori.kernels.particles.poses import add_impulse, body_poses, interpolate


class Subsystem(Protocol):
    """What a program must have to be coupled: grains here, others later.

    rows    rows of the Model whose motion it wants
    push    (rows, 6) mean wrench of the last step on each of them: moment about the row's origin, force, world axes
    step    largest step of its own [s]
    """

    rows: np.ndarray
    push: np.ndarray
    step: float

    def follow(self, table: np.ndarray, step: float, time: float) -> None:
        """Come to `time` along poses (steps + 1, rows, N_POSE), in steps of `step`."""
        ...


class Coupling:
    """One Subsystem beside the bodies of one Simulation.

    impulse   (6,) what the subsystem has given to all rows but the ground so far: angular about the world's origin,
              linear
    given     (6,) what of that the bodies have received
    """

    def __init__(self, machine: Any, data: Any, subsystem: Subsystem):
        self._machine, self._data, self.subsystem = machine, data, subsystem
        coupled = {int(row): k for k, row in enumerate(machine.coupled)}
        self._of_row = np.array([coupled.get(int(row), -1) for row in subsystem.rows], np.int64)
        self._wrenches = data.wrench.reshape(-1)
        self._held = np.where(self._of_row >= 0, 6 * self._of_row, -1)
        self._before = np.zeros((len(subsystem.rows), N_POSE))
        self._after, self._table = self._before.copy(), np.zeros((2, len(subsystem.rows), N_POSE))
        self.time = 0.0
        self.impulse, self.given = np.zeros(6), np.zeros(6)

    def poses(self, y: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Poses and velocities (rows, N_POSE) of the subsystem's rows."""
        out = np.zeros_like(self._before) if out is None else out
        body_poses(self._machine, self._data, y, self.subsystem.rows, out)
        return out

    def begin(self, time: float, y: np.ndarray) -> None:
        """The bodies are here now."""
        self.time = time
        self.poses(y, self._before)

    def follow(self, time: float, y: np.ndarray) -> None:
        """The bodies have come to y at this time; their next wrenches are held from now on."""
        span = time - self.time
        if span <= 0.0:
            return
        self.poses(y, self._after)
        add_impulse(self._after, self._wrenches, self._held, span, self.given)
        steps = max(1, int(np.ceil(span / self.subsystem.step - 1e-9)))
        if len(self._table) != steps + 1:
            self._table = np.zeros((steps + 1, len(self._before), N_POSE))
        interpolate(self._before, self._after, span, self._table, steps)
        self.subsystem.follow(self._table, span / steps, time)
        self.hold()
        add_impulse(self._after, self._wrenches, self._held, span, self.impulse)
        self._before, self._after, self.time = self._after, self._before, time

    def hold(self) -> None:
        """The wrenches of the last step act on the bodies."""
        self._data.wrench[self._of_row[self._of_row >= 0]] = self.subsystem.push[self._of_row >= 0]
