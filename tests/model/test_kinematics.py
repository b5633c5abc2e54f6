"""Jacobians and totals against differences of poses."""

import numpy as np
import pytest

from gori.model.kinematics import Kinematics, one_of
from tests.checks import close, machine, states, take

STEP = 1e-6


def moved(model, x, share):
    return model.integrate(x["q"], share * STEP * x["v"])


@pytest.mark.parametrize("seed", range(3))
def test_the_jacobian_gives_the_velocity_of_the_origin(seed):
    model, tree = machine(seed)
    assert isinstance(model, Kinematics)
    x = take(states(tree, 1, seed), 0)
    before, after = (model.forward_kinematics(moved(model, x, share))["f0"] for share in (-0.5, 0.5))
    close(model.jacobian(x["q"], "f0")[3:] @ x["v"], (after[:3, 3] - before[:3, 3]) / STEP, 1e-8)


@pytest.mark.parametrize("axes", ["world", "body"])
def test_the_rate_of_the_jacobian_is_its_derivative(axes):
    model, tree = machine(1)
    x = take(states(tree, 1, 4), 0)
    before, after = (model.jacobian(moved(model, x, share), "f0", axes) for share in (-0.5, 0.5))
    close(model.jacobian_rate(x["q"], x["v"], "f0", axes), (after - before) / STEP, 1e-7)


def test_linear_momentum_is_mass_times_velocity_of_the_centre():
    model, tree = machine(2)
    x = take(states(tree, 1, 5), 0)
    before, after = (model.center_of_mass(moved(model, x, share)) for share in (-0.5, 0.5))
    close(model.momentum(x["q"], x["v"])[3:], model.mass * (after - before) / STEP, 1e-7)


def test_what_is_one_state():
    assert one_of(np.zeros(2), np.zeros(0))
    assert not one_of(np.zeros(2), [0.0]) and not one_of(np.zeros((1, 2)))
