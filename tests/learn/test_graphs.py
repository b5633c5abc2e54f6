"""What an environment keeps stays in the memory in which it was at first, as CUDA graphs need it."""

import numpy as np
import pytest

from gori import learn
from gori.errors import UnsupportedError
from gori.learn.graphs import KeptArrays, StepGraph
from tests.learn.machines import balancer, cart_pole, flyer


def kept_objects(env: learn.VectorEnv) -> list:
    return [env, env.streams, env._sums, *env._actions.values(), *env._starts, *env._terms]


def test_it_does_the_same_with_the_same_arrays():
    """Delayed actions, sensors that remember, sums of episodes: as without."""

    def made() -> learn.VectorEnv:
        options = {
        "observations": {"q": learn.Positions(), "imu": learn.Imu("tip"), "last": learn.LastAction()},
        "actions": {"push": learn.InputAction("push", 10.0, delay=3)},
        "duration": 0.3, "dtype": "float64",
    }  # fmt: skip
        return balancer(5, **options)

    one, other = made(), made()
    one.reset(seed=2), other.reset(seed=2)
    kept = KeptArrays(kept_objects(one), np.ndarray)
    first = [array for *_, array in kept._found]
    assert len(first) > 12
    rng, ended = np.random.default_rng(0), 0
    for k in range(60):
        actions = rng.uniform(-1.0, 1.0, (5, 1))
        left, right = one.step(actions), other.step(actions)
        for a, b in zip(left[:4], right[:4]):
            assert np.array_equal(a, b)
        if "final_info" in right[4]:
            for name in ("return", "length"):
                assert np.array_equal(left[4]["final_info"][name], right[4]["final_info"][name])
            ended += int(right[4]["_final_info"].sum())
        kept.settle()
        assert all(place[key] is array for place, key, array in kept._found)
        assert all(
            a is b for a, b in zip(first, (array for *_, array in KeptArrays(kept_objects(one), np.ndarray)._found))
        )
        if k == 30:
            one.reset(options={"reset_mask": np.arange(5) > 2}), other.reset(options={"reset_mask": np.arange(5) > 2})
            kept.settle()
    assert ended >= 10


class Keeper:
    """Two arrays that change places, one in a list, one by name."""

    def __init__(self):
        self.a, self.b = np.zeros(2), np.ones(2)
        self.listed, self.named, self.word = [np.full(2, 2.0)], {"x": np.full(2, 3.0)}, "no array"


def test_arrays_that_change_places():
    keeper = Keeper()
    kept = KeptArrays([keeper], np.ndarray)
    a, b, c, d = keeper.a, keeper.b, keeper.listed[0], keeper.named["x"]
    keeper.a, keeper.b, keeper.listed, keeper.named = b, a, [d], {"x": c + 5.0}
    kept.settle()
    assert keeper.a is a and keeper.b is b and keeper.listed[0] is c and keeper.named["x"] is d
    assert [float(x[0]) for x in (a, b, c, d)] == [1.0, 0.0, 3.0, 7.0]


def test_what_cannot_be_captured():
    env = balancer(2)
    with pytest.raises(UnsupportedError, match="not on a cpu with numpy"):
        env.capture()
    env.arrays.name, env.arrays.on_gpu = "torch", True
    with pytest.raises(UnsupportedError, match="start from States passes through the host"):
        StepGraph(env, [learn.States(cart_pole().state())])
    assert flyer().nv
