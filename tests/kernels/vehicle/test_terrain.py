"""Ground against its twin: heights, slopes and friction."""

import numba
import numpy as np
import pytest

from gori.kernels.vehicle import terrain as ground
from gori.model.vehicle.terrain import terrain_tables
from tests.kernels.vehicle.grounds import GROUNDS, RNG, terrain
from tests.reference import tyres as twin

_height, _slope, _friction = ground.height, ground.slope, ground.friction


@numba.njit
def height(ground, x, y):
    return _height(ground, x, y), _slope(ground, x, y), _friction(ground, x, y)


@pytest.mark.parametrize("name", GROUNDS)
def test_heights_slopes_and_friction(name):
    part = GROUNDS[name]
    tables = terrain_tables(part)
    kinks = 0
    for x, y in RNG.uniform(-3.0, 4.0, (300, 2)):
        h, (gx, gy), mu = height(tables, x, y)
        assert h == pytest.approx(twin.height(part, x, y), abs=1e-13)
        assert mu == twin.friction(part, x, y)
        d = 1e-6
        gx_twin = (twin.height(part, x + d, y) - twin.height(part, x - d, y)) / (2 * d)
        gy_twin = (twin.height(part, x, y + d) - twin.height(part, x, y - d)) / (2 * d)
        kinks += not np.allclose([gx, gy], [gx_twin, gy_twin], atol=1e-6)
    assert kinks <= 1  # a difference may straddle a corner


def test_step_goes_on_or_ends():
    kerb = terrain(features={"kerb": {"type": "step", "height": 0.15}})
    stone = terrain(features={"kerb": {"type": "step", "height": 0.15, "length": 2}})
    for x, tall, short in ((-1e-9, 0, 0), (0.002, 0.15, 0.15), (1.99, 0.15, 0.15), (2.1, 0.15, 0), (1e6, 0.15, 0)):
        assert height(terrain_tables(kerb), x, 0.0)[0] == tall
        assert height(terrain_tables(stone), x, 0.0)[0] == short


def test_no_tread_stands_on_a_flank_that_is_a_wall():
    """The ground goes on below it, up to its upper edge; that of a hole is at its beginning."""
    for depth, edge, low in ((1.0, 0.25, 0.0), (-1.0, 0.0, -1.0)):
        tables = terrain_tables(terrain(features={"a": {"type": "trapezoid", "height": depth, "length": 1.0}}))
        for x in (0.1, 0.2, 0.8, 0.9):
            h, (slope, _), _ = height(tables, x, 0.0)
            assert h == low and slope == pytest.approx(4.0 * depth * (1.0 if x < 0.5 else -1.0))
        high = depth - low
        assert [height(tables, x, 0.0)[0] for x in (edge, 1.0 - edge)] == [high, high]
    gentle = terrain_tables(terrain(features={"a": {"type": "trapezoid", "height": 0.4, "length": 1.0}}))
    assert height(gentle, 0.125, 0.0)[0] == pytest.approx(0.2)


def test_later_patches_count():
    part = GROUNDS["all"]
    assert [height(terrain_tables(part), x, 0.0)[2] for x in (-0.5, 0.5, 3.0)] == [0.1, 0.4, 0.8]
