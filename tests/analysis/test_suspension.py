"""Kinematics and compliance of the HMMWV-like suspension against published figures, differences and statics."""

import numpy as np
import pytest

import gori
from gori.analysis.suspension import Bench, axle_loads, bump_curves, ride, steer_curves
from gori.errors import ClosureError, InputError
from gori.vehicle import read_vehicle, spec
from tests.reference.suspension import corner
from tests.vehicle.own import own_vehicle

TRAVEL = np.array([-0.068, -0.05, 0.0, 0.05, 0.072, 0.074])


@pytest.fixture(scope="module")
def front():
    return bump_curves(axle="front", travel=TRAVEL)


@pytest.fixture(scope="module")
def rear():
    return bump_curves(axle="rear", travel=TRAVEL)


# ---- acceptance figures


def test_motion_ratios_at_the_design_position(front, rear):
    assert front.at("spring_ratio", 0.0) == pytest.approx(0.452, abs=5e-4)
    assert rear.at("spring_ratio", 0.0) == pytest.approx(0.439, abs=5e-4)
    assert front.at("damper_ratio", 0.0) == pytest.approx(0.454, abs=5e-4)
    assert rear.at("damper_ratio", 0.0) == pytest.approx(0.444, abs=5e-4)


def test_wheel_rates_at_the_design_position(front, rear):
    assert front.at("wheel_rate", 0.0) == pytest.approx(34.1e3, abs=50)
    assert rear.at("wheel_rate", 0.0) == pytest.approx(71.2e3, abs=50)


def test_camber_and_toe(front, rear):
    """Size of the changes: the published figures give no signs."""
    assert abs(front.at("camber", 0.072)) == pytest.approx(2.2, abs=0.05)
    assert abs(front.at("toe", 0.072)) == pytest.approx(0.24, abs=5e-3)
    assert abs(front.at("camber", -0.068)) == pytest.approx(1.05, abs=5e-3)
    assert abs(front.at("toe", -0.068)) == pytest.approx(0.55, abs=5e-3)
    assert abs(rear.at("camber", 0.074)) == pytest.approx(3.1, abs=0.05)
    assert abs(rear.at("toe", 0.074)) == pytest.approx(0.08, abs=5e-3)
    assert front.at("camber", 0.0) == pytest.approx(0.0, abs=1e-9) and front.at("toe", 0.0) == pytest.approx(
        0, abs=1e-9
    )


def test_spring_lengths_of_the_design_position():
    for axle, length in (("front", 0.2465), ("rear", 0.3060)):
        bench = Bench(read_vehicle("hmmwv"), axle)
        assert bench.lengths(bench.model.q0[None], "spring", "l")[0] == pytest.approx(length, abs=1e-4)


def test_axle_loads():
    front, rear = axle_loads()
    assert front == pytest.approx(13043, abs=1.0) and rear == pytest.approx(12237, abs=1.0)


def test_payload_of_the_design_position(front, rear):
    """About 1840 kg at x = -1.05 m bring it to the design position, within 8 mm; it is exactly there with 1769 kg."""
    stands = ride(set={"payload.mass": 1840, "payload.at": [-1.05, 0, 0.6]})
    assert abs(stands["front"]["travel"]) < 8e-3 and abs(stands["rear"]["travel"]) < 8e-3
    truck = gori.compile(spec())
    axles = 2.0 * front.at("load", 0.0), 2.0 * rear.at("load", 0.0)
    mass = sum(axles) / 9.81 - truck.mass
    assert mass == pytest.approx(1840, rel=0.05)
    moment = axles[0] * 1.648579 - axles[1] * 1.653405
    x = (moment / 9.81 - truck.mass * truck.center_of_mass(truck.q0)[0]) / mass
    assert x == pytest.approx(-1.05, abs=0.05)
    there = ride(set={"payload.mass": mass, "payload.at": [x, 0, 0.6]})
    assert abs(there["front"]["travel"]) < 1e-8 and abs(there["rear"]["travel"]) < 1e-8


