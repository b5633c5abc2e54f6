"""Poses and vectors."""

import numpy as np
import pytest

from gori.kernels.contact.narrow import frames as kernel
from gori.kernels.contact.tables import FOUND
from tests.kernels.contact.shapes import random_rotation
from tests.plain import plain, rows


def pose_of(rng):
    R, o = random_rotation(rng).as_matrix(), rng.normal(size=3)
    return R, o, np.concatenate([R.ravel(), o])


@pytest.mark.parametrize("seed", range(5))
def test_points_and_directions(seed):
    rng = np.random.default_rng(seed)
    (R, o, pose), (Q, p, other), x = pose_of(rng), pose_of(rng), rng.normal(size=3)
    np.testing.assert_allclose(plain(kernel.turned)(pose, *x), R @ x)
    np.testing.assert_allclose(plain(kernel.turned_back)(pose, *x), R.T @ x)
    np.testing.assert_allclose(plain(kernel.placed)(pose, *x), R @ x + o)
    np.testing.assert_allclose(plain(kernel.seen_from)(pose, *x), R.T @ (x - o), atol=1e-15)
    between = np.zeros(12)
    plain(kernel.relative_pose)(pose, other, between)
    np.testing.assert_allclose(between[:9].reshape(3, 3), R.T @ Q, atol=1e-15)
    np.testing.assert_allclose(between[9:], R.T @ (p - o), atol=1e-15)


def test_dot_cross_and_unit():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 3))
    np.testing.assert_allclose(plain(kernel.cross)(*a, *b), np.cross(a, b))
    assert plain(kernel.dot)(*a, *b) == pytest.approx(a @ b)
    assert plain(kernel.unit)(0.0, 3.0, 4.0) == pytest.approx((0.0, 0.6, 0.8, 5.0))
    assert plain(kernel.unit)(0.0, 0.0, 0.0) == (0.0, 0.0, 1.0, 0.0)


def test_tangents_are_a_frame():
    rng = np.random.default_rng(1)
    for n in (*rng.normal(size=(20, 3)), [0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]):
        n = np.array(n) / np.linalg.norm(n)
        frame = np.array([*plain(kernel.tangents)(*n), *n]).reshape(3, 3)
        np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(frame) == pytest.approx(1.0)


def test_a_row_is_filled():
    found = rows(FOUND.zeros(1))
    plain(kernel.put)(found[0], 1.0, 2.0, 3.0, 0.0, 0.0, 1.0, -0.1, 7)
    assert found[0].position.tolist() == [1.0, 2.0, 3.0] and found[0].normal.tolist() == [0.0, 0.0, 1.0]
    assert (found[0].gap, found[0].feature) == (-0.1, 7)
