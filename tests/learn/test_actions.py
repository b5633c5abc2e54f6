"""Actions: inputs, targets of joints at the rate of the physics, delays."""

import numpy as np
import pytest

import gori
from gori import learn
from gori.errors import InputError
from tests.learn.machines import H, balancer, cart_pole


def test_inputs_are_scaled_and_limited():
    env = balancer(
        3, actions={"both": learn.InputAction(["push", "twist"], [10.0, 2.0], [1.0, 0.0], limits=(-1.0, 2.0))}
    )
    env.reset(seed=0)
    env.step(np.array([[0.5, -0.5], [3.0, 0.0], [-9.0, 1.0]]))
    assert env.batch.inputs["push"].tolist() == [6.0, 21.0, -9.0]
    assert env.batch.inputs["twist"].tolist() == [-1.0, 0.0, 2.0]
    assert env.single_action_space.low.tolist() == [-1.0, -1.0] and env.single_action_space.high.tolist() == [2.0, 2.0]


def test_targets_are_followed_at_the_rate_of_the_physics():
    action = learn.TargetAction({"hinge": "twist"}, kp=40.0, kd=4.0, scale=0.5, most=5.0)
    env = balancer(2, actions={"hinge": action}, starts=(), terminations={}, duration=None)
    env.reset(seed=0)
    batch = gori.batch(cart_pole(), 1, gori.SemiImplicit(step=H))
    for _ in range(100):
        env.step(np.array([[0.6], [0.0]]))
        for _ in range(10):
            torque = np.clip(40.0 * (0.2 + 0.5 * 0.6 - batch.q[:, 1]) - 4.0 * batch.v[:, 1], -5.0, 5.0)
            batch.inputs["twist"] = torque
            batch.step()
    assert np.allclose(env.q[0], batch.q[0], atol=1e-12) and not np.allclose(env.q[1], env.q[0])


def test_targets_are_followed_inside_of_one_launch(monkeypatch):
    """As by torques that are computed before each step."""
    torques, found = {"hinge": "twist", "slide": "push"}, []
    gains = {"kp": [40.0, 90.0], "kd": [4.0, 9.0], "most": [5.0, 20.0], "scale": 0.5}
    for every, steps in (("inside", [10]), (1, [1] * 10)):
        actions = {"both": learn.TargetAction(torques, every=every, **gains)}
        env = balancer(3, actions=actions, terminations={}, duration=None)
        env.reset(seed=0)
        taken, step = [], env.batch.step
        monkeypatch.setattr(env.batch, "step", lambda n, taken=taken, step=step: (taken.append(n), step(n)))
        for k in range(30):
            env.step(np.random.default_rng(k).uniform(-1.0, 1.0, (3, 2)))
        assert taken == steps * 30
        found.append((env.q.copy(), env.v.copy(), np.array(env.batch.work)))
    for one, other in zip(*found):
        assert np.allclose(one, other, atol=1e-12)
    with pytest.raises(InputError, match="'twist' is no torque or force of joint 'slide'"):
        balancer(2, actions={"one": learn.TargetAction({"slide": "twist"}, 1.0)})
    batch = gori.batch(cart_pole(), 2, gori.SemiImplicit(step=H))
    balancer(batch=batch, actions={"one": learn.TargetAction({"hinge": "twist"}, 1.0)})
    with pytest.raises(InputError, match="'twist' is a servo of this batch"):
        balancer(batch=batch, actions={"one": learn.TargetAction({"hinge": "twist"}, 1.0, every=2)})


@pytest.mark.parametrize(("every", "steps"), [(1, 1), (2, 2), (5, 5), (None, 10)])
def test_rate_of_a_controller(every, steps, monkeypatch):
    env = balancer(2, actions={"hinge": learn.TargetAction({"hinge": "twist"}, 10.0, every=every)})
    env.reset(seed=0)
    taken = []
    step = env.batch.step
    monkeypatch.setattr(env.batch, "step", lambda n: (taken.append(n), step(n)))
    env.step(np.zeros((2, 1)))
    assert taken == [steps] * (10 // steps)


def test_delay():
    env = balancer(2, actions={"push": learn.InputAction("push", 10.0, 1.0, delay=2)}, duration=None, terminations={})
    env.reset(seed=0)
    acted = []
    for k, one in enumerate(([0.1], [0.2], [0.3], [0.4], [0.5])):
        if k == 3:
            env.reset(options={"reset_mask": np.array([True, False])})
        env.step(np.array([one, one]))
        acted.append(env.batch.inputs["push"].copy())
    assert np.allclose(np.array(acted)[:, 1], [1.0, 1.0, 2.0, 3.0, 4.0])
    assert np.allclose(np.array(acted)[:, 0], [1.0, 1.0, 2.0, 1.0, 1.0])  # what was on its way is dropped


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: learn.InputAction("push", delay=-1), "delay must be a whole number"),
        (lambda: learn.InputAction("push", every=0), "every must be"),
        (lambda: learn.InputAction("push", limits=(1.0, 1.0)), "limits must be"),
        (lambda: learn.InputAction("push", scale=[1.0, 2.0]), "scale and offset must be one number or 1"),
        (lambda: learn.TargetAction({"hinge": "twist"}, kp=[1.0, 2.0]), "kp, kd and most"),
        (lambda: learn.TargetAction({"hing": "twist"}, kp=1.0), "did you mean 'hinge'"),
    ],
)
def test_what_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        balancer(2, actions={"one": make()})


def test_a_joint_of_several_degrees_of_freedom_has_no_target():
    from tests.learn.machines import flyer, numpy_env

    with pytest.raises(InputError, match="several degrees of freedom"):
        numpy_env(flyer(), actions={"fly": learn.TargetAction({"fly": "x"}, 1.0)})
