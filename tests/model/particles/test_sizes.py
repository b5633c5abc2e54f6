"""Levels of sizes: only where they make the search cheaper."""

import numpy as np
import pytest

from gori.model.particles.sizes import levels_of, search_cost, size_levels


def some(large, ratio=5.0, count=1000):
    return np.concatenate([np.full(count - large, 0.01), np.full(large, ratio * 0.01)])


def test_levels_are_of_radii_that_there_are():
    assert levels_of(np.full(9, 0.01), 4).tolist() == [0.01]
    assert levels_of(some(1), 3).tolist() == [0.05, 0.01]
    levels = levels_of(np.linspace(0.01, 0.16, 500), 4)
    assert len(levels) == 4 and levels[0] == 0.16 and (levels[1:] / levels[:-1] < 0.52).all() and levels[-1] > 0.01


@pytest.mark.parametrize(
    ("radii", "count"),
    [
        (np.full(9, 0.01), 1),
        (np.linspace(0.01, 0.012, 50), 1),
        (some(1), 2),
        (some(50), 1),  # most of the volume is that of large ones: small ones are few in their cells
        (some(1, 20.0), 2),
        (np.linspace(0.01, 0.05, 500), 1),
    ],
)
def test_as_many_as_are_cheapest(radii, count):
    levels = size_levels(radii, 0.001)
    assert len(levels) == count and levels[0] == radii.max()
    assert search_cost(radii, levels, 0.001) <= search_cost(radii, levels_of(radii, 3), 0.001)


def test_the_cost_of_equal_ones():
    """27 cells, and half of the particles in them."""
    radii, width = np.full(100, 0.01), 0.021
    in_a_cell = 0.6 * width**3 / (4.0 / 3.0 * np.pi * 0.01**3)
    assert search_cost(radii, np.array([0.01]), 0.001) == pytest.approx(27.0 * (10.0 + 0.5 * in_a_cell), rel=1e-12)


def test_a_large_one_among_small_ones_would_cost_much():
    """Each grid for itself: less than half of one grid for all."""
    radii = some(1, 10.0)
    assert search_cost(radii, size_levels(radii, 0.001), 0.001) < 0.5 * search_cost(radii, radii[-1:], 0.001)
