import numpy as np
from scipy.spatial.transform import Rotation

from gori.web.poses import body_order, poses_of, quaternions, rotations
from tests.web.machines import four_bar


def test_poses_are_those_of_the_recording():
    rec = four_bar()
    poses, names = poses_of(rec.model, rec.q), body_order(rec.model)
    assert names == ("ground", "crank", "coupler", "rocker") and poses.shape == (len(rec), 4, 7)
    assert np.array_equal(poses[:, 0], np.tile([0, 0, 0, 1, 0, 0, 0], (len(rec), 1)))
    for k, name in enumerate(names[1:], 1):
        np.testing.assert_allclose(poses[:, k, :3], rec[f"{name}.position"], atol=1e-7)
        np.testing.assert_allclose(rotations(poses[:, k, 3:]), rec[f"{name}.rotation"], atol=1e-6)
    # a turn of the crank does not jump from q to -q
    assert np.abs(np.diff(poses[:, :, 3:], axis=0)).max() < 0.1
    assert np.array_equal(poses_of(rec.model, rec.q[7])[:, :3], poses[7, :, :3])


def test_quaternions_are_those_of_scipy():
    R = Rotation.random(200, rng=np.random.default_rng(5)).as_matrix()
    halves = Rotation.from_rotvec(np.pi * np.eye(3)).as_matrix()
    for turns in (R, halves):
        expected = Rotation.from_matrix(turns).as_quat(canonical=True)[:, [3, 0, 1, 2]]
        found = quaternions(turns)
        assert np.abs(np.abs(np.einsum("ni,ni->n", found, expected)) - 1.0).max() < 1e-12
        np.testing.assert_allclose(rotations(found), turns, atol=1e-12)
