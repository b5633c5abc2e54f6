"""What is given to a machine and may be no number."""

import numpy as np
import pytest

import gori
from gori.integrate.batch.given import given
from gori.kernels.codes import NOT_FINITE, OK
from gori.model.variants import with_held_forces
from tests.plain import plain, records
from tests.sim.batch.machines import pendulum


def test_values_that_are_held():
    """Those of other signals are computed, and do not matter."""
    run = gori.Simulation(with_held_forces(pendulum(), ["twist"]))
    machine, data = (records(x) for x in run.stepper.arguments[:2])
    (twist,) = np.flatnonzero(machine.signal_i[:, 0] == 4)
    assert plain(given)(machine, data) == OK
    data.values[:] = np.where(np.arange(len(data.values)) == twist, 1.0, np.nan)
    assert plain(given)(machine, data) == OK
    data.values[twist] = np.inf
    assert plain(given)(machine, data) == NOT_FINITE


@pytest.mark.parametrize("field", ["throttle", "brake", "steer", "selector", "transfer"])
def test_what_drivers_do(field):
    run = gori.Simulation(gori.compile(gori.vehicle.spec("hmmwv")))
    machine, data = (records(x) for x in run.stepper.arguments[:2])
    assert plain(given)(machine, data) == OK
    data.driver[field] = np.nan
    assert plain(given)(machine, data) == NOT_FINITE
