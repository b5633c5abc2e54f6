"""One truck for all tests here: it stands, and it rolls."""

import pytest

import gori
from gori import vehicle
from gori.manoeuvre import manoeuvre


@pytest.fixture(scope="session")
def truck():
    """Model of a vehicle on level ground, by another name than the usual one."""
    return gori.compile(vehicle.spec("hmmwv", name="lead"))


@pytest.fixture(scope="session")
def rolling(truck):
    """State at 15 m/s."""
    return gori.at_rest(truck, speed=15.0)


@pytest.fixture
def drive(truck, rolling):
    """Run with a driver for some seconds: the Recording and the Simulation."""

    def run(driver, duration, state=None, sample=0.02):
        simulation = gori.Simulation(
            truck, gori.Adams(step=1e-3, order=2), state=rolling if state is None else state, driver=driver
        )
        return simulation.run(duration, sample=sample, progress=False), simulation

    return run


@pytest.fixture(scope="module")
def driven():
    """Results by name and arguments, each driven once."""
    found = {}

    def result(name, **arguments):
        key = (name, repr(sorted(arguments.items())))
        if key not in found:
            found[key] = manoeuvre(name, progress=False, **arguments)
        return found[key]

    return result
