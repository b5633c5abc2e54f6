"""Dimensions of a vehicle against the figures of its template."""

import math

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.errors import InputError
from gori.manoeuvre.dimensions import dimensions, driven_vehicle, root_of
from tests.checks import arm
from tests.vehicle.own import own_vehicle


@pytest.fixture(scope="module")
def size(truck):
    return dimensions(truck, "lead", truck.q0)


def test_lengths_are_those_of_the_template(size):
    parts = vehicle.read_vehicle("hmmwv")
    hub = {axle: np.add(axle.at, axle.hub) for axle in (parts.front, parts.rear)}
    front, rear = hub[parts.front], hub[parts.rear]
    assert size.wheelbase == pytest.approx(front[0] - rear[0]) and size.track == pytest.approx(2.0 * front[1])
    assert (size.front, size.rear) == (pytest.approx(front[0]), pytest.approx(rear[0]))
    assert size.radius == parts.wheel.tyre["radius"]
    assert size.width == pytest.approx(2.0 * max(front[1], rear[1]) + parts.wheel.tyre["width"])


def test_wheels_are_sorted_and_the_front_ones_steered(size, truck):
    assert size.wheels == tuple(f"lead.wheel_{corner}" for corner in vehicle.CORNERS)
    assert size.steered == size.wheels[:2] and size.chassis == "lead.chassis"
    assert size.joint_q == truck.joint("lead").q and size.joint_v == truck.joint("lead").v


def test_lock_is_the_slope_of_the_steering(truck, size):
    """Both front wheels for a thousandth of the travel, in the assembled pose: the mean over a thousandth."""
    travel, q = truck.spec.steering["lead.steering"].travel, truck.q0.copy()
    q[truck.joint("lead.rack").q] += 1e-3 * travel
    poses = truck.forward_kinematics(gori.assemble(truck, q, hold=["lead", "lead.rack"]))
    R = poses["lead.chassis"][:3, :3]
    axes = [R.T @ poses[f"lead.knuckle_{corner}"][:3, 1] for corner in ("fl", "fr")]
    assert size.lock == pytest.approx(np.mean([np.arctan2(-a[0], a[1]) for a in axes]) / 1e-3, rel=0.02)
    assert 0.2 < size.lock < 1.0


def test_outline_holds_all_tyres(size):
    corners = size.outline
    assert corners[0].tolist() == [size.front + size.radius, 0.5 * size.width]
    area = 0.5 * abs(
        np.dot(corners[:, 0], np.roll(corners[:, 1], 1)) - np.dot(corners[:, 1], np.roll(corners[:, 0], 1))
    )
    assert area == pytest.approx((size.wheelbase + 2.0 * size.radius) * size.width)


def test_dimensions(truck):
    size = dimensions(truck, "lead")
    assert size.wheelbase == pytest.approx(3.302, abs=2e-3) and size.track == pytest.approx(1.8194, abs=1e-3)
    assert size.width == pytest.approx(1.8194 + 0.3175, abs=1e-3)
    assert math.degrees(size.lock) == pytest.approx(22.0, abs=1.0)
    assert size.wheels == tuple(f"lead.wheel_{corner}" for corner in ("fl", "fr", "rl", "rr"))
    assert size.steered == ("lead.wheel_fl", "lead.wheel_fr")
    assert size.chassis == "lead.chassis"


def test_refused(truck):
    with pytest.raises(InputError, match="there is no vehicle 'leed'; did you mean 'lead'"):
        dimensions(truck, "leed")
    with pytest.raises(InputError, match="vehicles here: none"):
        dimensions(gori.compile(arm()), "truck")
    bare = gori.compile(vehicle.spec(running_gear=False))
    with pytest.raises(InputError, match="has no wheels"):
        dimensions(bare)


def test_a_vehicle_of_your_own():
    """By the name of its drive train or of its joint; wheels and steering are those that it carries."""
    model = gori.compile(own_vehicle())
    assert driven_vehicle(model) == "car" and root_of(model, "car") == root_of(model, "base") == "base"
    size = dimensions(model, "car")
    assert size.wheels == ("car.front_left", "car.front_right", "car.rear_left", "car.rear_right")
    assert size.wheelbase == pytest.approx(2.7) and size.track == pytest.approx(1.5) and size.chassis == "frame"
    assert size.steered == size.wheels[:2] and size.lock > 0.1
    with pytest.raises(InputError, match="no vehicle 'cart'; did you mean 'car'"):
        dimensions(model, "cart")
    with pytest.raises(InputError, match="has no drive train"):
        driven_vehicle(gori.compile(own_vehicle(drive=False)))
