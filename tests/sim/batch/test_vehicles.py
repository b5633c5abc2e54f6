"""Vehicles of a batch that differ from each other, by the program for a GPU on the host, against Simulations."""

from functools import partial
from importlib import import_module

import numpy as np
import pytest

import gori
from gori.sim.batch.batch import Batch
from gori.sim.batch.cuda import CudaMachines
from gori.sim.batch.devices import Host
from tests.sim.batch.machines import H
from tests.vehicle.trucks import soft, truck

METHOD = gori.SemiImplicit(step=H)
LOAD = "truck.wheel_fl.load"


@pytest.fixture
def on_gpu(monkeypatch):
    """Batches with device="cuda" run on the host."""
    monkeypatch.setattr(import_module("gori.sim.batch.cuda"), "CudaMachines", partial(CudaMachines, device=Host))
    return partial(Batch, method=METHOD, device="cuda")


def alone(batch: Batch, k: int, state: gori.State, throttle: float, steps: int) -> gori.Simulation:
    """Machine k as a Simulation, from a State of the Model that all share."""
    own = gori.compile(batch.spec(k))
    run = gori.Simulation(own, METHOD, state=state.replace(model=own.fingerprint))
    run.vehicles.start(run.time, run.stepper.y)
    run.inputs["truck.selector"], run.inputs["truck.throttle"] = "D", throttle
    run.step(steps)
    return run


def drive(batch: Batch, throttles, steps: int) -> None:
    batch.inputs["truck.selector"], batch.inputs["truck.throttle"] = "D", np.asarray(throttles)
    batch.step(steps)


def agrees(batch: Batch, k: int, run: gori.Simulation) -> bool:
    return np.abs(np.asarray(batch.q)[k] - run.q).max() < 1e-10 and np.abs(np.asarray(batch.v)[k] - run.v).max() < 1e-8


def test_masses_springs_tyres_and_friction_of_their_own(on_gpu):
    model = gori.compile(gori.vehicle.spec("hmmwv"))
    state, n = gori.at_rest(model, speed=5.0), 3
    parameters = {
        "bodies.truck.chassis.mass": np.array([2000.0, 2200.0, 2500.0]),
        "wheels.truck.wheel_fl.tyre.damping": np.array([100.0, 500.0, 900.0]),
        "terrain.friction": np.array([0.3, 0.6, 0.9]),
    }
    batch = on_gpu(model, n, state=state, parameters=parameters)
    loads = np.asarray(batch.outputs[LOAD]).copy()
    drive(batch, [1.0, 0.5, 0.0], 60)
    assert not batch.failed.any()
    for k in range(n):
        assert agrees(batch, k, alone(batch, k, state, [1.0, 0.5, 0.0][k], 60))
    batch.assign([2, 2, 2], [0])
    batch.reset([0])
    assert np.asarray(batch.outputs[LOAD])[0] == pytest.approx(loads[2], rel=1e-12)
    drive(batch, np.zeros(n), 60)
    assert agrees(batch, 0, alone(batch, 0, state, 0.0, 60)) and (np.asarray(batch.q)[0] != np.asarray(batch.q)[2]).any()


def test_soils_of_their_own(on_gpu):
    """Which are drawn anew at a reset, for machines that learn."""
    model = truck(soft(size=(7.0, 3.2)))
    state, cohesion = gori.at_rest(model), np.array([500.0, 2000.0, 8000.0, 1300.0])
    path = "terrain.soft.soil.cohesion"
    batch = on_gpu(model, 2, state=state, parameters={path: cohesion})
    drive(batch, [0.6, 0.6], 80)
    assert not batch.failed.any()
    runs = [alone(batch, k, state, 0.6, 80) for k in range(2)]
    assert all(agrees(batch, k, run) for k, run in enumerate(runs)) and np.abs(runs[0].q - runs[1].q).max() > 1e-6
    batch.assign([2, 3], [0, 1])
    batch.reset()
    assert [batch.spec(k).terrain.soft.soil.cohesion for k in range(2)] == [8000.0, 1300.0]
    drive(batch, [0.6, 0.6], 80)
    assert all(agrees(batch, k, alone(batch, k, state, 0.6, 80)) for k in range(2))
