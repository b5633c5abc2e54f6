"""A template as a Spec: topology, masses, symmetry, payload and names."""

import numpy as np
import pytest

import gori
from gori.vehicle import read_vehicle, spec, vehicle
from gori.vehicle.expand import CORNERS, expand, independent, running_gear

G = 9.81


@pytest.fixture(scope="module")
def truck():
    return gori.compile(spec())


def test_topology_of_the_paper(truck):
    """15 bodies with the ground, 27 coordinates, 16 equations, 11 degrees of freedom."""
    about = truck.mobility()
    assert about.bodies + 1 == 15
    assert (about.coordinates, about.equations, about.rank, about.freedom) == (27, 16, 16, 11)
    assert truck.nq == 32 and about.redundant == ()
    chosen = truck.mobility(independent=independent())
    assert chosen.condition < 100.0 and chosen.independent[6:] == tuple(
        name for name in truck.joint_names if name in independent()[1:]
    )
    joints = [joint.type for joint in truck.spec.joints.values()]
    assert {kind: joints.count(kind) for kind in set(joints)} == {
        "free": 1, "prismatic": 1, "revolute": 8, "spherical": 4,
    }  # fmt: skip
    cuts = [cut.type for cut in truck.spec.cuts.values()]
    assert sorted(cuts) == ["distance"] * 4 + ["spherical"] * 4


def test_names(truck):
    parts = ("lower_arm", "upper_arm", "knuckle")
    assert set(truck.spec.bodies) == {"truck.chassis", "truck.rack"} | {
        f"truck.{p}_{c}" for p in parts for c in CORNERS
    }
    assert set(truck.spec.forces) == {f"truck.{part}_{corner}" for part in ("spring", "damper") for corner in CORNERS}
    assert truck.spec.joints["truck"].child == "truck.chassis"
    assert truck.spec.cuts["truck.tie_rod_fl"].parent == "truck.rack"
    assert truck.spec.cuts["truck.tie_rod_rr"].parent == "truck.chassis"
    other = spec(name="lead")
    assert all(name.partition(".")[0] == "lead" for group in ("bodies", "joints") for name in getattr(other, group))


def test_the_design_position_is_closed(truck):
    assert np.abs(truck.loop_system.terms(truck.q0).gap).max() < 1e-15
    for corner in CORNERS:  # level, wheels straight, tyres touch the ground z = 0
        pose = truck.forward_kinematics(truck.q0)[f"truck.knuckle_{corner}"]
        np.testing.assert_allclose(pose[:3, :3], np.eye(3), atol=1e-15)
        assert pose[2, 3] == pytest.approx(0.4699, abs=1e-12)


def test_masses_and_wheelbase(truck):
    assert truck.mass == pytest.approx(2576.92, abs=0.01)
    where = truck.forward_kinematics(truck.q0)
    front, rear = where["truck.knuckle_fl"][:3, 3], where["truck.knuckle_rl"][:3, 3]
    assert front[0] - rear[0] == pytest.approx(3.302, abs=1e-4)
    assert front[1] == pytest.approx(0.9097, abs=1e-5)
    knuckle = truck.spec.bodies["truck.knuckle_fl"]
    assert knuckle.mass == pytest.approx(19.450 + 14.705 + 18.8 + 37.6)


def test_knuckles_carry_the_wheels_but_not_their_spin(truck):
    """Inertia about the hub, worked out again: upright at 0.1587 m along y, wheel's own x and z, nothing about y."""
    mass, com, inertia = truck.spec.bodies["truck.knuckle_fl"].inertial()
    arm = 35.815 * 0.0254 - 29.5675 * 0.0254
    across = 0.04117 + 0.4634 + 3.84
    about_hub = inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))
    expected = [0.1656 + 19.45 * arm**2 + across, 0.1934, 0.04367 + 19.45 * arm**2 + across]
    np.testing.assert_allclose(about_hub, np.diag(expected), rtol=1e-12, atol=1e-12)


def test_right_is_the_mirror_image_of_left(truck):
    flip = np.diag([1.0, -1.0, 1.0])
    for part in ("lower_arm", "upper_arm", "knuckle"):
        for axle in "fr":
            left, right = (truck.spec.bodies[f"truck.{part}_{axle}{side}"].inertial() for side in "lr")
            assert left[0] == right[0]
            np.testing.assert_allclose(right[1], flip @ left[1], atol=1e-15)
            np.testing.assert_allclose(right[2], flip @ left[2] @ flip, atol=1e-15)
    assert truck.center_of_mass(truck.q0)[1] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("corner", CORNERS)
