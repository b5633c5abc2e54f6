"""Newton's direction without a matrix: by recursion, and by GMRES where forces couple axes."""

import math

import numpy as np
import pytest

from gori.integrate import ImplicitEuler
from gori.integrate.matrix_free import factor_tree, gmres, product, rotate, tree_correction
from gori.integrate.step_equations import residual
from gori.kernels.codes import OK
from tests.checks import close
from tests.integrate.steps import random_bundle
from tests.integrate.test_dense import user
from tests.integrate.test_step_equations import H, begun
from tests.plain import plain
from tests.reference.implicit import linear_step


def free(seed, tolerance=1e-10, **changes):
    """Bundle, work and reference of a random tree at x = 0."""
    method = ImplicitEuler(H, jacobian={"type": "matrix_free", "tolerance": tolerance})
    made, step = random_bundle(seed, method, **changes)
    return made, begun(made), step


@pytest.mark.parametrize("careful", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_the_direction_of_the_recursion(seed, careful):
    made, work, step = free(seed)
    made[2].step[0].careful = careful
    zero = np.zeros(step.tree.nv)
    f = step.f(zero)
    assert plain(tree_correction)(*made, f, True) == OK
    close(work.dx, -np.linalg.solve(step.A(zero), f), 1e-4)
    first = work.dx.copy()
    work.dx[:] = np.nan
    assert plain(tree_correction)(*made, f, False) == OK  # with what was eliminated
    close(work.dx, first, 1e-9)


@pytest.mark.parametrize("seed", [0, 4])
def test_gmres_finds_the_direction_where_a_force_couples_axes(seed):
    made, work, step = free(seed, user=user)
    zero, memory = np.zeros(step.tree.nv), made[2]
    assert plain(tree_correction)(*made, zero, True) == OK
    close(work.dx, -linear_step(step, zero), 1e-5)
    assert 1 <= memory.head[0].products <= 2 * step.tree.nv
    loose, other, _ = free(seed, tolerance=0.5, user=user)
    assert plain(tree_correction)(*loose, zero, True) == OK
    assert loose[2].head[0].products < memory.head[0].products and not np.allclose(other.dx, work.dx, rtol=1e-9)


def test_a_product_with_the_matrix():
    """By differences; in a step of one correction with given accelerations."""
    made, work, step = free(3, user=user)
    machine, data, memory, _ = made
    nv = step.tree.nv
    a, p, out = np.ones(nv), np.linspace(-1.0, 1.0, nv), np.empty(nv)
    plain(residual)(*made, work.x, work.x, work.residual)
    assert plain(factor_tree)(machine, data, memory, work, made.memory.tree, a)
    plain(residual)(*made, work.x, a, work.given_residual)
    memory.step[0].once = 1
    assert plain(product)(*made, a, p, out) == OK
    close(out, step.N(a) @ p, 1e-5)
    memory.step[0].once = 0
    assert plain(product)(*made, a, p, out) == OK
    close(out, step.N(np.zeros(nv)) @ p, 1e-5)
    assert memory.head[0].products == 2
    assert plain(gmres)(*made, a) == OK


def test_rotations_solve_the_least_squares_problem():
    """A Hessenberg matrix, column by column: |g| at the end is what no answer can take away."""
    rng, n = np.random.default_rng(0), 4
    hessenberg = np.triu(rng.normal(size=(n + 1, n)), -1)
    R, g = np.zeros((n, n + 1)), np.array([2.0, 0.0, 0.0, 0.0, 0.0])
    cosine, sine = np.zeros(n), np.zeros(n)
    for j in range(n):
        R[: j + 1, j] = hessenberg[: j + 1, j]
        assert rotate.py_func(R, j, hessenberg[j + 1, j], g, cosine, sine)
    answer, left, *_ = np.linalg.lstsq(hessenberg, np.array([2.0, 0.0, 0.0, 0.0, 0.0]))
    close(np.linalg.solve(R[:, :n], g[:n]), answer, 1e-13)
    assert abs(g[n]) == pytest.approx(math.sqrt(left[0]))
    assert not rotate.py_func(np.zeros((1, 2)), 0, 0.0, g, cosine, sine)
