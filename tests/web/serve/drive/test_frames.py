"""Frames for pages."""

import numpy as np
import pytest

from gori.web.serve.drive.engine import BLOCK, DriveEngine, values_of
from gori.web.serve.drive.frames import DriveFrames
from gori.web.serve.drive.truck import DriveOptions, driven


@pytest.fixture(scope="module")
def engine():
    return DriveEngine(driven(DriveOptions(course="lane_change")))


def made(engine, frames, **other):
    told = {
        "row": engine.sample(), "spin": engine.spin.astype(np.float32), "values": values_of(engine), "cones": 3,
        "ratio": 1.0, "percent": 99.0, "looks": 10, "behind": 0.0, "paused": False, "gear": "D", "low": True,
        "lost": 0.0, "sent": 5.0, **other,
    }  # fmt: skip
    return frames.make(told, 7, {"replay": False})


def test_values_are_those_of_the_vehicle(engine):
    frames = DriveFrames(engine.vehicle)
    frames.outputs = engine.simulation.outputs
    engine.begin()
    engine.pedals.want(0.6, 0.0, 1.0, False)
    for _ in range(int(1.5 / BLOCK)):
        engine.advance()
    head, arrays = made(engine, frames)
    values, state = head["values"], head["state"]
    assert values["speed"] == pytest.approx(engine.speed) and values["throttle"] == pytest.approx(0.6)
    assert 0.3 < values["angle"] / engine.size.lock <= 1.1  # to the left, as the wheel was turned
    weight = 9.81 * sum(body.inertial()[0] for body in engine.model.spec.bodies.values())
    assert sum(values["load"]) == pytest.approx(weight, rel=0.15) and values["rpm"] > 500
    assert state["low"] and state["sent"] == 5.0 and state["trouble"] is None and not state["replay"]
    assert arrays["poses"].shape[1] == 7 and "grains" not in head
    head, arrays = made(engine, frames, stones=(np.ones((4, 3), np.float32), np.ones(4, np.float32)))
    assert head["grains"]["count"] == 4 and head["grains"]["frame"] == 7


def test_cones_under_the_vehicle(engine):
    frames, row = DriveFrames(engine.vehicle), engine.sample()
    engine.begin()
    assert frames.cones_under(row) == set()
    cone = engine.vehicle.course.cones[5]
    place = engine.size.joint_q.start + 1
    row[place : place + 4], row[place + 4 : place + 6] = [1, 0, 0, 0], cone
    assert 5 in frames.cones_under(row)
    row[place + 5] += 3.0
    assert 5 not in frames.cones_under(row)
