"""Paths: feet, headings and curvatures against circles and lines; the smoothest line keeps to its lanes."""

import math

import numpy as np
import pytest

from gori.errors import InputError
from gori.manoeuvre import path as paths
from gori.manoeuvre.path import Path


@pytest.mark.parametrize("left", [True, False])
def test_circle(left):
    R, side = 50.0, 1.0 if left else -1.0
    path = paths.circle(R, left)
    assert path.length == pytest.approx(2 * math.pi * R, rel=2e-5)
    piece = None
    for turn in np.linspace(0.05, 4 * math.pi, 200):  # twice around, with the hint of the last time
        r = R + 0.3
        x, y = r * math.sin(turn), side * (R - r * math.cos(turn))
        foot, piece = path.foot(x, y, piece)
        assert foot.aside == pytest.approx(-0.3 * side, abs=4e-3)
        assert math.remainder(foot.heading - side * turn, 2 * math.pi) == pytest.approx(0.0, abs=1e-4)
        assert foot.curvature == pytest.approx(side / R, rel=1e-4)
        assert math.remainder(foot.along - turn * R, path.length) == pytest.approx(0.0, abs=0.03)


def test_open_ends_go_straight_on():
    path = Path([(0, 0), (10, 0), (20, 10)])
    before, _ = path.foot(-5.0, 1.0)
    assert (before.along, before.aside, before.heading, before.curvature) == pytest.approx((-5.0, 1.0, 0.0, 0.0))
    beyond, _ = path.foot(30.0, 20.0)
    assert beyond.along == pytest.approx(10 + 20 * math.sqrt(2))
    assert beyond.heading == pytest.approx(math.pi / 4) and beyond.aside == pytest.approx(0.0, abs=1e-12)
    assert path.ahead(10 + 20 * math.sqrt(2))[:2] == pytest.approx((30.0, 20.0))


def test_hint_finds_what_a_full_search_finds():
    path = paths.through([(0, 20, -0.5, 0.5), (50, 70, 3, 4)], 0.0, 100.0)
    piece = None
    for x in np.linspace(0.0, 99.0, 400):
        y = float(np.interp(x, *path.points.T)) + 0.2
        foot, piece = path.foot(x, y, piece)
        assert foot == path.foot(x, y)[0]


def test_smoothest_line_keeps_to_lanes_and_bends_less():
    lanes = [(10, 25, -0.3, 0.3), (55, 80, 3.2, 3.8), (105, 120, -0.4, 0.6)]
    path = paths.through(lanes, 0.0, 150.0)
    x, y = path.points.T
    for a, b, low, high in lanes:
        inside = (x >= a) & (x <= b)
        assert (y[inside] > low - 0.02).all() and (y[inside] < high + 0.02).all()
    # a fifth-order step over the 30 m between two lanes bends up to 5.77 h / l2
    assert np.abs(np.gradient(np.gradient(y, x), x)).max() < 0.5 * 5.77 * 3.2 / 30**2
    assert np.abs(np.diff([path.ahead(s)[3] for s in np.arange(0, 149, 0.5)])).max() < 3e-3


@pytest.mark.parametrize(
    ("points", "words"),
    [([(0, 0)], "two points"), ([(0, 0), (0, 0)], "the same"), ([(0, np.nan), (1, 1)], "two points"), ("ab", "rows")],
)
def test_bad_points(points, words):
    with pytest.raises(InputError, match=words):
        Path(points)


def test_bad_circle_and_lanes():
    with pytest.raises(InputError, match="radius"):
        paths.circle(-1.0)
    with pytest.raises(InputError, match="lanes"):
        paths.through([(0, 1, 2, 1)], 0.0, 10.0)


def test_long_pieces_are_straight_and_corners_round():
    """The heading was interpolated from corner to corner; now it changes on arcs that touch both pieces."""
    points = np.array([(0.0, 0.0), (50.0, 0.0), (90.0, 30.0), (90.0, 100.0)])
    path = Path(points)
    for x in np.linspace(1.0, 37.0, 20):
        foot, _ = path.foot(x, 0.1)
        assert (foot.heading, foot.curvature, foot.aside) == (0.0, 0.0, pytest.approx(0.1))
    before = path.ahead(0.0)
    for along in np.arange(0.21, path.length, 0.25):
        x, y, heading, bend = path.ahead(along)
        foot, _ = path.foot(x, y)
        assert abs(foot.aside) < 1e-9 and foot.heading == pytest.approx(heading, abs=1e-9) and foot.curvature == bend
        assert foot.along == pytest.approx(along, abs=1e-6)
        assert math.hypot(x - before[0], y - before[1]) < 0.2501 and abs(heading - before[2]) < 0.03
        before = (x, y, heading, bend)
    turn = math.atan2(3, 4)
    assert path.ahead(50.0)[3] == pytest.approx(math.tan(0.5 * turn) / paths.ROUND)
    closed = Path([(0, 0), (100, 0), (100, 60), (0, 60)], closed=True, round=10.0)
    corner, _ = closed.foot(1.0, 1.0)
    assert corner.curvature == pytest.approx(0.1) and corner.aside < 0.0
