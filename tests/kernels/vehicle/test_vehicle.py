"""Vehicles between bodies and ground, against their twin: forces, reactions, and the fast part of a step."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.kernels.machine import ADD_WRENCHES, START
from gori.kernels.tree.columns import FORCE
from gori.kernels.vehicle import vehicle as kernel
from gori.kernels.vehicle.state import DRIVER, TRAIN_OUTPUT, WHEEL_STATE, WHEEL_WORK
from gori.model.vehicle.drivetrain import train_tables
from tests.kernels.vehicle.trains import steps
from tests.plain import plain, rows
from tests.reference import vehicle as twin
from tests.vehicle.own import own_vehicle

TERRAIN = {"grade": [0.05, -0.03], "patches": {"wet": {"at": [0, 1], "size": [50, 2], "friction": 0.5}}}
STEP = 1e-3


@pytest.fixture(scope="module")
def model():
    return gori.compile(vehicle.spec(set={"payload.mass": 400}, terrain=TERRAIN))


@pytest.fixture(scope="module")
def simulation(model):
    return gori.Simulation(model, gori.Adams(step=STEP, order=2))


def random_state(model, simulation, seed):
    """Rolling ahead at 6 to 20 m/s, in any heading, leaning and slipping a little."""
    rng = np.random.default_rng(seed)
    free = model.joint("truck")
    yaw, speed = rng.uniform(-np.pi, np.pi), rng.uniform(6.0, 20.0)
    start = vehicle.start_pose(
        vehicle.read_vehicle("hmmwv"), model.spec.terrain, rng.uniform(-3, 3, 2), np.degrees(yaw)
    )
    q = model.q0.copy()
    q[free.q] = start
    q[free.q][6] -= rng.uniform(0.0, 0.05)
    q = model.integrate(q, 0.01 * rng.normal(size=model.nv))
    q = gori.assemble(model, q, hold=("truck", "truck.rack"))
    v = 0.3 * rng.normal(size=model.nv)
    v[free.v][3] += speed
    v = gori.consistent_velocity(model, q, v, hold=("truck",))
    kept = simulation.vehicles.state()
    for s in kept["wheel"]:
        s["angular_velocity"] = speed / 0.46 * rng.uniform(0.98, 1.02)
        s["transient_x"], s["transient_y"] = rng.uniform(-0.01, 0.01, 2)
        s["drive_torque"], s["shaft_torque"], s["brake_torque"] = rng.uniform(-500.0, 500.0, 3)
    return gori.State(0.0, q, v, simulation.state.z, {"vehicle": kept})


def moving(s):
    """Angular velocity and transient slip of wheels."""
    return s["angular_velocity"], s["transient_x"], s["transient_y"]


def torques(s):
    return s["drive_torque"], s["shaft_torque"], s["brake_torque"]


@pytest.mark.parametrize("seed", range(8))
def test_forces_at_a_state(model, simulation, seed):
    state = random_state(model, simulation, seed)
    simulation.state = state
    kept, loads = simulation.state.vehicle, []
    states, outputs = kept["wheel"], kept["wheel_output"]
    for k, name in enumerate(simulation.model.vehicle.wheels):
        contact, s, out = twin.Contact(model, state.q, state.v, name), states[k], outputs[k]
        force, moment, axes = twin.hub(contact, *moving(s), *torques(s))
        np.testing.assert_allclose(out["load"], contact.load, rtol=1e-7, atol=1e-6)
        np.testing.assert_allclose([out["fx"], out["fy"], out["mz"]], axes, rtol=1e-7, atol=1e-6)
        np.testing.assert_allclose(out["hub_force"], force, rtol=1e-7, atol=1e-5)
        np.testing.assert_allclose(out["hub_moment"], moment, rtol=1e-7, atol=1e-5)
        assert out["sinkage"] == 0.0
        loads.append(contact.load)
    assert max(loads) > 1000.0
    shafts = sum(
        s["shaft_torque"] * twin.Contact(model, state.q, state.v, name).axis
        for s, name in zip(states, simulation.model.vehicle.wheels)
    )
    np.testing.assert_allclose(kept["train_output"]["reaction"][0], -shafts, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_momentum_of_the_whole_vehicle(model, simulation, seed):
    """What changes the momentum of the bodies is ground, air and gravity, and the angular momentum that the spins take.

    The six equations of the free joint know no forces inside the vehicle: ID(q, v, a) there is all that acts on it.
    """
    state = random_state(model, simulation, seed)
    simulation.state = state
    outputs = simulation.stepper.data.recorded[None].copy()
    rec = gori.Recording(model, [0.0], state.q[None], state.v[None], state.z[None], extra={"outputs": outputs})
    a = gori.Trace(rec).accelerations[0]
    left = model.tree.inverse_dynamics(state.q, state.v, a)[model.joint("truck").v]
    R, p, _, _ = twin.motion(model, state.q, state.v, "truck.chassis")
    force, moment = twin.drag(model, state.q, state.v, "truck.drag")[0], np.zeros(3)
    moment += np.cross(twin.drag(model, state.q, state.v, "truck.drag")[1] - p, force)
    for name, s in zip(simulation.model.vehicle.wheels, state.vehicle["wheel"]):
        contact = twin.Contact(model, state.q, state.v, name)
        F, M, _ = twin.hub(contact, *moving(s))
        # of the moment about the axis, drive and brake of the spin stay with the wheel
        M = M - (s["drive_torque"] + s["brake_torque"]) * contact.axis
        force, moment = force + F, moment + M + np.cross(contact.centre - p, F)
    np.testing.assert_allclose(left[3:], R.T @ force, rtol=1e-6, atol=1e-2)
    np.testing.assert_allclose(left[:3], R.T @ moment, rtol=1e-6, atol=1e-2)


def kernel_train(model, kept, throttle, brake):
    """The train of the kernels, whose own tests stand elsewhere, as the twin takes it; and its states."""
    train = model.spec.drivetrains["truck.drivetrain"]
    names = train.wheels
    brakes = [model.spec.wheels[name].brake for name in names]
    tables = train_tables(train, [model.spec.wheels[name].inertia for name in names], brakes)
    states, driver = kept["train"].copy(), DRIVER.zeros(1)
    driver[0] = throttle, brake, 10.0, 1.0, 0.0

    def step(speeds, torques, sub):
        wheels = WHEEL_WORK.zeros(4)
        wheels["speed"], wheels["ground_torque"] = speeds, torques
        steps(tables, states, TRAIN_OUTPUT.zeros(1), wheels, driver, sub, 1)
        return wheels["speed"].copy(), np.column_stack([wheels["drive"], wheels["shaft"], wheels["brake"]])

    return step, states


@pytest.mark.parametrize(
    ("throttle", "brake", "own"), [(0.7, 0.0, 2e-4), (0.0, 0.3, 2e-4), (0.2, 0.0, 1e-3), (1.0, 0.0, 3e-4)]
)
def test_the_fast_part_of_a_step(model, throttle, brake, own):
    simulation = gori.Simulation(
        model, gori.Adams(step=STEP, order=2), state=gori.at_rest(model, 12.0), sub_steps={"truck.drivetrain": own}
    )
    simulation.inputs.update({"truck.selector": "D", "truck.throttle": throttle, "truck.brake": brake})
    simulation.inputs["truck.steer"] = 0.3
    names = simulation.model.vehicle.wheels
    simulation.step(150)
    for _ in range(3):
        a = simulation.state
        simulation.step()
        b = simulation.state
        before, now = ([twin.Contact(model, s.q, s.v, name) for name in names] for s in (a, b))
        old, new, out = a.vehicle["wheel"], b.vehicle["wheel"], b.vehicle["wheel_output"]
        step, states = kernel_train(model, a.vehicle, throttle, brake)
        count = int(np.ceil(STEP / own - 1e-6))
        omega, u, w, mean = twin.fast_part(before, now, *moving(old), STEP, count, step)
        np.testing.assert_allclose(new["angular_velocity"], omega, rtol=1e-9)
        np.testing.assert_allclose(new["transient_x"], u, rtol=1e-6, atol=1e-10)
        np.testing.assert_allclose(new["transient_y"], w, rtol=1e-6, atol=1e-10)
        np.testing.assert_allclose(np.column_stack(torques(new)), mean, rtol=1e-6, atol=1e-4)
        np.testing.assert_allclose(b.vehicle["train"].view("f8"), states.view("f8"), rtol=1e-8, atol=1e-7)
        # and the forces belong to the new state
        for k in range(4):
            force, moment, _ = twin.hub(now[k], omega[k], u[k], w[k], *mean[k])
            np.testing.assert_allclose(out["hub_force"][k], force, rtol=1e-6, atol=1e-3)
            np.testing.assert_allclose(out["hub_moment"][k], moment, rtol=1e-6, atol=1e-3)


def test_a_wheel_goes_on_between_its_states():
    state = rows(WHEEL_STATE.zeros(1))
    for name, value in {
        "angular_velocity": 10.0, "acceleration": -4.0, "transient_x": 0.1, "rate_x": 2.0, "transient_y": 0.2,
        "rate_y": -1.0,
    }.items():  # fmt: skip
        state[name] = value
    assert plain(kernel.moving)(state[0], 0.5) == (8.0, 1.1, -0.3)
    assert plain(kernel.moving)(state[0], 0.0) == (10.0, 0.1, 0.2)


def test_wheels_stand_where_the_bodies_are(model, simulation):
    """The forces of a step's end serve evaluations there; anywhere else they are found anew, and act again alike."""
    simulation.state = random_state(model, simulation, 3)
    stepper, nq = simulation.stepper, model.nq
    machine, data, y = stepper.machine, stepper.data, stepper.y
    assert kernel.vehicle(machine, data, stepper.time, y[:nq], y[nq : nq + model.nv], START) == 0
    forces = []
    for t in (stepper.time, stepper.time + 1e-9):
        data.body_w[:, FORCE : FORCE + 6], data.tau[:] = 0.0, 0.0
        assert kernel.vehicle(machine, data, t, y[:nq], y[nq : nq + model.nv], ADD_WRENCHES) == 0
        forces.append(data.body_w[:, FORCE : FORCE + 6].copy())
    assert np.abs(forces[0]).max() > 1000.0
    np.testing.assert_allclose(forces[1], forces[0], rtol=1e-6, atol=1e-3)


