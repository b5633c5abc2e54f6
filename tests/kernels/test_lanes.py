"""Lanes: arithmetic, views of arrays."""

import math

import numba
import numpy as np
import pytest

from gori.kernels.lanes import (
    WIDTH,
    above,
    aligned,
    all_positive,
    lanes,
    lanes_of,
    largest8,
    numbers,
    where_above,
)  # fmt: skip


@numba.njit
def _arithmetic(x, y, out):
    x, y, out = lanes(x), lanes(y), lanes(out)
    for i in range(len(x)):
        z = x[i]
        z += 2.0
        z -= y[i]
        z *= y[i]
        z /= 3.0
        out[i] = -(1.0 - z) / math.sqrt(y[i] * y[i]) + x[i] * 0.5


@numba.njit
def _all_positive(x):
    return all_positive(lanes(x)[0])


@numba.njit
def _above(x, limit, out):
    x, limit, out = lanes(x), lanes(limit), lanes(out)
    for k in range(x.shape[0]):
        out[k] = above(x[k], limit[k])


@numba.njit
def _larger(x, y, out):
    x, y, out = lanes(x), lanes(y), lanes(out)
    best = x[0]
    for k in range(x.shape[0]):
        out[k] = where_above(x[k], y[k], x[k], -y[k])
        best = where_above(x[k], best, x[k], best)
    return largest8(best)


@numba.njit
def _above_one(x, limit):
    return above(x, limit)


@numba.njit
def _count_from_flat(flat):
    """Lane k of element i becomes 8 i + k, through the two views of a flat array."""
    x = lanes_of(flat)
    for i in range(x.shape[0]):
        x[i] = 8.0 * i
    number = numbers(x)
    for i in range(number.shape[0]):
        for k in range(number.shape[1]):
            number[i, k] += k


def test_arithmetic():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 5, WIDTH))
    out = np.empty_like(x)
    _arithmetic(x, y, out)
    np.testing.assert_allclose(out, -(1.0 - (x + 2.0 - y) * y / 3.0) / np.abs(y) + x * 0.5, rtol=1e-13)


def test_all_positive():
    x = np.ones((1, WIDTH))
    assert _all_positive(x)
    for bad in (0.0, -1.0, -0.0, np.nan, -np.inf):
        for lane in range(WIDTH):
            x[:] = 1.0
            x[0, lane] = bad
            assert not _all_positive(x)


def test_above():
    rng = np.random.default_rng(3)
    x, limit = rng.normal(size=(2, 5, WIDTH))
    x[0, :4], limit[0, :4] = (np.nan, 1.0, np.inf, 2.0), (0.0, np.nan, np.inf, 2.0)
    out = np.empty_like(x)
    _above(x, limit, out)
    expected = np.where(x > limit, x, np.nan)
    np.testing.assert_array_equal(out, expected)
    assert np.isnan(expected).any() and np.isfinite(expected).any()
    for k in range(x.size):
        np.testing.assert_equal(_above_one(x.flat[k], limit.flat[k]), expected.flat[k])


@pytest.mark.parametrize("shape", [(3,), (5, 8), (2, 3, 8), (0, 8)])
def test_aligned(shape):
    array = aligned(shape)
    assert array.shape == shape and array.flags.c_contiguous and array.flags.writeable
    assert array.ctypes.data % 64 == 0 or array.size == 0
    assert not array.any()


def test_views_of_a_flat_array():
    flat = aligned((5 * WIDTH,))
    _count_from_flat(flat)
    assert np.array_equal(flat, np.arange(5 * WIDTH))


def test_larger_lanes_are_chosen():
    x, y = np.random.default_rng(4).normal(size=(2, 5, WIDTH))
    out = np.empty_like(x)
    assert _larger(x, y, out) == x.max()
    np.testing.assert_array_equal(out, np.where(x > y, x, -y))
    x[:] = -np.inf
    assert _larger(x, y, out) == -np.inf
