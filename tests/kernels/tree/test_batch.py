"""Rows of states into lanes and back, and the workspace of batch kernels."""

import numba
import numpy as np
import pytest

from gori.kernels.lanes import WIDTH, aligned, lanes, lanes_of
from gori.kernels.layout import array
from gori.kernels.tree.batch import all_finite, fill, lane_work, load, store, store_transposed
from gori.kernels.tree.columns import N_BODY_W, N_DOF_W

WORK = lane_work("TestWork", array("x", "nv", "", ""), array("square", "nv nv", "", ""))
carve = WORK.carve


@numba.njit
def _load(rows, first, buffer):
    load(rows, first, lanes(buffer))


@numba.njit
def _store(buffer, first, rows):
    store(lanes(buffer), first, rows)


@numba.njit
def _store_transposed(square, sign, first, rows):
    store_transposed(lanes(square), sign, first, rows)


@numba.njit(_nrt=False)  # as all kernels: pieces of a workspace are not counted
def _fill(work, nrow, nq, nv):
    w = carve(lanes_of(work), nrow, nq, nv)
    fill(w.body_w, 1.0)
    fill(w.dof_w, 2.0)
    fill(w.x, 3.0)
    fill(w.square, 4.0)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 16, 19])
@pytest.mark.parametrize("count", [1, 5, 7, 8, 9, 15, 16, 17])
def test_rows_to_lanes_and_back(count, n):
    rows = np.arange(count * n, dtype=float).reshape(count, n) + 1.0
    buffer = aligned((n, WIDTH))
    result = np.full((count + 3, n), -1.0)
    for first in range(0, count, WIDTH):
        buffer[:] = np.nan
        _load(rows, first, buffer)
        # lanes past the end repeat the last row, so that they stay finite
        there = np.minimum(np.arange(first, first + WIDTH), count - 1)
        assert np.array_equal(buffer, rows[there].T)
        _store(buffer, first, result[:count])
    assert np.array_equal(result[:count], rows)
    assert np.all(result[count:] == -1.0)  # nothing is written past the end


@pytest.mark.parametrize("n", [1, 3, 7, 8, 9, 17])
@pytest.mark.parametrize("count", [1, 7, 8, 11, 16])
def test_store_transposed(count, n):
    rng = np.random.default_rng(n)
    blocks = -(-count // WIDTH)
    squares = rng.normal(size=(blocks, n, n, WIDTH))
    rows = np.full((count + 2, n * n), 7.0)
    for block in range(blocks):
        _store_transposed(squares[block], -1.0, block * WIDTH, rows[:count])
    for b in range(count):
        assert np.array_equal(rows[b].reshape(n, n), -squares[b // WIDTH, :, :, b % WIDTH].T)
    assert np.all(rows[count:] == 7.0)


def test_a_workspace_has_the_tables_and_the_arrays_of_the_kernel():
    nrow, nq, nv = 3, 5, 2
    work = aligned(WIDTH * WORK.size(nrow=nrow, nq=nq, nv=nv))
    _fill(work, nrow, nq, nv)
    values, counts = np.unique(work, return_counts=True)
    assert dict(zip(values, counts // WIDTH)) == {1.0: nrow * N_BODY_W, 2.0: nv * N_DOF_W, 3.0: nv, 4.0: nv * nv}


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_all_finite(bad):
    x = np.linspace(-1e300, 1e300, 21)
    assert all_finite(x)
    x[13] = bad
    assert not all_finite(x)
