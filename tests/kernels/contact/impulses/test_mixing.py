"""Mixing of iterates finds the limit of a slow fixed-point iteration."""

import math

import numpy as np

from gori.kernels.contact.impulses.mixing import dot, mix, solve_shares
from gori.kernels.contact.memory import DEPTH
from tests.plain import Plain, plain


def test_shares_are_least_squares():
    rng = np.random.default_rng(1)
    A, b = rng.normal(size=(30, 4)), rng.normal(size=30)
    gram, share = np.zeros((2 * DEPTH, DEPTH)), np.zeros(DEPTH)
    gram[:4, :4], share[:4] = A.T @ A, A.T @ b
    assert plain(solve_shares)(gram, share, 4)
    np.testing.assert_allclose(share[:4], np.linalg.lstsq(A, b)[0], rtol=1e-6)
    assert plain(dot)(A[:, 0], b, 30) == np.float64(sum(A[:, 0] * b)) or math.isclose(A[:, 0] @ b, sum(A[:, 0] * b))


def test_a_slow_iteration_is_finished():
    """x <- A x + b with an eigenvalue of 0.999, of four numbers: after six mixtures it has arrived."""
    rng = np.random.default_rng(2)
    Q = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    A, b = Q @ np.diag([0.999, 0.99, 0.9, 0.5, 0.0, 0.0]) @ Q.T, rng.normal(size=6)
    row = [Plain(impulse=np.zeros(3), last=np.zeros(3), weight=np.ones(2)) for _ in range(2)]
    memory = Plain(
        rows=row, turns=np.zeros(0), axes=np.zeros(0), head=[Plain(points=2)],
        mix_f=np.zeros((DEPTH, 1, 8)), mix_g=np.zeros((DEPTH, 1, 8)), mix_v=np.zeros((DEPTH, 1, 8)),
        mix_change=np.zeros(8), last_f=np.zeros(8), last_g=np.zeros(8), last_v=np.zeros(8),
        gram=np.zeros((2 * DEPTH, DEPTH)), share=np.zeros(DEPTH),
    )  # fmt: skip
    v, mixed, smallest = np.zeros(8), 0, math.inf
    for _ in range(14):
        x = np.concatenate([one.impulse for one in row])
        g = A @ x + b
        for k, one in enumerate(row):
            one.last[:], one.impulse[:] = x[3 * k : 3 * k + 3], g[3 * k : 3 * k + 3]
        mixed, smallest = plain(mix)(memory, v, mixed, smallest)
    limit = np.linalg.solve(np.eye(6) - A, b)
    assert np.abs(np.concatenate([one.impulse for one in row]) - limit).max() < 1e-3 * np.abs(limit).max()
