"""A double wishbone by its points alone: no joints, no coordinates, only distances that stay.

Unknown are the angle of the upper arm and the outer end T of the tie rod; given is the angle of the lower arm. The
triangle of lower ball, upper ball and T keeps its sides, and the tie rod its length. The triangle then carries the
wheel (Kabsch 1976).
"""

import numpy as np
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation


def turned(point, front, back, angle):
    """A point of an arm, turned about its pivots so that positive angles lift it (left side)."""
    axis = np.subtract(front, back) / np.linalg.norm(np.subtract(front, back))
    return Rotation.from_rotvec(angle * axis).apply(np.subtract(point, back)) + back


def corner(axle, angle, inner):
    """Centre (3,) and axis (3,) of the left wheel, lower arm's angle given, tie rod's inner end at `inner` (3,)."""
    low, high, end = (np.array(p) for p in (axle.lower_arm.ball, axle.upper_arm.ball, axle.tie_rod.outer))
    sides = [np.linalg.norm(high - low), np.linalg.norm(end - low), np.linalg.norm(end - high)]
    rod = np.linalg.norm(end - axle.tie_rod.inner)
    here = turned(low, axle.lower_arm.front, axle.lower_arm.back, angle)

    def open_by(x):
        there, tip = turned(high, axle.upper_arm.front, axle.upper_arm.back, x[0]), x[1:]
        found = [np.linalg.norm(there - here), np.linalg.norm(tip - here), np.linalg.norm(tip - there)]
        return [*np.subtract(found, sides), np.linalg.norm(tip - inner) - rod]

    x = fsolve(open_by, [angle, *(end + here - low)], xtol=1e-12)
    assert np.abs(open_by(x)).max() < 1e-12
    there = turned(high, axle.upper_arm.front, axle.upper_arm.back, x[0])
    R, _ = Rotation.align_vectors([there - here, x[1:] - here], [high - low, end - low])
    return here + R.apply(np.array(axle.hub) - low), R.apply([0.0, 1.0, 0.0])
