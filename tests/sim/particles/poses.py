"""Tables of poses of one body, as grains follow them."""

import numpy as np

from gori.kernels.particles import columns as c


def still(steps: int) -> np.ndarray:
    """At rest at the origin."""
    table = np.zeros((steps + 1, 1, c.N_POSE))
    table[:, :, [c.ROT, c.ROT + 4, c.ROT + 8]] = 1.0
    return table


def riding(steps: int, step: float, velocity: np.ndarray, spin: float) -> np.ndarray:
    """Moving from the origin, and turning about z."""
    table, angle = still(steps), spin * step * np.arange(steps + 1)
    table[:, 0, c.ROT], table[:, 0, c.ROT + 1] = np.cos(angle), -np.sin(angle)
    table[:, 0, c.ROT + 3], table[:, 0, c.ROT + 4] = np.sin(angle), np.cos(angle)
    table[:, 0, c.POS : c.POS + 3] = step * np.arange(steps + 1)[:, None] * velocity
    table[:, 0, c.VEL : c.VEL + 3], table[:, 0, c.OMEGA + 2] = velocity, spin
    return table
