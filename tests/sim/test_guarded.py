"""A subsystem seen through checks."""

import numpy as np
import pytest

from gori.errors import InputError, RestartWarning, SimulationError
from gori.sim.guarded import Guarded
from gori.sim.subsystem import BodyMotion
from tests.sim.coupled import Spring

STILL = BodyMotion(np.zeros((2, 1, 18)))


def guarded(**members):
    spring = Spring()
    for name, value in members.items():
        setattr(spring, name, value)
    return Guarded(spring, len(spring.outputs))


def test_answers_are_arrays_of_numbers():
    good = guarded(start=lambda *_: [[1, 2, 3, 4, 5, 6]])
    np.testing.assert_array_equal(good.start(STILL, 0.0), [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]])
    assert good.advance(STILL, 1e-3, 1e-3).shape == (1, 6) and good.output_values(1e-3).shape == (1,)
    assert guarded().start(STILL, 0.0) is None


def test_errors_name_the_subsystem_and_the_time():
    bad = guarded(advance=lambda *_: 1 / 0, start=lambda *_: {}["oil"], output_values=lambda: ("x",))
    with pytest.raises(SimulationError, match=r"'spring' failed at t = 0\.5 s: ZeroDivisionError") as caught:
        bad.advance(STILL, 1e-3, 0.5)
    assert caught.value.time == 0.5 and isinstance(caught.value.cause, ZeroDivisionError)
    with pytest.raises(InputError, match=r"'spring' failed at t = 2 s: KeyError: 'oil'"):
        bad.start(STILL, 2.0)
    with pytest.raises(SimulationError, match="output_values must return numbers"):
        bad.output_values(1.0)
    with pytest.raises(InputError, match="output_values must return numbers"):
        bad.output_values(1.0, starting=True)
    own = guarded(fail_at=0.0, error=SimulationError("dry: refill it"))
    with pytest.raises(SimulationError, match=r"^dry: refill it$") as caught:
        own.advance(STILL, 1e-3, 0.5)
    assert caught.value.time == 0.5


def test_memory_has_one_owner_and_a_beginning():
    spring = Spring()
    one = Guarded(spring, 1)
    one.take_up(None)
    one.claim(0.0)
    one.advance(STILL, 1e-3, 1e-3)
    assert one.state()["calls"] == 1
    one.take_up(None)
    assert spring.calls == 0
    two = Guarded(spring, 1)
    with pytest.warns(RestartWarning, match="has been advanced by another Simulation"):
        two.take_up(None)
    with pytest.raises(SimulationError, match="given to another Simulation"):
        one.claim(0.1)
    two.claim(0.1)
    two.give_back()
    with pytest.raises(SimulationError, match="given to another Simulation"):
        two.claim(0.2)
