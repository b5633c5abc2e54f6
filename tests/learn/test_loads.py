"""Forces that are observed: those of the Spec on its joints, and of contact."""

import numpy as np
import pytest

import gori
from gori import learn
from gori.errors import InputError, UnsupportedError
from gori.learn.loads import ContactForces, Efforts
from tests.learn.machines import H, Nothing, cart_pole, numpy_env
from tests.sim.batch.machines import balls, pendulum


def test_efforts_are_those_that_the_physics_uses():
    """Motor with gains, torque, and a servo of the batch, against what a Simulation records."""
    model = pendulum()
    env = numpy_env(model, observations={"efforts": Efforts("hold", "twist")}, dtype="float64")
    env.reset(seed=0)
    env.v[:] = [[0.5, -1.0], [3.0, 2.0], [0.0, 0.0]]
    env.batch.inputs["twist"][:] = [0.1, 0.2, 0.3]
    env.batch.inputs["hold"][:] = [1.0, -1.0, 0.0]
    found = env._observe()
    exact = 5.0 * (env.batch.inputs["hold"] - env.q[:, 1]) - 0.5 * env.v[:, 1]
    assert np.allclose(found[:, 0], exact, atol=1e-14) and found[:, 1].tolist() == [0.1, 0.2, 0.3]
    for k in range(3):
        given = {name: float(env.batch.inputs[name][k]) for name in ("twist", "hold")}
        run = gori.Simulation(model, env.batch.method, state=env.batch.state(k), force_values=given)
        recorded = run.run(H, sample=H, progress=False)
        assert recorded["hold.effort"][0] == pytest.approx(found[k, 0]) and recorded["twist.effort"][
            0
        ] == pytest.approx(found[k, 1])


def test_efforts_of_servos():
    batch = gori.batch(cart_pole(), 2, gori.SemiImplicit(step=H))
    actions = {"hinge": learn.TargetAction({"hinge": "twist"}, kp=40.0, kd=4.0, most=5.0)}
    env = learn.VectorEnv(batch, {"effort": Efforts("twist")}, actions, {}, dtype="float64")
    env.reset(seed=0)
    seen = env.step(np.array([[0.01], [1.0]]))[0]
    exact = 40.0 * (0.2 + np.array([0.01, 1.0]) - env.q[:, 1]) - 4.0 * env.v[:, 1]
    assert np.allclose(seen[:, 0], np.clip(exact, -5.0, 5.0), atol=1e-12) and seen[1, 0] == 5.0


def test_efforts_that_are_not_known():
    with pytest.raises(InputError, match="did you mean 'twist'"):
        numpy_env(pendulum(), observations={"efforts": Efforts("twst")})
    with pytest.raises(InputError, match="no motor, torque or force"):
        numpy_env(pendulum(), observations={"efforts": Efforts("sway")})  # which follows time
    varied = {"forces.hold.kp": np.array([4.0, 5.0, 6.0])}
    batch = gori.batch(pendulum(), 3, gori.SemiImplicit(step=H), parameters=varied)
    with pytest.raises(UnsupportedError, match="gains of 'hold' differ"):
        learn.VectorEnv(batch, {"efforts": Efforts("hold")}, {"none": Nothing(1)}, {})


def test_contact_bears_what_rests():
    """After a while the floor bears the weight of all that lies on it."""
    model = balls()
    terms = {"force": ContactForces("a", "b", "c", "box"), "wrench": ContactForces("box", torques=True)}
    env = numpy_env(model, 2, observations=terms, dtype="float64", control_steps=1500)
    env.reset(seed=0)
    seen = env.step(np.zeros((2, 1)))[0]
    total = seen[0, :12].reshape(4, 3).sum(axis=0)
    assert total == pytest.approx([0.0, 0.0, 9.81 * model.mass], abs=0.02 * 9.81 * model.mass)
    assert np.array_equal(seen[:, 9:12], seen[:, 15:18]) and np.array_equal(seen[0], seen[1])
    with pytest.raises(InputError, match="no force on 'd': there are"):
        numpy_env(model, observations={"force": ContactForces("d")})
