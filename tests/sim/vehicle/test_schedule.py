"""Schedules at work: pedals over time, held within their range, and levers."""

from types import SimpleNamespace

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.errors import InputError, SimulationError
from gori.sim.vehicle.schedule import scheduled
from tests.checks import arm

ADAMS = gori.Adams(step=1e-3, order=2)


@pytest.fixture(scope="module")
def model():
    return gori.compile(vehicle.spec("hmmwv"))


@pytest.fixture(scope="module")
def rest(model):
    return gori.at_rest(model)


def test_schedules_drive(model, rest):
    control = {"type": "schedule", "throttle": [[0, 0.2], [0.2, 0.6]], "steer": "2*t", "brake": "step(t-0.2) - 0.5"}
    control |= {"selector": [[0, "N"], [0.1, "D"]], "transfer": "high", "every": 0.02}
    driven = gori.compile(model.spec.set("controls", {"truck.driver": control}))
    simulation = gori.Simulation(driven, ADAMS, state=rest)
    rec = simulation.run(0.3, sample=0.02)
    # what is set at a time counts in the step that follows
    t = np.maximum(rec.time - 0.02, 0.0)[1:]
    np.testing.assert_allclose(rec["truck.drivetrain.throttle"][1:], np.interp(t, [0, 0.2], [0.2, 0.6]), atol=1e-12)
    np.testing.assert_allclose(
        rec["truck.drivetrain.brake"][1:], np.where(t > 0.199, 0.5, 0.0), atol=1e-12
    )  # held in range
    np.testing.assert_array_equal(rec["truck.drivetrain.selector"][1:], np.where(t > 0.099, 10.0, 0.0))
    assert simulation.inputs["truck.steer"] == pytest.approx(0.56)
    assert simulation.driver_period == 0.02

    def more(sim):
        sim.inputs["truck.throttle"] = 1.0

    both = gori.Simulation(driven, ADAMS, state=rest, driver=more)
    both.step(30)
    assert both.channel("truck.drivetrain.throttle") == 1.0 and both.inputs["truck.steer"] == pytest.approx(0.04)
    broken = gori.compile(model.spec.set("controls", {"truck.driver": {"type": "schedule", "throttle": "log(t-1)"}}))
    with pytest.raises(SimulationError, match=r"the schedule of truck.throttle returns no number at t = 0 s"):
        gori.Simulation(broken, ADAMS, state=rest).step()
    unknown = model.spec.set("controls", {"truck.driver": {"type": "schedule", "throttle": "a.q"}})
    with pytest.raises(InputError, match=r"controls.truck.driver.throttle: 'a' is not a movable joint"):
        gori.compile(unknown)


def test_levers_are_held_from_their_time_on(model):
    control = {"type": "schedule", "selector": [[1, "N"], [2, "D"], [3, 2]], "steer": "5*t"}
    (schedule,) = scheduled(gori.compile(model.spec.set("controls", {"truck.driver": control})))
    run = SimpleNamespace(model=model, q=model.q0, v=np.zeros(model.nv), inputs={})
    found = {}
    for run.time in (0.0, 1.5, 2.0, 2.9, 3.0, 99.0):
        schedule(run)
        found[run.time] = run.inputs["truck.selector"]
        assert run.inputs["truck.steer"] == min(1.0, 5.0 * run.time)
    assert found == {0.0: "N", 1.5: "N", 2.0: "D", 2.9: "D", 3.0: 2, 99.0: 2}


def test_machines_without_vehicles_have_none():
    assert scheduled(gori.compile(arm())) == []
