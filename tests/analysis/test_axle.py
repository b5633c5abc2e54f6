"""An axle out of a vehicle: which bodies belong to it, and where it is."""

import numpy as np
import pytest

import gori
from gori.analysis import bump_curves
from gori.analysis.axle import axles_of, hold_axle
from gori.errors import InputError
from gori.vehicle import spec
from tests.vehicle.own import FRONT, REAR, own_vehicle


def test_axles_of_a_vehicle_of_your_own():
    found = axles_of(own_vehicle())
    assert (
        [axle.name for axle in found.axles] == ["front", "rear"] and found.chassis == "frame" and found.root == "base"
    )
    assert (found.axles[0].x, found.axles[1].x) == (pytest.approx(FRONT), pytest.approx(REAR))
    assert found.axle("rear") == found.axle(1) == found.axle(-1)
    with pytest.raises(InputError, match="axle must be 'front' or 'rear', not 'middle'"):
        found.axle("middle")


def test_what_belongs_to_an_axle():
    found = axles_of(own_vehicle())
    front, rear = (hold_axle(found, axle) for axle in found.axles)
    assert set(front.model.spec.bodies) == {"frame", "bar", "pillar_left", "pillar_right"}
    assert front.steering == ("slider",) and front.struts == ("front_leg_left", "front_leg_right")
    assert set(rear.model.spec.bodies) == {"frame", "beam"} and rear.steering == ()
    assert set(rear.model.spec.cuts) == {"link_left", "link_right", "top_link", "panhard"}
    template = axles_of(spec("hmmwv"))
    held = hold_axle(template, template.axle("rear"))
    assert len(held.model.spec.bodies) == 7 and held.wheels == ("truck.wheel_rl", "truck.wheel_rr")


def test_refused():
    with pytest.raises(InputError, match="this Spec has no wheels"):
        axles_of(spec("hmmwv", running_gear=False))
    two = own_vehicle()
    data = two.model_dump(exclude_unset=True)
    data["wheels"] = {name: part for name, part in data["wheels"].items() if name != "car.rear_left"}
    data.pop("drivetrains")
    three = axles_of(gori.Spec(**data))
    with pytest.raises(InputError, match=r"rear axle is wheel 'car\.rear_right', which has no other beside it"):
        three.axle("rear")
    data["wheels"].pop("car.front_left")
    with pytest.raises(InputError, match=r"wheel 'car\.front_right' has no other beside it"):
        axles_of(gori.Spec(**data))


def test_the_axles_of_a_three_wheeler_that_has_one():
    data = own_vehicle(drive=False).model_dump(exclude_unset=True)
    whole = bump_curves(gori.Spec(**data), "front", travel=[0.0, 0.05])
    data["wheels"] = {name: part for name, part in data["wheels"].items() if name != "car.rear_left"}
    three = gori.Spec(**data)
    found = axles_of(three)
    assert found.names == ("front", "rear") and found.alone == {"rear": "car.rear_right"}
    assert found.axle(0) == found.axle("front") == found.axles[0] and len(found.axles) == 1
    np.testing.assert_array_equal(bump_curves(three, "front", travel=[0.0, 0.05])["load"], whole["load"])
