"""Drivers: what they set, what they reach, and how long a call takes."""

import itertools
import math
import time

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.manoeuvre import DriverSchedule, Follow, HoldSpeed, Path, Together
from gori.manoeuvre import path as paths


def test_schedule(drive):
    driver = DriverSchedule(
        throttle=[[0, 0], [1, 0.5]], steer=lambda t: 0.1 * t, selector=[[0, "N"], [0.5, "D"]], brake=0.0, vehicle="lead"
    )
    rec, sim = drive(driver, 0.8)
    assert sim.inputs["lead.throttle"] == pytest.approx(0.395) and sim.inputs["lead.steer"] == pytest.approx(0.079)
    selector = rec["lead.drivetrain.selector"]
    assert selector[10] == 0.0 and selector[-1] == 10.0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"throttle": [[1, 0], [0, 1]]}, "with increasing times"),
        ({"brake": "much"}, "must be a number"),
        ({"steer": []}, "at least one row"),
    ],
)
def test_bad_signals(given, words):
    with pytest.raises(InputError, match=words):
        DriverSchedule(**given)


def test_unknown_vehicle(drive):
    with pytest.raises(gori.errors.GoriError, match=r"no vehicle 'truck'.*lead"):
        drive(HoldSpeed(10.0), 0.1)
    with pytest.raises(gori.errors.GoriError, match=r"no input 'truck\.brake'"):
        drive(DriverSchedule(brake=1.0), 0.1)


def test_speed_is_held_up_and_down(drive):
    rec, _ = drive(HoldSpeed([[0, 15], [8, 15], [8.01, 8], [20, 8]], vehicle="lead"), 20.0)
    speed = rec["lead.v"][:, 3]
    at = lambda t: float(speed[np.searchsorted(rec.time, t)])  # noqa: E731
    assert at(7.9) == pytest.approx(15.0, abs=0.1)
    assert at(19.9) == pytest.approx(8.0, abs=0.1)
    assert speed.min() > 7.2, "it brakes, and does not undershoot by much"


def test_no_wind_up(truck):
    """Ten seconds of a goal out of reach leave nothing behind."""
    state = gori.at_rest(truck, speed=5.0)
    driver = HoldSpeed([[0, 60], [10, 60], [10.01, 15], [30, 15]], vehicle="lead")
    sim = gori.Simulation(truck, gori.Adams(step=1e-3, order=2), state=state, driver=driver)
    rec = sim.run(22.0, sample=0.05, progress=False)
    speed = rec["lead.v"][:, 3]
    reached = np.flatnonzero((rec.time > 10.0) & (speed < 15.0))
    assert len(reached) and rec.time[reached[0]] < 14.0
    assert speed[rec.time > 17.0].min() > 14.5 and speed[rec.time > 17.0].max() < 15.5


@pytest.mark.parametrize("law", ["stanley", "preview"])
def test_comes_back_to_a_line(drive, law):
    line = Path([(-50.0, 2.0), (400.0, 2.0)])  # 2 m to the left
    driver = Together(HoldSpeed(15.0, vehicle="lead"), Follow(line, law=law, understeer=0.01, vehicle="lead"))
    rec, _ = drive(driver, 10.0)
    y = rec["lead.q"][:, 5]
    assert y[5] > 0.0 and rec["lead.v"][:20, 2].max() > 0.05, "left of it: it turns left"
    assert y.max() < 2.5 and np.abs(y[-50:] - 2.0).max() < 0.03


@pytest.mark.parametrize("law", ["stanley", "preview"])
@pytest.mark.parametrize("left", [True, False])
def test_keeps_to_a_circle(drive, law, left):
    R, side = 80.0, 1.0 if left else -1.0
    driver = Together(
        HoldSpeed(15.0, vehicle="lead"), Follow(paths.circle(R, left), law=law, understeer=0.01, vehicle="lead")
    )
    rec, sim = drive(driver, 40.0, sample=0.05)
    late = rec.time > 10.0
    x, y = rec["lead.q"][late, 4], rec["lead.q"][late, 5]
    assert np.abs(np.hypot(x, y - side * R) - R).max() < 0.6
    rate, speed = rec["lead.chassis.velocity"][late, 2], rec["lead.v"][late, 3]
    assert np.mean(rate / speed) == pytest.approx(side / R, rel=0.01)
    assert side * sim.inputs["lead.steer"] > 0.0


def test_later_drivers_have_the_last_word_and_any_may_end(drive):
    driver = Together(
        HoldSpeed(15.0, vehicle="lead"), DriverSchedule(throttle=0.0, vehicle="lead"), lambda run: run.time >= 0.5
    )
    rec, sim = drive(driver, 5.0)
    assert rec.time[-1] == pytest.approx(0.5) and sim.inputs["lead.throttle"] == 0.0


