"""The State: only what must be saved to continue."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class State:
    """Time [s], coordinates q (nq,), velocities v (nv,), internal states z (nz,) of force elements, wheels and drive
    trains, the cells of soft soil that something has touched: their places, and what they remember; and the grains with
    their contacts, as a Simulation tells them.
    """

    time: float
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray = field(default_factory=lambda: np.zeros(0))
    ground: tuple[np.ndarray, np.ndarray] | None = None
    grains: dict[str, Any] | None = None

    def copy(self) -> "State":
        """A State with arrays of its own."""
        ground = None if self.ground is None else (self.ground[0].copy(), self.ground[1].copy())
        return State(self.time, self.q.copy(), self.v.copy(), self.z.copy(), ground, self.grains)
