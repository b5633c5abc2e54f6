"""Terrain in a Spec: what is refused, and fields out of functions."""

import numpy as np
import pytest

from gori.errors import InputError, SpecError
from gori.model.vehicle.terrain import rough_road, sampled_field, terrain_tables
from gori.spec.vehicle.terrain import HeightField, Terrain

FLAT = [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"friction": -0.1}, "friction: must not be negative"),
        ({"grade": [0.1]}, "grade: needs 2 numbers, has 1"),
        ({"slope": 0.1}, "unknown key 'slope'"),
        ({"field": {"cell": 0, "heights": FLAT}}, "field.cell: must be positive"),
        ({"field": {"cell": 1, "heights": [[0, 0], [0]]}}, "field.heights: must be rows of numbers of equal length"),
        ({"field": {"cell": 1, "heights": [[0, 0]]}}, "field.heights: must have at least two rows"),
        ({"field": {"cell": 1, "heights": [[0, np.nan], [0, 0]]}}, "field.heights.0.1: must be finite"),
        ({"features": {"a": {"type": "hill"}}}, "type 'hill' is not one of"),
        ({"features": {"a": {"type": "trapezoid", "top": 0.6}}}, "features.a.top: must be shorter than the length"),
        ({"features": {"a": {"type": "step"}}}, "features.a.height: 'height' is missing"),
        ({"features": {"a": {"type": "ramp", "height": 1, "length": 1, "down": 1}}}, "needs the length of its top"),
        ({"patches": {"ice": {"at": [0, 0], "size": [1, 0], "friction": 0.1}}}, "patches.ice.size.1: must be positive"),
    ],
)
def test_refused(given, words):
    with pytest.raises(SpecError) as caught:
        Terrain.model_validate(given)
    assert words in str(caught.value)


def test_the_bump_of_the_paper_is_the_default():
    part = Terrain.model_validate({"features": {"bump": {"type": "trapezoid"}}})
    bump = part.features["bump"]
    assert (bump.length, bump.height) == (0.6, 0.08)
    assert sum(bump.flanks()) == pytest.approx(0.6)


def test_tables_of_plain_ground():
    ground = terrain_tables(Terrain.model_validate({}))
    assert ground.terrain["friction"] == 0.8 and ground.terrain["nx"] == 0
    assert [len(part) for part in ground] == [1, 0, 0, 0, 0, 0]
    assert all(part.flags.c_contiguous for part in ground)


def test_field_out_of_a_function():
    field = sampled_field(lambda x, y: np.sin(x) * y, (-1, 1), (0, 2), 0.5)
    assert field.at == (-1.0, 0.0)
    assert np.array(field.heights).shape == (5, 5)
    assert field.heights[2][4] == pytest.approx(np.sin(1.0) * 1.0)
    assert np.array(sampled_field(lambda x, y: 0.1, (0, 1), (0, 1), 0.1).heights).shape == (11, 11)
    with pytest.raises(InputError, match="must return heights for arrays"):
        sampled_field(lambda x, y: np.zeros(3), (0, 1), (0, 1), 0.1)
    with pytest.raises(InputError, match="x must be a range"):
        sampled_field(lambda x, y: x, (1, 0), (0, 1), 0.1)


def test_rough_roads_refused():
    with pytest.raises(InputError, match="roughness 'Z' is not one of the classes A, B"):
        rough_road("Z", 10, 1)
    with pytest.raises(InputError, match="at least six cells"):
        rough_road("A", 0.2, 1)
    assert isinstance(rough_road("A", 10, 1), HeightField)
