"""Diagonal velocities of trees: x'x / 2 is the kinetic energy, and both ways are inverse to each other."""

import numpy as np
import pytest

import gori
from gori.integrate import TimeStepping
from gori.kernels.contact.impulses.diagonal import from_diagonal, is_diagonal, to_diagonal
from tests.integrate.test_time_stepping import BALL, STILL, at, scene
from tests.kernels.contact.impulses.test_rows import foot, gripper
from tests.plain import plain
from tests.reference.impulses import diagonal
from tests.reference.random_spec import random_spec


def stepped(model):
    """A simulation after its first step: trees are factored at its start, q."""
    simulation = gori.Simulation(model, TimeStepping(step=1e-6))
    q = simulation.q.copy()
    simulation.step()
    return simulation.stepper, q


def touching_tree(seed):
    """A random tree whose bodies could touch a floor far below."""
    solid = {"type": "sphere", "radius": 0.01, "material": "steel", "collide": True}
    tree = random_spec(
        np.random.default_rng(seed), 6, types=("revolute", "prismatic", "spherical", "universal", "free")
    )
    spec = scene(gravity=(0, 0, 0), ball=(BALL, at(z=50.0), STILL)).model_dump(exclude_unset=True)
    plain_tree = tree.model_dump(exclude_unset=True)
    bodies = {
        name: {**body, "shapes": {"tip": solid}} for name, body in plain_tree["bodies"].items() if name != "ground"
    }
    floor = {
        "ground": {"shapes": {"floor": {"type": "plane", "at": [0, 0, -100.0], "material": "steel", "collide": True}}}
    }
    return gori.Spec.model_validate(
        spec | {"bodies": spec["bodies"] | bodies | floor, "joints": spec["joints"] | plain_tree["joints"]}
    )


@pytest.mark.parametrize("seed", range(6))
def test_they_are_those_of_the_dense_factor(seed):
    model = gori.compile(touching_tree(seed))
    stepper, q = stepped(model)
    M, rng = model.mass_matrix(q), np.random.default_rng(seed)
    for _ in range(3):
        memory, v, back = stepper.data.contact_memory, rng.normal(size=model.nv), np.zeros(model.nv)
        none, x = np.zeros(len(memory.x_free)), np.zeros(len(memory.x_free))
        plain(to_diagonal)(stepper.machine, stepper.data, v, x)
        plain(from_diagonal)(stepper.machine, stepper.data, x, none, np.zeros(model.nv), back)
        np.testing.assert_allclose(back, v, atol=1e-10)
        energy = v @ M @ v
        assert x @ x == pytest.approx(energy, rel=1e-10)
        np.testing.assert_allclose(x[memory.place], diagonal(M, v), atol=1e-8 * np.sqrt(energy))


def test_trees_that_loops_hold_keep_their_velocities():
    model = gori.compile(gripper())
    stepper, _ = stepped(model)
    memory = stepper.data.contact_memory
    assert [plain(is_diagonal)(memory, i) for i in range(len(memory.branch))] == [False, True, True, True, True]
    memory.branch[:, 4] = 1  # as if loops held all
    assert not any(plain(is_diagonal)(memory, i) for i in range(len(memory.branch)))
    v, x = np.random.default_rng(0).normal(size=model.nv), np.zeros(len(memory.x_free))
    plain(to_diagonal)(stepper.machine, stepper.data, v, x)
    np.testing.assert_array_equal(x[memory.place], v)


def test_what_no_impulse_moved_stays_to_the_last_bit():
    model = gori.compile(foot())
    stepper, _ = stepped(model)
    memory, rng = stepper.data.contact_memory, np.random.default_rng(1)
    before, x, v = rng.normal(size=model.nv), np.zeros(len(memory.x_free)), np.zeros(model.nv)
    plain(to_diagonal)(stepper.machine, stepper.data, before, x)
    plain(from_diagonal)(stepper.machine, stepper.data, x, x, before, v)
    np.testing.assert_array_equal(v, before)
