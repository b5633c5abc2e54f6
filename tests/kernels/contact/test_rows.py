"""Directions and least speeds of contact points."""

import numpy as np
import pytest

from gori.kernels.contact.rows import SHARE, least_speed, tangents
from tests.plain import Plain, plain


def test_tangents_are_across():
    rng = np.random.default_rng(0)
    for n in [*rng.normal(size=(50, 3)), (0, 0, 1), (0, 0, -1)]:
        n = np.array(n) / np.linalg.norm(n)
        t = plain(tangents)(*n)
        R = np.array([n, t[:3], t[3:]])
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    "gap, e, before, least",
    [
        (2e-3, 0.0, -1.0, 2.0),  # it may come nearer by the gap in a step of 1 ms
        (-1e-6, 0.0, 0.0, -SHARE * 1e-3),  # a depth is undone
        (
            -1.0,
            0.0,
            0.0,
            -((2.0 * 9.81 * 0.1 * 0.018) ** 0.5),
        ),  # but it is not thrown up by more than 0.1 of its size
        (1e-4, 0.5, -2.0, -1.0),  # hit within the step: it parts with half of its speed
        (1e-2, 0.5, -2.0, 10.0),  # not yet
        (0.0, 0.5, -0.01, 0.0),  # too slow to rebound
    ],
)
def test_least_speed(gap, e, before, least):
    assert plain(least_speed)(Plain(gap=gap), e, 1e-3, 9.81, 0.018, before) == pytest.approx(least)
