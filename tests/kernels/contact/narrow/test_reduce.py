"""Fewer points of a patch: hardly less area, the deepest kept, the same choice under noise."""

import numpy as np
import pytest

from gori.kernels.contact.narrow import reduce as kernel
from gori.kernels.contact.narrow.work import CLIP_POINT
from tests.plain import plain, rows

NONE = np.zeros(9, int)


def polygon(points, gap=0.0):
    table = CLIP_POINT.zeros(len(points))
    table["x"], table["y"] = np.transpose(points)
    table["gap"], table["feature"] = gap, np.arange(len(points))
    return rows(table)


def area(points):
    x, y = points.x, points.y
    return 0.5 * abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def regular(count, turned=0.0):
    angle = 2.0 * np.pi * np.arange(count) / count + turned
    return np.column_stack([np.cos(angle), np.sin(angle)])


@pytest.mark.parametrize("count", [5, 8, 12, 16])
def test_regular_polygons(count):
    point = polygon(regular(count))
    before = area(point)
    left = plain(kernel.fewer)(point, count, 8, NONE)
    assert left <= 8 and area(point[:left]) > 0.7 * before


def test_a_cut_corner_goes_but_not_the_deepest_point():
    square = [(1, 1), (-1, 1), (-1, -1), (0.9, -1), (1, -0.9)]
    point = polygon(square)
    assert plain(kernel.fewer)(point, 5, 8, NONE) == 4 and 4.0 - area(point[:4]) < 0.2
    assert set(point[:4].feature) >= {0, 1, 2}
    point = polygon(square, gap=[0, 0, 0, -0.1, 0])
    assert plain(kernel.fewer)(point, 5, 8, NONE) == 4 and 3 in point[:4].feature


def test_noise_does_not_change_the_choice():
    rng, chosen = np.random.default_rng(0), set()
    for _ in range(30):
        point = polygon(regular(12) + 1e-6 * rng.normal(size=(12, 2)), gap=1e-8 * rng.normal(size=12))
        left = plain(kernel.fewer)(point, 12, 8, NONE)
        chosen.add(tuple(point[:left].feature))
    assert len(chosen) == 1


def test_area_of_a_corner():
    assert plain(kernel.corner_area)(polygon([(0, 0), (2, 0), (0, 3)]), 0, 1, 2) == 6.0


def test_a_point_that_was_there_before_stays():
    """A corner of 4.5 % of the area, deepest in one step and not in the next: it is a contact point in both."""
    square, features = [(1, 1), (-1, 1), (-1, -1), (0.8, -1), (1, -0.8)], []
    kept = NONE.copy()
    for deep in (3, 0, 3, 0):
        point = polygon(square, gap=[-1e-5 if k == deep else 0.0 for k in range(5)])
        left = plain(kernel.fewer)(point, 5, 8, kept)
        kept[0], kept[1 : 1 + left] = left, point[:left].feature
        features.append(tuple(point[:left].feature))
    assert set(features) == {(0, 1, 2, 3)}
    assert plain(kernel.was_kept)(kept, 3) and not plain(kernel.was_kept)(kept, 7)
