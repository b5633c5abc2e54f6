"""Accelerations of trees and of loops: all ways to them agree, and what loops hold is orthogonal to how they move."""

import numpy as np
import pytest
from scipy.linalg import null_space

import gori
from bench.mechanisms import four_bar
from gori.errors import GoriError, InputError, SingularError
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


@pytest.mark.parametrize("batch", [False, True])
def test_states_off_the_loops_are_refused(batch):
    """Accelerations there belong to no motion of the machine."""
    model = gori.compile(four_bar())
    state, still = model.state(), np.zeros(model.nv)
    off, fast = state.q + 0.1, np.eye(model.nv)[0]
    for q, v, words in ((off, still, "q does not close the loops: .* Use gori.assemble"),
                        (state.q, fast, "v would open the loops: .* gori.consistent_velocity")):  # fmt: skip
        with pytest.raises(InputError, match=words):
            model.forward_dynamics(np.array([state.q, q]) if batch else q, v, still)
    assert np.isfinite(model.forward_dynamics(gori.assemble(model, off), still, still)).all()
    assert np.isfinite(model.tree.forward_dynamics(off, fast, still)).all()


@pytest.mark.parametrize("file", ["arm", "four_bar"])
def test_an_unknown_method_is_refused(file):
    state = (model := gori.compile(gori.load(f"examples/{file}.yaml"))).state()
    with pytest.raises(InputError, match="method 'lu' is not one of 'aba', 'crba', 'direct'"):
        model.forward_dynamics(state.q, state.v, np.zeros(model.nv), method="lu")


HUGE = {
    "energy": lambda m, q, v: m.energy(q, v),
    "momentum": lambda m, q, v: m.momentum(q, v),
    "forward dynamics": lambda m, q, v: m.forward_dynamics(q, v, 0.0 * v),
    "crba": lambda m, q, v: m.forward_dynamics(q, v, 0.0 * v, method="crba"),
    "inverse dynamics": lambda m, q, v: m.inverse_dynamics(q, v, 0.0 * v),
    "jacobian rate": lambda m, q, v: m.jacobian_rate(q, v, m.body_names[-1], axes="body"),
    "derivatives": lambda m, q, v: m.derivatives(q, v, 0.0 * v),
    "inverse derivatives": lambda m, q, v: m.inverse_derivatives(q, v, 0.0 * v),
}


@pytest.mark.parametrize("name", HUGE)
def test_velocities_beyond_all_numbers_give_no_nan(name):
    model = gori.compile(gori.load("examples/arm.yaml"))
    for v in (np.full(model.nv, 1e200), np.full((3, model.nv), 1e200)):
        try:
            found = HUGE[name](model, model.q0, v)
        except (InputError, SingularError) as error:
            assert "finite" in str(error)
        else:
            assert all(np.isfinite(x).all() for x in (found if isinstance(found, tuple) else [found]))


def test_sizes_beyond_all_numbers_give_no_nan():
    body = {"mass": 1.0, "inertia": [1, 1, 1], "com": [1e97, 0, 0]}
    joints = {name: {"type": "revolute", "parent": parent, "child": name[0], "axis": [0, 1, 0], "at": [1e97, 0, 0]}
              for name, parent in (("a1", "ground"), ("b1", "a"), ("c1", "b"))}  # fmt: skip
    spec = gori.Spec(bodies=dict.fromkeys("abc", body), joints=joints)
    try:
        model = gori.compile(spec)
    except GoriError:
        return
    q = v = np.ones(3)
    for name, call in HUGE.items():
        try:
            found = call(model, q, v)
        except GoriError:
            continue
        assert all(np.isfinite(x).all() for x in (found if isinstance(found, tuple) else [found])), name
    try:
        rec = gori.Simulation(model).run(0.01, progress=False)
    except GoriError:
        return
    assert all(np.isfinite(rec[name]).all() for name in ("q", "v", "energy.total"))
