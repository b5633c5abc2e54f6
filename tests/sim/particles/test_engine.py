"""What both engines have in common: the grid, known pairs, and the settings of the kernels."""

import numpy as np

from gori.kernels.particles import columns as c
from gori.model.particles.state import fresh_state
from gori.model.particles.walls import wall_tables
from gori.sim.particles.engine import ParticleSetup, find_pairs, full_history, grid_of, settings_of


def setup(**changes):
    far = np.full(3, 2.0)
    walls = wall_tables([], 1.0, 2)
    one = ParticleSetup(np.zeros((4, c.N_PAIR_F)), c.HERTZ, False, walls, np.zeros(3), 0.1, 1.0, -1, -far, far, 1)
    return one._replace(**changes)


def state(radii, masses):
    sphere, motion = np.zeros((len(radii), 4)), np.zeros((len(radii), 8))
    sphere[:, c.R], motion[:, c.MASS] = radii, masses
    return fresh_state(sphere, motion, np.arange(len(radii)), np.zeros((2, c.N_POSE)))


def test_grid_has_powers_of_two_and_not_too_many_cells():
    sphere = np.random.default_rng(0).uniform(0, [10, 1, 0.1, 0.01], (1000, 4))
    for cell in (0.01, 0.2, 5.0):
        grid = grid_of(sphere, cell)
        assert (grid >= 8).all() and (grid & (grid - 1) == 0).all() and grid.prod() <= 4096
    assert grid_of(sphere[:0], 1.0).tolist() == [8, 8, 8]


def test_pairs_are_found():
    known = np.array([[3, 9], [1, 2], [1, 7]])
    assert find_pairs(np.array([[1, 7], [2, 1], [3, 9], [3, 8]]), known).tolist() == [2, -1, 0, -1]
    assert find_pairs(np.zeros((2, 2), int), known[:0]).tolist() == [-1, -1]


def test_settings():
    s = settings_of(setup(), state([1.0, 1.0], [2.0, 2.0]))[0]
    assert s["levels"] == 1 and s["outlets"] == 0 and s["materials"] == 2 and s["bodies"] == 2 and s["history"] == 4
    assert s["uniform"] == 1 and s["mixed"] == 0 and s["turns"] == 0
    np.testing.assert_allclose(s["roam"], np.sqrt(12.0) + 1.1)
    s = settings_of(setup(rolling=True, home=0), state([1.0, 0.5], [2.0, 2.0]))[0]
    assert s["uniform"] == 0 and s["mixed"] == 1 and s["turns"] == 1 and s["history"] == 8


def test_history_of_four_is_filled_up():
    assert full_history(np.ones((2, 4))).tolist() == [[1.0] * 4 + [0.0] * 4] * 2
