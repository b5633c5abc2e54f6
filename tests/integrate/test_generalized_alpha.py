"""Generalized-alpha: energy, damping by rho_inf, and what is refused. Its order is in `test_order.py`."""

import numpy as np
import pytest

from gori.errors import InputError
from gori.integrate import GeneralizedAlpha
from gori.integrate.generalized_alpha import alpha_step
from gori.kernels.codes import OK
from gori.sim import Simulation
from tests.checks import close
from tests.integrate.steps import random_bundle, slider
from tests.plain import plain
from tests.reference.implicit import alpha_step as twin


def amplitude(rho, h, steps, k=100.0):
    """Energy of an oscillator of 10 rad/s after some steps, as a share of that at the start."""
    simulation = Simulation(slider(q=1.0, stiffness=k), GeneralizedAlpha(h, rho_inf=rho))
    state = simulation.step(steps)
    return (k * state.q[0] ** 2 + state.v[0] ** 2) / k


def test_with_rho_of_one_energy_stays():
    """It is the trapezoidal rule then, at any step."""
    for h in (1e-3, 0.1, 10.0):
        assert amplitude(1.0, h, 50) == pytest.approx(1.0, abs=1e-9)


def transition(rho, h, k):
    """(q, v, vdot, a) of an oscillator with mass one after a step, as a matrix (Chung and Hulbert 1993)."""
    am, af = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + af - am
    beta = 0.25 * (gamma + 0.5) ** 2
    new = np.array([[1, 0, 0, -(h**2) * beta], [0, 1, 0, -h * gamma], [k, 0, 1, 0], [0, 0, af - 1.0, 1.0 - am]])
    old = np.array([[1, h, 0, h**2 * (0.5 - beta)], [0, 1, 0, h * (1.0 - gamma)], [0, 0, 0, 0], [0, 0, af, -am]])
    return np.linalg.solve(new, old)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8, 1.0])
def test_high_frequencies_are_damped_by_rho(rho):
    """At h w = 1000: what a step multiplies the motion by, and the motion itself."""
    h, k = 100.0, 100.0
    T, y = transition(rho, h, k), np.array([1.0, 0.0, -k, -k])
    assert np.abs(np.linalg.eigvals(T)).max() == pytest.approx(rho, abs=0.02)
    simulation = Simulation(slider(q=1.0, stiffness=k), GeneralizedAlpha(h, rho_inf=rho))
    for _ in range(6):
        y, state = T @ y, simulation.step()
        close(np.concatenate([state.q, state.v]), y[:2], 1e-9)


def test_slow_motion_is_hardly_damped():
    shares = [amplitude(rho, 0.01, 63) for rho in (0.0, 0.5, 0.9)]
    assert 0.95 < shares[0] < shares[1] < shares[2] < 1.0 + 1e-9


@pytest.mark.parametrize("rho", [0.0, 0.8])
def test_steps_of_a_random_tree(rho):
    h = 0.02
    (machine, data, memory, y), step = random_bundle(6, GeneralizedAlpha(h, jacobian="full", rho_inf=rho))
    zero = np.zeros(step.tree.nv)
    step.cv = step.cq = 0.0
    step.base_m = zero
    vdot = step.f(zero)
    x, _ = twin(step, vdot, vdot, rho)
    assert plain(alpha_step)(machine, data, memory, 0.0, h, y) == OK
    close(y[:-1], np.concatenate(step.end(x)[1:3]), 1e-8)


@pytest.mark.parametrize("rho", [-0.1, 1.1, float("nan"), "0.5"])
def test_rho_lies_between_zero_and_one(rho):
    with pytest.raises(InputError, match="generalized_alpha: rho_inf must lie between 0 and 1, not"):
        GeneralizedAlpha(rho_inf=rho)
