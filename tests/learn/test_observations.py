"""Terms of observations, compared with kinematics of the Model."""

import numpy as np
import pytest

import gori
from gori import learn
from gori.errors import InputError
from tests.learn.machines import balancer, cart_pole, flyer, numpy_env


def parts(env: learn.VectorEnv, observations: np.ndarray) -> dict[str, np.ndarray]:
    return {name: observations[:, columns] for name, columns in env.observation_parts.items()}


def observed(model: gori.Model, terms: dict, q=None, v=None, **options):
    """The environment, and what it sees of machines at q with v."""
    env = numpy_env(model, observations=terms, dtype="float64", **options)
    env.reset(seed=0)
    if q is not None:
        env.q[:], env.v[:] = q, v
        env._motions.clear()
    return env, parts(env, env._observe())


def test_joints():
    q, v = flyer().random(1, 3), np.random.default_rng(1).normal(size=(3, flyer().nv))
    terms = {"q": learn.Positions(), "v": learn.Velocities(), "some": learn.Positions("turn", "fly"),
             "rates": learn.Velocities("socket"), "time": learn.Time()}  # fmt: skip
    _, found = observed(flyer(), terms, q, v)
    info = flyer().joint
    assert np.array_equal(found["q"], q) and np.array_equal(found["v"], v) and (found["time"] == 0.0).all()
    assert np.array_equal(found["some"], np.concatenate([q[:, info("turn").q], q[:, info("fly").q]], axis=1))
    assert np.array_equal(found["rates"], v[:, info("socket").v])


def test_bodies_and_frames():
    q, v = flyer().random(2, 3), np.random.default_rng(2).normal(size=(3, flyer().nv))
    kinds = {"position": learn.Position, "orientation": learn.Orientation, "up": learn.Up, "twist": learn.Twist}
    _, found = observed(flyer(), {name: kind("sensor") for name, kind in kinds.items()}, q, v)
    pose = flyer().forward_kinematics(q)["sensor"]
    assert np.allclose(found["position"], pose[:, :3, 3], atol=1e-13)
    assert np.allclose(found["orientation"], np.concatenate([pose[:, :3, 0], pose[:, :3, 1]], axis=1), atol=1e-13)
    assert np.allclose(found["up"], pose[:, 2, :3], atol=1e-13)
    J = flyer().jacobian(q, "sensor", axes="body")
    assert np.allclose(found["twist"], np.einsum("bij,bj->bi", J, v), atol=1e-12)
    with pytest.raises(InputError, match="did you mean 'sensor'"):
        numpy_env(flyer(), observations={"p": learn.Position("sensr")})


def test_imu():
    env, found = observed(flyer(), {"imu": learn.Imu("sensor")}, control_steps=1)
    pose = flyer().forward_kinematics(env.q[:1])["sensor"][0]
    assert np.allclose(found["imu"][:, :3], 0.0) and np.allclose(found["imu"][:, 3:], pose[2, :3] * 9.81, atol=1e-12)
    free, q = flyer(), flyer().q0
    v = np.random.default_rng(3).normal(size=free.nv)
    env.q[:], env.v[:] = q, v
    env._motions.clear()
    env._terms[0].reset(env, np.ones(3, bool))
    qdd = free.forward_dynamics(q, v, np.zeros(free.nv))
    seen = env.step(np.zeros((3, 1)))[0]
    J, rate = free.jacobian(q, "sensor"), free.jacobian_rate(q, v, "sensor")
    exact = (J @ qdd + rate @ v)[3:] - np.array(free.spec.gravity)
    R = free.forward_kinematics(env.q[:1])["sensor"][0, :3, :3]
    assert np.allclose(R @ seen[0, 3:], exact, atol=0.02 * np.abs(exact).max())
    assert np.allclose(R @ seen[0, :3], (free.jacobian(env.q[0], "sensor") @ env.v[0])[:3], atol=1e-12)


def test_last_action_and_time():
    env = balancer(2, observations={"last": learn.LastAction(), "left": learn.Time(left=True), "t": learn.Time()})
    env.reset(seed=0)
    found = parts(env, env.step(np.array([[0.5], [-3.0]]))[0])
    assert found["last"].ravel().tolist() == [0.5, -1.0]  # within limits
    assert found["left"].ravel() == pytest.approx([0.98] * 2) and found["t"].ravel() == pytest.approx([0.02] * 2)
    with pytest.raises(InputError, match="no `duration`"):
        balancer(2, observations={"left": learn.Time(left=True)}, duration=None)


