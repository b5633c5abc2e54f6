"""The Jacobian of a step as a matrix, analytic and by differences, against the reference."""

import numpy as np
import pytest

from gori.integrate import ImplicitEuler
from gori.integrate.dense import apply, dense_correction, dense_inverse, difference, difference_step, linearise
from gori.integrate.step_equations import DIFFERENCE, defect
from gori.kernels.codes import OK, USER_ERROR
from tests.checks import close
from tests.integrate.steps import bundle, random_bundle, slider
from tests.integrate.test_step_equations import H, begun
from tests.plain import plain
from tests.reference import dynamics as dyn


def dense(seed, jacobian="full", **changes):
    """Bundle, work, matrices and reference of a random tree at x = 0."""
    made, step = random_bundle(seed, ImplicitEuler(H, jacobian=jacobian), **changes)
    work = begun(made)
    return made, work, made.memory.dense, step


def user(t, q, v, tau):
    """A force that couples all axes."""
    tau[:] = -2.0 * q[: len(v)].sum() - 3.0 * v[::-1]
    return 0


@pytest.mark.parametrize("changes", [{}, {"user": user}], ids=["no forces", "user"])
@pytest.mark.parametrize("seed", [0, 3])
def test_analytic_matrix(seed, changes):
    made, work, matrices, step = dense(seed, **changes)
    a = np.random.default_rng(seed).normal(size=step.tree.nv)
    assert plain(linearise)(*made, a) == OK
    _, q, _, _ = step.end(np.zeros(step.tree.nv))
    close(matrices.mass.T, dyn.crba(step.tree, q), 1e-11)
    close(matrices.jacobian.T, step.N(a), 1e-5)
    close(work.residual, -matrices.mass.T @ step.f(np.zeros(step.tree.nv)), 1e-8)


@pytest.mark.parametrize("seed", [1, 2])
def test_matrix_by_differences(seed):
    made, work, matrices, step = dense(seed)
    zero = np.zeros(step.tree.nv)
    assert plain(difference)(*made) == OK
    close(matrices.jacobian.T, step.A(zero), 1e-5)
    close(work.defect, -step.f(zero), 1e-9)
    assert not work.x.any()  # as it was


@pytest.mark.parametrize(
    "strategy", [{"type": "full"}, {"type": "full", "differences": True}], ids=["analytic", "diff"]
)
def test_a_correction_and_another_with_the_same_factors(strategy):
    """Newton's direction by all ways: in haste and with care, with new factors and with the last ones."""
    made, work, _, step = dense(4, strategy)
    zero = np.zeros(step.tree.nv)
    head, now = made[2].head[0], made[2].step[0]
    expected = np.linalg.solve(step.A(zero), -step.f(zero))
    for careful in (0, 1):
        now.careful = careful
        for renew in (True, False):
            work.dx[:] = np.nan
            assert plain(dense_correction)(*made, step.f(zero), renew) == OK
            close(work.dx, expected, 1e-4)
    assert head.whole == 2 and head.refreshed == 2 * step.tree.nv


def test_the_inverse_is_that_of_the_matrix():
    made, work, _, step = dense(5, "frozen")
    assert plain(defect)(*made, work.x, work.defect) == OK
    assert plain(dense_inverse)(*made) == OK
    inverse = made.memory.state.inverse
    close(inverse.T @ step.A(np.zeros(step.tree.nv)), np.eye(step.tree.nv), 1e-4)


def test_products_by_columns():
    rng = np.random.default_rng(0)
    for n in (1, 4, 7):
        B, x, out = rng.normal(size=(n, n)), rng.normal(size=n), np.full(n, np.nan)
        apply.py_func(B, x, out)
        close(out, B.T @ x, 1e-13)


def test_a_difference_moves_the_coordinate_by_its_scale():
    machine, data, memory, y = bundle(slider(), ImplicitEuler(H))
    work = begun((machine, data, memory, y))
    work.axis_scale[0] = 5.0
    assert plain(difference_step)(memory, work, 0) * H * H == pytest.approx(5.0 * DIFFERENCE)


def test_what_fails_within_the_making_comes_back():
    """The third evaluation, with a coordinate moved."""
    asked = []

    def breaks(t, q, v, tau):
        asked.append(t)
        return int(len(asked) == 3)

    made, work, _, _ = dense(1, user=breaks)
    assert plain(linearise)(*made, work.x) == USER_ERROR and not work.x.any()
