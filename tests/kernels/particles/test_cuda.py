"""Sub-steps on a GPU: kernels in the simulator, and levels of neighbours by hand."""

from types import SimpleNamespace

import numpy as np

from gori.kernels.particles import cuda
from gori.kernels.particles.cuda_flags import COUNT_BITS, LEVELS, ROW_BITS
from tests.cuda.simulator import run_checks
from tests.kernels.particles.device import on_host, settings


def test_in_the_simulator():
    run_checks("one kernel or many", "rides along")


def level_bits(level):
    return ((1 << level) - 1) << COUNT_BITS


def test_a_particle_that_moves_raises_its_neighbours():
    """Particle 0 with neighbours 1, 2, 3 at gaps of level 0, 1 and 3; the second one touches."""
    n, raise_levels = 4, on_host(cuda.raise_levels)
    step = SimpleNamespace(n=n, lists=1)
    g = SimpleNamespace(settings=settings(neighbours=3), count=np.zeros(2 * n, np.int32), other=np.zeros(48, np.int32))
    entries = [1, ~(2 | 1 << ROW_BITS), 3 | 3 << ROW_BITS]
    g.count[n] = len(entries)
    g.other[3 * n + n * np.arange(3)] = entries
    assert raise_levels(g, step, 0, 0, 0) is False and (g.count[n:] == [3, 0, 0, 0]).all()
    assert raise_levels(g, step, 0, 0, 2) is False  # from level 0 to 2: the gap of level 1 may close, not that of 3
    assert g.count[n:].tolist() == [3 | level_bits(2), 0, level_bits(1), 0]
    assert raise_levels(g, step, 0, 2, 4) is False
    assert g.count[n:].tolist() == [3 | level_bits(4), 0, level_bits(1), level_bits(3)]
    assert raise_levels(g, step, 0, 4, LEVELS) is True and not g.count[:n].any()


def test_the_way_back_goes_through_the_device():
    g = SimpleNamespace(settings=settings(home=-1), back=np.full(12, 7.0))
    back = on_host(cuda.put_way_back)(g, None)
    assert tuple(g.back) == tuple(back) == on_host(cuda.get_way_back)(g)
    assert not g.back.any()  # without a home nothing is put back