def test_a_call_is_light(drive):
    """Both together stay below 30 microseconds."""
    driver = Together(HoldSpeed(15.0, vehicle="lead"), Follow(paths.circle(80.0), vehicle="lead"))
    _, sim = drive(driver, 0.1)
    best = math.inf
    for _ in range(30):
        began = time.perf_counter()
        for _ in range(100):
            driver(sim)
        best = min(best, (time.perf_counter() - began) / 100)
    assert best < 30e-6


def test_bad_law():
    with pytest.raises(InputError, match="law"):
        Follow(paths.straight(10.0), law="magic")
    with pytest.raises(InputError, match="positive"):
        HoldSpeed(10.0, gain=0.0)


def test_a_driver_goes_on_from_what_it_saved(truck, rolling):
    """Two simulations in turn, the second with a driver that was loaded, are one long one bit for bit."""
    method, path = gori.Adams(step=1e-3, order=2), paths.circle(40.0)

    def drivers():
        return Together(HoldSpeed(12.0, vehicle="lead"), Follow(path, vehicle="lead"), lambda run: run.time > 100.0)

    driver = drivers()
    assert driver.save() == {"0": {}, "1": {}}
    first = gori.Simulation(truck, method, state=rolling, driver=driver)
    first.step(500)
    saved, middle = driver.save(), first.state
    first.step(500)
    last = first.q.copy()
    assert (
        set(saved["0"]) == {"integral", "speed", "time", "pose"}
        and saved["1"]["piece"] >= 0
        and set(saved) == {"0", "1"}
    )

    bare = gori.State(middle.time, middle.q, middle.v, middle.z, {"vehicle": middle.vehicle})

    def finish(other, state=bare):
        simulation = gori.Simulation(truck, method, state=state, driver=other)
        simulation.step(500)
        return simulation.q.copy()

    loaded, fresh = drivers(), drivers()
    loaded.load(saved)
    driver.load(saved)
    expected = finish(driver)
    np.testing.assert_array_equal(finish(loaded), expected)
    assert not np.array_equal(finish(fresh), expected)  # this State holds no memory of the driver
    np.testing.assert_array_equal(finish(drivers(), middle), last)  # the whole State does
    assert loaded.save() == driver.save() != saved


@pytest.mark.parametrize(("turn", "speed"), [(20.0, 10.0), (26.6, 10.0), (14.0, 10.0)])
def test_it_learns_how_the_vehicle_understeers(drive, turn, speed):
    """Back on the straight within 2 cm, 15 m after its first corner, at up to 2 m/s2; nothing told of the vehicle."""
    a = np.radians(turn)
    points = np.array([(-10.0, 0.0), (60.0, 0.0), (60.0 + 100.0 * np.cos(a), 100.0 * np.sin(a))])
    steer = Follow(Path(points), vehicle="lead")
    rec, _ = drive(Together(HoldSpeed(speed, vehicle="lead"), steer, lambda run: steer.along > 150.0), 25.0)
    d, place = np.array([np.cos(a), np.sin(a)]), rec["lead.q"][:, 4:6] - points[1]
    along, aside = place @ d, place @ [-d[1], d[0]]
    assert np.abs(aside[along > 15.0]).max() < 0.02
    memory = steer.save()
    assert memory["lacking"] / memory["turned"] == pytest.approx(0.0091, rel=0.3), "5.1 deg/g"


def test_it_keeps_to_the_straights_of_a_polyline(drive):
    """Within 2 cm, 20 m and more from its corners; it was up to 0.44 m off."""
    points = np.array([(-10.0, 0.0), (70.0, 0.0), (130.0, 25.0), (210.0, 25.0), (290.0, -10.0)])
    steer = Follow(Path(points), understeer=0.01, vehicle="lead")
    rec, _ = drive(Together(HoldSpeed(10.0, vehicle="lead"), steer, lambda run: run.q[4] > 280.0), 40.0)
    place = rec["lead.q"][:, 4:6]
    worst, far = 0.0, 0.0
    for a, b in itertools.pairwise(points):
        length = np.linalg.norm(b - a)
        d = (b - a) / length
        along, aside = (place - a) @ d, (place - a) @ [-d[1], d[0]]
        straight = (along > 20.0) & (along < length - 20.0) & (np.abs(aside) < 5.0)
        assert straight.any()
        worst, far = max(worst, np.abs(aside[straight]).max()), max(far, along[straight].max())
    assert worst < 0.02
