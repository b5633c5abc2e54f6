"""ISO 3888: gates that are kept, and the speed at which they are not."""

import pytest

from gori.errors import InputError
from gori.manoeuvre.lane_change import lane_change


def test_lane_change(driven):
    result = driven("lane_change", speed=60 / 3.6)
    assert result["all gates passed"] and result["cones hit"] == 0
    assert min(result[f"clearance, gate {k}"] for k in (1, 2, 3)) > 0.05
    assert result["entry speed"] == pytest.approx(60.0, abs=1.0)
    y = result.recording["truck.q"][:, 5]
    assert y.max() == pytest.approx(3.6, abs=0.6) and abs(y[-1]) < 1.0
    too_fast = driven("lane_change", speed=115 / 3.6)
    assert not too_fast["all gates passed"]


def test_obstacle_avoidance(driven):
    result = driven("lane_change", standard="3888-2", speed=38 / 3.6)
    assert result["all gates passed"] and result["speed at the end"] < result["entry speed"]


def test_highest_speed_of_a_lane_change(driven):
    result = driven("lane_change", speed=22.0, search=True)
    assert 70.0 < result["highest entry speed"] < 100.0
    assert result["all gates passed"] and result["entry speed"] == pytest.approx(result["highest entry speed"], abs=1.0)


def test_refused():
    with pytest.raises(InputError, match="3888-1"):
        lane_change(standard="7", progress=False)
    with pytest.raises(InputError, match="a speed above 3 m/s"):
        lane_change(speed=2.0, progress=False)
