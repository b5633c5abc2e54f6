"""Inverse dynamics of machines with loops: what the drives must do for given motions of independent coordinates.

Equations 45 and 48 of the paper on complex chains: with q, v, a known, J' lambda = tau - ID(q, v, a) gives the forces
in the cuts and, for the equations of the motions, those of the drives.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gori.analysis.kinematic import kinematics
from gori.errors import InputError
from gori.model import Model
from gori.record import Recording


def inverse_dynamics(
    model: Model,
    times: Any,
    motions: Mapping[str, Any] | None = None,
    wrenches: Mapping[str, Any] | None = None,
    q: Any = None,
    progress: bool = True,
) -> Recording:
    """As `kinematics`, with the same arguments, and everything that acts: forces of the Spec, gravity, wrenches.

    The channels MOTION.drive are what the drives must do; JOINT.reaction and CUT.reaction what the machine must bear.
    """
    recording = kinematics(model, times, motions, wrenches, q, progress)
    names = list(recording.model.spec.motions)
    drives = np.array([recording[f"{name}.drive"] for name in names])
    if not np.isfinite(drives).all():
        raise InputError("the forces are not finite: check for a division by zero in the forces of the Spec")
    return recording
