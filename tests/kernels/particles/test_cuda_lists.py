"""Lists on a GPU: in the simulator, and cells, walls and result codes by hand."""

from types import SimpleNamespace

import numpy as np

from gori.kernels.particles import columns as c
from gori.kernels.particles import cuda_lists as kernel
from gori.kernels.particles.cells import cell_rank
from gori.kernels.particles.cuda_flags import CODE, CULPRIT, N_FLAGS
from tests.cuda.simulator import run_checks
from tests.kernels.particles.device import on_host, settings


def test_in_the_simulator():
    run_checks("lists grow", "sizes of three levels")


def test_the_first_failure_counts():
    flags = np.zeros(N_FLAGS, np.int32)
    on_host(kernel.fail)(flags, c.TOO_DEEP, 17)
    on_host(kernel.fail)(flags, c.RUNAWAY, 4)
    assert (flags[CODE], flags[CULPRIT]) == (c.TOO_DEEP, 17) and np.count_nonzero(flags) == 2


def test_particles_of_a_cell():
    """Of several levels of sizes, where they stand among the rows that are sorted by levels."""
    grid = np.array([[8, 8, 8], [8, 8, 8]])
    counts = np.random.default_rng(0).integers(0, 4, 1024)
    start = np.concatenate([[0], np.cumsum(counts)])
    one = SimpleNamespace(settings=settings(levels=1), grid_i=grid, cell_start=start)
    two = SimpleNamespace(settings=settings(levels=2), grid_i=grid, bucket_first=[0, 512], bucket_start=start)
    for x, y, z in ((0, 0, 0), (7, 3, 5), (-1, 9, 16)):
        k = cell_rank.py_func(grid[0], x, y, z)
        for g, level in ((one, 0), (two, 0), (two, 1)):
            first, last = on_host(kernel.rows_in)(g, level, x, y, z)
            at = k + 512 * level
            assert (first, last - first) == (counts[:at].sum(), counts[at])


def test_walls_that_are_tested_always_come_first():
    g = SimpleNamespace(always=np.arange(100, 110), bin_wall=np.arange(200, 250))
    found = [on_host(kernel.candidate)(g, 3, 2, 7, t) for t in range(5)]
    assert found == [103, 104, 207, 208, 209]
