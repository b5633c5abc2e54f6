"""Damped steps: from anywhere to forces that meet their conditions, where these are not unique."""

import numpy as np
import pytest

from gori.kernels.impacts.damped import amiss, begin_at, damped_step, damped_steps, units_of_forces
from gori.kernels.impacts.newton import lay_points
from tests.kernels.impacts.test_newton import mobility, problem
from tests.plain import plain
from tests.reference import resting

RNG = np.random.default_rng(11)


@pytest.mark.parametrize("share", [1.0, 1e-4, 1e4])
def test_two_points_at_one_place(share):
    """One body on two points: only their sum is determined. Masses of all sizes."""
    W = share * np.kron(np.ones((2, 2)), np.array([[1.0, 0.1, 0.0], [0.1, 3.5, 0.3], [0.0, 0.3, 3.0]]))
    for pull in (0.3, 2.0, 9.0):  # sticks, and slides
        b = np.tile([-9.81, pull, -0.4 * pull], 2)
        rest, count = problem(W, b, 0.4, np.array([1.0, 0.0, 0.0, 3.0, 0.0, 0.0]) / share)
        assert plain(damped_steps)(rest, count, np.abs(b).max()) < 1e-9
        assert resting.amiss(W, b, 0.4, rest.force[:6]) < 1e-7


def test_it_never_leads_away():
    for _ in range(20):
        W, b, f = mobility(3), 10.0 * RNG.normal(size=9), RNG.normal(size=9)
        rest, count = problem(W, b, 0.8, f)
        plain(units_of_forces)(rest, count)
        plain(lay_points)(rest, count, 0.0)
        before, _ = plain(amiss)(rest, count)
        plain(damped_steps)(rest, count, np.abs(b).max())
        plain(lay_points)(rest, count, 0.0)
        after, _ = plain(amiss)(rest, count)
        assert after <= before


def test_a_step_is_that_of_levenberg_and_marquardt():
    W, b, f = mobility(2), np.tile([-10.0, 1.0, 2.0], 2), np.tile([2.0, 0.1, 0.3], 2)
    rest, count = problem(W, b, 0.5, f)
    rest.unit[:6], rest.best[:6] = 1.0, f
    plain(lay_points)(rest, count, 0.0)
    A, r = rest.newton[:6, :6].copy(), rest.newton[:6, 6].copy()
    plain(damped_step)(rest, count, 0.1)
    expected = f + np.linalg.solve(A.T @ A + 0.1 * np.eye(6), A.T @ r)
    np.testing.assert_allclose(rest.force[:6], expected, rtol=1e-10)


def test_where_to_begin():
    W, b = mobility(2), np.tile([-10.0, 1.0, 2.0], 2)
    rest, count = problem(W, b, 0.5, np.ones(6))
    plain(begin_at)(rest, count, 10.0, 1)
    assert not rest.force.any()
    plain(begin_at)(rest, count, 10.0, 2)
    np.testing.assert_allclose(W @ rest.force[:6], -b, atol=1e-6)
    sets = []
    for start in range(3, 13):
        plain(begin_at)(rest, count, 10.0, start)
        sets.append(rest.force[:6].copy())
        assert (rest.force[[0, 3]] >= 0.0).all()
    sizes = np.array([np.abs(f * np.repeat(np.diag(W)[::3], 3)).max() for f in sets])
    assert sizes.max() <= 100.0 and sizes.min() < 0.1 and len({tuple(f) for f in sets}) == 10
