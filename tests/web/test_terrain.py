import numpy as np
import pytest

from gori.spec.vehicle.terrain import Terrain
from gori.web.terrain import MOST, terrain_entry
from tests.web.machines import truck


def grid(terrain, low=(0.0, 0.0, 0.0), high=(10.0, 4.0, 1.0), size=4.0):
    arrays = {}

    def put(name, array):
        arrays[name] = array
        return name

    entry = terrain_entry(terrain, np.array(low), np.array(high), size, put)
    return entry, arrays[entry["height"]]


def test_a_plane_needs_its_corners_alone():
    entry, height = grid(Terrain(at=(0, 0, 1.0), grade=(0.1, 0.0)))
    assert height.size <= 9 and list(height.shape) == entry["shape"]
    x = entry["low"][0] + entry["cell"] * np.arange(height.shape[1])
    np.testing.assert_allclose(height[0], 1.0 + 0.1 * x, rtol=1e-6)
    assert entry["soft"] is None


def test_bumps_are_there_and_grids_stay_small():
    bump = {"bump": {"type": "trapezoid", "at": (5.0, 0.0), "length": 0.6, "height": 0.08}}
    _, height = grid(Terrain(features=bump))
    assert height.max() == pytest.approx(0.08, abs=1e-3) and max(height.shape) <= MOST + 2
    _, wide = grid(Terrain(features=bump), high=(2000.0, 100.0, 1.0))
    assert max(wide.shape) <= MOST + 2


def test_soft_soil_is_covered_and_has_the_cells_of_the_model():
    rec, _ = truck()
    terrain = rec.model.spec.terrain
    entry, height = grid(terrain)
    soft, records = entry["soft"], rec.model.vehicle.records.soil[0]
    assert soft["shape"] == [records["ny"], records["nx"]] and soft["cell"] == terrain.soft.cell
    last = np.array(entry["low"]) + entry["cell"] * (np.array(height.shape[::-1]) - 1)
    assert (entry["low"] <= np.array(terrain.soft.at)).all()
    assert (last >= np.array(terrain.soft.at) + terrain.soft.size).all()
