"""Vehicles at the start of a run: forces belong to the bodies, and nothing is kept of a step before."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.kernels.codes import OFF_GRID, OK
from gori.kernels.vehicle.start import start_one, start_vehicles
from gori.model.machine import machine_of
from tests.plain import plain, records
from tests.reference import vehicle as twin


@pytest.fixture(scope="module")
def model():
    return gori.compile(vehicle.spec())


def started(model, q, v, t=3.0):
    machine, data = machine_of(model, live=True)
    data.wheel["angular_velocity"], data.wheel["transient_x"] = 20.0, 1e-3
    data.wheel["acceleration"], data.wheel["rate_x"], data.wheel["rate_y"] = 1.0, 2.0, 3.0
    data.wheel["shaft_torque"] = [10.0, 20.0, 30.0, 40.0]
    return start_vehicles(machine, data, t, np.concatenate([q, v, np.zeros(model.nz)])), data


def test_forces_are_those_of_the_twin(model):
    q, v = model.q0.copy(), np.zeros(model.nv)
    joint = model.joint("truck")
    q[joint.q][6] -= 0.01
    v[joint.v][3:6] = 9.0, 0.5, -0.1
    code, data = started(model, q, v)
    assert code == OK and data.vehicle_clock["time"][0] == 3.0
    for k, name in enumerate(model.vehicle.wheels):
        contact = twin.Contact(model, q, v, name)
        assert data.contact["load"][k] == pytest.approx(contact.load) and contact.load > 0.0
        force, moment, _ = twin.hub(contact, 20.0, 1e-3, 0.0, shaft=data.wheel["shaft_torque"][k])
        np.testing.assert_allclose(data.wheel_output["hub_force"][k], force, rtol=1e-9, atol=1e-6)
        np.testing.assert_allclose(data.wheel_output["hub_moment"][k], moment, rtol=1e-9, atol=1e-6)
    # all axles are along y here
    np.testing.assert_allclose(data.train_output["reaction"][0], [0.0, -100.0, 0.0], atol=1e-9)


def test_rates_of_a_step_before_are_gone(model):
    _, data = started(model, model.q0, np.zeros(model.nv))
    for name in ("acceleration", "rate_x", "rate_y"):
        assert not data.wheel[name].any()
    assert (data.wheel["angular_velocity"] == 20.0).all() and (data.wheel["transient_x"] == 1e-3).all()


def test_outside_of_the_soil():
    soft = {"soil": gori.soil("lete_sand"), "at": [50, 50], "size": [2, 2], "cell": 0.1}
    model = gori.compile(vehicle.spec(terrain={"soft": soft}))
    q = model.q0.copy()
    q[model.joint("truck").q][6] -= 0.01
    assert started(model, q, np.zeros(model.nv))[0] == OFF_GRID


def test_one_among_many_starts_as_it_does_alone(model):
    q = model.q0.copy()
    q[model.joint("truck").q][6] -= 0.01
    code, data = started(model, q, np.zeros(model.nv))
    machine, other = machine_of(model, live=True)
    for name in ("wheel", "driver", "train"):
        getattr(other, name)[:] = getattr(data, name)
    y = np.concatenate([q, np.zeros(model.nv), np.zeros(model.nz)])
    assert plain(start_one)(records(machine), records(other), 3.0, y) == code == OK
    for name in ("contact", "wheel_output", "train_output", "vehicle_clock"):
        for field in getattr(data, name).dtype.names:
            np.testing.assert_allclose(getattr(other, name)[field], getattr(data, name)[field], rtol=1e-9, atol=1e-9)
    assert np.array_equal(other.standing, data.standing)
