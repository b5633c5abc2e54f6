"""Ctrl-C at any moment: a bed is as before a change or after it, never in between, and the run goes on as if nothing
had been.
"""

import hashlib
import os
import signal
import sys

import numpy as np
import pytest

import gori
from gori.model.particles.packing import near_pairs
from tests.sim.particles.shaken import STEP, shaken

PART = os.path.join("gori", "sim")
DRAIN = {"box": {"at": [0.05, 0.0, -0.015], "size": [0.04, 0.1, 0.03], "body": "tray"}}
FEEDER = {"material": "grain", "radius": 0.004, "box": {"at": [0, 0, 0.15], "size": [0.1, 0.05, 0.05]}, "rate": 2000.0}


MODEL = gori.compile(shaken().set("outlets", {"drain": DRAIN}).set("inlets.feeder", FEEDER))


def simulation(state=None):
    """A shaken tray that is drained at one end while more comes in: particles come and go in every step."""
    return gori.Simulation(MODEL, gori.RK4(step=STEP), state=state)


def digest(sim):
    """A hash of all that the particles keep."""
    whole = hashlib.sha256(sim.q.tobytes() + sim.v.tobytes())
    for name, value in sorted(sim.particles.state().items()):
        whole.update(name.encode() + np.ascontiguousarray(value).tobytes())
    return whole.hexdigest()


def pressed(action, moment, presses):
    """Bytecodes of the Python of `gori.sim` that an action takes; at one of them Ctrl-C is pressed."""
    count, before = 0, sys.gettrace()

    def trace(frame, event, arg):
        nonlocal count
        if PART not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            count += 1
            if count == moment:
                for _ in range(presses):
                    signal.raise_signal(signal.SIGINT)
        return trace

    sys.settrace(trace)
    try:
        action()
    except KeyboardInterrupt:
        assert 0 < moment <= count
    finally:
        sys.settrace(before)
    return count


def deepest(sim):
    """Largest overlap of two particles, in radii."""
    x, r = sim.particles.position, sim.particles.radius
    i, j = near_pairs(x, r)
    return float(((r[i] + r[j] - np.linalg.norm(x[i] - x[j], axis=1)) / np.minimum(r[i], r[j])).max(initial=0.0))


@pytest.fixture(scope="module")
def start():
    """A State amid the motion."""
    sim = simulation()
    sim.advance(40)
    return sim.state


@pytest.mark.parametrize("presses", [1, 2])
def test_of_a_run(start, presses):
    """Once it waits for the end of the step, twice it does not; the bed is valid, and goes on bit for bit."""
    expected, last = simulation(start), start.time + 4 * STEP
    expected.advance(4)
    contacts, end = expected.particles.contacts()["contacts"], digest(expected)
    assert contacts > 100 and len(expected.particles) != len(simulation(start).particles)
    total = pressed(lambda: simulation(start).advance(2), -1, presses)
    rng = np.random.default_rng(presses)
    for moment in rng.integers(1, total, 60):
        sim = simulation(start)
        pressed(lambda sim=sim: sim.advance(2), moment, presses)
        seen = sim.particles.contacts()["contacts"]
        assert abs(seen - contacts) < 0.2 * contacts and deepest(sim) < 0.2, moment
        sim.advance(round((last - sim.time) / STEP))
        assert digest(sim) == end, moment


CHANGES = {
    "remove": lambda particles: particles.remove(particles.id % 7 == 0),
    "add": lambda particles: particles.add([[0.0, 0.0, 0.3], [0.02, 0.0, 0.3]], 0.004, "grain"),
    "velocity": lambda particles: setattr(particles, "velocity", [0.1, 0.2, 0.3]),
    "load": lambda particles: particles.load(particles.state()),
}


@pytest.mark.parametrize("name", CHANGES)
def test_of_a_change_by_hand(start, name):
    """All of it has been made, or nothing."""
    change = CHANGES[name]
    before, after = simulation(start), simulation(start)
    change(after.particles)
    ends = set()
    for sim in (before, after):
        sim.advance(2)
        ends.add(digest(sim))
    sim = simulation(start)
    total = pressed(lambda: change(sim.particles), -1, 1)
    for moment in np.random.default_rng(1).integers(1, total, 25):
        sim = simulation(start)
        pressed(lambda sim=sim: change(sim.particles), moment, 1)
        sim.advance(2)
        assert digest(sim) in ends, moment
