"""Lists on a GPU: in the simulator, and cells, walls and result codes by hand."""

from types import SimpleNamespace

import numpy as np

from gori.kernels.particles import columns as c
from gori.kernels.particles import cuda_lists as kernel
from gori.kernels.particles.cuda_flags import CODE, CULPRIT, N_FLAGS
from gori.kernels.particles.lists import cell_rank
from tests.cuda.simulator import run_checks
from tests.kernels.particles.device import on_host


def test_in_the_simulator():
    run_checks("lists grow")


def test_the_first_failure_counts():
    flags = np.zeros(N_FLAGS, np.int32)
    on_host(kernel.fail)(flags, c.TOO_DEEP, 17)
    on_host(kernel.fail)(flags, c.RUNAWAY, 4)
    assert (flags[CODE], flags[CULPRIT]) == (c.TOO_DEEP, 17) and np.count_nonzero(flags) == 2


def test_particles_of_a_cell():
    grid = np.array([8, 8, 8])
    counts = np.random.default_rng(0).integers(0, 4, 512)
    g = SimpleNamespace(grid_i=grid, cell_start=np.concatenate([[0], np.cumsum(counts)]))
    for x, y, z in ((0, 0, 0), (7, 3, 5), (-1, 9, 16)):
        first, last = on_host(kernel.rows_in)(g, x, y, z)
        k = cell_rank.py_func(grid, x, y, z)
        assert (first, last - first) == (counts[:k].sum(), counts[k])


def test_walls_that_are_tested_always_come_first():
    g = SimpleNamespace(always=np.arange(100, 110), bin_wall=np.arange(200, 250))
    found = [on_host(kernel.candidate)(g, 3, 2, 7, t) for t in range(5)]
    assert found == [103, 104, 207, 208, 209]
