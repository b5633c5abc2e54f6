"""Lanes: arithmetic, sine and cosine, views of arrays."""

import math

import numba
import numpy as np
import pytest

from gori.kernels.lanes import WIDTH, aligned, all_positive, lanes, lanes_of, numbers, sincos


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
def _count_from_flat(flat):
    """Lane k of element i becomes 8 i + k, through the two views of a flat array."""
    x = lanes_of(flat)
    for i in range(x.shape[0]):
        x[i] = 8.0 * i
    number = numbers(x)
    for i in range(number.shape[0]):
        for k in range(number.shape[1]):
            number[i, k] += k


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
