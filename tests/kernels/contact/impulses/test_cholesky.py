"""Factors of symmetric matrices of blocks."""

import numpy as np
import pytest

from gori.kernels.contact.impulses.cholesky import at, begin_matrix, factor_blocks, fill_block, solve_blocks
from tests.plain import plain

TOUCHING = [(1, 0), (3, 1), (4, 0)]
"""blocks below the diagonal that are not empty; eliminating column 0 fills (4, 1), and column 1 then (4, 3)"""


def packed(count, touching, seed=1):
    """A positive matrix of blocks: dense, in one array by blocks, and which are filled."""
    rng = np.random.default_rng(seed)
    matrix, filled = np.full((count * (count + 1) // 2, 8, 8), np.nan), np.zeros((count, count), np.int64)
    plain(begin_matrix)(matrix, filled)
    dense = np.eye(8 * count)
    for k, (i, j) in enumerate(touching):
        plain(fill_block)(matrix, filled, i, j)
        w = np.zeros((3, 8 * count))
        w[:, 8 * i : 8 * i + 8], w[:, 8 * j : 8 * j + 8] = 10.0**k * rng.normal(size=(2, 3, 8))
        dense += w.T @ w
    for i in range(count):
        for j in range(i + 1):
            if i == j or filled[i, j]:
                matrix[at.py_func(i, j)] = dense[8 * i : 8 * i + 8, 8 * j : 8 * j + 8]
    return dense, matrix, filled


def test_solution_of_a_sparse_matrix():
    dense, matrix, filled = packed(5, TOUCHING)
    corner, turned, right = np.zeros((5, 8, 8)), np.zeros((5, 8, 8)), np.random.default_rng(2).normal(size=40)
    x = right.copy()
    assert plain(factor_blocks)(matrix, filled, corner, turned)
    plain(solve_blocks)(matrix, filled, corner, x)
    expected = np.linalg.solve(dense, right)
    np.testing.assert_allclose(x, expected, atol=1e-9 * np.abs(expected).max())
    assert sorted(map(tuple, np.argwhere(filled).tolist())) == [(1, 0), (3, 1), (4, 0), (4, 1), (4, 3)]


@pytest.mark.parametrize("spoil", [-100.0, np.nan])
def test_a_matrix_that_is_not_positive_is_told_of(spoil):
    _, matrix, filled = packed(3, [(2, 0)])
    matrix[at.py_func(1, 1), 5, 5] = spoil
    assert not plain(factor_blocks)(matrix, filled, np.zeros((3, 8, 8)), np.zeros((3, 8, 8)))
