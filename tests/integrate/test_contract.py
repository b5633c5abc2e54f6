"""What all methods have in common: parameters, settings, tags, memories."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from gori.errors import InputError
from gori.integrate import METHODS, RK4, Adams, Dopri5, ImplicitEuler, Radau5
from gori.integrate.clock import Sizes
from gori.integrate.contract import EVERYTHING, Adaptive, Fixed, Method


@dataclass(frozen=True)
class Leap(Fixed):
    """A method with a fixed step and a parameter."""

    reach: float = 2.0
    kind: ClassVar[str] = "leap"


def test_settings_are_type_and_parameters():
    assert Leap(0.5).settings() == {"type": "leap", "step": 0.5, "reach": 2.0}
    assert not Leap().adaptive and Adaptive.adaptive and Leap().supports == EVERYTHING


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan"), "1", None])
def test_parameters_are_positive_numbers(value):
    with pytest.raises(InputError, match="leap: step must be a positive number, not"):
        Leap(step=value)
    with pytest.raises(InputError, match="dopri5: rtol must be a positive number"):
        Dopri5(rtol=value)


def test_what_a_method_need_not_do():
    memory = RK4().memory(Sizes(2, 1, 1, 0))
    assert Leap().counts(memory).size == 0 and Leap().report(np.zeros(0)) == {} and Leap().doubts(np.zeros(0)) is None
    with pytest.raises(NotImplementedError):
        Method.memory(Leap(), None)
    assert all(METHODS[kind].supports <= EVERYTHING for kind in METHODS)


def test_tags_tell_methods_and_settings_apart():
    methods = [RK4(step=1e-3), RK4(step=2e-3), Adams(step=1e-3), Adams(step=1e-3, order=4)]
    methods += [ImplicitEuler(jacobian="full"), ImplicitEuler(jacobian="frozen"), Dopri5(), Dopri5(rtol=1e-7)]
    assert len({method.tag() for method in methods}) == len(methods)
    assert RK4(step=1e-3).tag() == RK4(step=1e-3).tag()


@pytest.mark.parametrize("method", [Dopri5, Radau5])
def test_tolerances_that_no_step_can_meet(method):
    """A run with the smallest number as atol took minutes, one with a tiny rtol gave wrong results."""
    for settings in ({"atol": 5e-324}, {"atol": 1e-31}, {"rtol": 1e-300}, {"rtol": 9e-17}):
        with pytest.raises(InputError, match=rf"{method.kind}: {next(iter(settings))} must be at least .* is sensible"):
            method(**settings)
    method(rtol=1e-16, atol=1e-30)
