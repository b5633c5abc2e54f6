"""Accelerations of trees and of loops: all ways to them agree, and what loops hold is orthogonal to how they move."""

import numpy as np
import pytest
from scipy.linalg import null_space

import gori
from gori.model.dynamics import Dynamics
from tests.checks import close, machine, states, take


@pytest.mark.parametrize("seed", range(3))
def test_all_methods_agree_with_the_equation_of_motion(seed):
    model, tree = machine(seed)
    assert isinstance(model, Dynamics)
    x = take(states(tree, 1, seed), 0)
    for method in ("aba", "crba", "direct"):
        qdd = model.forward_dynamics(x["q"], x["v"], x["tau"], x["wrenches"], method=method)
        close(model.inverse_dynamics(x["q"], x["v"], qdd, x["wrenches"]), x["tau"], 1e-9)
    free = model.forward_dynamics(x["q"], x["v"], x["tau"])
    close(model.mass_matrix(x["q"]) @ free + model.bias(x["q"], x["v"]), x["tau"], 1e-9)
    close(model.bias(x["q"], np.zeros(model.nv)), model.gravity_force(x["q"]), 1e-12)


def test_accelerations_of_loops_keep_them_closed_and_do_no_work_there():
    model = gori.compile(gori.load("examples/four_bar.yaml"))
    state, tau = model.state(), np.arange(1.0, 1.0 + model.nv)
    qdd = model.forward_dynamics(state.q, state.v, tau)
    terms, tree = model.loop_system.terms(state.q, state.v), model.tree
    close(terms.J @ qdd, -terms.gamma, 1e-9)
    held = tau - tree.inverse_dynamics(state.q, state.v, qdd)  # J' lambda
    close(null_space(terms.J, rcond=1e-9).T @ held, 0.0 * null_space(terms.J, rcond=1e-9)[0], 1e-9)
    assert np.abs(held).max() > 0.1
    np.testing.assert_array_equal(model.forward_dynamics(state.q[None], state.v, tau)[0], qdd)
