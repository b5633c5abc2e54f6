"""Go or no-go on soft soil."""

import math

import numpy as np
import pytest

from gori.errors import InputError
from gori.kernels.vehicle.state import CELL
from gori.manoeuvre.courses import soft_strip
from gori.manoeuvre.setup import ManoeuvreSetup
from gori.manoeuvre.soft import ruts, soft_soil


def test_go(driven):
    result = driven("soft_soil", soil="lete_sand")
    assert result["go"] and not result["dug in"] and result["distance"] == pytest.approx(30.0, abs=0.1)
    assert 5.0 < result["sinkage, front"] < result["sinkage, rear"] < 40.0
    assert result["rut, mean depth"] >= result["sinkage, rear"]
    # no more than cohesion and friction of the soil under all of its weight
    assert 0.2 < result["drawbar pull / weight"] < math.tan(math.radians(31.1)) + 0.05
    depth = result.curves["rut_depth"]
    sides = depth.shape[0] // 2
    middle = depth[sides - 5 : sides + 5].max()
    assert middle == 0.0 < depth[:sides].max(), "two ruts, and nothing between them"


def test_no_go(driven):
    result = driven("soft_soil", soil="sandy_loam_32")
    assert not result["go"] and result["dug in"] and result["distance"] < 10.0
    assert result["drawbar pull, largest"] == 0.0


def test_ruts_stand_at_their_positions():
    """Two touched cells of the grid: positions, depths, and nothing but the part that was touched."""
    model = ManoeuvreSetup(soil="lete_sand").place(soft_strip("lete_sand", 10.0))
    soft = model.spec.terrain.soft
    nx, cells = round(soft.size[0] / soft.cell), CELL.zeros(2)
    cells["z_max"], cells["z_dyn"] = (0.02, 0.03), (0.0, 0.005)
    x, y, depth = ruts(model, {"cells": cells, "cell_index": np.array([3 * nx + 7, 5 * nx + 8])})
    np.testing.assert_allclose(x, soft.at[0] + soft.cell * np.array([7.5, 8.5]))
    np.testing.assert_allclose(y, soft.at[1] + soft.cell * np.array([3.5, 4.5, 5.5]))
    np.testing.assert_allclose(depth, [[0.02, 0.0], [0.0, 0.0], [0.0, 0.035]])
    assert ruts(model, None)[2].size == 0


def test_refused():
    with pytest.raises(InputError, match="name a soil"):
        soft_soil(soil=None, progress=False)
