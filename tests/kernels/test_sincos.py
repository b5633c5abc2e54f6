"""Sine and cosine of Lanes, against libm."""

import math

import numba
import numpy as np
import pytest

from gori.kernels.lanes import WIDTH, lanes
from gori.kernels.sincos import sincos


@numba.njit
def _sincos(x, s, c):
    x, s, c = lanes(x), lanes(s), lanes(c)
    for i in range(len(x)):
        s[i], c[i] = sincos(x[i])


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


def test_of_one_number_as_of_lanes():
    @numba.njit
    def one(x):
        return sincos(x)

    angles = np.random.default_rng(2).uniform(-1e3, 1e3, 64)
    both = np.array([one(x) for x in angles]).T
    np.testing.assert_allclose(both, sine_and_cosine(angles), rtol=0.0, atol=2e-16)
