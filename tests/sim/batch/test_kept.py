"""What a machine keeps: from that alone it goes on to the same bits, in arrays that have held other machines before."""

import numpy as np
import pytest

import gori
from gori.sim.batch.kept import RENEWED, all_members, forget_in, forgets, kept_members
from tests.sim.batch.machines import H, arm, four_bar, pendulum, sand, speeds

FIXED = [
    gori.SemiImplicit(step=H), gori.RK4(step=H), gori.Adams(step=H), gori.AdamsMoulton(step=H),
    gori.ImplicitEuler(step=H), gori.GeneralizedAlpha(step=H), gori.TimeStepping(step=H),
]  # fmt: skip


def simulation(model: gori.Model, method, state: gori.State) -> gori.Simulation:
    run = gori.Simulation(model, method, state=state)
    run.stepper.plan_steps(1)
    return run


def continued(run: gori.Simulation, other: gori.Simulation, steps: int) -> None:
    """Both go on from what `run` keeps, and come to the same."""
    source = kept_members(run.stepper) | {"clock": run.stepper.clock_record}
    target = kept_members(other.stepper) | {"clock": other.stepper.clock_record}
    assert source.keys() == target.keys()
    for path, array in source.items():
        target[path][...] = array
    for path in RENEWED:
        all_members(other.stepper)[path][...] = 0.0
    for one in (run, other):
        one.step(steps)
    assert other.state == run.state and np.array_equal(other.stepper.y, run.stepper.y)
    assert np.array_equal(other.stepper.sample(), run.stepper.sample())


def test_all_methods_with_fixed_steps_are_here():
    every = {getattr(gori.methods, name) for name in gori.methods.__all__}
    assert {type(method) for method in FIXED} == {method for method in every if not method.adaptive}


@pytest.mark.parametrize("method", FIXED, ids=lambda method: method.kind)
@pytest.mark.parametrize("make", [pendulum, four_bar])
def test_kept_members_are_enough(make, method):
    model = make()
    v = speeds(model, 2)
    run, other = (simulation(model, method, model.state().replace(v=x)) for x in v)
    run.step(15)
    other.step(40)
    continued(run, other, 15)


@pytest.mark.parametrize("loops", ["partition", "frozen_explicit", "real_time"])
def test_loop_solvers(loops):
    model = four_bar()
    runs = [
        gori.Simulation(model, gori.Adams(step=H), state=model.state().replace(v=v), loops=loops)
        for v in speeds(model, 2)
    ]
    runs[0].step(15)
    runs[1].step(40)
    continued(*runs, 15)


@pytest.mark.parametrize("method", [gori.Adams(step=H, order=2), gori.RK4(step=H)], ids=lambda method: method.kind)
def test_vehicles_on_soft_soil(method):
    """Ruts, wheels, drive trains and inputs of the driver are kept."""
    model, state = sand()
    run, other = (simulation(model, method, state) for _ in range(2))
    for one, throttle in ((run, 0.4), (other, 0.0)):
        one.inputs["truck.selector"], one.inputs["truck.throttle"] = "D", throttle
    run.step(30)
    other.step(50)
    continued(run, other, 30)


def test_names_of_what_is_kept():
    def names(model, method=FIXED[0]):
        return kept_members(gori.Simulation(model, method).stepper).keys()

    tree = {"y", "memory.head", "data.values", "data.loops.head", "data.loops.work.departing"}
    assert names(pendulum()) == tree
    assert {name.rpartition(".")[0] for name in names(pendulum(), gori.Adams(step=H)) - tree} == {"memory.state"}
    closed = names(four_bar())
    assert {"data.loops.head", "data.loops.state.multipliers", "data.loops.work.departing"} <= closed
    assert not any(name.startswith("data.loops.work.stood") for name in closed)
    vehicle = names(sand()[0])
    assert {"data.driver", "data.wheel", "data.train", "data.cells", "data.contact", "data.vehicle_clock"} <= vehicle


def test_members_are_the_arrays_themselves():
    stepper = gori.Simulation(arm(), FIXED[0]).stepper
    members = all_members(stepper)
    assert members["data.tau"] is stepper.data.tau and members["memory.head"] is stepper.memory.head
    assert kept_members(stepper)["y"] is stepper.y
    assert all(array.size for array in kept_members(stepper).values())


@pytest.mark.parametrize("method", FIXED, ids=lambda method: method.kind)
def test_heads_forget_as_the_method_does(method):
    run = simulation(arm(), method, arm().state())
    run.step(10)
    heads = np.stack([run.stepper.memory.head, run.stepper.memory.head])
    before, found = heads.copy(), forget_in(method, heads)
    run.stepper.forget()
    assert np.array_equal(heads, before) and all(np.array_equal(head, run.stepper.memory.head) for head in found)
    assert forgets(method) == (method.kind in ("adams", "adams_moulton", "implicit_euler", "generalized_alpha"))
    assert np.array_equal(found, before) != forgets(method)
