"""Lanes: arithmetic, sine and cosine, and the way of rows into lanes and back."""

import math

import numba
import numpy as np
import pytest

from gori.kernels.lanes import WIDTH, aligned, all_positive, lanes, sincos
from gori.kernels.tree.batch import load, store, store_transposed


@numba.njit
def _sincos(x, s, c):
    x, s, c = lanes(x), lanes(s), lanes(c)
    for i in range(len(x)):
        s[i], c[i] = sincos(x[i])


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
def _load(rows, first, buffer):
    load(rows, first, buffer)


@numba.njit
def _store(buffer, first, rows):
    store(buffer, first, rows)


@numba.njit
def _store_transposed(square, sign, first, rows):
    store_transposed(square, sign, first, rows)


def sine_and_cosine(angles):
    count = -(-len(angles) // WIDTH) * WIDTH
    x = np.resize(angles, count).reshape(-1, WIDTH)
    s, c = np.empty_like(x), np.empty_like(x)
    _sincos(x, s, c)
    return s.ravel()[: len(angles)], c.ravel()[: len(angles)]


def angles_up_to(limit, rng):
    near = np.arange(-300, 300) * (np.pi / 2)
    near = near[np.abs(near) <= limit]
    return np.concatenate([rng.uniform(-limit, limit, 4000), near, np.nextafter(near, 9e9), [0.0, limit, -limit]])


@pytest.mark.parametrize("limit", [1e-300, 1e-8, 0.1, 1.0, 4.0, 100.0, 1e4, 1e6, 1.0000001e6, 1e7, 1e12, 1e22, 1e300])
def test_sine_and_cosine(limit):
    """Within two units in the last place of libm, near the zeros too; libm itself is off by up to one."""
    angles = angles_up_to(limit, np.random.default_rng(0))
    for ours, exact in zip(sine_and_cosine(angles), (math.sin, math.cos)):
        expected = np.array([exact(x) for x in angles])
        assert np.all(np.abs(ours - expected) <= 2.0 * np.spacing(np.abs(expected)))


def test_sine_of_huge_angles_beside_small_ones():
    """One lane beyond the polynomials takes all eight to libm: each stays right."""
    angles = np.array([0.1, 1e8, -2.0, 1e15, 3.0, 0.0, -1e7, 5e5])
    s, c = sine_and_cosine(angles)
    np.testing.assert_allclose(s, np.sin(angles), rtol=1e-15)
    np.testing.assert_allclose(c, np.cos(angles), rtol=1e-15)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_sine_of_what_is_no_angle(bad):
    angles = np.array([0.5, bad, 1.0, 2.0, -0.25, bad, 1e3, 3.0])
    for ours, exact in zip(sine_and_cosine(angles), (np.sin, np.cos)):
        with np.errstate(invalid="ignore"):
            expected = exact(angles)
        assert np.isnan(ours[[1, 5]]).all()
        np.testing.assert_allclose(ours, expected, rtol=1e-15)


def test_sine_is_odd_and_of_unit_length():
    angles = np.random.default_rng(1).uniform(-1e5, 1e5, 1000)
    s, c = sine_and_cosine(angles)
    minus, same = sine_and_cosine(-angles)
    assert np.array_equal(minus, -s) and np.array_equal(same, c)
    np.testing.assert_allclose(s * s + c * c, 1.0, rtol=1e-15)


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


@pytest.mark.parametrize("shape", [(3,), (5, 8), (2, 3, 8), (0, 8)])
def test_aligned(shape):
    array = aligned(shape)
    assert array.shape == shape and array.flags.c_contiguous and array.flags.writeable
    assert array.ctypes.data % 64 == 0 or array.size == 0
    assert not array.any()
