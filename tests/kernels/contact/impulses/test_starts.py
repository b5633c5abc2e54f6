"""Least speeds of contact points, and how bodies inside each other part."""

import math

import numpy as np
import pytest

from gori.kernels.contact.impulses.starts import HEAVY, SHARE, SOFT_NORMAL, hardened, least_speed, lever, limit_parting
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


def test_a_point_gets_stiffer_with_its_depth():
    """Own weight: depth SOFT_NORMAL g h^2 / SHARE times this share; HEAVY times as deep, half the compliance."""
    fall, own = 9.81e-6, SOFT_NORMAL * 9.81e-6 / SHARE
    many, share = math.inf, plain(hardened)
    assert share(Plain(gap=1e-3), many, fall) == 1.0 == share(Plain(gap=-1e-3), many, 0.0)
    assert share(Plain(gap=-HEAVY * own), many, fall) == pytest.approx(0.5)
    assert share(Plain(gap=-1e6 * HEAVY * own), many, fall) == pytest.approx(1e-6, rel=1e-5)
    assert share(Plain(gap=-1e6 * HEAVY * own), 2.0, fall) == pytest.approx(
        1.0 / (1.0 + 2.0 / HEAVY)
    )  # two like masses


@pytest.mark.parametrize("nn, share", [(1.0, 1.0), (0.05, 1.0), (1e-4, 10.0 * 1e-2 / np.sqrt(2.0001))])
def test_a_small_lever_parts_slowly(nn, share):
    row = Plain(over_normal=1.0 / (nn + 1e-3 * nn), soft_normal=1e-3 * nn, tangential=[1.0, 0.0, 1.0])
    assert plain(lever)(row) == pytest.approx(share, rel=1e-6)
    assert plain(lever)(Plain(over_normal=0.0)) == 0.0


def test_no_point_is_flung_aside_while_bodies_part():
    """One point of one body with three velocities, along its directions."""
    row = Plain(at=0, count=1)
    memory = Plain(head=[Plain(points=1, parting=0.1)], rows=[row], w=np.eye(3, 8)[None], block=np.zeros(1, int))
    after, moving = np.eye(8)[1], np.array([0.1, 1.0, 50.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    plain(limit_parting)(memory, after, moving)
    assert moving[:3] == pytest.approx([0.1 * 0.4 / 50.0, 1.0, 0.4]) and not moving[3:].any()
