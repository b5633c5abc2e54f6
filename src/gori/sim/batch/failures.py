"""Why a machine of a batch has failed, in words."""

import numpy as np

from gori.sim.failure import explain
from gori.sim.simulation import Simulation


def why_failed(simulation: Simulation, code: int) -> str:
    """Of a machine whose arrays are those of `simulation`, at its last good state."""
    return _not_finite(simulation) or str(explain(simulation.stepper, simulation.user, code))


def _not_finite(simulation: Simulation) -> str | None:
    """Words on the first number of the state that is not finite, if one was written."""
    for name, values in (("q", simulation.q), ("v", simulation.v), ("z", simulation.stepper.z)):
        if (wrong := np.flatnonzero(~np.isfinite(values))).size:
            k = int(wrong[0])
            return f"{name}[{k}] is {values[k]:g} at t = {simulation.time:.6g} s: write finite numbers, or reset it"
    return None
