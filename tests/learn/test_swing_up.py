"""The example that learns, tiny: its policies act, and learning goes on from what was tried."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from gori import learn

FILE = Path(__file__).parents[2] / "examples" / "learn_swing_up.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("learn_swing_up", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.SECONDS = 2.0
    return module


def test_policies_are_those_of_a_network(example):
    rng = np.random.default_rng(0)
    policies, observations = rng.normal(size=(3, 8 * 7)), rng.normal(size=(3, 5))
    for k, force in enumerate(example.forces(policies, observations)):
        inner = policies[k, :48].reshape(6, 8)
        assert force[0] == pytest.approx(np.tanh(observations[k] @ inner[:5] + inner[5]) @ policies[k, 48:])


def test_a_few_generations_swing_higher(example, capsys):
    env = example.environment(60)
    assert isinstance(env, learn.VectorEnv)
    policy, curve = example.trained(env, 10)
    assert len(curve) == 10 and curve[-1] > curve[0] + 0.1
    returns, upright = example.tried(env, np.tile(policy, (60, 1)))
    assert returns.mean() > -0.9 and upright.shape == (60,)
    assert "generation  10" in capsys.readouterr().out
