"""What all manoeuvres share: the vehicle on its course, its start, and what the chassis did."""

import math

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.manoeuvre.courses import Course
from gori.manoeuvre.setup import ManoeuvreSetup, crossing, holder, motion, rolling


@pytest.fixture(scope="module")
def model():
    return ManoeuvreSetup(friction=0.6, set={"payload.mass": 300.0}).place(Course({"grade": (0.2, 0.0)}))


def test_soil_under_other_manoeuvres(driven):
    soft, hard = driven("braking", speed=10.0, soil="dry_sand"), driven("braking", speed=10.0)
    assert soft["stopped"] and np.median(soft.recording["truck.wheel_fl.sinkage"]) > 0.02
    assert hard.recording["truck.wheel_fl.sinkage"].max() == 0.0


def test_the_vehicle_stands_along_the_grade(model):
    """Turned by the grade about the origin, and above it along the normal; at rest on all its wheels."""
    assert model.spec.terrain.friction == 0.6 and model.spec.terrain.grade == (0.2, 0.0)
    pose = model.forward_kinematics(model.q0)["truck.chassis"]
    assert pose[2, 0] / pose[0, 0] == pytest.approx(0.2) and pose[2, 1] == 0.0
    assert abs(pose[:3, 3] @ [1.0, 0.0, 0.2]) < 1e-12
    # all wheels just touch the ground: it was d (1 / cos - 1) too high
    up = np.array([-0.2, 0.0, 1.0]) / math.hypot(0.2, 1.0)
    poses = model.forward_kinematics(model.q0)
    for wheel in model.spec.wheels.values():
        clear = poses[wheel.body][:3, 3] @ up - wheel.tyre.radius
        assert -1e-6 < clear < 0.03
    assert min(poses[wheel.body][:3, 3] @ up - wheel.tyre.radius for wheel in model.spec.wheels.values()) < 1e-6
    load = rolling(model, 0.0).vehicle["wheel_output"]["load"]
    assert load.sum() == pytest.approx(model.mass * 9.81 / math.hypot(1.0, 0.2), rel=1e-2) and load.min() > 0.0


def test_words_and_forces():
    how = ManoeuvreSetup(set={"payload.mass": 600}, soil="lete_sand")
    assert how.words == "hmmwv, payload.mass 600, lete_sand" and ManoeuvreSetup().words == "hmmwv, hard ground"
    hitch = {"type": "wrench", "body": "truck.chassis", "force": [1.0, 0.0, 0.0]}
    assert "hitch" in ManoeuvreSetup().place(Course(), {"hitch": hitch}).spec.forces
    with pytest.raises(InputError, match="has no drive train"):
        ManoeuvreSetup(set={"drivetrain": None}).place(Course())


def test_rolling_starts_at_its_speed():
    model = ManoeuvreSetup().place(Course())
    state = rolling(model, 10.0)
    assert state.v[model.joint("truck").v][3] == pytest.approx(10.0, rel=1e-3)
    assert rolling(model, 0.0) is not rolling(model, 0.0)
    for speed in (-1.0, 101.0, math.nan):
        with pytest.raises(InputError, match="speed must be 0 to 100 m/s"):
            rolling(model, speed)


def test_motion_of_a_turning_chassis():
    """Poses that are put together by hand: a circle to the left at constant speed, with roll."""
    model = ManoeuvreSetup().place(Course())
    R, speed, t, roll = 20.0, 8.0, np.linspace(0.0, 6.0, 121), 0.03
    yaw, joint = speed / R * t, model.joint("truck")
    q, v = np.tile(model.q0, (len(t), 1)), np.zeros((len(t), model.nv))
    half = 0.5 * yaw
    cr, sr = math.cos(0.5 * roll), math.sin(0.5 * roll)
    q[:, joint.q.start : joint.q.start + 4] = np.column_stack(
        [cr * np.cos(half), sr * np.cos(half), sr * np.sin(half), cr * np.sin(half)]
    )
    q[:, joint.q.start + 4 : joint.q.start + 6] = R * np.column_stack([np.sin(yaw), 1.0 - np.cos(yaw)])
    v[:, joint.v.start + 1], v[:, joint.v.start + 2] = speed / R * math.sin(roll), speed / R * math.cos(roll)
    v[:, joint.v.start + 3] = speed
    m = motion(gori.Recording(model, t, q, v, np.zeros((len(t), model.nz))))
    np.testing.assert_allclose(m.yaw, yaw, atol=1e-12)
    np.testing.assert_allclose(m.yaw_rate, speed / R, rtol=1e-12)
    np.testing.assert_allclose(m.roll, roll, atol=1e-12)
    np.testing.assert_allclose(m.speed, speed)
    assert m.way[-1] == pytest.approx(speed * t[-1], rel=1e-4) and len(m.way) == len(t)
    np.testing.assert_allclose(m.wheel_angle, 0.0, atol=1e-9)


def test_crossing():
    x, y = np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0, 6.0])
    assert crossing(x, y, 4.0) == 2.0 and crossing(x, y, 0.0) == 0.0 and crossing(x, y, 6.0) == 3.0
    assert math.isnan(crossing(x, y, 6.1))


def test_holder_begins_with_the_throttle_of_its_speed():
    """At the speed that it holds it asks for the throttle that this speed takes, and no brake."""
    model = ManoeuvreSetup().place(Course())
    for speed, throttle in ((20.0, 0.34), (80.0, 1.0)):
        run = gori.Simulation(model, gori.Adams(step=1e-3), state=rolling(model, speed))
        holder(speed)(run)
        assert run.inputs["truck.throttle"] == pytest.approx(throttle, abs=0.01) and run.inputs["truck.brake"] == 0.0
