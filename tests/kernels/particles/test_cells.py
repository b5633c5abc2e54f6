"""Cells of the grid: a number for each, that repeats in space; levels of sizes, and what outlets take out."""

import itertools
from types import SimpleNamespace

import numpy as np

from gori.kernels.particles import cells
from gori.kernels.particles import columns as c
from gori.kernels.particles.cells import cell_rank
from gori.spec.base import rotation
from tests.kernels.particles.device import settings
from tests.plain import plain

GRID = np.array([8, 16, 8])


def test_every_cell_has_a_number_of_its_own():
    numbers = itertools.product(range(8), range(16), range(8))
    assert sorted(cell_rank.py_func(GRID, x, y, z) for x, y, z in numbers) == list(range(8 * 16 * 8))


def test_the_grid_repeats():
    for x, y, z in np.random.default_rng(0).integers(-40, 40, (50, 3)):
        near = cell_rank.py_func(GRID, x % 8, y % 16, z % 8)
        assert cell_rank.py_func(GRID, x, y, z) == near == cell_rank.py_func(GRID, x + 8, y - 16, z + 80)


def test_levels_of_sizes():
    """A level is as wide as its own largest particles reach."""
    g = SimpleNamespace(settings=settings(levels=3), level_radius=np.array([5.0, 2.0, 1.0]), skin=np.array([0.5, 0.0]))
    level_of = plain(cells.level_of_size)
    assert [level_of(g, r) for r in (5.0, 2.1, 2.0, 1.5, 1.0, 0.1)] == [0, 0, 1, 1, 2, 2]
    assert [1.0 / plain(cells.cells_per_metre)(g, k) for k in range(3)] == [10.5, 4.5, 2.5]


def test_cells_within_reach():
    """All that are near enough, and none twice in a grid that repeats."""
    along = plain(cells.cells_along)
    assert along(0.55, 0.2, 10.0, 64) == (3, 5) and along(-0.55, 0.06, 10.0, 64) == (-7, 3)
    assert along(0.55, 2.0, 10.0, 8)[1] == 8


def test_outlets_take_out_what_is_inside():
    R, p = rotation((20, -30, 50), None), np.array([0.3, -0.2, 0.1])
    pose = np.zeros((2, c.N_POSE))
    pose[1, : c.POS], pose[1, c.POS : c.VEL] = rotation((0, 0, 90), None).ravel(), [1.0, 2.0, 3.0]
    half = np.array([0.1, 0.2, 0.3])
    g = SimpleNamespace(
        settings=settings(outlets=1), outlet_i=[1], outlet_f=np.concatenate([R.ravel(), p, -half, half])[None]
    )
    body, taken_out = pose[1, : c.POS].reshape(3, 3), plain(cells.taken_out)
    inside = 0
    for local in np.random.default_rng(1).uniform(-0.4, 0.4, (200, 3)):
        found = taken_out(g, pose, *(body @ (R @ local + p) + pose[1, c.POS : c.VEL]))
        assert found == (np.abs(local) <= half).all()
        inside += found
    assert 0 < inside < 100


def test_what_has_no_cell_is_left_out():
    """Numbers by cells, in the order in which they came."""
    cell, order, start = np.array([2, -1, 0, 2, 1, -1, 0]), np.full(7, -9), np.zeros(5, int)
    plain(cells.count_sort)(cell, 7, start, order)
    assert order[:5].tolist() == [2, 6, 4, 0, 3] and start.tolist() == [0, 2, 3, 5, 5]
