"""Straight ahead: bump, acceleration, braking, slope; against published figures and formulas."""

import numpy as np
import pytest

from gori.errors import InputError
from gori.manoeuvre.setup import GRAVITY, MPH
from gori.manoeuvre.straight import braking, slope


def test_bump(driven):
    result = driven("bump")
    rec = result.recording
    assert result["speed at the bump"] == pytest.approx(81.0, abs=1.0)
    front, rear = (rec[f"truck.knuckle_{corner}.acceleration"][:, 5] for corner in ("fl", "rl"))
    # the rear wheels come to it a wheelbase later
    later = rec.time[np.argmax(rear)] - rec.time[np.argmax(front)]
    assert later == pytest.approx(3.306 / 22.5, abs=0.004)
    assert result["front knuckle, largest upward"] == front.max() > 100.0
    assert result["chassis, largest upward"] < 0.05 * front.max(), "the springs keep it from the chassis"
    loads = np.column_stack([rec[f"truck.wheel_{corner}.load"] for corner in ("fl", "fr", "rl", "rr")])
    assert loads[-1].sum() == pytest.approx(rec.model.mass * GRAVITY, rel=0.02)
    assert np.abs(loads[:, 0] - loads[:, 1]).max() < 1e-3 * loads.max(), "left and right alike"
    assert 0.02 < result["longest time airborne"] < 0.3


def test_bump_of_no_height_is_no_bump(driven):
    result = driven("bump", height=1e-6)
    assert result["front knuckle, largest upward"] < 0.5


def test_acceleration(driven):
    """Published: 0 to 60 mph in 17.3 s with 3009 kg and 195 hp."""
    result = driven("acceleration", set={"payload.mass": 432.0})
    assert result.recording.model.mass == pytest.approx(3009.0, abs=1.0)
    assert result["0 to 30 mph"] < result["0 to 50 mph"] < result["0 to 60 mph"] == pytest.approx(17.3, rel=0.1)
    assert result["quarter mile"] == pytest.approx(21.4, rel=0.05)
    assert 75.0 < result["top speed"] < 91.0, "what the power allows"


def test_heavy_acceleration(driven):
    """Published: 43 s with 14 400 lb and 190 hp."""
    result = driven("acceleration", set={"payload.mass": 3955.0}, longest=60.0)
    assert result["0 to 60 mph"] == pytest.approx(43.0, rel=0.1)


def test_third_gear_held(driven):
    result = driven("acceleration", gear=3)
    assert result["top speed"] == pytest.approx(72.8, abs=1.5)
    assert result["gear at top speed"] == 3.0 and 3600.0 < result["engine at top speed"] < 3800.0


def test_braking(driven):
    result = driven("braking")
    assert result["stopped"] and result["initial speed"] == pytest.approx(60 * MPH * 3.6, abs=0.2)
    entry, way = result["initial speed"] / 3.6, result["stopping distance"]
    assert way == pytest.approx(entry**2 / (2 * result["mean deceleration"]), rel=1e-3)
    assert way < 93.0, "less than the published 307 ft of a much heavier one"
    assert result["share of time with locked wheels"] == 0.0
    assert result["lateral deviation"] < 1e-3 and result["turned"] < 0.01
    # half the torque of all brakes at the tyres, drag and rolling resistance
    force = 4 * 0.5 * 4000.0 / 0.46
    assert result["mean deceleration"] == pytest.approx(force / result.recording.model.mass, rel=0.1)


def test_locked_wheels(driven):
    """Full sliding: what the tyre has as its smallest friction, and the air."""
    result = driven("braking", pedal=1.0)
    assert result["share of time with locked wheels"] > 0.8
    rec = result.recording
    v = rec["truck.v"][:, 3]
    slow = (v > 3.0) & (v < 8.0)
    assert -np.polyfit(rec.time[slow], v[slow], 1)[0] == pytest.approx(0.5568 * GRAVITY, rel=0.01)
    assert result["lateral deviation"] < 0.01


def test_slope(driven):
    result = driven("slope", grade=0.6)
    assert result["moved while parked"] < 0.01 and result["rolled back at the start"] < 0.05
    assert result["climbs"] and result["distance climbed"] > 30.0
    assert 20.0 < result["power up the hill"] < 142.0


def test_slope_in_a_high_gear(driven):
    result = driven("slope", grade=0.6, gear=4, transfer="high", climb=5.0)
    assert not result["climbs"] and result["rolled back at the start"] > 1.0


def test_refused():
    with pytest.raises(InputError, match="speed"):
        braking(speed=0.0, progress=False)
    with pytest.raises(InputError, match="grade"):
        slope(grade=9.0, progress=False)
    with pytest.raises(InputError, match="does not stand"):
        slope(grade=1.0, progress=False)


def test_a_slope_of_sand_that_it_cannot_climb(driven):
    """With full throttle it digs itself in: that is an answer, not an error."""
    result = driven("slope", grade=0.2, soil="dry_sand", throttle=1.0)
    assert not result["climbs"] and result["dug in"] and result["distance climbed"] < 5.0
    assert "dug itself in" in str(result)


def test_a_slope_is_about_the_vehicle_not_about_the_pedal():
    """With full throttle its wheels dig into dry sand; with half of it, it climbs."""
    result = slope(grade=0.2, soil="dry_sand", climb=8.0, progress=False)
    assert result["climbs"] and result["throttle"] == 0.5 and not result["dug in"]
    assert "throttle 0.5" in result.about and result.notes == (
        "with throttle 1 its wheels spin, and it does not climb",
    )
    with pytest.raises(InputError, match="throttle must be 0 to 1"):
        slope(throttle=2.0, progress=False)
