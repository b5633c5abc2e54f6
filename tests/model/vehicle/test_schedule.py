"""Schedules of a Spec as tables."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.model.vehicle.schedule import schedule_tables


@pytest.fixture(scope="module")
def model():
    control = {"type": "schedule", "throttle": "0.5*t", "selector": [[0, "N"], [2, "D"]], "every": 0.05}
    return gori.compile(vehicle.spec().set("controls", {"truck.driver": control}))


def test_schedules_are_compiled(model):
    (schedule,) = model.vehicle.schedules
    assert schedule.every == 0.05
    assert [name for name, _, _ in schedule.pedals] == ["truck.throttle", "truck.brake", "truck.steer"]
    assert dict(schedule.levers)["truck.selector"] == ((0.0, "N"), (2.0, "D"))


def test_inputs_that_are_not_there_are_left_out(model):
    (schedule,) = schedule_tables(model, ["truck.throttle", "truck.transfer"])
    assert schedule.pedals == (("truck.throttle", 0.0, 1.0),)
    assert schedule.levers == (("truck.transfer", ((0.0, "high"),)),)
    (whole,) = model.vehicle.schedules
    assert len(whole.signal_i) == 3 and len(schedule.signal_i) == 1
    assert np.array_equal(whole.signal_i[0], schedule.signal_i[0])
