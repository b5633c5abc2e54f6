"""Manoeuvres: figures against published ones, formulas and symmetry; refusals in words; reports."""

import math

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.manoeuvre import MANOEUVRES, about, arguments_of, circle, manoeuvre, soft_soil
from gori.manoeuvre.setup import GRAVITY, MPH


@pytest.fixture(scope="module")
def driven():
    """Results by name and arguments, each driven once."""
    found = {}

    def result(name, **arguments):
        key = (name, repr(sorted(arguments.items())))
        if key not in found:
            found[key] = manoeuvre(name, progress=False, **arguments)
        return found[key]

    return result


# ---- straight ahead


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


# ---- steering


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


# ---- soft soil


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


def test_soil_under_other_manoeuvres(driven):
    soft, hard = driven("braking", speed=10.0, soil="dry_sand"), driven("braking", speed=10.0)
    assert soft["stopped"] and np.median(soft.recording["truck.wheel_fl.sinkage"]) > 0.02
    assert hard.recording["truck.wheel_fl.sinkage"].max() == 0.0


# ---- all of them


def test_all_have_words_and_arguments():
    for name in MANOEUVRES:
        assert len(about(name)) > 10 and {"vehicle", "set", "soil", "loops"} <= set(arguments_of(name))


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("bumps", {}, "did you mean 'bump'"),
        ("bump", {"sped": 3}, "did you mean 'speed'"),
        ("bump", {"speed": -3.0}, "speed"),
        ("bump", {"vehicle": "tractor"}, "not a vehicle"),
        ("braking", {"speed": 0.0}, "speed"),
        ("circle", {"radius": -1.0}, "radius"),
        ("lane_change", {"standard": "7"}, "3888-1"),
        ("slope", {"grade": 9.0}, "grade"),
        ("slope", {"grade": 1.0}, "does not stand"),
        ("soft_soil", {"soil": None}, "which soil"),
        ("step_steer", {"lateral": 30.0}, "more steering|no step"),
        ("step_steer", {"soil": "lete_sand"}, "hard ground"),
    ],
)
def test_refused(name, arguments, words):
    with pytest.raises(gori.errors.GoriError, match=words):
        manoeuvre(name, progress=False, **arguments)


def test_unknown_figure(driven):
    with pytest.raises(InputError, match="did you mean 'stopped'"):
        driven("braking")["stoped"]


def test_report(driven, tmp_path):
    page = driven("braking").report(tmp_path / "out")
    text = page.read_text()
    assert "stopping distance" in text and "braking.png" in text
    assert (tmp_path / "out" / "braking.png").stat().st_size > 10_000
    again = gori.Recording.load(tmp_path / "out" / "braking.h5")
    assert again.time[-1] == driven("braking").recording.time[-1]
    assert "stopping distance" in str(driven("braking"))
    with pytest.raises(InputError, match="cannot be written"):
        driven("braking").report(tmp_path / "out" / "braking.md" / "x")


def test_signatures_are_those_of_the_functions():
    assert circle.__module__.startswith("gori.manoeuvre") and soft_soil is MANOEUVRES["soft_soil"]
