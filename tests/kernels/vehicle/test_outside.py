"""The door between bodies and ground, against its twin: forces, reactions, and the fast part of a step."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.kernels.vehicle import differentials as d
from gori.kernels.vehicle import drivetrain as dt
from gori.kernels.vehicle import tables as c
from gori.model.vehicle.drivetrain import train_tables
from tests.reference import vehicle as twin
from tests.vehicle.trains import _steps

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
    z = simulation.state.z.copy()
    for k in range(4):
        s = z[c.N_Z_WHEEL * k :]
        s[c.OMEGA] = speed / 0.46 * rng.uniform(0.98, 1.02)
        s[c.U], s[c.W] = rng.uniform(-0.01, 0.01, 2)
        s[c.DRIVE_TORQUE], s[c.SHAFT_TORQUE], s[c.BRAKE_TORQUE] = rng.uniform(-500.0, 500.0, 3)
    return gori.State(0.0, q, v, z)


def wheels(z):
    return z[: 4 * c.N_Z_WHEEL].reshape(4, c.N_Z_WHEEL)


@pytest.mark.parametrize("seed", range(8))
def test_forces_at_a_state(model, simulation, seed):
    state = random_state(model, simulation, seed)
    simulation.state = state
    told, loads = wheels(simulation.state.z), []
    for k, name in enumerate(simulation.model.vehicle.wheels):
        contact, s = twin.Contact(model, state.q, state.v, name), told[k]
        force, moment, axes = twin.hub(
            contact, s[c.OMEGA], s[c.U], s[c.W], s[c.DRIVE_TORQUE], s[c.SHAFT_TORQUE], s[c.BRAKE_TORQUE]
        )
        np.testing.assert_allclose(s[c.LOAD], contact.load, rtol=1e-7, atol=1e-6)
        np.testing.assert_allclose(s[[c.FX, c.FY, c.MZ]], axes, rtol=1e-7, atol=1e-6)
        np.testing.assert_allclose(s[c.HUB_FORCE : c.HUB_FORCE + 3], force, rtol=1e-7, atol=1e-5)
        np.testing.assert_allclose(s[c.HUB_MOMENT : c.HUB_MOMENT + 3], moment, rtol=1e-7, atol=1e-5)
        assert told[k, c.SINKAGE] == 0.0
        loads.append(contact.load)
    assert max(loads) > 1000.0
    shafts = sum(
        s[c.SHAFT_TORQUE] * twin.Contact(model, state.q, state.v, name).axis
        for s, name in zip(told, simulation.model.vehicle.wheels)
    )
    train = simulation.state.z[4 * c.N_Z_WHEEL :]
    np.testing.assert_allclose(train[c.REACTION : c.REACTION + 3], -shafts, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_momentum_of_the_whole_vehicle(model, simulation, seed):
    """What changes the momentum of the bodies is ground, air and gravity, and the angular momentum that the spins take.

    The six equations of the free joint know no forces inside the vehicle: ID(q, v, a) there is all that acts on it.
    """
    state = random_state(model, simulation, seed)
    simulation.state = state
    z = simulation.state.z
    rec = gori.Recording(model, [0.0], state.q[None], state.v[None], z[None])
    a = gori.Trace(rec).accelerations[0]
    left = model.tree.inverse_dynamics(state.q, state.v, a)[model.joint("truck").v]
    R, p, _, _ = twin.motion(model, state.q, state.v, "truck.chassis")
    force, moment = twin.drag(model, state.q, state.v, "truck.drag")[0], np.zeros(3)
    moment += np.cross(twin.drag(model, state.q, state.v, "truck.drag")[1] - p, force)
    for name, s in zip(simulation.model.vehicle.wheels, wheels(z)):
        contact = twin.Contact(model, state.q, state.v, name)
        F, M, _ = twin.hub(contact, s[c.OMEGA], s[c.U], s[c.W])
        # of the moment about the axis, drive and brake of the spin stay with the wheel
        M = M - (s[c.DRIVE_TORQUE] + s[c.BRAKE_TORQUE]) * contact.axis
        force, moment = force + F, moment + M + np.cross(contact.centre - p, F)
    np.testing.assert_allclose(left[3:], R.T @ force, rtol=1e-6, atol=1e-2)
    np.testing.assert_allclose(left[:3], R.T @ moment, rtol=1e-6, atol=1e-2)


def kernel_train(model, z, ports):
    """The train of the kernels, whose own tests stand elsewhere, as the twin takes it; and its states."""
    train = model.spec.drivetrains["truck.drivetrain"]
    names = train.wheels
    tables = train_tables(train, [model.spec.wheels[name].inertia for name in names])
    caps = np.array([model.spec.wheels[name].brake for name in names])
    states = z[4 * c.N_Z_WHEEL :][: dt.N_TRAIN].copy()

    def step(speeds, torques, sub):
        speeds, out = speeds.copy(), np.zeros((4, 3))
        _steps(*tables, states, speeds, torques, caps, out, sub, *ports, 1)
        return speeds, out[:, [d.DRIVE, d.SHAFT, d.BRAKE]]

    return step, states


@pytest.mark.parametrize(
    ("throttle", "brake", "own"), [(0.7, 0.0, 2e-4), (0.0, 0.3, 2e-4), (0.2, 0.0, 1e-3), (1.0, 0.0, 3e-4)]
)
def test_the_fast_part_of_a_step(model, throttle, brake, own):
    simulation = gori.Simulation(
        model, gori.Adams(step=STEP, order=2), state=gori.at_rest(model, 12.0), subsystems={"truck.drivetrain": own}
    )
    simulation.inputs.update({"truck.selector": "D", "truck.throttle": throttle, "truck.brake": brake})
    simulation.inputs["truck.steer"] = 0.3
    names = simulation.model.vehicle.wheels
    simulation.step(150)
    for _ in range(3):
        a, b = simulation.state, simulation.step()
        before, now = ([twin.Contact(model, s.q, s.v, name) for name in names] for s in (a, b))
        old, new = wheels(a.z), wheels(b.z)
        step, states = kernel_train(model, a.z, (throttle, brake, 10.0, 1.0))
        count = int(np.ceil(STEP / own - 1e-6))
        omega, u, w, mean = twin.fast_part(before, now, old[:, c.OMEGA], old[:, c.U], old[:, c.W], STEP, count, step)
        np.testing.assert_allclose(new[:, c.OMEGA], omega, rtol=1e-9)
        np.testing.assert_allclose(new[:, c.U], u, rtol=1e-6, atol=1e-10)
        np.testing.assert_allclose(new[:, c.W], w, rtol=1e-6, atol=1e-10)
        torques = new[:, [c.DRIVE_TORQUE, c.SHAFT_TORQUE, c.BRAKE_TORQUE]]
        np.testing.assert_allclose(torques, mean, rtol=1e-6, atol=1e-4)
        np.testing.assert_allclose(b.z[4 * c.N_Z_WHEEL :][: dt.N_TRAIN], states, rtol=1e-8, atol=1e-7)
        # and the forces belong to the new state
        for k in range(4):
            force, moment, _ = twin.hub(now[k], omega[k], u[k], w[k], *mean[k])
            np.testing.assert_allclose(new[k, c.HUB_FORCE : c.HUB_FORCE + 3], force, rtol=1e-6, atol=1e-3)
            np.testing.assert_allclose(new[k, c.HUB_MOMENT : c.HUB_MOMENT + 3], moment, rtol=1e-6, atol=1e-3)
