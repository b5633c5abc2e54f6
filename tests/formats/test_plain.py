"""Parts of a Spec as plain data."""

import numpy as np
import pytest

from gori.formats.plain import bar_from_middle, colour_of, inertial_of, pose_of, tidy, turn, unit
from gori.spec.shape import Cylinder


def test_poses_say_only_what_is_not_zero():
    assert pose_of(np.zeros(3), (2, 0, 0, 0)) == {}
    assert pose_of(np.array([1.0, 1e-17, 0.0]), np.eye(3)) == {"at": [1.0, 0.0, 0.0]}
    half = turn(np.array([0.0, 0.0, 1.0]), np.pi / 2)
    assert np.allclose(half @ [1, 0, 0], [0, 1, 0])
    assert np.allclose(pose_of(np.zeros(3), half)["quat"], [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])
    assert unit((0, 3, 0, 4)) == (0.0, 0.6, 0.0, 0.8) and tidy([1e-14, 1.0], 100.0) == [0.0, 1.0]


def test_inertials_say_only_what_is_there():
    assert inertial_of(0.0, np.zeros(3), np.zeros((3, 3))) == ({}, None)
    J = np.diag([1.0, 2.0, 2.5])
    assert inertial_of(2.0, np.zeros(3), J) == ({"mass": 2.0, "inertia": [1.0, 2.0, 2.5]}, None)
    J[0, 1] = J[1, 0] = 0.1
    body, problem = inertial_of(2.0, np.array([0.0, 1.0, 0.0]), J)
    assert body["com"] == [0.0, 1.0, 0.0] and body["inertia"] == [1.0, 2.0, 2.5, 0.1, 0.0, 0.0] and problem is None
    body, problem = inertial_of(1.0, np.zeros(3), np.diag([1.0, 1.0, 9.0]))
    assert body["unphysical"] and "triangle inequality" in problem


@pytest.mark.parametrize(
    ("rgba", "text"), [((1, 0.5, 0), "#ff8000"), ((0, 0, 1, 1), "#0000ff"), ((2, -1, 0, 0.5), "#ff000080")]
)
def test_colours(rgba, text):
    assert colour_of(rgba) == text


def test_a_bar_begins_at_its_end():
    R = turn(np.array([0.0, 1.0, 0.0]), 0.7)
    bar = Cylinder(**bar_from_middle("cylinder", 0.1, 2.0, np.array([1.0, 2.0, 3.0]), R), density=1.0)
    assert np.allclose(bar.inertial()[1], [1.0, 2.0, 3.0])
    assert np.allclose(np.linalg.norm(np.array(bar.at) - [1.0, 2.0, 3.0]), 1.0)
