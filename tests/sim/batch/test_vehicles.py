"""Vehicles of a batch on a GPU, by its program on the host, against Simulations: with parameters of their own, and with
a window of soft soil. All are built alike, so that one program is compiled for them.
"""

from functools import cache, partial

import numpy as np
import pytest

import gori
from gori.errors import FileError
from gori.sim.batch.batch import Batch
from gori.sim.batch.cuda import CudaMachines
from gori.sim.batch.devices import Host
from tests.sim.batch.machines import H
from tests.vehicle.trucks import soft, truck

METHOD = gori.SemiImplicit(step=H)
LOAD = "truck.wheel_fl.load"
WINDOW = (4.0, 3.0)
SETS = {
    "bodies.truck.chassis.mass": np.array([2000.0, 2200.0, 2500.0, 2100.0]),
    "wheels.truck.wheel_fl.tyre.damping": np.array([500.0, 900.0, 200.0, 700.0]),
    "terrain.soft.soil.cohesion": np.array([500.0, 2000.0, 8000.0, 1300.0]),
    "forces.truck.spring_fl.stiffness": np.array([167e3, 150e3, 180e3, 160e3]),
}
ALIKE = {path: values[0] + np.array([0.0, 0.0, 1e-9]) for path, values in SETS.items()}


@cache
def ground(window: bool) -> tuple[gori.Model, gori.State]:
    terrain = soft(at=(-4.0, -2.0), size=(12.0, 4.0))
    terrain["soft"] |= {"window": WINDOW} if window else {}
    model = truck(terrain)
    return model, gori.at_rest(model)


@pytest.fixture
def on_gpu(monkeypatch):
    """Batches with device="cuda" run on the host."""
    monkeypatch.setattr(CudaMachines, "accelerator", Host)
    return partial(Batch, method=METHOD, device="cuda")


def alone(batch: Batch, k: int, state: gori.State, throttle: float, steps: int) -> gori.Simulation:
    """Machine k as a Simulation, from a State of the Model that all share."""
    own = gori.compile(batch.spec(k))
    run = gori.Simulation(own, METHOD, state=state.replace(model=own.fingerprint))
    run.vehicles.start(run.time, run.stepper.y)
    run.inputs["truck.selector"], run.inputs["truck.throttle"] = "D", throttle
    if steps:
        run.step(steps)
    return run


def drive(batch: Batch, throttles, steps: int) -> None:
    batch.inputs["truck.selector"], batch.inputs["truck.throttle"] = "D", np.asarray(throttles)
    batch.step(steps)
    assert not batch.failed.any()


def agrees(batch: Batch, k: int, run: gori.Simulation) -> bool:
    return np.abs(np.asarray(batch.q)[k] - run.q).max() < 1e-9 and np.abs(np.asarray(batch.v)[k] - run.v).max() < 1e-7


@pytest.mark.parametrize("window", [False, True])
def test_masses_tyres_and_soils_of_their_own(on_gpu, window):
    """Which are drawn anew at a reset, for machines that learn."""
    (model, state), throttles = ground(window), [0.8, 0.4]
    batch = on_gpu(model, 2, state=state, parameters=SETS)
    loads = np.asarray(batch.outputs[LOAD]).copy()
    drive(batch, throttles, 80)
    runs = [alone(batch, k, state, throttles[k], 80) for k in range(2)]
    assert all(agrees(batch, k, run) for k, run in enumerate(runs)) and np.abs(runs[0].q - runs[1].q).max() > 1e-6
    batch.assign([2, 3], [0, 1])
    batch.reset([0])
    assert batch.spec(0).terrain.soft.soil.cohesion == 8000.0
    now = np.asarray(batch.outputs[LOAD])
    started = alone(batch, 0, state, 0.0, 0).channel(LOAD)
    assert now[0] == pytest.approx(started, rel=1e-9) and now[0] != pytest.approx(loads[0], rel=1e-4)
    drive(batch, throttles, 80)
    assert agrees(batch, 0, alone(batch, 0, state, throttles[0], 80)) and np.asarray(batch.time) == pytest.approx(
        [80 * H, 160 * H]
    )


