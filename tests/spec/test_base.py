import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gori.errors import SpecError
from gori.spec import Joint
from gori.spec.base import ReadOnly, quaternion, rotation, rotation_to
from tests.checks import close


def test_rotations_from_angles_and_quaternions():
    close(rotation((10.0, 20.0, 30.0), None), Rotation.from_euler("xyz", [10, 20, 30], degrees=True).as_matrix(), 1e-14)
    close(rotation(None, (0.5, 0.5, 0.5, 0.5)), Rotation.from_quat([0.5, 0.5, 0.5, 0.5]).as_matrix(), 1e-14)
    assert np.array_equal(rotation(None, None), np.eye(3))


def test_quaternion_of_a_rotation():
    for seed in range(20):
        R = Rotation.random(random_state=seed).as_matrix()
        close(rotation(None, quaternion(R)), R, 1e-14)


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0.3, -0.4, 0.5)])
def test_rotation_to_an_axis_brings_z_there(axis):
    R = rotation_to(axis)
    close(R[:, 2], np.array(axis) / np.linalg.norm(axis), 1e-14)
    close(R @ R.T, np.eye(3), 1e-14)
    assert np.linalg.det(R) == pytest.approx(1.0)


def test_a_direction_has_a_length_that_can_be_squared():
    """That of (1e308, 1e308, 0) is infinite, and the axis of the joint was zero."""
    joint = {"type": "revolute", "parent": "ground", "child": "a"}
    for axis, words in (((1e308, 1e308, 0.0), "not a vector of length"), ((1e-10, 0.0, 0.0), "not the zero vector")):
        with pytest.raises(SpecError, match=words):
            Joint.model_validate(joint | {"axis": axis})


def test_dicts_of_a_spec_do_not_change():
    part = ReadOnly(a=1)
    with pytest.raises(SpecError, match="a Spec is immutable"):
        part["a"] = 2
    assert part == {"a": 1}
