"""A step of Newton's method for the forces of resting contacts, against their conditions and by differences."""

import numpy as np
import pytest

from gori.kernels.impacts.memory import rest_memory
from gori.kernels.impacts.newton import against_slip, friction_on_cone, lay_points, newton_step
from tests.plain import plain, records

RNG = np.random.default_rng(5)


def problem(W, b, mu, f, rate=0.0, speed=None):
    count = len(b) // 3
    rest = records(rest_memory(pairs=np.zeros((1, 2), np.int64)))
    rest.mobility[: len(b), : len(b)], rest.free[: len(b)], rest.force[: len(b)] = W, b, f
    rest.held["friction"][:count] = mu
    rest.head["rate"], rest.speed[: len(b)] = rate, 0.0 if speed is None else speed
    return rest, count


def mobility(count):
    J = RNG.normal(size=(3 * count, 3 * count + 2))
    return J @ J.T + np.eye(3 * count)


@pytest.mark.parametrize("count", [1, 3])
def test_points_that_stick_are_solved_in_one_step(count):
    W, f = mobility(count), np.tile([10.0, 0.5, -0.4], count)
    rest, _ = problem(W, -W @ f, 0.5, np.tile([9.9, 0.5, -0.4], count))
    plain(newton_step)(rest, count, 1e-12)
    np.testing.assert_allclose(rest.force[: 3 * count], f, rtol=1e-8)


def test_points_that_are_pulled_part():
    W, b = np.eye(6), np.array([-2.0, 0.0, 0.0, 3.0, 1.0, 1.0])
    rest, count = problem(W, b, 0.3, np.array([1.0, 0.0, 0.0, 0.5, 0.1, 0.0]))
    plain(newton_step)(rest, count, 0.0)
    np.testing.assert_allclose(rest.force[:6], [2.0, 0.0, 0.0, 0.0, 0.0, 0.0], atol=1e-12)


def test_forces_that_do_nothing_stay():
    # one body on two points at the same place: only their sum is determined
    W = np.kron(np.ones((2, 2)), np.diag([1.0, 3.5, 3.5]))
    rest, count = problem(W, np.tile([-10.0, 0.0, 0.0], 2), 0.3, np.array([6.0, 0, 0, 3.0, 0, 0]))
    plain(newton_step)(rest, count, 1e-10)
    np.testing.assert_allclose(rest.force[[0, 3]], [6.5, 3.5], rtol=1e-5)


@pytest.mark.parametrize("slip", [0.0, 1e-3])
def test_a_point_that_slides_converges_quadratically(slip):
    W = np.array([[1.0, 0.3, -0.2], [0.3, 2.0, 0.4], [-0.2, 0.4, 3.0]])
    b, speed, mu, rate = np.array([-10.0, 6.0, -5.0]), np.array([0.0, slip, -slip]), 0.3, 1000.0
    rest, count = problem(W, b, mu, np.array([10.0, -2.0, 2.0]), rate, speed)
    for _ in range(6):
        plain(newton_step)(rest, count, 0.0)
    f = rest.force[:3]
    a = b + W @ f
    assert abs(a[0]) < 1e-12 and np.hypot(*f[1:]) == pytest.approx(mu * f[0], rel=1e-12)
    np.testing.assert_allclose(f[1:] * np.hypot(*a[1:]), -mu * f[0] * a[1:], atol=1e-9)


def test_the_equations_of_sliding_are_their_derivatives():
    W, f, mu, largest, n = mobility(2), RNG.uniform(1.0, 2.0, 6), 0.4, 7.0, 6
    b = RNG.normal(size=6)

    def along(f):
        a = b + W @ f
        return plain(against_slip)(W, 3, f, a[4], a[5], 0.0, 0.0, mu, largest)

    def load(f):
        return f[3] - (b[3] + W[3] @ f) / W[3, 3]

    def residual(f):
        x = np.array(along(f)[:2])
        return f[4:] - mu * load(f) * x / np.hypot(*x)

    A = np.zeros((6, 7))
    plain(friction_on_cone)(A, W, 3, f, *along(f), mu, load(f), n)
    np.testing.assert_allclose(A[4:, n], -residual(f), atol=1e-14)
    for k in range(6):
        step = 1e-6 * np.eye(6)[k]
        np.testing.assert_allclose(A[4:, k], (residual(f + step) - residual(f - step)) / 2e-6, atol=1e-7)
    assert along(f)[2:] == (1.0, 1.0 / largest)
    assert plain(against_slip)(W, 3, f, 1e6, 0.0, 1e6, 0.0, mu, largest) == (-1e6, -0.0, 0.0, 0.0)  # fast: along it


@pytest.mark.parametrize(("slip", "pull"), [(0.0, 0.0), (0.02, 0.0), (0.05, 0.0), (0.3, 0.0), (0.0, 1e3)])
def test_all_equations_are_derivatives_of_what_is_amiss(slip, pull):
    """Slip that is none, slow, between, and fast; and points that part."""
    W, b, speed = mobility(2), RNG.normal(size=6), np.zeros(6)
    f, speed[[1, 2, 4, 5]] = RNG.uniform(1.0, 2.0, 6) * [4, 1, 1, 4, 1, 1], slip * np.array([1.0, 0.4, -0.3, 1.0])
    b[[0, 3]] += pull - (W @ f)[[0, 3]]  # pressed, if nothing pulls
    b += 1000.0 * speed

    def laid(f):
        rest, count = problem(W, b, 0.4, f, 1000.0, speed)
        plain(lay_points)(rest, count, 0.0)
        return rest.newton[:6, :6].copy(), rest.newton[:6, 6].copy()

    A = laid(f)[0]
    for k in range(6):
        step = 1e-6 * np.eye(6)[k]
        change = (laid(f - step)[1] - laid(f + step)[1]) / 2e-6
        np.testing.assert_allclose(A[:, k], change, atol=1e-5)
