"""Normal forces that are not unique, against the least squares of NumPy and SciPy."""

import numpy as np
import pytest
from scipy.optimize import minimize

from gori.kernels.codes import OK
from gori.kernels.impacts.hold import solve_held
from gori.kernels.impacts.memory import rest_memory
from gori.kernels.impacts.spread import spread_load
from tests.plain import plain, records

RNG = np.random.default_rng(7)
RATE = 1000.0


def problem(W, b, mu, speed=None):
    count = len(b) // 3
    rest = records(rest_memory(pairs=np.zeros((1, 2), np.int64)))
    rest.mobility[: len(b), : len(b)], rest.free[: len(b)] = W, b
    rest.held["friction"][:count], rest.head["rate"] = mu, RATE
    rest.speed[: len(b)] = 0.0 if speed is None else speed
    return rest, count


def normals_of(points):
    """J of the normal speeds of points (k, 2) of a plate that moves along z and turns about x and y."""
    J = np.zeros((3 * len(points), 3))
    J[::3] = np.column_stack([np.ones(len(points)), points])
    return J


def test_a_guided_pad_shares_its_load():
    """Four corners of a pad that only moves along z, on a disc that turns: a quarter each, with its own friction."""
    J, turn = np.zeros((12, 1)), 10.0
    J[::3] = 1.0
    points = np.array([0.15, 0.0]) + 0.015 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    speed = np.zeros((4, 3))
    speed[:, 1:] = -turn * points[:, ::-1] * [-1.0, 1.0]
    speed = speed.reshape(-1)
    rest, count = problem(J @ J.T / 0.1, J @ [-1e4] + RATE * speed, 0.3, speed)
    assert plain(solve_held)(rest, count) == OK
    f = rest.force[:12].reshape(4, 3)
    np.testing.assert_allclose(f[:, 0], 250.0, rtol=1e-7)
    np.testing.assert_allclose(
        f[:, 1:], -75.0 * speed.reshape(4, 3)[:, 1:] / (turn * np.hypot(*points.T))[:, None], rtol=1e-6
    )


def test_a_pad_on_a_disc_that_slows_down():
    """Loads decide how fast the disc slows down: a quarter each is a solution, too, and is taken."""
    points = np.array([0.15, 0.0]) + 0.015 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    J = np.zeros((12, 2))
    J[::3, 0] = 1.0  # of the pad along z
    J[1::3, 1], J[2::3, 1] = points[:, 1], -points[:, 0]  # of the disc, against the pad
    W, speed = J @ np.diag([10.0, 2.5]) @ J.T, J @ [0.0, 50.0]
    rest, count = problem(W, J @ [-1e4, 0.0] + RATE * speed, 0.3, speed)
    assert plain(solve_held)(rest, count) == OK
    np.testing.assert_allclose(rest.force[:12:3], 250.0, rtol=1e-7)
    torque = 0.3 * 250.0 * np.hypot(*points.T).sum()
    np.testing.assert_allclose((J.T @ rest.force[:12])[1], -torque, rtol=1e-6)


@pytest.mark.parametrize("beside", [0.0, 0.3, 0.8])
def test_a_plate_on_six_points(beside):
    """Loaded beside its middle: what bounded least squares find, with points that carry nothing."""
    points = np.array([[x, y] for x in (-1, 0, 1) for y in (-1, 1)], float)
    J = normals_of(points)
    rest, count = problem(J @ J.T, J @ [-10.0, 3.0 * beside, -10.0 * beside], 0.0)
    assert plain(solve_held)(rest, count) == OK
    x, G = rest.force[:18:3], J[::3].T
    goal = [10.0, -3.0 * beside, 10.0 * beside]
    np.testing.assert_allclose(G @ x, goal, atol=1e-6)
    best = minimize(
        lambda f: f @ f, np.ones(6), jac=lambda f: 2 * f, bounds=[(0, None)] * 6, method="SLSQP",
        constraints={"type": "eq", "fun": lambda f: G @ f - goal, "jac": lambda f: G}, options={"ftol": 1e-14},
    )  # fmt: skip
    assert x @ x == pytest.approx(best.fun, rel=1e-6)


def test_unique_forces_stay():
    J = RNG.normal(size=(9, 12))
    W, f = J @ J.T, np.tile([10.0, 0.5, -0.4], 3)
    rest, count = problem(W, -W @ f, 0.5)
    rest.force[:9] = f
    plain(spread_load)(rest, count, 100.0)
    np.testing.assert_allclose(rest.force[:9], f, rtol=1e-8)
