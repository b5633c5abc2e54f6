"""Several numbers in one access of memory: compiled for the CPU, where they mean the same."""

import numba
import numpy as np
import pytest

from gori.kernels.lanes import aligned
from gori.kernels.particles import cuda_wide as wide

_read2, _read4, _write2, _write4 = wide.read2, wide.read4, wide.write2, wide.write4


@numba.njit
def reversed_rows(a, b):
    """Rows of four and of two numbers, written in the other order."""
    for k in range(0, a.shape[0], 4):
        w, x, y, z = _read4(a, k)
        _write4(b, k, (z, y, x, w))
    for k in range(0, a.shape[0], 4):
        x, y = _read2(b, k)
        _write2(b, k, (y, x))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_rows_are_read_and_written(dtype):
    memory = aligned((2, 64))
    a, b = (row.view(dtype)[:32] for row in memory)
    a[:] = np.arange(32)
    reversed_rows(a, b)
    rows = a.reshape(-1, 4)
    assert np.array_equal(b.reshape(-1, 4), rows[:, [2, 3, 1, 0]])
    assert np.array_equal(a, np.arange(32)) and not memory.view(dtype)[1, 32:].any()