@pytest.mark.parametrize("soft", [False, True])
def test_forces_at_the_end_of_a_step_are_computed_once(soft):
    """The next step begins with the outputs of the last: on soft soil others would be wrong, it has yielded."""
    ground = {"soil": gori.soil("lete_sand"), "at": [-4, -3], "size": [14, 6], "cell": 0.1}
    model = gori.compile(gori.vehicle.spec("hmmwv", terrain={"soft": ground} if soft else {}))
    simulation = gori.Simulation(model, gori.Adams(step=1e-3, order=2), state=gori.at_rest(model))
    simulation.inputs.update({"truck.selector": "D", "truck.throttle": 0.5})
    simulation.step(2)  # the first is of the Runge-Kutta method, which has stages
    simulation.stepper.data.stage_output["load"] = -1.0
    simulation.step(20)
    assert (simulation.stepper.data.stage_output["load"] == -1.0).all()


def test_wheels_without_a_drive_train_have_brakes():
    """They brake as driven ones do, and stand still where the brake holds them."""
    spec = own_vehicle().model_dump(exclude_unset=True)
    (name,) = spec["drivetrains"]
    rear = {"wheels": ("car.rear_left", "car.rear_right"), "axles": [{"share": 1.0, "differential": "open"}]}
    spec["drivetrains"][name] |= rear
    own = gori.compile(gori.Spec(**spec))
    sim = gori.Simulation(own, gori.Adams(step=STEP, order=2), state=gori.at_rest(own, speed=12.0))
    sim.inputs["car.selector"], sim.inputs["car.brake"] = "N", 0.4
    rec = sim.run(3.0, sample=0.01, progress=False)
    for wheel in ("car.front_left", "car.front_right", "car.rear_left", "car.rear_right"):
        np.testing.assert_allclose(rec[f"{wheel}.brake_torque"][10:60], -1000.0, rtol=1e-9)
        assert rec[f"{wheel}.speed"][-1] == 0.0
