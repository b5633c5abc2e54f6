import numpy as np
import pytest

from gori.errors import InputError
from gori.model.poses import Poses


def test_a_pose_is_a_matrix():
    table = np.arange(24.0).reshape(2, 12)
    poses = Poses({"a": 0, "b": 1}, table)
    T = poses["b"]
    assert np.array_equal(T[:3, :3].ravel(), table[1, :9]) and np.array_equal(T[:3, 3], table[1, 9:])
    assert np.array_equal(T[3], [0, 0, 0, 1])
    assert poses.names == tuple(poses) == ("a", "b") and "a" in poses and "c" not in poses


def test_batches_have_their_axis_first():
    poses = Poses({"a": 0}, np.zeros((5, 1, 12)))
    assert poses["a"].shape == (5, 4, 4) and poses.rotation.shape == (5, 1, 3, 3) and poses.position.shape == (5, 1, 3)


def test_unknown_names():
    with pytest.raises(InputError, match="'hnd' is not a body or frame; did you mean 'hand'"):
        Poses({"hand": 0}, np.zeros((1, 12)))["hnd"]
