"""Answers to the steering: circle and step steer, against formulas and symmetry."""

import math

import numpy as np
import pytest

from gori.errors import GoriError, InputError
from gori.manoeuvre.handling import circle, step_steer


@pytest.fixture(scope="module")
def round_(driven):
    return driven("circle", radius=60.0, growth=0.3)


def test_circle(round_):
    assert round_["deviation from the circle"] < 1.0
    # low speed: the wheels stand as the wheelbase over the radius has it
    assert round_["steering at the start"] == pytest.approx(round_["wheelbase over radius"], rel=0.15)
    assert math.radians(round_["wheelbase over radius"]) == pytest.approx(3.306 / 60.0, rel=0.01)
    # steady until the rear wheels begin to slide
    steady = round_.curves["lateral"] < 4.5
    rate, speed = round_.curves["yaw_rate"][steady], round_.curves["speed"][steady]
    assert rate * 60.0 / speed == pytest.approx(np.ones(len(rate)), abs=0.02)


def test_understeer_gradient(round_):
    """At the wheels, against axle loads, cornering stiffness and trail; at the steering more, as it yields."""
    assert round_["understeer gradient, at the wheels"] == pytest.approx(
        round_["understeer gradient, linear formula"], rel=0.35
    )
    assert round_["understeer gradient"] > round_["understeer gradient, at the wheels"] > 0.3
    assert 6.5e4 < round_["cornering stiffness, front axle"] < 1e5 > round_["cornering stiffness, rear axle"] > 6.5e4
    assert 2.0 < round_["roll gradient"] < 8.0


def test_circle_to_the_right_is_the_mirror_image(driven, round_):
    other = driven("circle", radius=60.0, growth=0.3, left=False)
    for name in ("understeer gradient", "roll gradient", "largest lateral acceleration"):
        assert other[name] == pytest.approx(round_[name], rel=0.02)
    assert other.recording["truck.v"][-1, 2] < 0.0 < round_.recording["truck.v"][-1, 2]


def test_step_steer(driven):
    result = driven("step_steer")
    rec = result.recording
    assert result["yaw rate against v/R"] == pytest.approx(1.0, abs=0.03)
    assert result["yaw rate, steady"] * math.pi / 180.0 * result["speed at the end"] / 3.6 == pytest.approx(
        4.0, rel=0.06
    )
    assert rec["truck.v"][-1, 2] > 0.0 and rec["truck.q"][-1, 5] > 0.0, "left is left"
    assert 0.1 < result["yaw rate, response time"] < 0.6
    assert 0.0 < result["yaw rate, overshoot"] < 40.0
    assert result["lateral acceleration, response time"] > result["yaw rate, response time"]
    assert rec["truck.wheel_fl.load"][-1] < rec["truck.wheel_fr.load"][-1], "it leans on its outer wheels"


def test_step_steer_gives_the_same_to_both_sides(driven):
    left, right = driven("step_steer"), driven("step_steer", left=False)
    for one, other in zip(left.figures, right.figures):
        assert other.value == pytest.approx(one.value, rel=1e-3, abs=1e-3), one.name


def test_refused():
    with pytest.raises(InputError, match="radius"):
        circle(radius=-1.0, progress=False)
    with pytest.raises(InputError, match=r"more than 0\.3 m/s2"):
        circle(lateral=0.2, progress=False)
    with pytest.raises(GoriError, match=r"more steering|no step"):
        step_steer(lateral=30.0, progress=False)
    with pytest.raises(GoriError, match="hard ground"):
        step_steer(soil="lete_sand", progress=False)
