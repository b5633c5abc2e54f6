"""Coefficients against their definitions."""

import numpy as np
import pytest

from gori.integrate.radau import coefficients as c
from gori.integrate.radau.coefficients import weights
from tests.plain import plain
from tests.reference import radau

A = np.array([[c.A11, c.A12, c.A13], [c.A21, c.A22, c.A23], [c.A31, c.A32, c.A33]])
T = np.array([[c.T11, c.T12, c.T13], [c.T21, c.T22, c.T23], [c.T31, 1.0, 0.0]])
INVERSE = np.array([[c.I11, c.I12, c.I13], [c.I21, c.I22, c.I23], [c.I31, c.I32, c.I33]])


def test_stages():
    np.testing.assert_allclose(A, radau.A, rtol=0, atol=1e-15)
    np.testing.assert_allclose([c.C1, c.C2], radau.NODES[:2], rtol=1e-15)
    np.testing.assert_allclose(A.sum(axis=1), radau.NODES, rtol=0, atol=1e-15)


def test_the_transformation_splits_the_equations():
    expected = [[c.GAMMA, 0.0, 0.0], [0.0, c.ALPHA, -c.BETA], [0.0, c.BETA, c.ALPHA]]
    np.testing.assert_allclose(INVERSE @ np.linalg.inv(A) @ T, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(INVERSE @ T, np.eye(3), rtol=0, atol=1e-14)


def test_the_slope_of_the_polynomial():
    Z = np.random.default_rng(0).normal(size=(3, 2))
    np.testing.assert_allclose(-(np.array([c.D1, c.D2, c.D3]) @ Z) / 0.3, radau.slope(0.3, Z), rtol=1e-13)


@pytest.mark.parametrize("s", [0.0, 0.3, 1.0, 1.7])
def test_weights_of_the_polynomial(s):
    expected = [basis(s) for basis in radau.lagrange(np.array([0.0, *radau.NODES]))[1:]]
    np.testing.assert_allclose(plain(weights)(s), expected, rtol=0, atol=1e-13)
