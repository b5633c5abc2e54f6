"""The linear equations of a step with a matrix."""

import numba
import numpy as np
import pytest

from gori.integrate.radau import dense
from gori.integrate.radau.dense import complex_step, differentiate, factor_dense, solve_dense, solve_dense_pair
from gori.integrate.radau.memory import PRESENT
from gori.kernels.codes import OK
from tests.checks import close
from tests.integrate.radau.steps import random_step, sticking
from tests.plain import plain
from tests.reference import radau

H = 0.02
factor_and_solve, again = dense.solve_complex, dense.solve_complex_again


@numba.njit(_nrt=False)
def _solve(A, pivots, x):
    return factor_and_solve(A, pivots, x)


@numba.njit(_nrt=False)
def _solve_again(A, pivots, re, im):
    again(A, pivots, re, im)


@pytest.mark.parametrize("n", [1, 3, 9])
def test_complex_equations_by_lapack(n):
    """Compiled, since the binding is for compiled code alone; and the stand-in of the tests does the same."""
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n))
    A[np.diag_indices(n)] *= 1e-9
    x, b = (rng.normal(size=n) + 1j * rng.normal(size=n) for _ in range(2))
    for solve, solve_again in ((_solve, _solve_again), (plain(_solve), plain(_solve_again))):
        columns = np.ascontiguousarray(A.T).view(float).reshape(n, n, 2).copy()
        right, pivots = x.view(float).copy(), np.zeros(n)
        assert solve(columns, pivots, right) == 0
        close(right.view(complex), np.linalg.solve(A, x), 1e-10)
        re, im = b.real.copy(), b.imag.copy()
        solve_again(columns, pivots, re, im)
        close(re + 1j * im, np.linalg.solve(A, b), 1e-10)
    assert _solve(np.zeros((2, 2, 2)), np.zeros(2), np.ones(4)) != 0


def jacobian(made, f):
    """df/dy of all numbers of y but the work, by the reference."""
    return radau.jacobian(f, 0.0, made.y)[:-1, :-1]


def test_derivatives():
    """Of friction, springs and dampers, whose rates are linear but for the sliding."""
    made, f = sticking(on_axes=False)
    assert plain(differentiate)(*made[:3], 0.0, made.y, made.memory.state.rates) == OK
    head, state, J = made.memory.head[0], made.memory.state, jacobian(made, f)
    assert head.made == PRESENT and head.jacobians == 1
    close(state.by_q.T, J[1:, :1], 1e-5)
    close(state.by_u.T, J[1:, 1:], 1e-5)


@pytest.mark.parametrize("case", ["tree", "friction"])
def test_solutions(case):
    """(s - f_y)^-1 of right-hand sides for (q, u), of joints whose q' is v."""
    made, f = random_step(2, False, types=("revolute", "prismatic")) if case == "tree" else sticking(on_axes=False)
    memory, y = made.memory, made.y
    nv, n = made.data.tau.shape[0], len(y) - 1
    assert plain(differentiate)(*made[:3], 0.0, y, memory.state.rates) == OK and plain(factor_dense)(memory, H)
    rng, J = np.random.default_rng(0), jacobian(made, f)
    g, x = rng.normal(size=nv), rng.normal(size=n - nv)
    expected = np.linalg.solve(radau.GAMMA / H * np.eye(n) - J, np.concatenate([g, x]))
    plain(solve_dense)(memory, H, g, x)
    close(x, expected[nv:], 1e-5)
    a, b = rng.normal(size=(2, n - nv))
    c = complex(*plain(complex_step)(H))
    right = np.concatenate([np.zeros(nv), a + 1j * b])
    expected = np.linalg.solve(np.eye(n) / c - J, right)
    plain(solve_dense_pair)(memory, H, a, b)
    close(a + 1j * b, expected[nv:], 1e-5)