def test_unladen_it_rides_high_and_the_rear_springs_touch_their_stops():
    stands = ride()
    assert stands["front"]["travel"] == pytest.approx(-0.050, abs=4e-3)
    assert stands["rear"]["travel"] == pytest.approx(-0.104, abs=4e-3)
    assert 0.350 < stands["rear"]["spring"] < 0.353 and stands["front"]["spring"] < 0.30


# ---- consistency


@pytest.mark.parametrize("axle", ["front", "rear"])
def test_poses_against_the_twin(axle):
    """Wheel centre and axis of a corner that knows only its points, and what stays of their distances."""
    truck = read_vehicle("hmmwv")
    bench, part = Bench(truck, axle), getattr(truck, axle)
    joint = bench.model.joint(f"truck.lower_arm_{axle[0]}l")
    for travel in (-0.09, -0.04, 0.0, 0.05, 0.1):
        for rack in (-0.05, 0.0, 0.03) if axle == "front" else (0.0,):
            q = bench.poses(np.array([[travel, 0.0, rack]]))
            inner = np.array(part.tie_rod.inner) + rack * np.array(truck.steering.axis)
            centre, axis = corner(part, q[0, joint.q.start], inner)
            np.testing.assert_allclose(bench.centre(q, "l")[0], centre + part.at, atol=1e-10)
            np.testing.assert_allclose(bench.axis(q, "l")[0], axis, atol=1e-10)
            assert centre[2] - part.hub[2] == pytest.approx(travel, abs=1e-10)


def test_ratios_are_the_slopes_of_the_lengths():
    bench, h = Bench(read_vehicle("hmmwv"), "front"), 1e-4
    poses = bench.poses(np.array([[0.03 + s, 0.03 + s, 0.02] for s in (-h, 0.0, h)]))
    for strut in ("spring", "damper"):
        lengths = bench.lengths(poses, strut, "l")
        assert bench.slopes(poses, "l")[strut][1] == pytest.approx((lengths[2] - lengths[0]) / (2 * h), abs=1e-7)


def test_load_is_what_holds_the_machine_at_rest():
    """The wheels pushed up by the load and no more: nothing moves. Left alone, they drop."""
    bench = Bench(read_vehicle("hmmwv"), "rear")
    poses = bench.poses(np.array([[0.04, 0.04, 0.0]]))
    data = bench.model.spec.model_dump(exclude_unset=True)
    for side in "lr":
        push = {"type": "wrench", "body": f"truck.knuckle_r{side}", "force": [0, 0, bench.loads(poses, side)[0]]}
        data["forces"][f"push_{side}"] = push

    def speed(model):
        state = gori.State(0.0, poses[0], np.zeros(model.nv), np.zeros(0))
        return np.abs(gori.Simulation(model, gori.RK4(step=1e-4), state=state).run(0.01, sample=0.01).v[-1]).max()

    assert speed(gori.compile(gori.Spec(**data))) < 1e-9
    assert speed(bench.model) > 0.1


def test_rate_is_the_slope_of_the_load(front):
    near = bump_curves(axle="front", travel=[0.049, 0.05, 0.051])
    assert near["rate"][1] == pytest.approx((near["load"][2] - near["load"][0]) / 2e-3, rel=1e-4)
    # what the published wheel rate leaves out: the ratio changes while the spring is under load
    assert front.at("rate", 0.0) < front.at("wheel_rate", 0.0)


def test_both_sides_do_the_same():
    bench = Bench(read_vehicle("hmmwv"), "front")
    poses = bench.poses(np.array([[0.05, -0.03, 0.01], [-0.03, 0.05, -0.01]]))
    for what in (bench.camber, bench.loads):
        np.testing.assert_allclose(what(poses, "l"), what(poses, "r")[::-1], rtol=1e-9)
    np.testing.assert_allclose(bench.steer(poses, "l"), -bench.steer(poses, "r")[::-1], rtol=1e-9)
    np.testing.assert_allclose(bench.slopes(poses, "l")["spring"], bench.slopes(poses, "r")["spring"][::-1], rtol=1e-9)


