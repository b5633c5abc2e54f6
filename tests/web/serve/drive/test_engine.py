"""The vehicle in motion under pedals, and its ruts."""

from dataclasses import replace

import numpy as np
import pytest

import gori
from gori.model.vehicle.soil import rut_depths
from gori.web.serve.drive.engine import BLOCK, DriveEngine, try_levers, values_of
from gori.web.serve.drive.truck import DriveOptions, driven


@pytest.fixture(scope="module")
def sand():
    return DriveEngine(driven(DriveOptions(soil="dry_sand", course="bump")))


def test_it_drives_steers_and_leaves_ruts(sand):
    sand.begin()
    depth = np.zeros(sand._grid, np.float32).ravel()
    sand.pedals.want(1.0, 0.0, 0.5, True)
    for _ in range(int(2.0 / BLOCK)):
        assert sand.advance() is None
        cells, deep = sand.ruts()
        depth[cells] = deep
    assert sand.speed > 1.0 and sand.simulation.q[5] > 0.05  # ahead, and to the left
    assert sand.spin.min() > 1.0 and 0.4 < values_of(sand)["steer"] <= 0.5
    kept = rut_depths(sand.model.spec.terrain.soft, sand.simulation.state.vehicle).ravel()
    assert np.count_nonzero(kept) > 100 and np.allclose(depth, kept, atol=1e-6)  # every changed cell was told
    assert sand.stones() is None
    sand.begin()
    assert sand.simulation.time == pytest.approx(0.0) and sand.speed == pytest.approx(0.0, abs=1e-3)
    assert len(sand.ruts()[0]) < 400  # fresh soil under the wheels


def test_gears(sand):
    sand.begin()
    assert {"R", "N", "D"} <= set(try_levers(sand))
    sand.gear, sand.low = "R", True
    sand.pedals.want(0.6, 0.0, 0.0, True)
    for _ in range(int(1.5 / BLOCK)):
        sand.advance()
    assert sand.speed < -0.1


def test_the_end_of_the_soil_brings_it_back(sand):
    sand.begin()
    sand.gear, sand.low = "D", False
    state = sand.simulation.state
    q = state.q.copy()
    q[sand.size.joint_q.start + 4] = 115.8  # near the edge of the soil
    sand.simulation.state = state.replace(q=q)
    assert 0.0 < sand.soil_left < 3.0
    sand.pedals.want(1.0, 0.0, 0.0, True)
    ended = next(filter(None, (sand.advance() for _ in range(2000))), None)
    assert ended is not None and "soft soil ends" in ended.words and ended.at_the_end and ended.far > 100.0
    assert abs(sand.simulation.q[sand.size.joint_q.start + 4]) < 1.0


def test_a_vehicle_stands_on_what_carries_it(sand):
    sand.begin()
    sand.pedals.want(0.0, 0.0, 0.0, True)
    assert sand.stands() and sand.simulation.time == 0.0
    assert DriveEngine(driven(DriveOptions(course="flat"))).soil_left == np.inf


def test_ruts_of_a_window_are_told_until_it_forgets_them(sand):
    """The same vehicle on soil that remembers a part of the course."""
    model = gori.compile(sand.model.spec.set("terrain.soft.window", (5.0, 5.0)))
    engine = DriveEngine(replace(sand.vehicle, model=model))
    assert len(engine.simulation.stepper.data.cells) == 67 * 67 + 1 < 0.1 * np.prod(engine._grid)
    depth = np.zeros(engine._grid, np.float32).ravel()
    engine.pedals.want(1.0, 0.0, 0.0, True)
    for _ in range(int(1.0 / BLOCK)):
        assert engine.advance() is None
        cells, deep = engine.ruts()
        depth[cells] = deep
    state = engine.simulation.state.vehicle
    kept = rut_depths(model.spec.terrain.soft, state).ravel()
    assert state["forgotten"][0] == 0 and np.count_nonzero(kept) > 100 and np.allclose(depth, kept, atol=1e-6)
