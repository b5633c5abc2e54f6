"""Simulations and Recordings in other processes, and copies of them."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.sim.callers.pickled import Bound, refuse_unpicklable
from tests.sim.coupled import Spring
from tests.sim.damage import MACHINES, go_on, tray
from tests.sim.machines import falling

ROOT = Path(__file__).parents[3]
METHOD = gori.RK4(step=1e-3)
ELSEWHERE = """
import pickle, sys, warnings
from tests.sim.coupled import Spring
from tests.sim.damage import go_on
warnings.simplefilter("ignore")
with open(sys.argv[1], "rb") as file:
    for name, simulation in pickle.load(file).items():
        go_on(simulation, 10)
        print(f"{name}: {simulation.state.digest()}", flush=True)
"""
NAMES = ("arm adams", "arm radau5", "four-bar partition", "vehicle on sand", "tray with an inlet")


def plain(t, q, v):
    return -0.1 * v


@numba.njit
def compiled(t, q, v, tau):
    tau -= 0.1 * v


def bounce(state):
    return state.replace(v=-0.8 * state.v)


class Pressing:
    """A driver that counts, and knows its Simulation."""

    def __init__(self):
        self.count, self.simulation = 0, None

    def __call__(self, simulation):
        self.count, self.simulation = self.count + 1, simulation


def pressed():
    simulation = gori.Simulation(
        gori.compile(falling()),
        METHOD,
        forces=[plain, compiled],
        events={"ground": gori.Event("rail.q - 0.9", action=bounce)},
        driver=Pressing(),
        driver_period=2e-3,
    )
    simulation.step(400)
    return simulation


def test_pickled_simulations_go_on_in_another_process(tmp_path):
    """They were stepped by code at the addresses of the first one, and died."""
    made = {name: MACHINES[name][0]()() for name in NAMES} | {"pressed": pressed()}
    for simulation in made.values():
        go_on(simulation, 5)
    (tmp_path / "made.pickle").write_bytes(pickle.dumps(made))
    command = [sys.executable, "-c", ELSEWHERE, str(tmp_path / "made.pickle")]
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    for simulation in made.values():
        go_on(simulation, 10)
    assert done.stdout.split("\n")[:-1] == [f"{name}: {x.state.digest()}" for name, x in made.items()]


@pytest.mark.parametrize("name", ["arm adams", "four-bar multipliers", "tray with an inlet"])
def test_copies_are_independent(name):
    simulation = MACHINES[name][0]()()
    go_on(simulation, 5)
    before = simulation.state
    for other in (copy.deepcopy(simulation), copy.copy(simulation), pickle.loads(pickle.dumps(simulation))):
        go_on(other, 10)
        assert simulation.state == before
    go_on(simulation, 10)
    assert other.state == simulation.state


def test_drivers_forces_and_events_come_along():
    simulation = pressed()
    assert simulation.driver.simulation is simulation and simulation.event_log
    for other in (copy.deepcopy(simulation), pickle.loads(pickle.dumps(simulation))):
        assert other.driver.simulation is other and other.driver.count == simulation.driver.count
        assert other.driver_period == 2e-3 and other.event_log == simulation.event_log
        simulation.ignore_drivers()
        assert pickle.loads(pickle.dumps(simulation))._kept.drivers.off
    simulation.step(100), other.ignore_drivers(), other.step(100)
    assert other.state == simulation.state


def test_what_cannot_be_pickled_is_named():
    model = gori.compile(falling())

    def mine(t, q, v):
        return -v

    cases = {
        "force function 'test_what_cannot_be_pickled_is_named.<locals>.mine'": {"forces": mine},
        "event 'low'": {"events": {"low": gori.Event("t - 1", action=lambda state: None)}},
        "driver 'test_what_cannot_be_pickled_is_named.<locals>.<lambda>'": {"driver": lambda simulation: None},
    }
    for words, options in cases.items():
        simulation = gori.Simulation(model, METHOD, **options)
        with pytest.raises(InputError, match="cannot be pickled, because of its ") as caught:
            pickle.dumps(simulation)
        assert words in str(caught.value)
        copy.deepcopy(simulation).step()
    bad = {"forces": [], "events": {}, "subsystems": [Spring()], "driver": None}
    assert refuse_unpicklable(object(), bad) is bad


# ---- Recordings


def same(one, other):
    assert one.channels() == other.channels() and one.info == other.info
    for name in one.channels():
        np.testing.assert_array_equal(one[name], other[name])


@pytest.mark.parametrize("name", ["arm adams", "four-bar multipliers", "vehicle on sand"])
def test_recordings_have_all_channels_elsewhere(name):
    simulation = MACHINES[name][0]()()
    recording = simulation.run(0.02, sample=1e-3, progress=False)
    for other in (pickle.loads(pickle.dumps(recording)), copy.deepcopy(recording)):
        same(recording, other)
    again = pickle.loads(pickle.dumps(other))
    same(recording, again)


def test_functions_of_a_recording():
    model = gori.compile(falling())
    recording = gori.Simulation(model, METHOD, forces=plain).run(0.1, progress=False)
    same(recording, pickle.loads(pickle.dumps(recording)))
    recording.add_source(["height"], lambda rec, name: rec["rail.q"] - 1.0)
    same(recording, pickle.loads(pickle.dumps(recording)))  # a lambda stays behind, its numbers come along
    left = gori.Simulation(model, METHOD, forces=lambda t, q, v: -v).run(0.1, progress=False)
    other = pickle.loads(pickle.dumps(left))
    np.testing.assert_array_equal(other["rail.q"], left["rail.q"])
    with pytest.raises(InputError, match="need its user force functions"):
        other["a"]


def test_traces():
    recording = pressed().run(0.01, progress=False)
    trace = gori.Trace(recording)
    with pytest.raises(InputError, match="need its user force functions"):
        _ = pickle.loads(pickle.dumps(trace)).accelerations
    known = gori.Trace(recording, accelerations=np.ones((len(recording), 1)))
    assert pickle.loads(pickle.dumps(known)).accelerations.all()


def test_parts_are_refused():
    """They hold addresses, which lead to nothing elsewhere."""
    simulation = tray()()
    parts = simulation.stepper, simulation.particles, simulation.vehicles, simulation.inputs, Bound()
    for part in (*parts, *simulation.exchanges.values()):
        for call in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(InputError, match=f"{type(part).__name__} is a part of one Simulation"):
                call(part)