def test_poses_do_not_depend_on_the_order():
    travel = np.array([0.08, -0.08, 0.0, 0.01])
    there, back = (bump_curves(axle="rear", travel=x) for x in (travel, travel[::-1]))
    np.testing.assert_allclose(there["toe"], back["toe"][::-1], atol=1e-9)


# ---- steering


def test_the_rack_steers_left_with_positive_travel():
    curves = steer_curves(rack=[-0.052, -0.02, 0.0, 0.02, 0.052])
    assert (np.diff(curves["left"]) > 0.0).all() and (np.diff(curves["right"]) > 0.0).all()
    np.testing.assert_allclose(curves["left"], -curves["right"][::-1], atol=1e-9)
    assert curves["radius"][2] == np.inf and curves["radius"][-1] > 0.0 > curves["radius"][0]
    assert 20.0 < curves["left"][-1] < 25.0
    np.testing.assert_allclose(curves["ackermann"], curves["ackermann"][::-1], atol=1e-6)


def test_ackermann_of_wheels_that_meet_on_the_rear_axle():
    """Parallel wheels give 0, and the percentage is linear in the inner angle."""
    curves = steer_curves(rack=[0.03])
    left, right = curves["left"][0], curves["right"][0]
    bench = Bench(read_vehicle("hmmwv"), "front")
    poses = bench.poses(np.array([[0.0, 0.0, 0.03]]))
    track = (bench.contact(poses, "l") - bench.contact(poses, "r"))[0, 1]
    ideal = np.degrees(np.arctan(1.0 / (1.0 / np.tan(np.radians(right)) - track / 3.301984)))
    assert curves["ackermann"][0] == pytest.approx(100.0 * (left - right) / (ideal - right), rel=1e-9)


# ---- refused, and shown


def test_travel_that_cannot_be():
    with pytest.raises(ClosureError, match=r"corner f[lr]: the arms and the tie rod cannot be assembled") as caught:
        bump_curves(axle="front", travel=[0.0, 0.6])
    assert caught.value.cut.startswith("truck.")
    with pytest.raises(ClosureError, match=r"corner r[lr]: "):
        bump_curves(axle="rear", travel=[0.0], set={"rear.tie_rod.length": 0.05})
    with pytest.raises(InputError, match="one-dimensional array of finite numbers"):
        bump_curves(travel=[np.nan])
    with pytest.raises(InputError, match="'front' or 'rear'"):
        bump_curves(axle="middle")
    with pytest.raises(InputError, match="has already been read"):
        bump_curves(read_vehicle("hmmwv"), set={"payload.mass": 1})


def test_table_file_and_plot(front, tmp_path):
    lines = str(front).splitlines()
    assert lines[0] == "front suspension" and len(lines) == 2 + len(TRAVEL) and "camber [deg]" in lines[1]
    front.save(tmp_path / "front.csv")
    assert np.loadtxt(tmp_path / "front.csv", delimiter=",", skiprows=1).shape == (len(TRAVEL), len(front.names))
    front.plot(tmp_path / "front.png", "camber", "toe")
    assert (tmp_path / "front.png").stat().st_size > 5000
    with pytest.raises(InputError, match="no column 'cambre'; did you mean 'camber'"):
        front["cambre"]
    with pytest.raises(InputError, match="outside"):
        front.at("camber", 1.0)


# ---- vehicles of your own


