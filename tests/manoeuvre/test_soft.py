"""Go or no-go on soft soil."""

import math

import numpy as np
import pytest

from gori.errors import InputError
from gori.kernels.vehicle.state import CELL
from gori.manoeuvre.courses import Course, soft_strip
from gori.manoeuvre.setup import ManoeuvreSetup, size_of
from gori.manoeuvre.soft import GRIP, Hitch, drawbar_pull, ruts, soft_soil


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


def test_the_drawbar_pull_is_steady():
    """Twice the way at each slip gives the same curve; a growing force gave 10 to 20 % more."""
    how, slips = ManoeuvreSetup(soil="lete_sand", progress=False), (0.3, 0.4, 0.5)
    (short, at, stalled), (long, there, _) = (
        drawbar_pull(how, "lete_sand", 1.0, way, slips=slips) for way in (5.0, 10.0)
    )
    assert not stalled and 0.15 < at[0] < at[-1] < 0.6
    np.testing.assert_allclose(short, np.interp(at, there, long), rtol=0.03)
    assert short.max() == pytest.approx(long.max(), rel=0.02)


def test_a_hitch_holds_back_and_never_pushes():
    size = size_of(ManoeuvreSetup().place(Course()))
    hitch = Hitch(size, 1000.0, 1.0, (0.2,), 2.0, 0.3)
    hitch._speed = 0.8
    assert hitch.pull(0.7) == 0.0 and hitch.pull(0.9) == pytest.approx(0.1 * 1000.0 / GRIP)
    assert hitch.pull(90.0) <= 3.0 * 1000.0 * 9.81
    v = np.zeros(27)
    v[size.joint_v.start + 3] = 0.9
    assert hitch.force(0.0, None, v)[size.joint_v.start + 3] == -hitch.pull(0.9)


def test_go_means_that_all_of_it_is_behind():
    """At 1 m/s it was told to go after 23.8 m of 30 m, when the time was over."""
    result = soft_soil(soil="lete_sand", speed=1.0, length=6.0, drawbar=False, progress=False)
    assert result["go"] and result["distance"] > 5.9 and result.notes == ()
    short = soft_soil(soil="lete_sand", speed=1.0, length=6.0, longest=3.0, drawbar=False, progress=False)
    assert not short["go"] and not short["dug in"] and "still got on after 3 s" in short.notes[0]
    with pytest.raises(InputError, match="positive speed"):
        soft_soil(speed=0.0, progress=False)
