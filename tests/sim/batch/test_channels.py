"""Inputs and outputs of all machines, by name."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, UnsupportedError
from gori.sim.batch.channels import BatchInputs, BatchOutputs
from gori.sim.batch.cpu import CpuMachines
from tests.sim.batch.machines import H, arm, balls, pendulum
from tests.vehicle.trucks import level

COUNT = 3


def engine(model: gori.Model, state=None) -> CpuMachines:
    def make():
        run = gori.Simulation(model, gori.Adams(step=H, order=2), state=state)
        run.stepper.plan_steps(1)
        return run

    machines = CpuMachines(make, COUNT, 1)
    machines.store(np.ones(COUNT, bool))
    return machines


@pytest.fixture(scope="module")
def truck():
    """A truck that rolls, its engine, inputs and outputs."""
    model = level()
    machines = engine(model, gori.at_rest(model, speed=5.0))
    return machines, BatchInputs(model, (), machines), BatchOutputs(model, machines)


def test_names(truck):
    _, inputs, outputs = truck
    run = gori.Simulation(level(), gori.Adams(step=H))
    assert list(inputs) == list(run.inputs) and len(inputs) == len(run.inputs) == 5
    turns = {name for name in run.outputs if name.endswith(".turns")}  # of cuts, for recordings alone
    assert set(outputs) == set(run.outputs) - turns and len(outputs) > 50
    machines = engine(pendulum())
    held = BatchInputs(pendulum(), ("twist", "hold"), machines)
    assert list(held) == ["twist", "hold"] and len(held) == 2
    assert not BatchInputs(arm(), (), engine(arm())) and not BatchOutputs(arm(), engine(arm()))


def test_outputs_are_those_of_each_machine(truck):
    machines, inputs, outputs = truck
    machines.store(np.ones(COUNT, bool))
    inputs["truck.selector"], inputs["truck.throttle"], inputs["truck.steer"] = "D", [0.0, 0.4, 0.8], [0.0, 0.3, -0.3]
    machines.step(100)
    for t in (2, 0, 1):
        machines.fetch(t)
        run = machines.simulation
        for name in outputs:
            assert outputs[name][t] == run.channel(name), name
    assert len({load.item() for load in outputs["truck.wheel_fl.load"]}) == COUNT


def test_levers_by_word_and_by_number(truck):
    _, inputs, _ = truck
    inputs["truck.selector"] = "D"
    assert inputs["truck.selector"].tolist() == [10, 10, 10]
    inputs["truck.selector"] = ["R", "N", "D"]
    assert inputs["truck.selector"].tolist() == [-1, 0, 10]
    inputs["truck.selector"] = [1, 2, 12]
    assert inputs["truck.selector"].tolist() == [1, 2, 12]
    inputs["truck.transfer"] = "low"
    assert inputs["truck.transfer"].tolist() == [2, 2, 2]
    for wrong in ("X", ["D", "D", "X"], 99, [0.5, 1, 1], np.nan):
        with pytest.raises(InputError, match=r"input 'truck.selector' must be one of R, P, N, D"):
            inputs["truck.selector"] = wrong
    assert inputs["truck.selector"].tolist() == [1, 2, 12]


def test_values_in_place_and_set(truck):
    _, inputs, _ = truck
    inputs["truck.throttle"] = 0.25
    inputs["truck.throttle"][1] = 0.5
    assert inputs["truck.throttle"].tolist() == [0.25, 0.5, 0.25]
    inputs["truck.throttle"] = np.array([0.0, 1.0, 0.5], np.float32)
    assert inputs["truck.throttle"].tolist() == [0.0, 1.0, 0.5]


@pytest.mark.parametrize("wrong", [1.5, [0.0, 0.0, -0.1], np.nan, [0.1, 0.2], "full", None, [[0.1], [0.2]]])
def test_wrong_values_are_refused_whole(truck, wrong):
    _, inputs, _ = truck
    inputs["truck.brake"] = 0.125
    with pytest.raises(InputError, match=r"'truck.brake' must be a number or one for each of 3 machines, from 0 to 1"):
        inputs["truck.brake"] = wrong
    assert inputs["truck.brake"].tolist() == [0.125] * 3


def test_forces_take_any_finite_number():
    machines = engine(pendulum())
    inputs = BatchInputs(pendulum(), ("twist",), machines)
    inputs["twist"] = [-1e6, 0.0, 1e6]
    assert inputs["twist"].tolist() == [-1e6, 0.0, 1e6]
    for wrong in (np.inf, np.nan, "2", [1.0, 2.0]):
        with pytest.raises(InputError, match="'twist' must be a number or one for each of 3 machines, that are finite"):
            inputs["twist"] = wrong


def test_what_a_device_does_not_compute(truck, monkeypatch):
    machines, _, outputs = truck

    def array(path):
        raise KeyError(path)

    monkeypatch.setattr(machines, "array", array)
    with pytest.raises(UnsupportedError, match=r"'truck\.wheel_fl\.load' is not computed on this device: take it from"):
        outputs["truck.wheel_fl.load"]


def test_wrong_names(truck):
    _, inputs, outputs = truck
    for name, words in (("truck.throtle", "did you mean 'truck.throttle'"), (3, "there is no input 3")):
        with pytest.raises(InputError, match=words):
            inputs[name]
        with pytest.raises(InputError, match=words):
            inputs[name] = 0.5
    with pytest.raises(InputError, match=r"no input \['truck.brake'\]"):
        inputs[["truck.brake"]] = 0.5
    with pytest.raises(InputError, match=r"did you mean 'truck\.wheel_fl\.load'"):
        outputs["truck.wheel_fl.lod"]
    with pytest.raises(InputError, match="there are none: no force has a number as its value"):
        BatchInputs(arm(), (), engine(arm()))["torque"]
    with pytest.raises(InputError, match="cannot be deleted"):
        del inputs["truck.brake"]


def test_contact():
    """Three balls and a box in a tower on a floor: the floor bears all of them."""
    batch = gori.batch(balls(), 2, gori.TimeStepping(step=1e-3))
    batch.step(1500)
    outputs = batch.outputs
    assert {"contact.points", "contact.gap", "a.contact", "box.contact"} <= set(outputs)
    run = gori.Simulation(balls(), gori.TimeStepping(step=1e-3))
    recorded = run.run(1.5, sample=1.5)
    for name in ("contact.points", "contact.gap"):
        assert outputs[name].tolist() == [recorded[name][-1]] * 2
    assert outputs["a.contact"].shape == (2, 3) and np.array_equal(outputs["a.contact"][1], recorded["a.contact"][-1])
    assert np.abs(outputs["a.contact"]).max() > 1.0
    with pytest.raises(InputError, match=r"did you mean 'contact\.points'"):
        outputs["contact.point"]
