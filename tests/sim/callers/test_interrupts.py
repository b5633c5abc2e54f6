"""Ctrl-C at any time: the run is interrupted, once, and goes on from its State as if nothing had been.

python -m tests.sim.callers.test_interrupts SEED TRIES     real signals at random times; a line for each try
"""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import gori
from gori.errors import SimulationError
from gori.sim.callers.interrupts import ANYWHERE, InterruptsLater, RunInterrupts
from tests.sim.machines import falling

ROOT = Path(__file__).parents[3]
METHODS = {
    "rk4": gori.RK4(step=1e-3),
    "adams": gori.Adams(step=1e-3),
    "generalized_alpha": gori.GeneralizedAlpha(step=1e-3),
    "dopri5": gori.Dopri5(),
}
STEPS, SECONDS = 1500, 1.5

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")


def press():
    os.kill(os.getpid(), signal.SIGINT)


def force(t, q, v):
    """Plain Python that takes some time and depends on the state."""
    return np.array([np.sin(20.0 * t) - 3.0 * q[k] - 0.2 * v[k] for k in range(len(v))])


class Counter:
    """A driver whose memory is that of the run."""

    def __init__(self):
        self.count = 0

    def __call__(self, simulation):
        self.count += 1

    def save(self):
        return {"count": self.count}

    def load(self, saved):
        self.count = saved["count"]


def bounce(state):
    return state.replace(v=-0.5 * state.v)


def make(name, state=None):
    model, method = gori.compile(gori.load(ROOT / "examples" / "arm.yaml")), METHODS[name]
    events = {"here": gori.Event(f"{model.joint_names[0]}.q - 0.01", action=bounce)}
    driver = None if method.adaptive else Counter()
    return gori.Simulation(model, method, forces=force, events=events, driver=driver, state=state)


def end_of(simulation):
    state = simulation.state
    return state.time, state.q.tobytes(), state.v.tobytes(), simulation.driver and simulation.driver.count


def tries(seed, count):
    """Interrupt runs at random times, continue them, and compare with undisturbed runs."""
    rng, whole = random.Random(seed), {}
    for name in METHODS:
        simulation, began = make(name), time.perf_counter()
        simulation.run(SECONDS, progress=False)
        whole[name] = end_of(simulation), time.perf_counter() - began
    for k in range(count):
        name = list(METHODS)[k % len(METHODS)]
        expected, wall = whole[name]
        simulation, presses = make(name), 0
        while (left := SECONDS - simulation.time) > 0.02 and presses < 5:
            timer = threading.Timer(rng.uniform(0.0, 0.7 * wall), press)
            try:
                timer.start()
                rec = simulation.run(left, sample=left, progress=False)
                ended = simulation.time >= SECONDS - 1e-9
                timer.join()
                time.sleep(0.001)  # where Ctrl-C arrives that came after the run
                assert ended or rec.info.get("interrupted"), "neither at the end nor interrupted"
            except KeyboardInterrupt:  # pressed before the run began, or when it was over
                pass
            presses += 1
            simulation = make(name, simulation.state)
        if METHODS[name].adaptive:  # whose last step depends on where a run ends
            print(f"{name} {presses} presses: interrupted", flush=True)
            continue
        if (left := STEPS - round(simulation.time / 1e-3)) > 0:
            simulation.advance(left)
        same = end_of(simulation) == expected
        print(f"{name} {presses} presses: {'same' if same else 'DIFFERENT'}", flush=True)


def test_real_signals_at_random_times():
    """One in ten was seen before, and the force of the evaluation that it hit was dropped."""
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.sim.callers.test_interrupts", "1", "8"],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\n")[:-1]
    assert len(lines) == 8 and not any("DIFFERENT" in line for line in lines), done.stdout
    assert "Exception ignored" not in done.stderr


def test_an_exception_before_the_try_of_a_callback_ends_the_run():
    """A handler of the user's own raises wherever it arrives: ctypes drops that, but the call has no result."""

    class Late(Exception):
        pass

    def raise_late(number, frame):
        raise Late("time is up")

    def slow(t, q, v):
        return np.array([1e-3 * sum(range(200))])

    before = signal.signal(signal.SIGALRM, raise_late)
    try:
        for k in range(20):
            simulation = gori.Simulation(gori.compile(falling()), gori.RK4(step=1e-3), forces=slow)
            simulation.step()
            with pytest.raises((SimulationError, Late), match="time is up"):
                signal.setitimer(signal.ITIMER_REAL, 0.005 + 0.0007 * k)
                simulation.advance(10**7)
            assert simulation.step().time > 0.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_a_dropped_call_is_noticed(monkeypatch):
    """Whatever ends a callback before it begins: without its number there is no force."""
    simulation = gori.Simulation(gori.compile(falling()), gori.RK4(step=1e-3), forces=force)
    simulation.step()
    monkeypatch.setattr(simulation._user, "functions", None)  # an error within the try
    with pytest.raises(SimulationError, match="NoneType"):
        simulation.step()


def test_a_step_is_finished_first():
    """A press waits for the end of the block; the State is that of a whole number of steps, and drivers have acted."""
    model, seen = gori.compile(falling()), []

    def drive(simulation):
        seen.append(simulation.time)
        if len(seen) == 3:
            press()
            seen.append("finished")

    simulation = gori.Simulation(model, gori.RK4(step=1e-3), driver=drive)
    with pytest.raises(KeyboardInterrupt):
        simulation.step(100)
    assert seen[-1] == "finished" and simulation.time == pytest.approx(0.03)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_pressed_twice_it_does_not_wait():
    def stuck(t, q, v):
        press()
        press()
        time.sleep(20.0)
        return np.zeros(1)

    began = time.monotonic()
    simulation = gori.Simulation(gori.compile(falling()), gori.RK4(step=1e-3), forces=stuck)
    rec = simulation.run(1.0, progress=False)
    assert time.monotonic() - began < 10.0 and rec.info["interrupted"] and len(rec) == 1
    with pytest.raises(KeyboardInterrupt):
        simulation.step()


def test_handlers_of_the_caller_stay():
    """Who handles SIGINT himself is not overruled."""
    pressed = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        with RunInterrupts() as interrupts:
            press()
            assert pressed and not interrupts.pressed
    finally:
        signal.signal(signal.SIGINT, before)


def test_it_is_raised_once():
    with pytest.raises(KeyboardInterrupt), RunInterrupts() as interrupts:
        press()
        assert interrupts.pressed == 1
        interrupts.check()
    with InterruptsLater() as later:
        assert later.pressed == 0
    ANYWHERE.check()
    with pytest.raises(KeyboardInterrupt), ANYWHERE:
        press()


if __name__ == "__main__":
    tries(int(sys.argv[1]), int(sys.argv[2]))
