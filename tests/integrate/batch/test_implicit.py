"""Implicit steps of many machines: by Newton's method in O(n) alone, as with all strategies."""

import numpy as np
import pytest

import gori
from gori.integrate.batch.implicit import tree_core
from gori.sim.batch.cuda import source_of
from tests.plain import plain, records
from tests.sim.batch.machines import H, arm, four_bar, pendulum, speeds
from tests.sim.batch.test_cuda import engine, velocities


@pytest.mark.parametrize("newton", [False, True])
@pytest.mark.parametrize("make", [arm, pendulum])
def test_steps_are_those_of_a_simulation(make, newton):
    """Friction is iterated; the arm takes one correction in a step after the first."""
    model, method = make(), gori.ImplicitEuler(step=H, newton=newton)
    machines, v = engine(model, 3, method), speeds(model, 3)
    velocities(model, machines)[:] = v
    machines.step(100)
    assert not machines.failures().any()
    for k in range(3):
        run = gori.Simulation(model, method, state=model.state().replace(v=v[k]))
        run.step(100)
        assert np.abs(machines.array("y")[k] - run.stepper.y).max() < 1e-9


def test_a_machine_without_solution_says_so():
    """Bodies whose masses are no numbers."""
    run = gori.Simulation(arm(), gori.ImplicitEuler(step=H))
    machine, data, memory = (records(x) for x in run.stepper.arguments[:3])
    machine.body_f = np.full_like(machine.body_f, np.nan)
    assert plain(tree_core)(machine, data, memory, run.stepper.y) != 0


def test_what_has_dense_matrices_is_refused():
    for model, method, words in (
        (four_bar(), gori.ImplicitEuler(step=H), "implicit_euler with closed loops is not there"),
        (arm(), gori.ImplicitEuler(step=H, jacobian="full"), "jacobian full is not there"),
        (arm(), gori.GeneralizedAlpha(step=H), "generalized_alpha is not there"),
    ):
        run = gori.Simulation(model, method)
        with pytest.raises(gori.errors.UnsupportedError, match=words):
            source_of(run, np.zeros(1), ())
