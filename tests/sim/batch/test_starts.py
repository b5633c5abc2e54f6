"""A State for each machine of a batch, at the start and at a reset."""

from typing import Any

import numpy as np
import pytest

import gori
from gori.errors import InputError
from tests.sim.batch.machines import H, arm, four_bar, on_host, pendulum, speeds

__all__ = ["on_host"]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("make", [arm, four_bar])
def test_machines_go_on_from_states_of_their_own(make, device, on_host):
    model, method = make(), gori.SemiImplicit(step=H)
    batch = gori.batch(model, 4, method, device=device)
    batch.v[:] = speeds(model, 4)
    batch.step(20)
    states = [batch.state(k) for k in range(4)]
    other = gori.batch(model, 4, method, device=device, state=states)
    assert np.array_equal(other.q, batch.q) and np.array_equal(other.time, batch.time)
    batch.step(10)
    other.step(10)
    assert np.abs(other.q - batch.q).max() < 1e-12
    other.reset([1, 3])
    assert np.array_equal(other.q[3], states[3].q) and np.array_equal(other.q[0], batch.q[0])
    other.reset([0, 2], state=states[2:])
    assert np.array_equal(other.q[0], states[2].q) and np.array_equal(other.v[2], states[3].v)
    other.reset()
    assert np.array_equal(other.q, [state.q for state in states]) and not other.failed.any()


def test_one_state_that_several_share():
    model = arm()
    one = model.state().replace(v=speeds(model, 1)[0])
    batch = gori.batch(model, 3, state=[one, model.state(), one])
    assert np.array_equal(batch.v[0], one.v) and np.array_equal(batch.v[2], one.v) and not batch.v[1].any()


def test_states_of_machines_that_differ():
    """Each is a State of the Model of its machine."""
    given = {"bodies.lower.mass": np.array([1.0, 2.0, 3.0])}
    batch = gori.batch(pendulum(), 3, parameters=given)
    batch.v[:] = speeds(pendulum(), 3)
    batch.step(10)
    states = list(batch)
    other = gori.batch(pendulum(), 3, parameters=given, state=states)
    batch.step(10)
    other.step(10)
    assert np.array_equal(other.q, batch.q)
    with pytest.raises(InputError, match="state of machine 0: this State belongs to another Model"):
        other.reset(state=states[::-1])


def test_what_is_refused():
    model = four_bar()
    batch = gori.batch(model, 3)
    good = model.state()
    cases: Any = (
        ([good] * 2, "one for each of 3 machines, not 2"),
        ([good, 1, good], "that of machine 1 is 1"),
        (5, "that of machine 0 is 5"),
        ([good, good.replace(q=good.q + 0.1), good], "state of machine 1: state.q does not close the loops"),
        ([good, good, arm().state()], "state of machine 2: "),
    )
    for states, words in cases:
        with pytest.raises(InputError, match=words):
            batch.reset(state=states)
    with pytest.raises(InputError, match="one for each of 2 machines, not 1"):
        batch.reset([0, 2], state=[good])
    with pytest.raises(TypeError, match="unexpected keyword argument 'loop'"):
        gori.batch(model, 3, loop="partition")


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_states_go_to_the_machines_that_are_named(device, on_host):
    model = arm()
    first, second = (model.state().replace(v=v) for v in speeds(model, 2))
    batch = gori.batch(model, 4, device=device)
    batch.reset([3, 1], [first, second])
    assert np.array_equal(batch.v[3], first.v) and np.array_equal(batch.v[1], second.v) and not batch.v[0].any()
    batch.reset(np.array([1, 0, 0, 1], np.uint8), [first, second])
    assert np.array_equal(batch.v[0], first.v) and np.array_equal(batch.v[3], second.v)
    with pytest.raises(InputError, match="machine 3 is named more than once"):
        batch.reset([3, 3], [first, second])
    with pytest.raises(InputError, match="that of machine 1 is 5"):
        batch.reset([3, 1], [first, 5])  # pyright: ignore[reportArgumentType]


def test_sets_are_those_of_machines_in_the_order_of_the_batch():
    batch = gori.batch(pendulum(), 3, parameters={"bodies.lower.mass": np.linspace(1.0, 2.0, 5)})
    batch.assign([4, 0, 3], [2, 0])
    assert batch.sets_of(np.arange(3)).tolist() == [4, 1, 3]
    with pytest.raises(InputError, match="3 whole numbers, one for each machine of the batch"):
        batch.assign([4, 3], [2, 0])