def test_a_window_is_as_the_whole_grid_until_what_it_forgot_is_met(on_gpu, tmp_path):
    (model, own), (other, whole) = ground(True), ground(False)
    batch = on_gpu(model, 3, state=own, parameters=ALIKE)
    large = on_gpu(other, 3, state=whole, parameters=ALIKE)
    # cells of 64 bytes, one of them fresh; which cell stands in each place, and how many were forgotten
    assert batch.bytes_per_machine == large.bytes_per_machine - 64 * (240 * 80 - (80 * 60 + 1)) + 8 * (80 * 60 + 1)
    for one in (batch, large):
        drive(one, [1.0, 0.8, 0.8], 900)
    forgotten = np.asarray(batch.soil_forgotten).copy()
    assert (forgotten > 50).all() and not np.asarray(large.soil_forgotten).any()
    assert np.array_equal(np.asarray(batch.q), np.asarray(large.q))
    few, all_of_them = batch.state(0).vehicle, large.state(0).vehicle
    kept = np.isin(all_of_them["cell_index"], few["cell_index"])
    assert len(all_of_them["cells"]) - len(few["cells"]) == forgotten[0] and few["forgotten"][0] == forgotten[0]
    assert np.array_equal(all_of_them["cells"][kept], few["cells"])

    # a State of one machine goes on in a Simulation, and a file in another batch
    run = gori.Simulation(gori.compile(batch.spec(0)), METHOD, state=batch.state(0))
    batch.save(tmp_path / "batch.npz")
    again = on_gpu(model, 3, state=own, parameters=ALIKE)
    again.load(tmp_path / "batch.npz")
    for one in (run, batch, again):
        one.step(40)
    assert agrees(batch, 0, run) and np.array_equal(np.asarray(again.q), np.asarray(batch.q))
    assert np.array_equal(np.asarray(again.soil_forgotten), np.asarray(batch.soil_forgotten))
    with np.load(tmp_path / "batch.npz") as archive:
        good = dict(archive)
    wrong = good["data.window"].copy()
    wrong.view(np.int64)[:] = np.where(wrong.view(np.int64) > 0, 1, 0)
    np.savez(tmp_path / "wrong.npz", **good | {"data.window": wrong})
    with pytest.raises(FileError, match=r"data\.window\.cell of machine 0 is of another place"):
        again.load(tmp_path / "wrong.npz")

    # back where they started: the whole grid has the ruts of the first pass there, the window has not
    for one, start in ((batch, own), (large, whole)):
        one.q[:], one.v[:] = start.q, start.v
        one.step(100)
    assert np.abs(np.asarray(batch.q) - np.asarray(large.q)).max() > 1e-4
    batch.reset()
    assert not np.asarray(batch.soil_forgotten).any() and len(batch.state(1).vehicle["cells"]) == len(
        own.vehicle["cells"]
    )


def test_windows_of_vehicles_on_a_cpu():
    """Machines that take turns: each has a window and a count of its own, as its Simulation has."""
    model, state = ground(True)
    batch = Batch(model, 2, METHOD, state=state, workers=1)
    for steps in (100, 900):
        drive(batch, [1.0, 0.0], steps)
    for k, throttle in enumerate([1.0, 0.0]):
        run = gori.Simulation(model, METHOD, state=state)
        run.inputs["truck.selector"], run.inputs["truck.throttle"] = "D", throttle
        run.step(1000)
        assert batch.state(k) == run.state and batch.soil_forgotten[k] == run.state.vehicle["forgotten"][0] > 50
    batch.reset([0])
    assert batch.state(0).vehicle["forgotten"][0] == batch.soil_forgotten[0] == 0 < batch.soil_forgotten[1]
    whole, start = ground(False)
    assert Batch(whole, 2, METHOD, state=start, workers=1).soil_forgotten.tolist() == [0, 0]
    assert Batch(gori.compile(gori.load("examples/arm.yaml")), 2, METHOD).soil_forgotten.tolist() == [0, 0]
