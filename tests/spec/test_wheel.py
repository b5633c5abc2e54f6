"""Wheels, steering, drive trains, drag and controls of a Spec: what is refused, and why."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.errors import SpecError
from gori.spec.vehicle.control import lever, owner
from gori.spec.vehicle.terrain import Terrain
from tests.reference import tyres

SPEC = vehicle.spec("hmmwv")


def refused(name, value):
    with pytest.raises(SpecError) as caught:
        SPEC.set(name, value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("truck.wheel_fl.body", "truck.knuckle_fx", "'truck.knuckle_fx' is not a body; did you mean"),
        ("truck.wheel_fl.body", "ground", "a vehicle cannot be attached to the ground"),
        ("truck.wheel_fl.brake", -1, "wheels.truck.wheel_fl.brake: must not be negative, is -1"),
        ("truck.wheel_fl.inertia", 0, "wheels.truck.wheel_fl.inertia: must be positive, is 0"),
        ("truck.wheel_fl.axis", [0, 0, 0], "wheels.truck.wheel_fl.axis: must be a direction"),
        ("truck.wheel_fl.tyre.stiffness", 1e5, "give stiffness or load_table, not both"),
        ("truck.wheel_fl.tyre.rolling_deflection", 1.5, "must be at most 1, is 1.5"),
        ("truck.drag.body", "truck", "'truck' is not a body"),
        ("truck.drag.area_cd", -1, "drag.truck.drag.area_cd: must not be negative"),
        ("truck.steering.joint", "truck.rck", "'truck.rck' is not a joint; did you mean 'truck.rack'?"),
        ("truck.steering.joint", "truck", "joint 'truck' must be revolute or prismatic"),
        ("truck.steering.travel", 0, "steering.truck.steering.travel: must be positive"),
        ("truck.drivetrain.chassis", "truck", "'truck' is not a body"),
        ("truck.drivetrain.chassis", None, "needs the body that engine and gearbox are mounted on"),
        ("truck.drivetrain.wheels", [], "a drive train needs the names of its wheels"),
        (
            "truck.drivetrain.wheels",
            ["truck.wheel_fl"] * 4,
            "wheel 'truck.wheel_fl' is already driven by 'truck.drivetrain'",
        ),
        ("truck.drivetrain.wheels", ["a", "b", "c", "d"], "'a' is not a wheel"),
        ("terrain", None, "wheels need terrain: add terrain: {}"),
    ],
)
def test_what_a_vehicle_may_not_be(name, value, words):
    assert words in refused(name, value)


def test_inputs_have_one_owner():
    train = SPEC.drivetrains["truck.drivetrain"].model_dump(exclude_unset=True)
    words = refused("drivetrains", {"truck.drivetrain": train, "truck.second": train})
    assert "'truck' already has the drive train 'truck.drivetrain'" in words
    rack = SPEC.steering["truck.steering"].model_dump(exclude_unset=True)
    assert "'truck' already has the steering 'truck.steering'" in refused(
        "steering", {"truck.steering": rack, "truck.b": rack}
    )


@pytest.mark.parametrize(
    ("control", "words"),
    [
        ({"throttle": 1.2}, "throttle: must be from 0 to 1, is 1.2"),
        ({"brake": [[0, 0], [1, -1]]}, "brake.1: must be from 0 to 1, is -1"),
        ({"steer": [[0, 0], [0, 1]]}, "steer.1: times must increase"),
        ({"steer": "sin("}, "steer: 'sin(' is not an expression"),
        ({"steer": {}}, "steer: must be a number, an expression or a table"),
        ({"selector": "X"}, "selector: must be one of R, P, N, D, a gear from 1 to 4"),
        ({"selector": "low"}, "selector: must be one of R, P, N, D"),
        ({"selector": 5}, "selector: must be one of"),
        ({"selector": [[0, "N"], [0, "D"]]}, "selector.1: times must increase from row to row: 0 follows 0"),
        ({"selector": [[0]]}, "selector.0: must be a row [t, position]"),
        ({"selector": []}, "selector: must be a lever position, a gear, or a table"),
        ({"transfer": "D"}, "transfer: must be one of neutral, high, low, high_locked"),
        ({"vehicle": "lorry"}, "there is no vehicle 'lorry' with drive train or steering; there are truck"),
        ({"every": 0}, "every: must be positive"),
    ],
)
def test_controls_that_are_none(control, words):
    assert words in refused("controls", {"truck.driver": {"type": "schedule"} | control})


def test_a_vehicle_has_one_driver_and_needs_what_he_handles():
    driver = {"type": "schedule"}
    words = refused("controls", {"truck.driver": driver, "b": driver | {"vehicle": "truck"}})
    assert "controls.b: 'truck' is already driven by 'truck.driver'" in words
    data = SPEC.model_dump(exclude_unset=True)
    del data["steering"]
    with pytest.raises(SpecError, match=r"controls.truck.driver.steer: 'truck' has no steering"):
        gori.Spec(**data, controls={"truck.driver": driver | {"steer": 0.1}})
    assert gori.Spec(**data, controls={"truck.driver": driver}).controls


def test_levers():
    assert [lever("selector", word, 4) for word in ("R", "P", "N", "D", 3, 13, np.int64(2))] == [-1, 0, 0, 10, 3, 13, 2]
    assert [lever("transfer", word, 4) for word in ("neutral", "high", "low", "high_locked")] == [0, 1, 2, 3]
    for bad in (True, 1.5, np.nan, np.inf, 15, None, "d"):
        with pytest.raises(ValueError, match="must be one of R, P, N, D"):
            lever("selector", bad, 4)
    assert owner("truck.drivetrain") == "truck" and owner("a.b.c") == "a.b" and owner("engine") == "engine"


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


def test_longer_names_are_meant_when_setting():
    assert SPEC.set("truck.wheel_fl.brake", 5).wheels["truck.wheel_fl"].brake == 5
    assert SPEC.set("truck.q", SPEC.joints["truck"].q).joints == SPEC.joints
