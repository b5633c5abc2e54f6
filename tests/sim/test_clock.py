"""Pace of the wall clock: frames, ports, overruns."""

import time

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.errors import InputError
from gori.sim import Clock, Ports

STEP = 1e-3


@pytest.fixture(scope="module")
def truck():
    model = gori.compile(vehicle.spec("hmmwv"))
    return model, gori.at_rest(model, speed=10.0)


def simulation(truck, **options):
    model, state = truck
    return gori.Simulation(model, gori.Adams(step=STEP, order=2), state=state.copy(), **options)


def test_pace_is_kept(truck):
    clock = Clock(simulation(truck), frame=0.01)
    began = time.perf_counter()
    report = clock.run(0.5)
    took = time.perf_counter() - began
    assert report.frames == 50 and clock.simulation.time == pytest.approx(0.5)
    assert took == pytest.approx(0.5, abs=0.1) and took >= 0.5 - 1e-3
    assert 0.0 < report.load < 1.0 and "50 frames" in str(report)


def test_same_steps_as_without_a_clock(truck):
    paced, free = simulation(truck), simulation(truck)
    Clock(paced, frame=0.02, pace=50.0).run(0.2)
    free.step(200)
    assert np.array_equal(paced.q, free.q) and np.array_equal(paced.v, free.v)


def test_ports(truck):
    seen = []

    def exchange(ports):
        seen.append(dict(ports.outputs))
        ports.inputs["truck.steer"] = 0.2
        ports.inputs["truck.selector"] = "D"
        return ports.outputs["time"] > 0.095

    names = ["time", "truck.v", "truck.rack.q", "truck.wheel_fl.load", "truck.drivetrain.engine_speed"]
    run = simulation(truck)
    report = Clock(run, 0.01, names, exchange, pace=20.0).run()
    assert report.frames == 10 and len(seen) == 11
    assert [row["time"] for row in seen] == pytest.approx(np.arange(11) * 0.01)
    assert seen[0]["truck.v"].shape == (6,) and seen[0]["truck.v"][3] == pytest.approx(10.0, abs=0.01)
    assert seen[0]["truck.rack.q"] == pytest.approx(0.0, abs=1e-9) and seen[-1]["truck.rack.q"] > 1e-3
    assert seen[-1]["truck.wheel_fl.load"] > 5000.0
    assert Ports(run, ["truck.q"]).outputs["truck.q"].shape == (7,)


def test_overruns_are_counted_and_caught_up(truck):
    calls = []

    def slow(ports):
        calls.append(0)
        if len(calls) == 5:
            time.sleep(0.06)

    report = Clock(simulation(truck), 0.01, exchange=slow).run(0.4)
    assert 4 <= report.overruns < 40 and 0.03 < report.worst < 0.4
    assert report.latest < 0.0, "in the end there was time left again"
    assert "overruns" in str(report)


def test_driver_of_the_simulation_goes_on(truck):
    times = []
    run = simulation(truck, driver=lambda s: times.append(s.time), driver_period=0.005)
    Clock(run, 0.01, pace=20.0).run(0.05)
    assert times == pytest.approx(np.arange(10) * 0.005)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"frame": 0.0015}, "whole number"), ({"frame": np.nan}, "positive number of seconds"), ({"pace": 0.0}, "pace"),
     ({"outputs": ["truck.wheel_fl.lode"]}, "did you mean 'truck.wheel_fl.load'")],
)  # fmt: skip
def test_refused(truck, options, words):
    with pytest.raises(InputError, match=words):
        Clock(simulation(truck), **options)


def test_adaptive_methods_have_no_pace(truck):
    pendulum = gori.compile(gori.load("examples/pendulum.yaml"))
    with pytest.raises(InputError, match="fixed step"):
        Clock(gori.Simulation(pendulum, gori.Dopri5()))
    with pytest.raises(InputError, match="duration"):
        Clock(simulation(truck)).run(-1.0)
