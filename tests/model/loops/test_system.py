"""The equations of a Model in Python: from many threads at once, and those that are kept."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gori
from gori.sim import Simulation
from tests.integrate.closed_machines import rockers, slider_crank
from tests.model.loops.singular import locomotive


def test_terms_from_several_threads_are_those_of_one():
    model, rng = gori.compile(slider_crank()), np.random.default_rng(0)
    system, q0 = model.loop_system, gori.assemble(model)
    states = [(model.integrate(q0, 0.3 * rng.normal(size=model.nv)), rng.normal(size=model.nv)) for _ in range(200)]
    expected = [system.terms(q, v) for q, v in states]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            found = list(pool.map(lambda state: system.terms(*state), states))
            for one, other in zip(found, expected):
                for a, b in zip(one, other):
                    np.testing.assert_array_equal(a, b)


def test_kept_equations_are_independent_and_found_once():
    """A revolute cut of a plane four-bar: of five equations two say something."""
    model = gori.compile(rockers())
    system = model.loop_system
    assert len(system.names) == 5 and len(system.kept.names) == 2
    assert set(system.kept.names) < set(system.names)
    chosen = [system.names.index(name) for name in system.kept.names]
    J = system.terms(gori.assemble(model)).J
    assert system.rank(J[chosen]) == system.rank(J) == 2
    assert system.kept is system.kept


def test_regularisation_is_small_beside_the_equations():
    model = gori.compile(rockers())
    regular = model.loop_system.regularisation(gori.assemble(model))
    assert regular.redundant == 0 and regular.epsilon == 1e-14
    assert (regular.eps_mass > 0.0).all() and (regular.eps_unit < 1e-12).all() and not regular.extra_inertia.any()


def test_simulations_of_one_model_share_no_memory():
    model = gori.compile(rockers())
    one, other = Simulation(model), Simulation(model)
    one.step(10)
    assert not np.shares_memory(one.stepper.data.loops.state.flat, other.stepper.data.loops.state.flat)
    assert other.stepper.closure is not None and other.stepper.closure.head.evaluations == 0


@pytest.mark.parametrize("angle", [0.0, 1e-3, 0.4])
def test_the_usual_rank_is_found_at_a_singular_pose_too(angle):
    """Three coupled cranks: of four equations in the plane one is redundant, in the flat pose two."""
    model = gori.compile(locomotive(angle))
    system = model.loop_system
    assert len(system.kept.names) == 3 and system.regularisation(model.q0).redundant == 0
    assert system.rank(system.terms(model.q0).J) == (2 if angle == 0.0 else 3)


def test_a_machine_of_the_wrong_size_is_singular():
    """A link of four million kilometres: LAPACK's error went through."""
    bodies = {name: {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]} for name in "abcd"}
    turn = {"type": "revolute", "axis": [0, 1, 0]}
    joints = {
        "upper": turn | {"parent": "ground", "child": "a", "at": [0, 0, 0.5]},
        "one": {"type": "prismatic", "parent": "a", "child": "b", "axis": [1, 0, 0], "at": [0, 4294967296.0, 0.4]},
        "other": {"type": "prismatic", "parent": "a", "child": "c", "axis": [-1, 0, 0], "mimic": {"joint": "one"},
                  "at": [0, 4294967296.0, 0.4]},
        "free": {"type": "free", "parent": "ground", "child": "d"},
    }  # fmt: skip
    model = gori.compile(gori.Spec(bodies=bodies, joints=joints))
    with pytest.raises(gori.errors.SingularError, match="equations of the motions that the loops allow"):
        model.forward_dynamics(model.q0, np.zeros(model.nv), np.zeros(model.nv))
