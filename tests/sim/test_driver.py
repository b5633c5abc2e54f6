"""Drivers and the States and files of their runs: how often they act, and what they remember."""

import warnings

import numpy as np
import pytest

import gori
from gori.errors import RestartWarning
from tests.sim.machines import falling

STEP = gori.RK4(step=1e-3)


class Counting:
    """Counts its calls, and remembers when they were."""

    def __init__(self):
        self.calls, self.times = 0, []

    def __call__(self, simulation):
        self.calls += 1
        self.times.append(simulation.time)

    def save(self):
        return {"calls": self.calls}

    def load(self, saved):
        self.calls = saved["calls"]


def stopped(path):
    """A run of 0.2 s, ended by its driver half-way."""
    driver = Counting()

    def half(simulation):
        driver(simulation)
        return simulation.time > 0.099

    simulation = gori.Simulation(gori.compile(falling()), STEP, driver=half, driver_period=0.02)
    simulation.run(0.2, path=path)
    return simulation


def test_a_resumed_run_keeps_the_period_of_its_driver(tmp_path):
    path = tmp_path / "run.h5"
    stopped(path)
    driver = Counting()
    gori.Simulation.resume(path, driver=driver, changed=True, progress=False)
    np.testing.assert_allclose(np.diff(driver.times), 0.02)
    assert gori.Recording.load(path).info["driver_period"] == 0.02


def test_a_state_keeps_the_period_of_its_driver(tmp_path):
    state, driver = stopped(tmp_path / "run.h5").state, Counting()
    simulation = gori.Simulation(gori.compile(falling()), STEP, driver=driver, state=state)
    assert simulation.driver_period == 0.02
    simulation.run(0.1)
    np.testing.assert_allclose(np.diff(driver.times), 0.02)
    own = gori.Simulation(gori.compile(falling()), STEP, driver=Counting(), driver_period=0.05, state=state)
    assert own.driver_period == 0.05


def test_the_memory_of_a_driver_that_nobody_takes_is_warned_of():
    model = gori.compile(falling())
    one = gori.Simulation(model, STEP, driver=Counting())
    one.run(0.05)
    with pytest.warns(RestartWarning, match="memory of a driver, but no driver is given"):
        gori.Simulation(model, STEP, state=one.state)
    with pytest.warns(RestartWarning, match="memory of a driver, but the driver that is given has no load"):
        gori.Simulation(model, STEP, driver=lambda simulation: None, state=one.state)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other = Counting()
        gori.Simulation(model, STEP, driver=other, state=one.state)
        assert other.calls == one.driver.calls
