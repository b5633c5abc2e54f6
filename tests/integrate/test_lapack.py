"""Linear equations by LAPACK: compiled, since the binding is for compiled code alone."""

import numba
import numpy as np
import pytest

from gori.integrate import lapack
from tests.checks import close

factor_and_solve, again, all_rows = lapack.solve, lapack.solve_again, lapack.solve_all


@numba.njit(_nrt=False)
def _solve(A, pivots, x):
    return factor_and_solve(A, pivots, x)


@numba.njit(_nrt=False)
def _solve_again(A, pivots, x):
    again(A, pivots, x)


@numba.njit(_nrt=False)
def _solve_all(A, pivots, B, room):
    all_rows(A, pivots, B, room)


def matrix(n, seed=0):
    """Not symmetric, and in need of pivots: its diagonal is small."""
    A = np.random.default_rng(seed).normal(size=(n, n))
    A[np.diag_indices(n)] *= 1e-9
    return A


@pytest.mark.parametrize("n", [2, 3, 9])
def test_one_right_hand_side_and_more_with_the_same_factors(n):
    rng, A = np.random.default_rng(n), matrix(n)
    columns, pivots, x, b = A.T.copy(), np.zeros(n), rng.normal(size=n), rng.normal(size=n)
    expected = np.linalg.solve(A, x), np.linalg.solve(A, b)
    assert _solve(columns, pivots, x) == 0
    close(x, expected[0], 1e-12)
    _solve_again(columns, pivots, b)
    close(b, expected[1], 1e-12)


@pytest.mark.parametrize("n, m", [(3, 11), (9, 9), (8, 20)])
def test_rows_eight_at_a_time(n, m):
    """With little room one by one: both ways are the same."""
    A, B = matrix(n), np.random.default_rng(1).normal(size=(m, n))
    columns, pivots = A.T.copy(), np.zeros(n)
    _solve(columns, pivots, np.zeros(n))
    expected = np.linalg.solve(A, B.T).T
    for room in (np.empty((n, n)), np.empty((8, n)), np.empty((1, 1))):
        rows = B.copy()
        _solve_all(columns, pivots, rows, room)
        close(rows, expected, 1e-11)


def test_a_singular_matrix():
    assert _solve(np.ones((3, 3)), np.zeros(3), np.ones(3)) != 0
