"""Diagonal velocities of trees: x'x / 2 is the kinetic energy, and both ways are inverse to each other."""

import numpy as np
import pytest

import gori
from gori.integrate import TimeStepping
from gori.kernels.contact.impulses.diagonal import is_diagonal, turn_velocities
from gori.kernels.tree.columns import V0
from tests.integrate.test_time_stepping import BALL, STILL, at, scene
from tests.kernels.contact.impulses.test_response import foot, gripper
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
    ball = model.joint("ball_free").v
    tree = [k for k in range(model.nv) if not ball.start <= k < ball.stop]
    for _ in range(3):
        v, x, back = rng.normal(size=model.nv), np.zeros(model.nv), np.zeros(model.nv)
        plain(turn_velocities)(stepper.machine, stepper.data, v, x, 0)
        plain(turn_velocities)(stepper.machine, stepper.data, x, back, 1)
        np.testing.assert_allclose(back, v, atol=1e-10)
        energy = v[tree] @ M[np.ix_(tree, tree)] @ v[tree]
        assert x[tree] @ x[tree] == pytest.approx(energy, rel=1e-10)
        np.testing.assert_allclose(x[tree], diagonal(M[np.ix_(tree, tree)], v[tree]), atol=1e-8 * np.sqrt(energy))


def test_bodies_that_fly_alone_and_loops_keep_their_velocities():
    model = gori.compile(gripper())
    stepper, _ = stepped(model)
    memory, free = stepper.data.contact_memory, model.joint("ball_free").v
    for i in range(1, len(stepper.machine.body_i)):
        first = stepper.machine.body_i[i, V0]
        assert plain(is_diagonal)(memory, i) == (not free.start <= first < free.stop)
    assert not plain(is_diagonal)(memory, 0)
    memory.branch[:, 4] = 1  # as if loops held all
    assert not any(plain(is_diagonal)(memory, i) for i in range(len(memory.branch)))


def test_both_ways_at_once_may_share_an_array():
    model = gori.compile(foot())
    stepper, _ = stepped(model)
    v = np.random.default_rng(1).normal(size=model.nv)
    x, same = np.zeros(model.nv), v.copy()
    plain(turn_velocities)(stepper.machine, stepper.data, v, x, 0)
    plain(turn_velocities)(stepper.machine, stepper.data, same, same, 0)
    np.testing.assert_array_equal(same, x)
