"""Whole vehicles on hard ground: rest, straight and round, mirror images, two rates, and what nobody should do."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gori
from gori.errors import SimulationError
from gori.vehicle import CORNERS
from tests.vehicle.trucks import WEIGHT, carried, level, path, rest, run, simulation, speeds, truck, upright, yaw
from validation.vehicle_energy import audit

DRIVE = {"selector": "D"}
BRAKED = {"brake": 1.0}


# ---- rest


def test_rest_is_rest():
    state = rest()
    rec = run(level(), state, 2.0, inputs=BRAKED)
    assert np.abs(path(rec) - path(rec)[0]).max() < 2e-6
    assert_allclose(carried(rec)[-1].sum(), WEIGHT, rtol=1e-5)
    assert_allclose(carried(rec)[-1, ::2], carried(rec)[-1, 1::2], rtol=1e-9)


def test_without_brakes_it_comes_to_rest_too():
    """Nothing holds the wheels of a vehicle without drive train; it must not roll away."""
    state = gori.at_rest(truck(train=False))
    other = np.arange(len(state.q)) != 4
    assert_allclose(state.q[other], rest().q[other], atol=2e-6)


def test_rest_on_a_plane_elsewhere():
    state = gori.at_rest(truck({"at": [1.0, 2.0, 3.0]}))
    assert_allclose(state.q[6] - 3.0, rest().q[6], atol=1e-6)


@pytest.mark.parametrize("grade", [(0.2, 0.0), (0.6, 0.0), (-0.6, 0.0), (0.0, 0.4), (0.2, 0.2)])
def test_parked_on_a_slope(grade):
    """Ten minutes on 20 % are among the rows of the validation."""
    model = truck({"grade": grade})
    rec = run(model, gori.at_rest(model), 20.0, sample=1.0, inputs=BRAKED)
    assert np.abs(path(rec)[-1] - path(rec)[1]).max() < 1e-6
    assert np.abs(path(rec)[-1] - path(rec)[10]).max() < 1e-10
    assert_allclose(carried(rec)[-1].sum(), WEIGHT, rtol=1e-5)
    slope = np.hypot(*grade)
    held = sum(np.hypot(rec[f"truck.wheel_{c}.fx"][-1], rec[f"truck.wheel_{c}.fy"][-1]) for c in CORNERS)
    assert held >= 0.99 * WEIGHT * slope / np.hypot(1.0, slope)


def test_too_steep_to_stand():
    with pytest.raises(SimulationError, match="does not come to rest"):
        gori.at_rest(truck({"grade": [1.1, 0.0]}), longest=10.0)


# ---- straight and round


@pytest.mark.parametrize("loops", ["multipliers", "frozen_explicit", "real_time", "partition"])
def test_straight_stays_straight(loops):
    duration = 20.0 if loops == "multipliers" else 5.0
    rec = run(level(), rest(80.0 / 3.6), duration, loops=loops, inputs=DRIVE | {"throttle": 0.2})
    assert path(rec)[-1, 0] > 80.0
    assert np.abs(path(rec)[:, 1]).max() < 1e-6


def test_left_mirrors_right():
    """With 0.9 g of lateral acceleration asked for: tyres at their limits, an inner wheel nearly off the ground."""
    left, right = (run(level(), rest(20.0), 6.0, inputs=DRIVE | {"throttle": 0.3, "steer": s}) for s in (0.3, -0.3))
    assert np.abs(path(left)[:, 1]).max() > 30.0
    assert_allclose(path(left), path(right) * [1.0, -1.0, 1.0], atol=1e-8)
    for a, b in (("fl", "fr"), ("rl", "rr")):
        assert_allclose(left[f"truck.wheel_{a}.load"], right[f"truck.wheel_{b}.load"], atol=1e-4)
        assert_allclose(left[f"truck.wheel_{a}.fy"], -right[f"truck.wheel_{b}.fy"], atol=1e-4)


def test_yaw_through_full_turns():
    """Frozen matrices belong to the vehicle, not to its heading."""
    found = {}
    for loops in ("multipliers", "frozen_explicit", "real_time", "partition"):
        rec = run(level(), rest(10.0), 15.0, loops=loops, sample=0.1, inputs=DRIVE | {"throttle": 0.25, "steer": 0.6})
        found[loops] = np.column_stack([path(rec), yaw(rec)])
    assert found["multipliers"][-1, 3] > 2.0 * np.pi
    for loops, apart in (("frozen_explicit", 1e-5), ("real_time", 1e-3), ("partition", 1e-5)):
        assert_allclose(found[loops], found["multipliers"], atol=apart)


def test_same_place_after_turning_the_world():
    """A vehicle that starts with another heading drives the same course, turned."""
    a = 2.0
    start = rest(15.0)
    turned = start.q.copy()
    w, x, y, z = start.q[:4]
    c, s = np.cos(a / 2), np.sin(a / 2)
    turned[:4] = c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w
    R = np.array([[np.cos(a), -np.sin(a), 0.0], [np.sin(a), np.cos(a), 0.0], [0.0, 0.0, 1.0]])
    turned[4:7] = R @ start.q[4:7]
    inputs = DRIVE | {"throttle": 0.3, "steer": 0.4}
    one = run(level(), start, 4.0, inputs=inputs, loops="frozen_explicit")
    other = run(level(), start.replace(q=turned), 4.0, inputs=inputs, loops="frozen_explicit")
    assert_allclose(path(other), path(one) @ R.T, atol=1e-6)


# ---- energy


@pytest.mark.parametrize(
    ("speed", "duration", "inputs"),
    [
        (20.0, 3.0, {"selector": "N"}),
        (0.0, 6.0, {"selector": "D", "throttle": 1.0}),
        (20.0, 3.5, {"selector": "N", "brake": 0.8}),
        (15.0, 3.0, {"selector": "D", "throttle": 0.4, "steer": 0.5}),
    ],
    ids=["coasting", "accelerating", "braking", "turning"],
)
def test_energy(speed, duration, inputs):
    works = audit(run(level(), rest(speed), duration, sample=1e-3, inputs=inputs))
    turnover = max(map(abs, works.values()))
    assert abs(works["train"]) < 1e-7 * turnover
    assert abs(works["bodies"]) < 1e-6 * turnover
    assert abs(works["open"]) < 1e-4 * turnover
    # nothing that can only lose gives
    for name in ("losses", "brakes", "dampers", "drag", "slip", "rolling"):
        assert works[name] >= -1e-6 * turnover, name
    # the simplification of the drive train, speeds counted from the ground, is a small thing
    assert abs(works["reactions"]) < 1e-3 * turnover


def test_what_is_open_is_of_the_sub_steps():
    found = []
    for sub in (1e-3, 2e-4, 5e-5):
        inputs = {"selector": "N", "brake": 0.5}
        rec = run(level(), rest(20.0), 1.5, sample=1e-3, inputs=inputs, sub_steps={"truck.drivetrain": sub})
        works = audit(rec)
        found.append(abs(works["open"]) / max(map(abs, works.values())))
    assert found[0] < 5e-4
    assert found[2] < found[1] < found[0], found


# ---- two rates


def test_ratios_of_rates():
    """The drive train at 1 to 20 times the rate of the bodies: the same sprint, and nearer the faster it runs."""

    def sprint(step, sub):
        inputs, own = DRIVE | {"throttle": 1.0}, {"truck.drivetrain": sub}
        return speeds(run(level(), rest(), 6.0, sample=0.05, step=step, inputs=inputs, sub_steps=own))

    best = sprint(2e-4, 1e-5)
    far = {ratio: np.abs(sprint(1e-3, 1e-3 / ratio) - best).max() for ratio in (1, 2, 5, 10, 20)}
    assert far[1] < 0.015 and far[20] < 1e-3, far
    assert far[20] < far[10] < far[5] < far[2] < far[1], far
    # it is the fast step that counts: bodies at half the rate do as well
    assert_allclose(np.abs(sprint(2e-3, 2e-4) - best).max(), far[5], rtol=0.2)


# ---- what nobody should do


def thrown(roll=0.0, height=2.0, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), loops="frozen_explicit", duration=5.0):
    """From above the ground, turned about its long axis."""
    q, v = rest().q.copy(), rest().v.copy()
    w, x, y, z = q[:4]
    c, s = np.cos(roll / 2), np.sin(roll / 2)
    q[:4] = c * w - s * x, c * x + s * w, c * y + s * z, c * z - s * y
    q[6] += height
    v[:3], v[3:6] = spin, velocity
    return run(level(), rest().replace(q=q, v=v), duration, loops=loops)


@pytest.mark.parametrize("loops", ["multipliers", "frozen_explicit"])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"roll": np.pi, "height": 1.5},
        {"roll": np.pi / 2, "height": 1.0},
        {"velocity": (10.0, 0.0, 3.0), "spin": (2.0, 3.0, 1.0)},
    ],
    ids=["from 2 m", "roof", "side", "tumbling"],
)
def test_thrown(given, loops):
    rec = thrown(**given, loops=loops)
    assert np.isfinite(rec.q).all() and np.isfinite(rec.extra["outputs"]).all()
    assert path(rec)[:, 2].min() > -0.5 and path(rec)[-1, 2] < 2.0
    assert np.abs(rec.v[-1, :6]).max() < 8.0  # wheels in the air go on rolling
    # it loses energy, whatever happens
    energy = rec["energy.total"]
    assert energy[-1] < energy[0]


def test_lands_on_its_wheels():
    rec = thrown()
    assert upright(rec)[-1] > 0.999
    assert_allclose(path(rec)[-1, 2], rest().q[6], atol=0.02)  # friction holds the wheels a little apart
    assert_allclose(carried(rec)[-1].sum(), WEIGHT, rtol=0.01)


@pytest.mark.parametrize("speed", [2.0, 10.0, 20.0])
def test_into_a_kerb(speed):
    model = truck({"features": {"kerb": {"type": "step", "at": [6.0, 0.0], "height": 0.3}}})
    rec = run(model, gori.at_rest(model, speed=speed), 3.0)
    assert np.isfinite(rec.q).all() and upright(rec).min() > 0.95
    assert speeds(rec)[-1] < speed
    # slowly it is stopped; fast it is up and loses much
    assert (path(rec)[-1, 0] < 5.0) if speed < 3.0 else (path(rec)[-1, 2] > 0.7)


@pytest.mark.parametrize("height", [0.6, 1.0])
def test_into_a_wall(height):
    """Higher than the axles: it is met by its front, not by its top; never a number that is none."""
    model = truck({"features": {"wall": {"type": "step", "at": [6.0, 0.0], "height": height}}})
    try:
        rec = run(model, gori.at_rest(model, speed=10.0), 3.0)
    except gori.errors.SimulationError as error:  # the blow of the higher one may be too much for the suspension
        assert height == 1.0 and "could not be kept closed" in str(error)
        rec = error.recording
    else:
        assert speeds(rec)[-1] < 5.0
    assert rec is not None and np.isfinite(rec.q).all()


def test_levers_out_of_place():
    sim = simulation(level(), rest())
    with pytest.raises(gori.errors.InputError, match="must be a number from 0 to 1"):
        sim.inputs["truck.throttle"] = 1.5
    with pytest.raises(gori.errors.InputError, match=r"there is no input 'truck\.gas'"):
        sim.inputs["truck.gas"] = 0.5
    with pytest.raises(gori.errors.InputError, match="must be one of R, P, N, D"):
        sim.inputs["truck.selector"] = "drive"


def test_recorded_accelerations_while_steering():
    """What is recorded knows what the driver asked for: accelerations told afterwards are those of the run."""
    inputs = DRIVE | {"throttle": 0.2, "steer": 0.3}
    rec = run(level(), rest(10.0), 4.0, sample=1e-3, inputs=inputs)
    late = slice(2000, -1)
    for told, speed in ((rec["truck.rack.a"], rec["truck.rack.v"]), (rec["truck.a"][:, 4], rec["truck.v"][:, 4])):
        by_differences = np.gradient(speed, rec.time)
        assert_allclose(told[late], by_differences[late], atol=5e-3)
    assert (rec["truck.steering.steer"] == 0.3).all()
    assert np.abs(rec["truck.chassis.acceleration"][late, 4]).max() > 0.5  # it does turn
