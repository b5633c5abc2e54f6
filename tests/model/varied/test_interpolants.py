"""Interpolants on grids and at distinct combinations, and rules that combine them."""

import numpy as np
import pytest

from gori.model.varied.interpolants import EVERY, PRODUCT, RECIPROCAL, ROOT, SUM, Interpolant, TooMany, combined
from gori.model.varied.parameters import Parameters
from tests.model.varied.machines import MANY, pair, uniform

ALL = np.arange(MANY)


@pytest.mark.parametrize(
    ("rule", "f"),
    [
        (SUM, lambda x, y, z: x**2 + np.sin(y) - z),
        (PRODUCT, lambda x, y, z: -x * np.exp(y) / z),
        (ROOT, lambda x, y, z: -np.sqrt(x + y**2 + z)),
        (RECIPROCAL, lambda x, y, z: 1.0 / (x + y + z)),
    ],
)
def test_rules(rule, f):
    (x, y, z), (a, b, c) = uniform(1.0, 2.0, 3).T, (1.2, 1.3, 1.4)
    parts = [f(x, b, c), f(a, y, c), f(a, b, z)]
    assert np.allclose(combined(rule, f(a, b, c), parts), f(x, y, z), rtol=1e-14)
    others = {SUM, PRODUCT, ROOT, RECIPROCAL} - {rule}
    assert all(not np.allclose(combined(other, f(a, b, c), parts), f(x, y, z), rtol=1e-6) for other in others)


def parameters(levels=3):
    return Parameters(
        pair(), {"arm.mass": uniform(1, 2), "load.mass": np.arange(MANY) % levels, "rail.q": uniform(0, 1)}
    )


def test_a_grid_and_combinations_give_the_same():
    found = parameters()
    base = found.X[0]
    grid = Interpolant(found, base, (0, 1), (3, 0), 100)
    assert len(grid.points) == 9 * 3 and (grid.points[:, 2] == base[2]).all()
    every = Interpolant(found, base, (0, 1), (EVERY, 0), 400)
    assert len(every.points) == MANY
    f = lambda points: np.exp(points[:, :1]) * (1.0 + points[:, 1:2])  # noqa: E731
    assert np.allclose(grid.at(ALL, f(grid.points)), f(found.X), rtol=1e-9)
    assert (every.at(ALL, f(every.points)) == f(found.X)).all()


def test_fewer_points_are_taken():
    x = np.repeat(uniform(1, 2, count=30), 10)
    found = Parameters(pair(), {"arm.mass": x, "load.mass": 2.0 * x})
    assert len(Interpolant(found, found.X[0], (0, 1), (4, 4), 1000).points) == 30  # not 17 x 17
    assert len(Interpolant(found, found.X[0], (0, 1), (1, 1), 1000).points) == 9
    assert len(Interpolant(found, found.X[0], (), (), 1).points) == 1


def test_too_many_points():
    found = parameters()
    with pytest.raises(TooMany):
        Interpolant(found, found.X[0], (0, 1, 2), (4, 0, 4), 299)
