"""How episodes begin: States, random deviations, inputs, other parameters."""

import numpy as np
import pytest

import gori
from gori import learn
from gori.errors import InputError, UnsupportedError
from tests.learn.machines import H, balancer, cart_pole, flyer, numpy_env
from tests.sim.batch.machines import four_bar


def test_states_are_drawn():
    states = [cart_pole().state().replace(q=[x, 0.0], v=[0.0, x]) for x in (1.0, 2.0, 3.0)]
    env = balancer(300, starts=[learn.States(states)])
    env.reset(seed=0)
    assert np.bincount(env.q[:, 0].astype(int))[1:] == pytest.approx([100] * 3, rel=0.3)
    assert np.array_equal(env.v[:, 1], env.q[:, 0]) and (env.q[:, 1] == 0.0).all()
    for wrong in ([], [1.0]):
        with pytest.raises(InputError, match="State or a list"):
            learn.States(wrong)


def test_spread_of_simple_joints():
    env = balancer(2000, starts=[learn.Spread({"slide": (-0.5, 0.2)}, {"hinge": 0.3})])
    env.reset(seed=0)
    assert env.q[:, 0].min() == pytest.approx(-0.5, abs=0.01) and env.q[:, 0].max() == pytest.approx(0.2, abs=0.01)
    assert (env.q[:, 1] == 0.2).all() and (env.v[:, 0] == 0.0).all()
    assert np.abs(env.v[:, 1]).max() == pytest.approx(0.3, abs=0.01) and abs(env.v[:, 1].mean()) < 0.02


def test_spread_of_quaternions():
    low = [-0.4, 0.0, 0.1, -1.0, 2.0, 0.5]
    high = [0.4, 0.0, 0.3, 1.0, 2.0, 0.9]
    env = numpy_env(flyer(), 200, starts=[learn.Spread({"fly": (low, high), "socket": 1e-9, "turn": (1.0, 1.0)})])
    env.reset(seed=0)
    fly, ball, turn = (flyer().joint(name).q for name in ("fly", "socket", "turn"))
    assert np.allclose(np.linalg.norm(env.q[:, fly][:, :4], axis=1), 1.0, atol=1e-14)
    moved = flyer().difference(np.repeat(flyer().q0[None], 200, axis=0), env.q)[:, flyer().joint("fly").v]
    assert (moved[:, :3] > np.array(low[:3]) - 1e-12).all() and (moved[:, :3] < np.array(high[:3]) + 1e-12).all()
    assert np.ptp(moved[:, 0]) > 0.7 and np.ptp(moved[:, 2]) > 0.18
    at = env.q[:, fly][:, 4:] - flyer().q0[fly][4:]
    assert (at >= np.array(low[3:]) - 1e-12).all() and (at <= np.array(high[3:]) + 1e-12).all()
    assert np.allclose(env.q[:, ball], flyer().q0[ball], atol=1e-8) and np.allclose(env.q[:, turn], 1.0)


def test_joints_of_a_loop_are_refused():
    model = four_bar()
    joint = model.joint_names[0]
    for start in (learn.Spread({joint: 0.1}), learn.Spread(velocities={joint: 0.1})):
        with pytest.raises(UnsupportedError, match="part of a closed loop"):
            numpy_env(model, starts=[start])
    assert numpy_env(model, starts=[learn.States(model.state())]).reset(seed=0)[0].shape == (3, model.nq)


def test_inputs_of_the_start_stay():
    env = balancer(50, starts=[learn.StartInputs({"twist": (0.2, 0.7)})])
    env.reset(seed=0)
    first = env.batch.inputs["twist"].copy()
    env.step(np.zeros((50, 1)))
    assert np.array_equal(env.batch.inputs["twist"], first) and 0.2 <= first.min() < first.max() <= 0.7
    assert np.ptp(first) > 0.4


def test_other_parameters_in_each_episode():
    masses = np.linspace(0.1, 1.0, 12)
    batch = gori.batch(cart_pole(), 4, gori.SemiImplicit(step=H), parameters={"bodies.pole.mass": masses})
    env = balancer(batch=batch, starts=[learn.OtherParameters()], terminations={}, duration=None)
    seen = set()
    for seed in (0, 1):
        env.reset(seed=seed)
        env.step(np.ones((4, 1)))
        drawn = batch._set.copy()
        seen |= set(drawn.tolist())
        for k in range(4):
            model = gori.compile(cart_pole().spec.set("bodies.pole.mass", masses[drawn[k]]))
            run = gori.Simulation(model, gori.SemiImplicit(step=H), force_values={"push": 10.0})
            run.step(10)
            assert np.abs(batch.q[k] - run.q).max() < 1e-12
    assert len(seen) > 3
    with pytest.raises(InputError, match="no parameters to draw"):
        balancer(4, starts=[learn.OtherParameters()])


@pytest.mark.parametrize("wrong", [(1.0, -1.0), "x", (0.0, np.nan), ([0.0, 0.0, 0.0], 1.0)])
def test_ranges_that_are_none(wrong):
    with pytest.raises(InputError, match="positions or velocities"):
        learn.Spread()
    with pytest.raises(InputError, match="the range of joint 'slide' must"):
        balancer(2, starts=[learn.Spread({"slide": wrong})])
