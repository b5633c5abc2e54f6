"""Where a vehicle stands, and how it rolls from there."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.analysis import axle_loads
from gori.errors import InputError, SimulationError
from gori.model.vehicle.terrain import rough_road
from tests.vehicle.own import mean_speed, own_vehicle

ADAMS = gori.Adams(step=1e-3, order=2)


@pytest.fixture(scope="module")
def model():
    return gori.compile(vehicle.spec("hmmwv"))


def spun(model, state):
    return state.vehicle["wheel"]["angular_velocity"]


def test_it_stands(model):
    state = gori.at_rest(model)
    assert state.time == 0.0 and not state.v.any() and not spun(model, state).any()
    simulation = gori.Simulation(model, ADAMS, state=state)
    simulation.inputs["truck.brake"] = 1.0
    rec = simulation.run(1.0, sample=0.01)
    assert np.abs(rec["truck.chassis.position"] - rec["truck.chassis.position"][0]).max() < 1e-5
    loads = [sum(rec[f"truck.wheel_{axle}{side}.load"][0] for side in "lr") for axle in "fr"]
    front, rear = axle_loads("hmmwv")
    np.testing.assert_allclose(loads, [front, rear], rtol=2e-3)
    left, right = rec["truck.wheel_fl.load"][0], rec["truck.wheel_fr.load"][0]
    assert left == pytest.approx(right, rel=1e-6)
    # nothing is counted before the start
    assert rec["truck.drivetrain.engine_work"][0] == 0.0 and rec["truck.wheel_fl.work"][0] == 0.0


@pytest.mark.parametrize("speed", [15.0, -4.0])
def test_it_rolls(model, speed):
    state = gori.at_rest(model, speed)
    simulation = gori.Simulation(model, ADAMS, state=state)
    assert np.linalg.norm(simulation.v[model.joint("truck").v]) == pytest.approx(abs(speed), rel=1e-12)
    rec = simulation.run(0.3, sample=0.01)
    slips = np.array([rec[f"truck.wheel_{corner}.slip"] for corner in vehicle.CORNERS])
    assert np.abs(slips[:, 0]).max() < 1e-6 and np.abs(slips).max() < 0.02
    assert np.ptp(rec["truck.chassis.z"]) < 2e-3  # it does not jump
    assert np.sign(rec["truck.drivetrain.gear"][0]) == np.sign(speed)


def test_on_a_slope_it_stands_with_brakes_and_rolls_along_it():
    model = gori.compile(vehicle.spec("hmmwv", terrain={"grade": [0.2, 0.0]}, yaw_deg=180.0))
    state = gori.at_rest(model, 5.0)
    up = np.array([-0.2, 0.0, 1.0]) / np.hypot(0.2, 1.0)
    pose = model.forward_kinematics(state.q)["truck.chassis"]
    velocity = pose[:3, :3] @ state.v[model.joint("truck").v][3:]
    assert velocity @ up == pytest.approx(0.0, abs=1e-9) and np.linalg.norm(velocity) == pytest.approx(5.0)
    assert velocity[0] < -4.8  # it looks down the slope


def test_it_is_laid_onto_what_is_under_its_wheels():
    """A kerb under the front wheels lifts them, and nothing jumps; a Spec may also start high above, or deep below."""
    kerb = {"features": {"kerb": {"type": "step", "at": [1.0, 0.0], "height": 0.2}}}
    spec = vehicle.spec("hmmwv", terrain=kerb)
    stands = gori.at_rest(gori.compile(spec))
    pose = gori.compile(spec).forward_kinematics(stands.q)
    front, rear = (pose[f"truck.knuckle_{axle}l"][2, 3] for axle in "fr")
    assert front - rear == pytest.approx(0.2, abs=0.01)
    for height in (-0.5, 3.0):
        other = gori.at_rest(gori.compile(spec.set("truck.q", [1, 0, 0, 0, 0, 0, height])))
        np.testing.assert_allclose(other.q, stands.q, atol=1e-3)


@pytest.mark.parametrize("roughness", "ABCDE")
def test_it_stands_on_a_rough_road(roughness):
    for seed in range(3):
        road = {"field": rough_road(roughness, 20, 6, at=(-10, -3), seed=seed)}
        state = gori.at_rest(gori.compile(vehicle.spec("hmmwv", terrain=road)))
        assert (state.vehicle["contact"]["load"] > 0.0).sum() >= 3


@pytest.mark.parametrize(
    "feature",
    [
        {"type": "ramp", "at": [1.0, 0.0], "length": 3.0, "height": 0.2, "top": 4.0},
        {"type": "sine", "at": [1.2, 0.9], "length": 1.0, "height": 0.05, "width": 0.6},
    ],
)
def test_it_stands_on_features(feature):
    """Friction holds it there, and goes on to do so."""
    model = gori.compile(vehicle.spec("hmmwv", terrain={"features": {"a": feature}}))
    simulation = gori.Simulation(model, ADAMS, state=gori.at_rest(model))
    assert not simulation.vehicles.on_level_ground()
    simulation.inputs["truck.brake"] = 1.0
    place = simulation.run(1.0, sample=0.1, progress=False)["truck.chassis.position"]
    assert np.abs(place - place[0]).max() < 1e-4


def test_several_vehicles_have_speeds_of_their_own():
    one, two = vehicle.vehicle("hmmwv", "a"), vehicle.vehicle("hmmwv", "b", at=(0.0, 5.0))
    model = gori.compile(gori.Spec(**{key: one[key] | two[key] for key in one}, terrain={}))
    state = gori.at_rest(model, {"b": 8.0})
    assert not state.v[model.joint("a").v].any()
    assert np.linalg.norm(state.v[model.joint("b").v]) == pytest.approx(8.0, rel=1e-12)
    omega = state.vehicle["wheel"]["angular_velocity"]
    assert not omega[:4].any() and omega[4:] == pytest.approx(8.0 / 0.46, rel=0.03)
    with pytest.raises(InputError, match="speed: 'c' is not a vehicle"):
        gori.at_rest(model, {"c": 1.0})


def test_controls_wait_until_it_stands(model):
    control = {"type": "schedule", "throttle": 1.0, "selector": "D"}
    driven = gori.compile(model.spec.set("controls", {"truck.driver": control}))
    np.testing.assert_array_equal(gori.at_rest(driven).q, gori.at_rest(model).q)


def test_what_does_not_come_to_rest():
    slope = gori.compile(vehicle.spec("hmmwv", terrain={"grade": [0.3, 0.0], "friction": 0.05}))
    with pytest.raises(SimulationError, match=r"within 2 s: joint 'truck.*ground that is not level"):
        gori.at_rest(slope, longest=2.0)
    with pytest.raises(SimulationError, match=r"within 0.2 s.*may swing without damping"):
        gori.at_rest(gori.compile(vehicle.spec("hmmwv")), longest=0.2)
    with pytest.raises(InputError, match="speed must be a finite number, not nan"):
        gori.at_rest(slope, np.nan)


@pytest.mark.parametrize("axle", ["links", "bushing"])
def test_a_free_joint_within_a_vehicle_rolls_along(axle):
    """A solid axle on a free joint: it has no speed of its own against the chassis, and no tilt of the ground."""
    model = gori.compile(own_vehicle(terrain={"grade": [0.1, 0.0]}, axle=axle))
    state = gori.at_rest(model, speed=10.0)
    assert np.linalg.norm(state.v[model.joint("base").v]) == pytest.approx(10.0, rel=1e-12)
    assert np.abs(state.v[model.joint("tail").v]).max() < 1e-9
    assert mean_speed(model, state) == pytest.approx(10.0, rel=0.05)
    rec = gori.Simulation(model, ADAMS, state=state).run(0.3, sample=0.01)
    poses = [rec[f"{body}.rotation"] for body in ("frame", "beam")]
    assert np.abs(poses[0] - poses[1]).max() < 0.02 and np.abs(rec["tail.v"]).max() < 0.5
    with pytest.raises(InputError, match="'tail' is not a vehicle"):
        gori.at_rest(model, {"tail": 3.0})


def test_a_wheel_that_stands_outside_the_soil_is_told_of():
    soft = {"soft": {"soil": gori.soil("lete_sand"), "at": [5.0, -3.0], "size": [20.0, 6.0], "cell": 0.1}}
    spec = vehicle.spec("hmmwv", terrain=soft)
    *rest, z = spec.joints["truck"].q
    with pytest.raises(SimulationError, match="a wheel stands outside the grid of soft soil at t = 0 s"):
        gori.Simulation(gori.compile(spec.set("truck.q", [*rest, z - 0.03])), ADAMS)
