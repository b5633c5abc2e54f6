"""Implicit Euler. Its order of convergence is in `test_order.py`, its strategies in `test_strategies.py`."""

import numpy as np
import pytest

from gori.errors import InputError
from gori.integrate import ImplicitEuler
from gori.integrate.euler_steps import euler_steps
from gori.kernels.codes import OK, USER_ERROR
from gori.sim import Simulation
from tests.checks import close
from tests.integrate.steps import bundle, random_bundle, slider
from tests.plain import plain
from tests.reference.implicit import newton_step


@pytest.mark.parametrize("newton", [False, True])
def test_a_damped_oscillator_by_its_matrix(newton):
    """(1 - h A) y' = y: for linear forces one solve is all there is."""
    m, c, k, h = 2.0, 30.0, 500.0, 0.1
    simulation = Simulation(slider(m, q=0.3, v=-1.0, stiffness=k, damping=c), ImplicitEuler(h, newton=newton))
    y = np.array([0.3, -1.0])
    for _ in range(5):
        y = np.linalg.solve(np.eye(2) - h * np.array([[0.0, 1.0], [-k / m, -c / m]]), y)
        state = simulation.step()
        close(np.concatenate([state.q, state.v]), y, 1e-12)


def test_what_is_stiff_is_gone_after_a_step():
    state = Simulation(slider(v=1.0, damping=1e9), ImplicitEuler(0.1)).step()
    assert 0.0 < state.v[0] < 1e-7 and state.q[0] == pytest.approx(0.1 * state.v[0])


def test_a_step_of_a_random_tree():
    h = 0.02
    (machine, data, memory, y), step = random_bundle(5, ImplicitEuler(h, jacobian="full", newton=True))
    assert plain(euler_steps)(machine, data, memory, 0.0, h, y) == OK
    _, q, v, _ = step.end(newton_step(step, np.zeros(step.tree.nv)))
    close(y[:-1], np.concatenate([q, v]), 1e-8)
    assert memory.head[0].known == 1 and memory.head[0].steps == 1


def test_a_step_that_fails_leaves_the_state():
    machine, data, memory, y = bundle(slider(v=2.0), ImplicitEuler(0.1), user=lambda *_: 1)
    assert plain(euler_steps)(machine, data, memory, 0.0, 0.1, y) == USER_ERROR
    assert y.tolist() == [0.0, 2.0, 0.0] and memory.head[0].known == 0


def test_newton_is_a_switch():
    assert ImplicitEuler(newton=True).iterates() and not ImplicitEuler().iterates()
    with pytest.raises(InputError, match="implicit_euler: newton must be true or false, not 1"):
        ImplicitEuler(newton=1)
