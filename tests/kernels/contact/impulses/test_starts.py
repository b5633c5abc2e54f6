"""Least speeds of contact points, and how bodies inside each other part."""

import numpy as np
import pytest

from gori.kernels.contact.impulses.starts import SHARE, least_speed, lever, limit_parting
from tests.plain import Plain, plain


@pytest.mark.parametrize(
    "gap, e, before, least",
    [
        (2e-3, 0.0, -1.0, 2.0),  # it may come nearer by the gap in a step of 1 ms
        (-1e-6, 0.0, 0.0, -SHARE * 1e-3),  # a depth is undone
        (-1.0, 0.0, 0.0, -np.sqrt(2.0 * 0.1 * 0.018 * 9.81)),  # but not faster than a fall from a tenth of the size
        (1e-4, 0.5, -2.0, -1.0),  # hit within the step: it parts with half of its speed
        (1e-2, 0.5, -2.0, 10.0),  # not yet
        (0.0, 0.5, -0.01, 0.0),  # too slow to rebound
    ],
)
def test_least_speed(gap, e, before, least):
    assert plain(least_speed)(Plain(gap=gap), e, 1e-3, 9.81e-3, 0.0, 0.018, before) == pytest.approx(least)


def test_a_load_parts_bodies_the_faster():
    """So that it does not sink on: ten times what the compliance takes."""
    free, loaded = (plain(least_speed)(Plain(gap=-1.0), 0.0, 1e-3, 9.81e-3, load, 0.018, 0.0) for load in (0.0, 2.0))
    assert loaded == pytest.approx(free - 0.01 * 2.0)
    assert plain(least_speed)(Plain(gap=-1.0), 0.0, 1e-3, 0.0, 2.0, 0.018, 0.0) == pytest.approx(-0.018 - 0.02)


@pytest.mark.parametrize("nn, share", [(1.0, 1.0), (0.05, 1.0), (1e-4, 10.0 * 1e-2 / np.sqrt(2.0001))])
def test_a_small_lever_parts_slowly(nn, share):
    row = Plain(over_normal=1.0 / (nn + 1e-3 * nn), soft_normal=1e-3 * nn, tangential=[1.0, 0.0, 1.0])
    assert plain(lever)(row) == pytest.approx(share, rel=1e-6)
    assert plain(lever)(Plain(over_normal=0.0)) == 0.0


def test_no_point_is_flung_aside_while_bodies_part():
    """One point of one body with three velocities, along its directions."""
    row = Plain(direct=1, at=0, count_a=0, count_b=3, first_a=0, first_b=0)
    memory = Plain(head=[Plain(points=1, parting=0.1)], rows=[row], jac=np.eye(3).ravel(), path=np.arange(3))
    after, moving = np.array([0.0, 1.0, 0.0]), np.array([0.1, 1.0, 50.0])
    plain(limit_parting)(memory, after, moving)
    assert moving == pytest.approx([0.1 * 0.4 / 50.0, 1.0, 0.4])
