"""Whole vehicles on soft soil: what the soil carries and remembers, the grid, hard soil, the edge, checkpoints."""

import math
import time
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gori
from gori.errors import SimulationError
from gori.record import read_checkpoint
from gori.sim.runfile import open_run
from gori.vehicle import CORNERS
from tests.vehicle.trucks import WEIGHT, carried, path, run, simulation, soft, speeds, truck

DRIVE = {"selector": "D", "throttle": 0.2}


@cache
def soft_truck(soil="lete_sand", cell=0.05):
    model = truck(soft(soil, cell))
    return model, gori.at_rest(model, speed=5.0)


def mean(rec, part):
    """Of the four wheels, over the second half of a run."""
    return np.array([rec[f"truck.wheel_{c}.{part}"][len(rec) // 2 :].mean() for c in CORNERS])


def test_soil_carries_the_weight():
    model = truck(soft())
    rec = run(model, gori.at_rest(model), 1.0, inputs={"brake": 1.0})
    assert_allclose(carried(rec)[-1].sum(), WEIGHT, rtol=1e-4)
    assert_allclose(sum(rec[f"truck.wheel_{c}.load"][-1] for c in CORNERS), WEIGHT, rtol=1e-4)
    assert np.abs(path(rec)[-1] - path(rec)[0]).max() < 1e-5
    assert 5e-3 < rec["truck.wheel_fl.sinkage"][-1] < 20e-3


def test_rear_wheels_meet_the_ruts():
    """They sink deeper than the front ones, but by less than these did."""
    model, state = soft_truck("sandy_loam_15")
    sinkage = mean(run(model, state, 2.5, inputs=DRIVE), "sinkage")
    front, rear = sinkage[:2].mean(), sinkage[2:].mean()
    assert front < rear < 1.6 * front
    assert_allclose(sinkage[::2], sinkage[1::2], rtol=1e-6)


def test_second_vehicle_sinks_less():
    model, state = soft_truck()
    sim = simulation(model, state, inputs=DRIVE)
    first = sim.run(2.5, sample=0.01, progress=False)
    end = sim.state.vehicle
    before = end["cells"].copy()
    before["stamp"] -= before["stamp"].max() + 1.0  # long ago
    kept = state.vehicle | {"cell_index": end["cell_index"], "cells": before}
    second = run(model, gori.State(0.0, state.q, state.v, state.z, {"vehicle": kept}), 2.5, inputs=DRIVE)
    gained = mean(second, "sinkage")[2:] - mean(first, "sinkage")[2:]
    assert (gained > 0.0).all() and (gained < 0.7 * mean(first, "sinkage")[2:]).all()
    assert speeds(second)[-1] > speeds(first)[-1]  # firmer ground


def test_grid_converges():
    found = []
    for cell in (0.1, 0.05, 0.02):
        model, state = soft_truck("sandy_loam_15", cell)
        rec = run(model, state, 2.0, inputs=DRIVE)
        late = rec.time > 0.5
        found.append([*mean(rec, "sinkage"), speeds(rec)[-1], rec["truck.wheel_fl.load"][late].std()])
    found = np.array(found)
    assert_allclose(found[1, :4], found[2, :4], rtol=0.02)
    assert_allclose(found[1, 4], found[2, 4], rtol=2e-3)
    # cells are felt less the smaller they are
    assert found[2, 5] < found[1, 5] < found[0, 5]


@pytest.mark.parametrize("payload", [1840.0, 0.0])
def test_hard_soil_tends_to_hard_ground(payload):
    """In the design position, wheels upright, and unladen, where the rear ones lean by 2.4 degrees."""
    hard = truck(**{"payload.mass": payload})
    reference = run(hard, gori.at_rest(hard, speed=5.0), 2.0, inputs=DRIVE)
    sand = gori.soil("lete_sand").model_dump()
    far = []
    for factor in (1.0, 5.0, 25.0):
        soil = sand | {"p0": factor * sand["p0"], "slip_sinkage": None}
        model = truck(soft(soil), **{"payload.mass": payload})
        rec = run(model, gori.at_rest(model, speed=5.0), 2.0, inputs=DRIVE)
        far.append([speeds(reference)[-1] - speeds(rec)[-1], *(mean(rec, "sinkage")[:3:2])])
    far = np.array(far)
    assert (np.diff(far, axis=0) < 0.0).all(), far  # all fall: lost speed, and sinkage of front and rear
    assert 0.0 < far[-1, 0] < 0.13 and (far[-1, 1:] < 1e-3).all(), far


def test_off_the_grid():
    model = truck(soft(size=(10.0, 3.2)))
    with pytest.raises(SimulationError, match=r"a wheel leaves the grid of soft soil at t = .* x = -4 to 6 m") as error:
        run(model, gori.at_rest(model, speed=5.0), 5.0, inputs=DRIVE)
    rec = error.value.recording
    assert rec is not None and np.isfinite(rec.q).all() and 3.0 < path(rec)[-1, 0] < 6.0
    with pytest.raises(SimulationError, match="leaves the grid"):
        gori.at_rest(truck(soft(at=(-1.0, -1.6), size=(2.5, 3.2))))


# ---- checkpoints


@pytest.mark.parametrize("ground", ["hard", "soft"])
def test_resumes_bit_for_bit(ground, tmp_path):
    """Broken off while it drives and steers, a gear change behind it; drivers are not in the file."""
    model = truck(soft(at=(-4.0, -3.0), size=(20.0, 6.0)) if ground == "soft" else None)
    state = gori.at_rest(model, speed=5.0)
    file = tmp_path / "run.h5"

    def drive(sim):
        sim.inputs["truck.selector"] = "D"
        sim.inputs["truck.throttle"] = 0.6 + 0.3 * math.sin(5.0 * sim.time)
        sim.inputs["truck.steer"] = 0.3 * math.sin(3.0 * sim.time)

    def break_off(sim):
        drive(sim)
        if abs(sim.time - 0.5) < 1e-9:
            time.sleep(0.6)  # so long that a checkpoint is due
        if sim.time > 0.8:
            raise KeyboardInterrupt

    options = {"loops": "frozen_explicit", "driver_period": 0.01}
    whole = simulation(model, state, driver=drive, **options).run(1.2, sample=0.01, progress=False)
    part = simulation(model, state, driver=break_off, **options).run(1.2, sample=0.01, path=file, progress=False)
    saved = read_checkpoint(file)
    assert part.info["interrupted"] and saved is not None and 0.4 < saved.time < 0.8
    rec = gori.Simulation.resume(file, progress=False, driver=drive, driver_period=0.01, changed=True)
    for name in ("time", "q", "v", "z"):
        np.testing.assert_array_equal(getattr(rec, name), getattr(whole, name))
    loaded = open_run(file)
    np.testing.assert_array_equal(loaded["truck.wheel_fl.load"], whole["truck.wheel_fl.load"])
    assert loaded.model.spec == model.spec


@pytest.mark.parametrize("name", ["lete_sand", "dry_sand", "sandy_loam_32", "snow_us"])
def test_it_is_lowered_onto_the_soil(name, monkeypatch):
    """At rest the wheels carry the weight; and soil that remembers does not know of a fall, which would be deeper."""
    model = truck(soft(name))
    sim = gori.Simulation(model, gori.Adams(step=1e-3, order=2), state=gori.at_rest(model))
    assert sum(sim.channel(f"truck.wheel_{c}.load") for c in CORNERS) == pytest.approx(WEIGHT, rel=1e-3)
    lowered = sim.channel("truck.wheel_fl.sinkage")
    monkeypatch.setattr("gori.sim.vehicle.rest.LOWERING", 0.0)
    if name == "snow_us":  # it would fall in up to the axles
        with pytest.raises(SimulationError, match="a wheel has sunk by more than its radius"):
            gori.at_rest(model)
        return
    sim.state = gori.at_rest(model)
    assert sim.channel("truck.wheel_fl.sinkage") > 1.1 * lowered
