"""Free joints: there and back, and the same motion of the same body."""

import mujoco
import numpy as np

from gori.formats.mjcf.velocities import free_coordinates, free_qpos, free_qvel, free_velocity

RNG = np.random.default_rng(0)


def test_there_and_back():
    qpos, qvel = RNG.normal(size=7), RNG.normal(size=6)
    qpos[3:] /= np.linalg.norm(qpos[3:])
    q = free_coordinates(qpos)
    assert np.allclose(free_qpos(q), qpos) and np.allclose(free_qvel(q, free_velocity(qpos, qvel)), qvel)


def test_velocities_of_the_body_are_those_of_mujoco():
    """mj_objectVelocity tells the velocity along the axes of the body: angular, then linear."""
    m = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    )
    d, found = mujoco.MjData(m), np.zeros(6)
    d.qpos[:], d.qvel[:] = RNG.normal(size=7), RNG.normal(size=6)
    mujoco.mj_forward(m, d)
    mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_XBODY, 1, found, 1)
    assert np.allclose(free_velocity(d.qpos, d.qvel), found, atol=1e-14)
