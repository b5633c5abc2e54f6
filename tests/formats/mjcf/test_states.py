"""States there and here, and keyframes."""

import mujoco
import numpy as np
import pytest

import gori
from bench.mujoco_agrees import compiled
from gori.errors import InputError
from gori.formats.mjcf import MujocoCoordinates, keyframes

ARM = "<geom type='box' size='.1 .2 .3' pos='.2 0 0'/>"
MACHINE = f"""<worldbody><body name='a'><freejoint name='root'/>{ARM}
    <body name='b' pos='.3 0 0'><joint name='ball' type='ball'/>{ARM}</body></body>
  <body name='c' pos='0 1 0'><joint name='j' axis='0 1 0'/><joint name='s' type='slide'/>{ARM}</body>
  <body name='d'><joint name='drive' type='free' armature='.2'/>{ARM}</body></worldbody>
  <keyframe><key name='up' time='.5' qpos='1 2 3 1 0 0 0 .6 .8 0 0 .1 .2 4 5 6 0 1 0 0'
      qvel='1 2 3 4 5 6 7 8 9 10 11 1 2 3 4 5 6'/>
    <key name='other' qpos='1 2 3 0 0 1 0 .6 .8 0 0 .1 .2 4 5 6 0 1 0 0'/></keyframe>"""


@pytest.fixture
def both(mjcf):
    path = mjcf(MACHINE)
    return compiled(path), gori.compile(gori.load(path)), path


def test_states_there_and_back(both):
    m, model, _ = both
    coordinates, rng = MujocoCoordinates(m, model), np.random.default_rng(2)
    q, v = model.random(rng), rng.normal(size=model.nv)
    qpos, qvel = coordinates.qpos(q), coordinates.qvel(q, v)
    assert np.allclose(coordinates.q(qpos), q) and np.allclose(coordinates.v(qpos, qvel), v)
    assert np.allclose(coordinates.velocity_matrix(qpos) @ qvel, v)
    qfrc = rng.normal(size=m.nv)
    assert coordinates.tau(qpos, qfrc) @ v == pytest.approx(qfrc @ qvel)  # the same power


def test_accelerations_are_the_rates_of_velocities(both):
    m, model, _ = both
    coordinates, rng, h = MujocoCoordinates(m, model), np.random.default_rng(2), 1e-6
    qpos, qvel, qacc = coordinates.qpos(model.random(rng)), *rng.normal(size=(2, m.nv))
    ends = []
    for step in (-h, h):
        end = qpos.copy()
        mujoco.mj_integratePos(m, end, qvel + 0.5 * step * qacc, step)
        ends.append(coordinates.v(end, qvel + step * qacc))
    assert np.allclose((ends[1] - ends[0]) / (2 * h), coordinates.a(qpos, qvel, qacc), atol=1e-8)


def test_poses_are_those_of_mujoco(both):
    m, model, _ = both
    coordinates, d = MujocoCoordinates(m, model), mujoco.MjData(m)
    d.qpos[:] = coordinates.qpos(model.random(5))
    mujoco.mj_kinematics(m, d)
    poses = model.forward_kinematics(coordinates.q(d.qpos))
    for name in "abcd":
        assert np.allclose(poses[name][:3, 3], d.body(name).xpos, atol=1e-14)
        assert np.allclose(poses[name][:3, :3], d.body(name).xmat.reshape(3, 3), atol=1e-14)


def test_keyframes_are_states(both):
    m, model, path = both
    states = keyframes(path, model)
    coordinates = MujocoCoordinates(m, model)
    assert list(states) == ["up", "other"] and states["up"].time == 0.5
    assert np.allclose(coordinates.qpos(states["up"].q), m.key_qpos[0])
    assert np.allclose(coordinates.qvel(states["up"].q, states["up"].v), m.key_qvel[0])


def test_a_keyframe_is_the_start(both):
    m, model, path = both
    keyed = gori.compile(gori.load(path, keyframe="up"))
    coordinates = MujocoCoordinates(m, keyed)
    assert np.allclose(coordinates.qpos(keyed.q0), m.key_qpos[0])
    assert np.allclose(coordinates.qvel(keyed.q0, keyed.v0), m.key_qvel[0])
    assert np.allclose(coordinates.qpos(model.q0), m.qpos0)
    with pytest.raises(InputError, match=r"'upp' is not a keyframe of .*did you mean 'up'"):
        gori.load(path, keyframe="upp")


def test_a_model_of_another_file_is_refused(both, mjcf):
    other = gori.compile(gori.load(mjcf("<worldbody><body><joint/><geom size='.1'/></body></worldbody>", "other.xml")))
    with pytest.raises(InputError, match="has no joint 'root'"):
        MujocoCoordinates(both[0], other)