def test_solid_axle_against_its_levers():
    """Springs at 0.8 of the half track: a wheel alone moves its own by 0.9, the other one's by 0.1."""
    curves = bump_curves(own_vehicle(), "rear", travel=[-0.05, 0.0, 0.05])
    assert curves.at("rear_leg_left_ratio", 0.0) == pytest.approx(0.9, abs=1e-9)
    assert curves.at("rear_leg_right_ratio", 0.0) == pytest.approx(0.1, abs=1e-9)
    assert curves.at("wheel_rate", 0.0) == pytest.approx(40e3 * (0.9**2 + 0.1**2))
    assert abs(curves["camber"]).max() < 1e-9, "both wheels move together"


def test_sliding_pillars():
    curves = bump_curves(own_vehicle(), "front", travel=[-0.05, 0.0, 0.05])
    assert curves.at("front_leg_left_ratio", 0.0) == pytest.approx(1.0) and abs(curves["camber"]).max() < 1e-9
    assert curves.at("toe", 0.05) == pytest.approx(curves.at("toe", -0.05)) and abs(curves.at("toe", 0.05)) > 0.1
    # what the spring holds less what the pillar and half of the axle weigh
    assert curves.at("load", 0.0) == pytest.approx(40e3 * 0.12 + 40.0 * 9.81, rel=1e-6)


def test_it_rides_where_a_run_comes_to_rest():
    stands, model = ride(own_vehicle()), gori.compile(own_vehicle())
    pose = model.forward_kinematics(gori.at_rest(model).q)
    up = pose["frame"][:3, 2]
    for axle, body in (("front", "pillar_left"), ("rear", "beam")):
        travel = (pose[body][:3, 3] - pose["frame"][:3, 3]) @ up
        assert travel == pytest.approx(stands[axle]["travel"], abs=1e-3)


def test_steering_of_a_vehicle_of_your_own():
    curves = steer_curves(own_vehicle(), rack=[-0.03, 0.0, 0.03])
    np.testing.assert_allclose(curves["left"], -curves["right"][::-1], atol=1e-9)
    assert 5.0 < curves["left"][-1] < 15.0
    data = own_vehicle(drive=False).model_dump(exclude_unset=True)
    data.pop("steering")
    with pytest.raises(InputError, match="are not steered"):
        steer_curves(gori.Spec(**data))


def test_springs_in_joints_and_a_steering_that_turns():
    """No strut, no wheel_rate; the load knows all springs. A steering joint that turns has radians."""
    tyre = own_vehicle().wheels["car.front_left"].tyre
    bodies = {"frame": {"mass": 900.0, "inertia": [250.0, 900.0, 1000.0]}}
    joints = {"car": {"type": "free", "parent": "ground", "child": "frame", "q": [1, 0, 0, 0, 0, 0, 0.55]}}
    wheels = {}
    for axle, x in (("f", 1.2), ("r", -1.2)):
        for side, y in (("l", 0.7), ("r", -0.7)):
            name = axle + side
            bodies |= {part + name: {"mass": 10.0, "inertia": [1.0, 1.0, 1.0]} for part in "uk"}
            slide = {"type": "prismatic", "axis": [0, 0, 1], "stiffness": 3e4, "at": [x, y, 0.0]}
            joints[f"s{name}"] = {"parent": "frame", "child": f"u{name}", **slide}
            turn = {"type": "revolute", "axis": [0, 0, 1]} if axle == "f" else {"type": "fixed"}
            joints[f"k{name}"] = {"parent": f"u{name}", "child": f"k{name}", **turn}
            wheels[f"car.{name}"] = {"body": f"k{name}", "inertia": 1.0, "tyre": tyre}
    joints["kfr"]["mimic"] = {"joint": "kfl"}
    steering = {"car.steering": {"joint": "kfl", "travel": 0.5, "stiffness": 2e4}}
    car = gori.Spec(bodies=bodies, joints=joints, wheels=wheels, steering=steering, terrain={})
    curves = bump_curves(car, "front", travel=[0.0, 0.02])
    assert np.isnan(curves["wheel_rate"]).all() and curves["rate"] == pytest.approx(3e4, rel=1e-6)
    assert "rack [rad]" in str(steer_curves(car))
