"""The State: only what must be saved to continue."""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class State:
    """Time [s], coordinates q (nq,), velocities v (nv,), and internal states z of force elements (nz,)."""

    time: float
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def copy(self) -> "State":
        """A State with arrays of its own."""
        return State(self.time, self.q.copy(), self.v.copy(), self.z.copy())
