"""Why a machine of a batch has failed, in words."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gori.errors import GoriError
from gori.model import Model
from gori.sim.batch.laws import LawForce
from gori.sim.failure import explain
from gori.sim.simulation import Simulation


def failure_words(simulation: Simulation, machine: int, code: int, inputs: Mapping[str, Any], model: Model) -> str:
    """Why the machine that stands in a Simulation has failed.

    code     with which it did
    inputs   {name: values (machines,)}
    model    of this machine, with its parameters
    """
    if isinstance(simulation.user, LawForce):
        simulation.user.stand(simulation.stepper)
    found = {f"input {name!r}": float(np.asarray(values)[machine]) for name, values in inputs.items()}
    for name, values in (("q", simulation.q), ("v", simulation.v), ("z", simulation.stepper.z)):
        found |= {f"{name}[{k}]": float(value) for k, value in enumerate(values)}
    for name, value in found.items():
        if not np.isfinite(value):
            return (
                f"{name} is {value:g} at t = {simulation.time:.6g} s: the machine stands still until it is put into a "
                f"State, as by batch.reset({machine}); to write finite numbers is not enough"
            )
    try:
        return str(explain(simulation.stepper, simulation.user, code, model))
    except GoriError as error:  # what was written cannot even be looked at
        return str(error)
