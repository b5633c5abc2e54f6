"""Impacts in machines with drives, guides, teeth and slots, of all sizes, against hand calculations."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import gori
from gori.errors import ImpactWarning
from gori.kernels.codes import OK
from gori.sim.contact.impact_stage import ImpactStage
from gori.sim.contact.impacts import scale_of, watched
from tests.sim.contact.impact_machines import (
    G,
    arm_and_bar,
    ball,
    disc_brake,
    geneva,
    guided_on_belt,
    random_tumblers,
    ratchet,
    three_that_fall,
    tumbling_box,
)

METHODS = [gori.Dopri5(), gori.RK4(step=1e-3)]
SPHERE = {"type": "sphere", "radius": 0.05}
BOX = {"type": "box", "size": [0.2, 0.2, 0.1]}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pad", [SPHERE, BOX])
def test_a_drive_bears_the_friction_of_a_guided_pad(method, pad):
    model = guided_on_belt({"speed": 0.5}, 0.3, pad)
    run = gori.Simulation(model, method, impacts=True).run(0.2, sample=0.01, progress=False)
    late = run.time > 0.05
    np.testing.assert_allclose(run["drive.drive"][late], 0.3 * 10.0 * G, rtol=1e-6)
    np.testing.assert_allclose(run["pad.contact"][late, 0], 0.3 * 10.0 * G, rtol=1e-6)
    assert abs(run["energy.work"][-1]) < 1e-6  # all that the drive gives is heat


@pytest.mark.parametrize("method", METHODS)
def test_a_belt_that_goes_to_and_fro_below_a_guided_ball(method):
    model = guided_on_belt({"value": "0.1*sin(10*t)"}, 0.3, SPHERE)
    run = gori.Simulation(model, method, impacts=True).run(1.0, sample=0.01, progress=False)
    fast = np.abs(np.cos(10.0 * run.time)) > 0.1
    expected = -20.0 * np.sin(10.0 * run.time) + 0.3 * 10.0 * G * np.sign(np.cos(10.0 * run.time))
    fast[0] = False  # forces of the first sample are those before the first step
    np.testing.assert_allclose(run["drive.drive"][fast], expected[fast], rtol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_a_pad_pressed_on_a_disc_that_turns(method):
    run = gori.Simulation(disc_brake(1000.0, 0.3), method, impacts=True).run(0.1, sample=0.01, progress=False)
    # a quarter of the load on each corner of the pad
    radius = np.mean([np.hypot(0.15 + 0.015 * x, 0.015 * y) for x in (1, -1) for y in (1, -1)])
    np.testing.assert_allclose(run["drive.drive"][2:], 0.3 * 1000.0 * radius, rtol=1e-6)


def test_a_pad_slows_a_free_disc_down():
    model = disc_brake(1000.0, 0.3, speed=None)
    start = model.state(v=[50.0, 0.0])
    run = gori.Simulation(model, gori.Dopri5(), state=start, impacts=True).run(0.2, sample=0.01, progress=False)
    torque = 0.3 * 1000.0 * np.mean([np.hypot(0.15 + 0.015 * x, 0.015 * y) for x in (1, -1) for y in (1, -1)])
    assert run["axle.v"][-1] == pytest.approx(50.0 - torque / 0.4 * 0.2, rel=1e-4)


def test_a_driven_arm_takes_a_bar_along():
    run = gori.Simulation(arm_and_bar(6.283), gori.Dopri5(), impacts=True).run(2.0, sample=0.05, progress=False)
    assert len(run.info["impacts"]) == 1 and run["B.v"][-1] == pytest.approx(6.283, rel=1e-6)
    # the ball touches the bar 0.1 m before its middle
    assert run["B.q"][-1] == pytest.approx(6.283 * 2.0 - 0.5 * np.pi + 0.1, abs=2e-3)


def test_a_geneva_drive():
    model = geneva()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ImpactWarning)
        run = gori.Simulation(model, gori.Dopri5(), impacts=True).run(2.0, sample=0.005, progress=False)
    turned = np.degrees(run["B.q"][[200, 400]] - run["B.q"][0])
    np.testing.assert_allclose(turned, [-90.0, -180.0], atol=1.0)  # the slots have play
    deepest = min(c.gap for q in run.q[::5] for c in model.contacts(q, reach=1e-2))
    assert deepest > -1e-7


def test_a_pawl_on_teeth_that_pass_its_end():
    run = gori.Simulation(ratchet(), gori.Dopri5(), impacts=True).run(0.3, sample=0.005, progress=False, max_wall=60.0)
    assert run.info["end"] == "complete" and len(run.info["impacts"]) > 4
    assert np.degrees(run["A.q"][-1]) < -60.0
    assert np.abs(run["energy.balance"]).max() < 1e-5


@pytest.mark.parametrize("size", [1e-2, 1e-3, 1e-4])
def test_small_machines_fall_as_large_ones(size):
    runs = []
    for scale in (1.0, size):
        time = float(np.sqrt(scale))
        settings = gori.Impacts(rest_speed=1e-5 * time)
        simulation = gori.Simulation(tumbling_box(scale, 0.2, 0.4), gori.Dopri5(), impacts=settings)
        runs.append(simulation.run(1.5 * time, sample=0.01 * time, progress=False))
    large, small = runs
    for run in runs:
        assert abs(run["energy.balance"][-1] / run["energy.total"][0]) < 1e-5
    assert len(small.info["impacts"]) == len(large.info["impacts"]) > 20
    np.testing.assert_allclose(small["box.position"][-1] / size, large["box.position"][-1], atol=1e-5)


def test_the_scale_of_a_machine():
    assert scale_of(ball(0.5)) == 1.0 and scale_of(ball(0.5, radius=0.01)) == pytest.approx(0.1)


def test_impacts_without_end_come_to_rest():
    """A box with e = 1 rattles on two corners ever faster."""
    simulation = gori.Simulation(tumbling_box(1.0, 1.0, 0.3), gori.Dopri5(), impacts=gori.Impacts(chatter_rate=200.0))
    with pytest.warns(ImpactWarning, match="They come to rest"):
        run = simulation.run(4.0, sample=0.05, progress=False, max_wall=120.0)
    assert run.info["end"] == "complete"


@pytest.mark.parametrize("x", [0.02, 0.03])
def test_bodies_that_tumble_on_each_other(x):
    model = three_that_fall(x)
    run = gori.Simulation(model, gori.Dopri5(), impacts=True).run(0.6, sample=0.01, progress=False, max_wall=60.0)
    assert run.info["end"] == "complete" and np.abs(run["energy.balance"]).max() < 1e-3
    assert min([c.gap for q in run.q for c in model.contacts(q)] + [0.0]) > -1e-6


@pytest.mark.parametrize("seed", [2, 74, 83, 116, 159, 175])
def test_bodies_of_other_masses_and_friction_that_tumble(seed):
    """Starts that once ended with forces that were not found, where points are about to stick."""
    model = random_tumblers(seed)
    run = gori.Simulation(model, gori.Dopri5(), impacts=True).run(0.6, sample=0.01, progress=False, max_wall=120.0)
    assert run.info["end"] == "complete" and len(run.info["impacts"]) > 10
    total = run["energy.total"]
    assert np.diff(total).max() < 1e-5 * total[0] and np.abs(run["energy.balance"]).max() < 1e-5 * total[0]
    assert min([c.gap for q in run.q for c in model.contacts(q)] + [0.0]) > -1e-6


def test_bodies_inside_each_other_are_named():
    simulation = gori.Simulation(ball(0.5), gori.Dopri5(), impacts=True)
    stepper, settings = simulation.stepper, simulation.impacts
    log = simulation._kept.impacts
    stage = ImpactStage(stepper, settings, watched(simulation.model, settings), log, None, None, [], None)
    block = SimpleNamespace(code=OK, failure=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ImpactWarning)
        stepper.y[6] = 0.1 - 5e-5
        stage(block)
    stepper.y[6] = 0.1 - 2e-3
    with pytest.warns(ImpactWarning, match=r"ground\.floor and ball\.ball are 0\.002 m inside each other"):
        stage(block)
