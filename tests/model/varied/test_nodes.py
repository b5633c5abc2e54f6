"""Chebyshev points and barycentric interpolation."""

import itertools
import math

import numpy as np
import pytest
from numpy.polynomial import chebyshev

from gori.model.varied.nodes import COUNTS, barycentric_weights, chebyshev_nodes, lagrange, outer_rows

RNG = np.random.default_rng(3)


def test_nodes_contain_those_before():
    for few, many in itertools.pairwise(COUNTS):
        assert set(chebyshev_nodes(-0.3, 1.7, few)) <= set(chebyshev_nodes(-0.3, 1.7, many))
    assert np.allclose(chebyshev_nodes(-1.0, 1.0, 9), chebyshev.chebpts2(9), atol=1e-15)


@pytest.mark.parametrize("count", COUNTS)
def test_polynomials_are_met(count):
    nodes, x = chebyshev_nodes(2.0, 5.0, count), RNG.uniform(2.0, 5.0, 20)
    polynomial = np.poly1d(RNG.normal(size=min(count, 6)))
    scale = np.abs(polynomial(nodes)).max()
    assert np.abs(lagrange(nodes, x) @ polynomial(nodes) - polynomial(x)).max() < 1e-14 * scale


def test_smooth_functions_converge():
    x = RNG.uniform(-1.0, 1.0, 50)
    errors = []
    for count in COUNTS:
        nodes = chebyshev_nodes(-1.0, 1.0, count)
        errors.append(np.abs(lagrange(nodes, x) @ np.exp(nodes) - np.exp(x)).max())
    assert errors[3] < np.e / 2**7 / math.factorial(9)  # of 9 nodes: largest ninth derivative / (2^7 9!)
    assert errors[-1] < 1e-14 and all(b < a for a, b in itertools.pairwise(errors[:4]))


@pytest.mark.parametrize("nodes", [[0.0, 1.0], [0.0, 0.5, 1.0, 1.5], [-2.0, -0.5, 1.0]])
def test_values_at_nodes_make_no_warning(nodes):
    """There the sum that is divided by comes to zero."""
    with np.errstate(all="raise"):
        assert np.array_equal(lagrange(np.array(nodes), np.array(nodes)), np.eye(len(nodes)))


def test_nodes_themselves_are_exact():
    nodes = np.array([0.1, 0.7, 5.0, 5.5])
    assert (lagrange(nodes, nodes) == np.eye(4)).all()
    assert (lagrange(np.array([2.0]), np.array([2.0, 3.0])) == 1.0).all()


def test_weights_of_chebyshev_points():
    w = barycentric_weights(chebyshev_nodes(-1.0, 1.0, 9))
    assert np.allclose(w / w[4], [0.5, -1, 1, -1, 1, -1, 1, -1, 0.5])


def test_products_of_coordinates():
    a, b, c = (RNG.normal(size=(4, k)) for k in (2, 3, 2))
    expected = np.einsum("ni,nj,nk->nijk", a, b, c).reshape(4, -1)
    assert np.allclose(outer_rows([a, b, c]), expected, rtol=1e-15)
