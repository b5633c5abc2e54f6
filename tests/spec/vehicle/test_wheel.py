"""Wheels, steering, drive trains and drag of a Spec: what is refused, and why."""

import pytest

from gori import vehicle
from gori.errors import SpecError
from gori.spec.vehicle.wheel import check_wheels

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


def test_longer_names_are_meant_when_setting():
    assert SPEC.set("truck.wheel_fl.brake", 5).wheels["truck.wheel_fl"].brake == 5
    assert SPEC.set("truck.q", SPEC.joints["truck"].q).joints == SPEC.joints


def test_every_fault_is_found_at_once():
    """Checks go on after the first fault; a Spec that is in order has none."""
    assert list(check_wheels(SPEC)) == []
    train = SPEC.drivetrains["truck.drivetrain"]
    train = train.model_copy(update={"chassis": "ground", "wheels": ("truck.wheel_fl", "x", "y", "truck.wheel_rr")})
    found = dict.fromkeys(words for _, words in check_wheels(SPEC.model_copy(update={"drivetrains": {"t": train}})))
    assert list(found) == [
        "a vehicle cannot be attached to the ground",
        "'x' is not a wheel",
        "'y' is not a wheel",
    ]
