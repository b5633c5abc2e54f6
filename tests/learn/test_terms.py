"""Terms from functions, objects and weights."""

import numpy as np
import pytest

from gori import learn
from gori.errors import InputError
from gori.learn.terms import Function, Weighted, each_once, terms_of
from tests.learn.machines import balancer


class Count(learn.Term):
    """Steps of the episode, counted by the term."""

    def bind(self, env):
        self.steps = env.arrays.zeros()

    def update(self, env):
        self.steps = self.steps + 1.0

    def reset(self, env, mask):
        self.steps = env.xp.where(mask, 0.0, self.steps)

    def __call__(self, env):
        return self.steps


def test_kinds_of_terms():
    found = terms_of("rewards", {"plain": abs, "half": (abs, 0.5), "own": Count()})
    assert (
        isinstance(found["plain"], Function) and isinstance(found["half"], Weighted) and isinstance(found["own"], Count)
    )
    assert found["half"](-4.0) == 2.0
    assert terms_of("terminations", None) == {}
    assert each_once([found, {"again": found["own"], "half": found["half"]}]) == [
        found["plain"], found["half"].term, found["own"]]  # fmt: skip
    for wrong in ({"a": 3.0}, {"a": Count}, {"a": "b"}):
        with pytest.raises(InputError, match=r"rewards\['a'\] must be a function"):
            terms_of("rewards", wrong)
    with pytest.raises(InputError, match="terms by name"):
        terms_of("rewards", [abs])


def test_a_term_that_remembers():
    count = Count()  # in two places, updated once
    env = balancer(3, observations={"n": count}, rewards={"n": (count, 2.0)}, duration=0.06, terminations={})
    env.reset(seed=0)
    seen = []
    for _ in range(4):
        observations, rewards, *_, info = env.step(np.zeros((3, 1)))
        seen.append((observations[0, 0], rewards[0], info.get("final_obs", [[None]])[0][0]))
    assert seen == [(1.0, 2.0, None), (2.0, 4.0, None), (0.0, 6.0, 3.0), (1.0, 2.0, None)]
