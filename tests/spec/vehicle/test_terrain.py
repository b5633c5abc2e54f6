"""Terrain in a Spec: what is refused, and how high it is."""

import numpy as np
import pytest

from gori import vehicle
from gori.errors import SpecError
from gori.spec.vehicle.terrain import Terrain
from tests.reference import tyres

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


def test_height_of_terrain_is_that_of_the_textbook():
    rng = np.random.default_rng(1)
    terrain = Terrain.model_validate({
        "at": [1, 2, 0.5], "grade": [0.1, -0.05],
        "field": {"at": [-2, -2], "cell": 0.5, "cell_y": 0.7, "heights": rng.normal(size=(6, 9))},
        "features": {
            "bump": {"type": "trapezoid", "at": [1, 0], "yaw_deg": 30, "width": 2},
            "wave": {"type": "sine", "at": [-1, 1], "length": 2, "height": 0.3},
            "kerb": {"type": "step", "at": [0, 0], "height": 0.1, "yaw_deg": -70},
            "ramp": {"type": "ramp", "at": [2, 0], "height": 0.5, "length": 2, "top": 1, "down": 3},
        },
    })  # fmt: skip
    x, y = rng.uniform(-5.0, 8.0, (2, 4000))
    np.testing.assert_allclose(terrain.height(x, y), tyres.height(terrain, x, y), atol=1e-12)
    assert Terrain().height(3.0, 4.0) == 0.0 and terrain.height(np.zeros((3, 1)), np.zeros(5)).shape == (3, 5)


def test_soil_by_name_in_python():
    with pytest.raises(SpecError, match=r"in Python give gori.soil\('lete_sand'\)"):
        vehicle.spec(terrain={"soft": {"soil": "lete_sand", "size": [9, 9]}})
    with pytest.raises(SpecError, match=r"terrain.grade: needs 2 numbers, has 1"):
        vehicle.spec(terrain={"grade": [1]})
