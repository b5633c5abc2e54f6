"""A State that does not fit is refused by part and field, before anything is changed and before a kernel sees it."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gori
from gori.errors import InputError, SimulationError
from gori.sim.check import check_array, checked_work, field_of, on_grid
from tests.sim.damage import MACHINES, machine
from tests.sim.machines import falling
from tests.sim.resume_cases import METHODS, arm, free_four_bar

ROOT = Path(__file__).parents[2]


def changed(state, part, field, change):
    """The State with a field changed, or without it if `change` is None."""
    parts = {name: dict(values) for name, values in state.parts.items()}
    if change is None:
        del parts[part][field]
    else:
        parts[part][field] = change(parts[part][field].copy())
    return gori.State(state.time, state.q, state.v, state.z, parts, state.model)


def set_to(value, field=None):
    """A change of all numbers, or of a field of a table."""

    def change(array):
        if field is None:
            array[...] = value
        else:
            array[field] = value
        return array

    return change


def rows_cut(array):
    return array.reshape(-1)[:-1]


def pivot_beyond(array):
    """The last numbers of the memory of an implicit method with loops are pivots."""
    array.view(np.int32)[-len(array) :] = 999
    return array


BAD = [
    ("arm adams", "clock", "steps_done", set_to(-1), "must be from 0 to"),
    ("arm adams", "clock", "steps_done", set_to(4), "do not lead to the time"),
    ("arm adams", "clock", "start_time", set_to(np.nan), "must be finite"),
    ("arm adams", "clock", "time", set_to(9.0), "must be the time of the State"),
    ("arm adams", "clock", "step", set_to(-1e-3), "must not be negative"),
    ("arm adams", "clock", "inside_step", set_to(2), "must be from 0 to 1"),
    ("arm dopri5", "clock", "elapsed", set_to(-1.0), "must not be negative"),
    ("arm dopri5", "clock", "elapsed", set_to(1e-3), "after its start is not the time of the State"),
    ("arm adams", "clock", "first_step", set_to(100), "must not be beyond 'steps_done'"),
    ("arm adams", "clock", "drivers_acted_at", set_to(100), "must be from -1 to 'steps_done'"),
    ("arm adams", "clock", "last_error", None, "is missing"),
    ("arm adams", "method", "tag", None, "is missing"),
    ("arm adams", "method", "head", set_to(7, "slopes"), r"\['slopes'\] must be from 0 to 4"),
    ("arm adams", "method", "head", set_to(np.inf, "step"), r"\['step'\] must be finite"),
    ("arm adams", "method", "state", rows_cut, "must be float64 of shape"),
    ("arm adams", "method", "state", set_to(np.nan), "must be finite"),
    ("arm adams", "method", "counts_of_run", lambda x: np.zeros(3), "must be float64 of shape"),
    ("arm adams", "events", "met", set_to(7.0), "must be marks"),
    ("arm adams", "events", "log", lambda x: np.array("[[1]]"), "pairs of a name and a time"),
    ("arm adams", "events", "log", lambda x: np.array("["), "one text of JSON"),
    ("arm adams", "energy", "work", set_to(np.inf), "must be finite"),
    ("arm adams", "energy", "work", lambda x: np.zeros(2), "must be float64 of shape"),
    ("arm adams", "energy", "work", None, "is missing"),
    ("arm generalized_alpha", "method", "head", set_to(np.nan, "power"), r"\['power'\] must be finite"),
    ("arm generalized_alpha", "method", "head", set_to(-1, "known"), r"\['known'\] must be from 0 to 1"),
    ("arm round robin", "method", "head", set_to(10**9, "next_row"), r"\['next_row'\] must be from 0 to"),
    ("arm radau5", "method", "head", set_to(3, "made"), r"\['made'\] must be from 0 to 2"),
    ("four-bar radau5", "method", "head", set_to(3, "refused"), r"\['refused'\] must be from 0 to 2"),
    ("four-bar generalized_alpha", "method", "state", pivot_beyond, "pivots that are no rows of the matrix"),
    ("four-bar multipliers", "loops", "head", set_to(99, "redundant"), r"\['redundant'\] must be from 0 to"),
    ("four-bar partition", "loops", "state", set_to(0.5), "not marked by 0 or 1"),
    ("four-bar frozen", "loops", "state", rows_cut, "must be float64 of shape"),
    ("four-bar frozen", "loops", "head", None, "is missing"),
    ("vehicle on sand", "vehicle", "train", set_to(50.0, "gear"), "gear must be a position"),
    ("vehicle on sand", "vehicle", "train", set_to(0.5, "target"), "target must be a position"),
    ("vehicle on sand", "vehicle", "train", set_to(4.0, "range"), "range must be a position"),
    ("vehicle on sand", "vehicle", "vehicle_clock", set_to(-1e9, "time"), "must show the time of the State"),
    ("vehicle on sand", "vehicle", "cell_index", lambda x: x[::-1], "ascending"),
    ("vehicle on sand", "vehicle", "cell_index", lambda x: x[:, None], "a row of whole numbers"),
    ("vehicle on sand", "drivers", "driver", lambda x: np.array("[]"), "JSON of a dict"),
    ("tray with an inlet", "exchange", "pending", set_to(np.nan), "must be finite"),
    ("tray with an inlet", "exchange", "impulse", rows_cut, "must be float64 of shape"),
    ("tray with an inlet", "exchange", "given", None, "is missing"),
    ("tray with an inlet", "particles", "substeps", set_to(-3), "must be a count"),
]


IDS = [f"{bad[0]} {bad[1]}.{bad[2]} {k}" for k, bad in enumerate(BAD)]


@pytest.mark.parametrize(("name", "part", "field", "change", "words"), BAD, ids=IDS)
def test_what_is_wrong_is_named(name, part, field, change, words):
    make, state = machine(name)
    with pytest.raises(InputError, match=rf"state\.{part}\['{field}'\].*{words}"):
        make(state=changed(state, part, field, change))


@pytest.mark.parametrize("name", MACHINES)
def test_a_good_state_is_taken_and_a_bad_one_changes_nothing(name):
    make, state = machine(name)
    simulation = make(state=state)
    assert simulation.state == state
    bad = [changed(state, "events", "log", lambda x: np.array("{")), changed(state, "clock", "step", None)]
    if name == "tray with an inlet":
        bad.append(changed(state, "particles", "sphere", rows_cut))
    for other in bad:
        with pytest.raises(InputError):
            simulation.state = other
        assert simulation.state == state


class Counting:
    """A driver that remembers how often it was asked."""

    def __init__(self):
        self.count = 0

    def __call__(self, simulation):
        self.count += 1

    def save(self):
        return {"count": self.count}

    def load(self, saved):
        self.count = saved["count"]


def test_what_a_driver_refuses_is_said():
    model, method = gori.compile(falling()), gori.RK4(step=1e-3)
    simulation = gori.Simulation(model, method, driver=Counting())
    simulation.advance(25)
    again = Counting()
    gori.Simulation(model, method, driver=again, state=simulation.state)
    assert again.count == simulation.driver.count == 3
    bad = changed(simulation.state, "drivers", "driver", lambda x: np.array("{}"))
    with pytest.raises(InputError, match=r"state.drivers\['driver'\] is refused by the driver: KeyError: 'count'"):
        gori.Simulation(model, method, driver=Counting(), state=bad)


def test_particles_of_a_model_without_any_are_refused():
    state = machine("tray with an inlet")[1]
    model = gori.compile(falling())
    with pytest.raises(InputError, match="the Model has no particles"):
        gori.Simulation(model, state=gori.State(0.0, model.q0, model.v0, (), {"particles": state.particles}))


def test_steps_of_an_adaptive_method_are_not_counted_as_those_of_a_fixed_one():
    """They may happen to have the length of the fixed step."""
    adaptive = arm(METHODS["dopri5"])()
    adaptive.run(0.05, progress=False)
    state = changed(adaptive.state, "clock", "step", set_to(1e-3))
    assert not on_grid(state.parts["clock"])
    with pytest.warns(gori.errors.RestartWarning):
        fixed = arm(METHODS["rk4"])(state=state)
    fixed.advance(3)
    assert fixed.time == pytest.approx(adaptive.time + 3e-3, abs=1e-15)


def test_samples_that_were_due_must_be_there(tmp_path):
    """Compiled code would write all of them at once."""
    simulation = arm(METHODS["dopri5"])()
    simulation.run(0.05, progress=False)
    simulation.stepper.plan_resumed(0.1, 0.05 / 1000)
    with pytest.raises(InputError, match=r"state.clock\['samples_total'\]"):
        simulation.stepper.plan_resumed(0.1, 1e-9)


def test_factors_of_the_wrong_sign_end_the_run():
    """A pose that is refused whatever the threshold: the choice of coordinates would be tried for ever."""
    simulation = free_four_bar(gori.RK4(step=1e-3))()
    simulation.stepper.closure.kept.extra_inertia[:] = -1e3
    with pytest.raises(SimulationError, match="the equations have no solution"):
        simulation.advance(1)


def test_names_of_fields():
    assert field_of("clock", "step") == "state.clock['step']"
    assert field_of("exchange of a", "wrench") == "state.parts['exchange of a']['wrench']"
    check_array("clock", "time", np.array(1.0, ">f8"), np.zeros(()))  # of the other byte order, but the same number
    with pytest.raises(InputError, match="must be float64"):
        check_array("clock", "time", np.array("1"), np.zeros(()))


def test_damaged_states_are_refused_or_run():
    """In another process, since the worst that can happen is that compiled code reads beyond an array."""
    tries = os.environ.get("GORI_DAMAGE", "150")
    command = [sys.executable, "-m", "tests.sim.damage", "20260101", tries]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60 + int(tries))
    assert done.returncode == 0, (done.stdout[-400:], done.stderr[-2000:])
    assert done.stdout.splitlines()[-1].startswith("done") and done.stdout.count("InputError") > int(tries) // 3


def test_work_of_a_state_that_was_made_by_hand():
    state = gori.compile(falling()).state()
    assert checked_work(gori.State(0.0, state.q, state.v)) == 0.0
    assert checked_work(state.replace(energy={"work": np.array(2.5)})) == 2.5
