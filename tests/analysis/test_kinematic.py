"""Kinematic analysis: rates, and what is refused."""

import numpy as np
import pytest

import gori
from bench.mechanisms import four_bar
from gori.errors import ClosureError, InputError
from tests.checks import close
from tests.integrate.closed_machines import slider_crank

TIMES = np.linspace(0.0, 1.0, 51)


def test_accelerations_are_the_rates_of_velocities():
    rec = gori.kinematics(gori.compile(slider_crank()), TIMES, {"axle": "0.3*sin(4*t)"})
    h = 1e-5
    near = gori.kinematics(gori.compile(slider_crank()), [0.5 - h, 0.5 + h], {"axle": "0.3*sin(4*t)"})
    close((near.v[1] - near.v[0]) / (2 * h), rec["a"][25], 1e-6)


def test_what_is_refused():
    model = gori.compile(four_bar())
    for times in ([], [1.0, 0.5], [np.nan]):
        with pytest.raises(InputError, match="does not decrease"):
            gori.kinematics(model, times, {"foot0": "t"})
    with pytest.raises(InputError, match="needs motions"):
        gori.kinematics(model, TIMES)
    with pytest.raises(InputError, match="6 numbers"):
        gori.kinematics(model, TIMES, {"foot0": "t"}, wrenches={model.body_names[0]: [1.0, 2.0]})
    with pytest.raises(ClosureError, match="the loops cannot be closed"):
        gori.kinematics(gori.compile(slider_crank()), TIMES, {"axle": "t", "rail": "5 + t"})
