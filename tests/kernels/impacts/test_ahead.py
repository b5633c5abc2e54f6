"""Steps where gaps are watched: no longer than leaves time to see that one has closed."""

import numpy as np
import pytest

import gori
from gori.kernels.impacts.ahead import INTO, longest_way, step_to_impact
from gori.sim import Simulation
from tests.plain import plain, records
from tests.sim.contact.machines import solid, spec_of


def step(height, speed, h, rate=0.0):
    ball, target = solid("sphere", radius=0.005, density=1e4), solid("sphere", radius=0.001)
    spec = spec_of(ball, {}, gravity=(0, 0, 0), height=height, floor=target)
    model = gori.compile(spec)
    state = model.state(v=[0, 0, 0, 0, 0, -speed])
    stepper = Simulation(model, gori.Dopri5(), state=state, impacts=True).stepper
    rates = np.zeros(len(stepper.y))
    rates[model.nq + 5] = -rate
    return plain(step_to_impact)(records(stepper.machine), records(stepper.data), stepper.y, rates, h)


def test_a_step_ends_inside_of_a_small_body():
    """Of 1 mm radius, 0.1 m above it: the gap, and half of its radius."""
    gap = 0.1 - 0.005 - 0.001
    assert step(0.1, 50.0, 1.0) == pytest.approx((gap + INTO * 1e-3) / 50.0, rel=1e-6)
    assert step(0.1, 50.0, 1e-3) == 1e-3  # does not come so far
    assert step(0.1, 0.0, 1.0) == 1.0  # rests
    assert step(0.1, 0.0, 1.0, rate=10.0) == pytest.approx(np.sqrt(2.0 * (gap + INTO * 1e-3) / 15.0), rel=1e-6)


def test_the_way_of_an_accelerated_motion():
    assert longest_way.py_func(2.0, 1.0, 2.0) == pytest.approx(1.0)
    assert longest_way.py_func(2.0, 0.0, 0.0) == np.inf
