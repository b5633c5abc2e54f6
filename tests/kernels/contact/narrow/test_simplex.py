"""The closest point of a simplex against a quadratic program solved by non-negative least squares."""

import numpy as np
import pytest
from scipy.optimize import nnls

from gori.kernels.contact.narrow import simplex as kernel
from gori.kernels.contact.narrow.work import DIFFERENCE_POINT
from tests.plain import plain, rows


def corners(points):
    table = DIFFERENCE_POINT.zeros(4)
    for name, values in zip("xyz", np.transpose(points)):
        table[name][: len(points)] = values
    return rows(table)


def closest(points):
    """min |P' s| with s >= 0 and sum s = 1, by a heavy row for the sum."""
    s, _ = nnls(np.vstack([np.transpose(points), np.full(len(points), 1e6)]), [0.0, 0.0, 0.0, 1e6])
    return np.transpose(points) @ (s / s.sum())


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(25))
def test_closest_point(count, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, 3)) + rng.normal(size=3)
    if count == 4:  # as in the search: the newest corner lies beyond the closest point of the other three
        v = closest(points[:3])
        points[3] = -v * rng.uniform(0.1, 2.0) + 0.2 * rng.normal(size=3)
    p = corners(points)
    *v, left = plain(kernel.closest_point)(p, count)
    np.testing.assert_allclose(v, closest(points), atol=2e-6)
    share = np.array([p[k].share for k in range(left)])
    assert share.min() > 0.0 and share.sum() == pytest.approx(1.0)
    if left < 4:
        np.testing.assert_allclose(share @ [(p[k].x, p[k].y, p[k].z) for k in range(left)], v, atol=1e-12)


def test_degenerate_simplices():
    line = corners([(1, 0, 0), (1, 1, 0), (1, 2, 0)])
    *v, left = plain(kernel.closest_point)(line, 3)
    assert v == pytest.approx([1, 0, 0]) and left < 3
    flat = corners([(1, -1, -1), (1, 2, -1), (1, -1, 2), (1, 0.1, 0.1)])
    *v, left = plain(kernel.closest_point)(flat, 4)
    assert v == pytest.approx([1, 0, 0]) and left < 4


def test_parts():
    p = corners([(1, -1, 0), (1, 1, 0), (1, 0, 3), (2, 0, 0)])
    assert plain(kernel.segment_point)(p, 0, 1) == pytest.approx((1, 0, 0, 0.5, 0.5))
    assert plain(kernel.triangle_point)(p, 0, 1, 2)[:3] == pytest.approx((1, 0, 0))
    assert plain(kernel.sees_origin)(p, 0, 1, 2, 3) and not plain(kernel.sees_origin)(p, 3, 1, 2, 0)
    p = corners([(3, -1, -1), (3, 2, -1), (3, -1, 2), (1, 0, 0)])
    assert plain(kernel.tetrahedron_point)(p) == pytest.approx((1, 0, 0, 0, 0, 0, 1))
