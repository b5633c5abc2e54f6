"""Cells of the grid: a number for each, that repeats in space."""

import itertools

import numpy as np

from gori.kernels.particles.lists import cell_rank

GRID = np.array([8, 16, 8])


def test_every_cell_has_a_number_of_its_own():
    cells = itertools.product(range(8), range(16), range(8))
    assert sorted(cell_rank.py_func(GRID, x, y, z) for x, y, z in cells) == list(range(8 * 16 * 8))


def test_the_grid_repeats():
    for x, y, z in np.random.default_rng(0).integers(-40, 40, (50, 3)):
        near = cell_rank.py_func(GRID, x % 8, y % 16, z % 8)
        assert cell_rank.py_func(GRID, x, y, z) == near == cell_rank.py_func(GRID, x + 8, y - 16, z + 80)
