"""Bodies that go through each other, and steps too long for a contact: told at the end of a run, by name."""

import warnings

import numpy as np
import pytest

import gori
from gori.errors import ContactWarning, EnergyWarning
from gori.integrate import RK4, Dopri5, GeneralizedAlpha, ImplicitEuler, Radau5
from gori.kernels.contact.penalty_memory import DEEP, FAR, PASSED, STIFF, WORST
from gori.sim import Simulation
from gori.sim.contact.passages import found, warn_of_passages
from tests.sim.contact.machines import ball
from tests.sim.contact.passages import bullet


def run(spec, method, duration, **options):
    """Recording, and warnings of contact at the end of the run."""
    simulation = Simulation(gori.compile(spec), method, **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        recording = simulation.run(duration, progress=False)
    return recording, [str(one.message) for one in caught if one.category is ContactWarning], simulation


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("shape", ["sphere", "box"])
def test_a_bullet_that_passes_through_a_plate_is_named(shape, moving):
    record, words, _ = run(bullet(shape=shape, moving=moving, stiffness=1e8), RK4(step=1e-4), 3e-3)
    assert record["bullet.z"][-1] < -0.4
    (passed,) = [one for one in words if "passed through each other" in one]
    assert "bullet.s" in passed and "plate" in passed
    speed = 650.0 if moving else 500.0
    assert f"with {speed:.3g} m/s" in passed and f"{1e-3 / speed:.2g} s (they are 0.0001 s)" in passed


def test_with_the_steps_that_are_asked_for_it_comes_back():
    record, words, _ = run(bullet(), RK4(step=1e-6), 3e-3)
    assert record["bullet.vz"][-1] == pytest.approx(250.0, rel=1e-3)
    assert not any("passed" in one or "steps of at most" in one for one in words)


def test_steps_that_end_before_the_plate_by_chance_are_named_too():
    """It moves by five times half of the thickness in a step: what becomes of it depends on where its steps end."""
    _, words, _ = run(bullet(), RK4(step=1e-5), 3e-3)
    (far,) = [one for one in words if "came together" in one]
    assert "5 times half of the smaller thickness" in far and "at most 2e-06 s" in far


@pytest.mark.parametrize("method", [Dopri5(), Radau5()], ids=lambda m: m.kind)
@pytest.mark.parametrize("shape", ["sphere", "box"])
def test_adaptive_methods_stop_it(method, shape):
    for moving in (False, True):
        record, words, _ = run(bullet(shape=shape, moving=moving), method, 3e-3)
        bodies = (record["bullet.vz"], record["board.vz"]) if moving else (record["bullet.vz"], np.zeros(1))
        assert bodies[0][-1] - bodies[1][-1] == pytest.approx(0.5 * (650.0 if moving else 500.0), rel=1e-3)
        assert not any("passed" in one for one in words)


def test_an_adaptive_method_does_not_step_over_a_plate_that_a_force_drives_it_through():
    """A constant force is integrated without error in one step, and nothing moves yet when that begins."""
    spec = bullet(speed=0.0, height=0.5, plate=0.001, restitution=0.0)

    def push(t, q, v):
        return np.array([0.0, 0.0, 0.0, 0.0, 0.0, -20.0])

    record, words, _ = run(spec, Dopri5(rtol=1e-3), 0.05, forces=push)
    assert record["bullet.z"].min() > 0.0 and not any("passed" in one for one in words)


@pytest.mark.filterwarnings("ignore::gori.errors.EnergyWarning")
@pytest.mark.parametrize("method", [ImplicitEuler(step=1e-4), GeneralizedAlpha(step=1e-4)], ids=lambda m: m.kind)
def test_implicit_steps_are_halved_until_it_does_not_pass(method):
    record, words, simulation = run(bullet(), method, 3e-3)
    assert record["bullet.z"].min() > -1e-3 and record["bullet.vz"][-1] > 0.0
    assert simulation.report["jacobian"]["halved"] >= 1
    assert any("came together" in one for one in words) and not any("passed" in one for one in words)


def test_a_body_that_is_pushed_through_is_told_of_the_stiffness():
    record, words, _ = run(bullet(speed=100.0, height=0.02, stiffness=1e6), Dopri5(), 1e-3)
    assert record["bullet.z"][-1] < -5e-3
    (deep,) = words
    assert "0.006 m deep into each other at t = 0.0002" in deep and "Give the contact more stiffness" in deep


def test_a_contact_too_fast_for_the_step_is_named():
    """A ball that falls 0.2 m: energy is off by 1.2 % of what it has with the longer step, and by 0.01 % else."""
    model = gori.compile(ball(restitution=0.5, stiffness=1e9))
    state = model.state(q=[1, 0, 0, 0, 0, 0, 0.3])
    for step, expected in ((2e-4, True), (5e-5, False)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            record = Simulation(model, RK4(step=step), state=state).run(0.3, progress=False)
        words = [str(one.message) for one in caught if one.category is ContactWarning]
        assert any("too fast for steps of 0.0002 s" in one for one in words) == expected == bool(words)
        share = np.abs(record["energy.balance"]).max() / record["energy.kinetic"].max()
        assert (share > 1e-2) == expected and (share < 1e-3) != expected
        assert any(one.category is EnergyWarning for one in caught) == expected


def test_slow_runs_say_nothing():
    _, words, simulation = run(bullet(speed=1.0, height=0.01, stiffness=1e8), RK4(step=2e-6), 0.02)
    assert not words and not simulation.stepper.data.penalty_memory.worst["value"].any()  # forgotten


def test_words_of_what_was_noted():
    model = gori.compile(bullet())
    worst = WORST.zeros(4)
    assert list(found(model, RK4(step=1e-4), worst)) == []
    worst["b"], worst["time"], worst["speed"] = 1, 0.5, 20.0
    for kind, value, word in ((PASSED, 3.0, "3 times, first"), (FAR, 2.0, "2 times half"), (STIFF, 5.0, "too fast"),
                              (DEEP, 1.5, "0.0015 m deep")):  # fmt: skip
        one = worst.copy()
        one["value"][kind] = value
        (words,) = found(model, RK4(step=1e-4), one)
        assert word in words and "at t = 0.5 s with 20 m/s" in words
    assert list(found(model, Dopri5(), np.array(worst))) == []
    memory = Simulation(model, RK4(step=1e-6)).stepper.data.penalty_memory
    memory.worst["value"][DEEP] = 2.0
    memory.worst["b"] = 1
    with pytest.warns(ContactWarning, match="more stiffness"):
        warn_of_passages(model, RK4(step=1e-6), memory)
    assert not memory.worst["value"].any()
