"""Vehicles against walls, a part of `python -m validation.walls`: no energy comes out, and kerbs are climbed."""

import numpy as np
import pytest

import gori
from gori import vehicle
from validation.walls import AT, BLOCKS, SIDES, Obstacle, WallCase, cases, judge, rest

FEW = [
    WallCase(Obstacle(2.0), 15.0, 0.0),  # gained 600 kJ, and flew to 27 m
    WallCase(Obstacle(2.0), 15.0, 0.0, 2.5e-4),
    WallCase(Obstacle(2.0), 6.0, 30.0),
    WallCase(Obstacle(1.0), 40.0, 45.0),
    WallCase(Obstacle(0.3), 6.0, 45.0),
    WallCase(Obstacle(0.6), 10.0, 15.0),
    WallCase(Obstacle(-1.0, 2.0), 3.0, 45.0),
    WallCase(Obstacle(-2.0), 1.0, 45.0),
    WallCase(Obstacle(2.0), 15.0, 0.0, 1e-3, True),
    WallCase(Obstacle(-0.5, 1.0), 6.0, 0.0, 1e-3, True),
    WallCase(BLOCKS[0], 3.0, 0.0),  # 6 m across: gained 151 %
    WallCase(BLOCKS[2], 3.0, 0.0),  # a kerb of 0.3 m
    WallCase(BLOCKS[4], 3.0, 0.0),  # a post
    WallCase(BLOCKS[0], 10.0, 30.0, 1e-3, True),
    WallCase(SIDES._replace(aside=-10.0), 3.0, 90.0),
    WallCase(BLOCKS[5], 5.0, 0.0, 2.5e-4),  # a flank of 86 degrees: gained 11 %
    WallCase(BLOCKS[6], 5.0, 0.0),
    WallCase(BLOCKS[7], 5.0, 15.0),
]


@pytest.mark.parametrize("case", FEW, ids=str)
def test_a_wall_stops_a_wheel(case):
    found = judge(case)
    assert found.good, found


def test_the_sweep_has_what_it_promises():
    all_of_them = list(cases())
    heights = {case.obstacle.height for case in all_of_them}
    assert len(all_of_them) > 1500 and {0.05, 2.0} <= heights and min(heights) < 0.0
    assert {case.speed for case in all_of_them} >= {1.0, 40.0} and {case.angle for case in all_of_them} >= {0.0, 45.0}
    assert {(case.step, case.soft) for case in all_of_them} == {(h, s) for h in (1e-3, 2.5e-4) for s in (False, True)}


@pytest.mark.parametrize("angle", [0.0, 30.0])
def test_a_kerb_is_climbed(angle):
    """15 cm high, at 10 km/h."""
    speed, kerb = 10.0 / 3.6, Obstacle(0.15)
    model = gori.compile(vehicle.spec("hmmwv", terrain=WallCase(kerb, speed, angle).terrain))
    sim = gori.Simulation(
        model, gori.Adams(step=1e-3, order=2), state=rest(False, speed).replace(model=model.fingerprint)
    )
    sim.inputs["truck.selector"], sim.inputs["truck.throttle"] = "D", 0.3
    rec = sim.run(5.0, sample=0.01, progress=False)
    n = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    for corner in vehicle.CORNERS:
        place = rec[f"truck.knuckle_{corner}.position"][-1]
        assert (place[:2] - [AT, 0.0]) @ n > 0.5 and place[2] > 0.15 + 0.4, corner


def test_a_wall_higher_than_the_axles_is_not():
    rec, _ = WallCase(Obstacle(1.0), 3.0, 0.0).run()
    assert max(rec[f"truck.knuckle_{corner}.x"].max() for corner in vehicle.CORNERS) < AT - 0.2


def test_a_width_changes_nothing_for_wheels_in_the_middle():
    wide, endless = (WallCase(obstacle, 3.0, 0.0).run()[0] for obstacle in (BLOCKS[0], Obstacle(1.0)))
    for channel in ("truck.chassis.x", "truck.wheel_fl.wall_load"):
        np.testing.assert_allclose(wide[channel], endless[channel], rtol=1e-6, atol=1e-6)
