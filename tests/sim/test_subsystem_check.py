"""A subsystem on trial: what it forgets is found, and it is left as it was."""

import warnings

import numpy as np
import pytest

import gori
from gori.errors import InputError, SimulationError
from gori.sim import check_subsystem
from tests.sim.coupled import Constant, Spring, simulate, slider


class Worn(Spring):
    """Gets softer with every call."""

    def advance(self, motion, step, time):
        return super().advance(motion, step, time) / (1.0 + 0.01 * self.calls)


class Forgetful(Worn):
    """Does not save how often it was called."""

    def state(self):
        return {"travel": self.travel}

    def load(self, saved):
        self.travel = float(saved["travel"])


class Careless(Worn):
    """Does not take over what it has saved."""

    def load(self, saved):
        self.travel = float(saved["travel"])


def test_a_good_one_passes_and_is_left_as_it_was():
    for spring in (Spring(), Worn()):
        check_subsystem(spring, slider())
        assert spring.calls == 0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            simulate(spring).step()
    check_subsystem(Constant(["block"], np.ones(6)), slider(), gori.GeneralizedAlpha(step=1e-3), steps=5)


def test_a_memory_that_is_not_saved():
    with pytest.raises(InputError, match=r"'spring' does not go on from its state\(\) bit for bit: .* q"):
        check_subsystem(Forgetful(), slider())


def test_a_memory_that_is_not_restored():
    with pytest.raises(InputError, match=r"'spring': after load, state\(\) differs .* spring/calls"):
        check_subsystem(Careless(), slider())


def test_one_that_fails():
    with pytest.raises(SimulationError, match=r"'spring' failed at t = 0.006 s: ValueError: valve stuck"):
        check_subsystem(Spring(fail_at=0.005), slider())