def test_outputs_of_wheels():
    from gori import vehicle

    model = gori.compile(vehicle.spec("hmmwv"))
    names = [name for name in gori.batch(model, 1).outputs if name.endswith(".load")][:2]
    assert len(names) == 2
    batch = gori.batch(model, 2, gori.SemiImplicit(step=1e-3), state=gori.at_rest(model))
    env = learn.VectorEnv(
        batch,
        {"load": learn.Outputs(*names), "pedal": lambda env: env.arrays.view(env.batch.inputs["truck.throttle"])},
        {"drive": learn.InputAction(["truck.throttle"], offset=0.5, scale=0.5)},
        {},
    )
    env.reset(seed=0)
    seen = env.step(np.array([[1.0], [-1.0]]))[0]
    assert (seen[:, :2] > 1000.0).all() and seen[:, 2].tolist() == [1.0, 0.0]
    assert seen[0, :2] == pytest.approx([batch.outputs[name][0] for name in names], rel=1e-6)


def test_heights():
    points = [[0.0, 0.0], [1.0, 0.0], [0.0, 0.5], [-2.0, -1.0]]
    q, v = flyer().random(4, 3), np.zeros((3, flyer().nv))
    _, found = observed(flyer(), {"scan": learn.Heights("base", points)}, q, v)
    for k, T in enumerate(flyer().forward_kinematics(q)["base"]):
        yaw = np.arctan2(T[1, 0], T[0, 0])
        turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
        places = T[:2, 3] + np.array(points) @ turn.T
        exact = T[2, 3] - flyer().spec.terrain.height(places[:, 0], places[:, 1])
        assert np.allclose(found["scan"][k], exact, atol=1e-12)
    upright = np.array([np.cos(np.pi / 4), 0.0, -np.sin(np.pi / 4), 0.0])  # x points up: no heading
    q[:, :4] = upright
    _, found = observed(flyer(), {"scan": learn.Heights("base", points)}, q, v)
    assert np.isfinite(found["scan"]).all()
    with pytest.raises(InputError, match=r"shape \(points, 2\)"):
        learn.Heights("base", [1.0, 2.0])
    with pytest.raises(InputError, match="no `terrain`"):
        numpy_env(cart_pole(), observations={"scan": learn.Heights("cart", points)})


def test_rays():
    """Ends of rays lie on the ground, and nothing before them is below it."""
    rng = np.random.default_rng(5)
    directions = np.concatenate([rng.normal(size=(12, 3)), [[0.0, 0.0, -2.0], [0.0, 0.0, 3.0]]])
    q, v = flyer().random(6, 3), np.zeros((3, flyer().nv))
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1)[:, None]
    q[:, 6] = 3.0
    _, found = observed(flyer(), {"scan": learn.Rays("base", directions, reach=8.0, samples=200)}, q, v)
    height, met = flyer().spec.terrain.height, 0
    for k, T in enumerate(flyer().forward_kinematics(q)["base"]):
        for way, along in zip(found["scan"][k], directions @ T[:3, :3].T):
            along /= np.linalg.norm(along)
            ways = np.concatenate([np.linspace(0.0, max(way - 3e-3, 0.0), 300), [way + 3e-3]])
            x, y, z = (T[:3, 3] + ways[:, None] * along).T
            gap = z - height(x, y)
            assert (gap[:-1] > -0.02).all()  # a sample may miss the edge of a bump
            if way < 8.0:
                assert gap[-1] < 0.0 < gap[-2]
                met += 1
    assert 3 < met < 3 * len(directions)
    q[:, 6] = -5.0  # below the ground
    _, found = observed(flyer(), {"scan": learn.Rays("base", directions)}, q, v)
    assert (found["scan"] == 0.0).all()
    for wrong in ({"directions": [1.0, 0.0, 0.0]}, {"directions": [[0.0, 0.0, 0.0]]}):
        with pytest.raises(InputError, match="directions must be vectors"):
            learn.Rays("base", **wrong)
    with pytest.raises(InputError, match="reach must be positive"):
        learn.Rays("base", [[0.0, 0.0, -1.0]], reach=0.0)
