"""Frames of bodies in the rows of a Model."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.model.body_frames import BodyFrames, crossed, moved_moment
from tests.reference.random_spec import random_spec


@pytest.mark.parametrize("seed", range(5))
def test_frames_of_one_row_move_as_one(seed):
    """All frames of a row, carried by the pose of the row that one of them gives, are where forward kinematics says."""
    rng = np.random.default_rng(seed)
    model = gori.compile(random_spec(rng, 6, fixed_fraction=0.5))
    poses, frames = model.forward_kinematics(model.random(rng)), BodyFrames.of(model, model.frame_names)
    for k, row in enumerate(frames.rows):
        R = poses.rotation[k] @ frames.R[k].T
        p = poses.position[k] - R @ frames.p[k]
        np.testing.assert_allclose(poses.rotation[k] @ frames.arms[k], R @ frames.p[k], atol=1e-12)
        for j in np.flatnonzero(frames.rows == row):
            np.testing.assert_allclose(R @ frames.R[j], poses.rotation[j], atol=1e-12)
            np.testing.assert_allclose(p + R @ frames.p[j], poses.position[j], atol=1e-12)


def test_rows_themselves_and_names_that_are_none():
    rows = BodyFrames.of_rows([0, 2])
    assert rows.rows.tolist() == [0, 2] and not rows.arms.any()
    model = gori.compile(random_spec(np.random.default_rng(0), 3))
    with pytest.raises(InputError, match="'b7' is not a body or frame"):
        BodyFrames.of(model, ["b7"])


def test_a_moment_about_another_point():
    wrench = np.array([[0.0, 0.0, 1.0, 0.0, 2.0, 0.0]])
    moved = moved_moment(wrench, np.array([3.0, 0.0, 0.0]))
    np.testing.assert_allclose(moved, [[0.0, 0.0, 1.0 - 6.0, 0.0, 2.0, 0.0]])
    np.testing.assert_allclose(moved_moment(moved, np.array([-3.0, 0.0, 0.0])), wrench)


def test_cross_products():
    rng = np.random.default_rng(0)
    for shape in ((3,), (4, 3), (2, 5, 3)):
        a, b = rng.normal(size=shape), rng.normal(size=shape)
        np.testing.assert_allclose(crossed(a, b), np.cross(a, b), atol=1e-14)