def test_arms_turn_up_with_positive_q(truck, corner):
    for arm in ("lower_arm", "upper_arm"):
        q = truck.q0.copy()
        q[truck.joint(f"truck.{arm}_{corner}").q] = 0.1
        body = f"truck.{arm}_{corner}"
        com = np.array([*truck.spec.bodies[body].com, 1.0])
        assert (truck.forward_kinematics(q)[body] @ com)[2] > (truck.forward_kinematics(truck.q0)[body] @ com)[2] + 0.01


def test_arm_inertia_in_its_own_axes():
    """About the pivots' direction it is Ixx, across the plane of the arm Izz, whichever way the arm lies."""
    truck = read_vehicle("hmmwv", {"front.upper_arm.inertia": [0.03, 0.04, 0.06]})
    arm, body = truck.front.upper_arm, gori.spec.Body(**expand(truck)["bodies"]["truck.upper_arm_fl"])
    along = np.subtract(arm.front, arm.back) / np.linalg.norm(np.subtract(arm.front, arm.back))
    across = np.cross(along, np.subtract(arm.ball, arm.back))
    across /= np.linalg.norm(across)
    for axis, moment in ((along, 0.03), (across, 0.06), (np.cross(along, across), 0.04)):
        assert axis @ body.inertial()[2] @ axis == pytest.approx(moment, rel=1e-12)


def test_payload_is_part_of_the_chassis():
    at, size = [-1.0, 0.2, 0.5], [2.0, 1.0, 0.6]
    bare = spec().bodies["truck.chassis"].inertial()
    full = spec(set={"payload.mass": 600, "payload.at": at, "payload.size": size}).bodies["truck.chassis"].inertial()
    assert full[0] == bare[0] + 600
    np.testing.assert_allclose(full[1], (bare[0] * bare[1] + 600 * np.array(at)) / full[0], rtol=1e-12)
    box = 600 / 12 * np.diag([1.0**2 + 0.6**2, 2.0**2 + 0.6**2, 2.0**2 + 1.0**2])
    about_origin = [J + m * (c @ c * np.eye(3) - np.outer(c, c)) for m, c, J in (bare, (600, np.array(at), box), full)]
    np.testing.assert_allclose(about_origin[0] + about_origin[1], about_origin[2], rtol=1e-12, atol=1e-9)


def test_running_gear():
    data = vehicle(set={"drivetrain.hub_ratio": 1.5})
    assert list(data["wheels"]) == [f"truck.wheel_{corner}" for corner in CORNERS]
    wheel = data["wheels"]["truck.wheel_rl"]
    assert wheel["body"] == "truck.knuckle_rl" and wheel["brake"] == 4000
    assert wheel["inertia"] == pytest.approx(0.07352 + 0.6243 + 6.69)
    assert wheel["tyre"]["radius"] == 0.4699 and "source" not in wheel["tyre"]
    assert data["steering"]["truck.steering"]["joint"] == "truck.rack"
    train = data["drivetrains"]["truck.drivetrain"]
    assert train["wheels"] == list(data["wheels"]) and train["chassis"] == "truck.chassis" and train["hub_ratio"] == 1.5
    assert data["drag"]["truck.drag"]["area_cd"] == 2.5
    assert "drivetrains" not in running_gear(read_vehicle("hmmwv", {"drivetrain": None, "drag": None}))


def test_it_falls_and_keeps_together():
    """Two tenths of a second of free fall with the springs at work: the loops stay closed, the whole falls by g."""
    model = gori.compile(spec(set={"payload.mass": 600}, running_gear=False))
    rec = gori.Simulation(model, gori.RK4(step=1e-3), loops="multipliers").run(0.2, sample=0.05)
    gap = max(np.abs(model.loop_system.terms(q).gap).max() for q in rec.q)
    assert gap < 1e-9
    com = rec["center_of_mass"]
    np.testing.assert_allclose(com[-1] - com[0], [0.0, 0.0, -0.5 * G * 0.04], atol=1e-6)
    assert abs(rec["truck.lower_arm_rl.q"][-1]) > 0.01  # the springs push the wheels down
