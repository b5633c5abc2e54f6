"""Why machines of a batch have failed: in words that fit the machine."""

import numpy as np

import gori
from gori.kernels.codes import NOT_FINITE
from gori.sim.batch.failures import failure_words
from tests.sim.batch.machines import H, pendulum

METHOD = gori.SemiImplicit(step=H)


def test_a_machine_without_mass_is_told_as_by_a_simulation():
    body = {"mass": 1.0, "com": [0, 0, -0.5], "inertia": [0.1, 0.1, 0.1]}
    hinge = {"type": "revolute", "parent": "ground", "child": "bob", "axis": [0, 1, 0]}
    spec = gori.Spec(bodies={"bob": body}, joints={"hinge": hinge})
    masses = {"bodies.bob.mass": [1.0, 0.0], "bodies.bob.inertia": [[0.1, 0.1, 0.1], [0.0, 0.0, 0.0]]}
    batch = gori.batch(spec, 2, METHOD, parameters=masses)
    batch.step()
    assert batch.failed.tolist() == [False, True]
    assert "joint 'hinge' moves nothing that has inertia about its axis" in batch.failures()[1]


def test_what_is_no_number_is_named_first():
    model = pendulum()
    run = gori.Simulation(model, METHOD)
    words = failure_words(run, 1, NOT_FINITE, {"twist": np.array([0.0, np.nan])}, model)
    assert words.startswith("input 'twist' is nan at t = 0 s: ") and "batch.reset(1)" in words
    assert "the motion diverged" in failure_words(run, 0, NOT_FINITE, {"twist": np.array([0.0, np.nan])}, model)
