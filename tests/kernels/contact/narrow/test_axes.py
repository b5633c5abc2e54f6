"""Axes that separate shapes."""

import numpy as np
import pytest

from gori.kernels.contact.narrow.axes import apart_along, gap_along, worth_an_axis
from gori.kernels.contact.tables import BOX, CYLINDER, PLANE, SPHERE
from tests.plain import Plain, plain


def box(half=0.5):
    return Plain(kind=BOX, size=np.full(3, half), radius=0.0, half=np.full(3, half), first=0, vertices=0)


def pose(x=0.0):
    return np.array([1.0, 0, 0, 0, 1, 0, 0, 0, 1, x, 0, 0])


def test_gap_along_an_axis():
    gap = plain(gap_along)(box(), box(), pose(), pose(3.0), np.zeros((0, 3)), 1.0, 0.0, 0.0)
    assert gap == pytest.approx(2.0)
    assert plain(apart_along)(box(), box(), pose(), pose(3.0), np.zeros((0, 3)), 1.0, 0.0, 0.0, 1.9)
    assert not plain(apart_along)(box(), box(), pose(), pose(3.0), np.zeros((0, 3)), 1.0, 0.0, 0.0, 2.1)
    assert not plain(apart_along)(box(), box(), pose(), pose(3.0), np.zeros((0, 3)), 0.0, 1.0, 0.0, 0.0)


def test_axes_are_for_slow_pairs():
    kind = lambda k: Plain(kind=k)  # noqa: E731
    assert plain(worth_an_axis)(kind(SPHERE), kind(CYLINDER)) and not plain(worth_an_axis)(kind(BOX), kind(BOX))
    assert not plain(worth_an_axis)(kind(CYLINDER), kind(PLANE))
