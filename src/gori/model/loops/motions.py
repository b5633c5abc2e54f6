"""Prescribed motions over time."""

from typing import Any

import numpy as np

from gori.kernels.forces.signals import signals_one
from gori.model.signals import MotionValue, SignalTable
from gori.spec import Motion


def motion_signal(motion: Motion, joint_start: float) -> MotionValue:
    """What `SignalTable.add_motion` takes for a motion.

    joint_start   start value of the coordinate [rad, m], from where a motion with a speed goes if it does not say
    """
    if motion.value is not None:
        return motion.value
    return joint_start if motion.start is None else motion.start, motion.speed or 0.0


def motion_values(motion: Motion, joint_start: float, t: Any) -> np.ndarray:
    """Position, velocity and acceleration of a motion, (N, 3) for times t (N,) [s]; `joint_start` as above."""
    table = SignalTable()
    table.add_motion(motion_signal(motion, joint_start), f"motion of {motion.joint!r}", None, motion.interpolation)
    signal_i, signal_f, depth = table.tables()
    nothing, stack = np.zeros(0), np.zeros(depth)
    values = np.empty((len(t), 3))
    for row, time in zip(values, t):
        signals_one(signal_i, signal_f, float(time), nothing, nothing, nothing, row, stack)
    return values
