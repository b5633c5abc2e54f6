"""Parts of a template: what they refuse, wherever they come from."""

import numpy as np
import pytest

from gori.errors import SpecError
from gori.vehicle import read_vehicle
from gori.vehicle.template import Arm, Vehicle, WheelTemplate, off_line, plain_tyre

TRUCK = read_vehicle("hmmwv").model_dump(exclude_unset=True)


def changed(part, **fields):
    return TRUCK | {part: TRUCK[part] | fields}


@pytest.mark.parametrize(
    ("part", "fields", "words"),
    [
        ("wheel", {"tyre": {"radius": 0.4}}, "wheel.tyre.type: 'type' is missing"),
        ("wheel", {"tyre": {"type": "soft"}}, "wheel.tyre.type: 'soft' is not one of 'fiala', 'magic'"),
        ("wheel", {"inertia": [1, 2, 3]}, "wheel.inertia: a wheel is axisymmetric"),
        ("chassis", {"inertia": [1, 1, 3]}, "chassis.inertia: inertia violates"),
        ("steering", {"travel": 0}, "steering.travel: must be positive"),
        ("drivetrain", {"hub_ratio": -1}, "drivetrain.hub_ratio: must be positive"),
        ("front", {"tie_rod": {"inner": [0, 0, 0], "outer": [0, 0, 0]}}, "front.tie_rod"),
    ],
)
def test_refused(part, fields, words):
    with pytest.raises(SpecError) as caught:
        Vehicle.model_validate(changed(part, **fields))
    assert words in str(caught.value)


def test_a_template_out_of_plain_data_is_the_same():
    assert Vehicle.model_validate(TRUCK) == read_vehicle("hmmwv")
    bare = Vehicle.model_validate({name: part for name, part in TRUCK.items() if name not in ("drivetrain", "payload")})
    assert bare.drivetrain is None and bare.payload.mass == 0.0


def test_an_arm_needs_an_axis_and_a_length():
    arm = {
        "mass": 1.0,
        "inertia": [1, 1, 1],
        "com": [0, 0, 0],
        "front": [1, 0, 0],
        "back": [0, 0, 0],
        "ball": [0, 1, 0],
    }
    assert Arm(**arm).moments().tolist() == np.eye(3).tolist()
    for fields, words in (
        ({"back": [1, 0, 5e-4]}, "the same point"),
        ({"ball": [7, 0, 5e-4]}, "on the axis of the arm"),
    ):
        with pytest.raises(SpecError, match=words):
            Arm(**(arm | fields))


def test_distance_from_a_line():
    assert off_line([3, 4, 5], [0, 0, 0], [0, 0, 2]) == pytest.approx(5.0)
    assert off_line([1, 1, 1], [0, 0, 0], [2, 2, 2]) == pytest.approx(0.0, abs=1e-15)


def test_plain_tyre():
    wheel = WheelTemplate(**TRUCK["wheel"])
    assert "source" in wheel.tyre and plain_tyre(wheel.tyre) == {
        name: value for name, value in wheel.tyre.items() if name not in ("source", "description")
    }
