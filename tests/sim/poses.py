"""Tables of poses of one body, as grains follow them."""

import numpy as np

from gori.kernels.particles import grains as gr


def still(steps: int) -> np.ndarray:
    """At rest at the origin."""
    table = np.zeros((steps + 1, 1, gr.N_POSE))
    table[:, :, [gr.ROT, gr.ROT + 4, gr.ROT + 8]] = 1.0
    return table


def riding(steps: int, step: float, velocity: np.ndarray, spin: float) -> np.ndarray:
    """Moving from the origin, and turning about z."""
    table, angle = still(steps), spin * step * np.arange(steps + 1)
    table[:, 0, gr.ROT], table[:, 0, gr.ROT + 1] = np.cos(angle), -np.sin(angle)
    table[:, 0, gr.ROT + 3], table[:, 0, gr.ROT + 4] = np.sin(angle), np.cos(angle)
    table[:, 0, gr.POS : gr.POS + 3] = step * np.arange(steps + 1)[:, None] * velocity
    table[:, 0, gr.VEL : gr.VEL + 3], table[:, 0, gr.SPIN + 2] = velocity, spin
    return table
