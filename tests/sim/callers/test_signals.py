"""Ctrl-C waits until workers have come to the end of their march."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import gori
from gori.sim.callers import signals
from gori.sim.callers.interrupts import InterruptsLater
from gori.sim.callers.signals import without_interrupts
from tests.sim.test_survival import reached, wait_for

ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_an_interrupt_comes_after_the_block():
    done = []
    with pytest.raises(KeyboardInterrupt), without_interrupts():
        signal.raise_signal(signal.SIGINT)
        done.append("all of it")
    assert done == ["all of it"]


def test_other_threads_are_left_alone():
    before, seen = signal.getsignal(signal.SIGINT), []

    def work():
        with without_interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def test_interrupts_later():
    done = []
    with pytest.raises(KeyboardInterrupt), InterruptsLater():
        signal.raise_signal(signal.SIGINT)
        done.append(True)
    assert done and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    seen = []

    def elsewhere():
        with InterruptsLater():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


# ---- signals that ask for the end

RUN = """
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and stays so
import gori
from gori.sim import Simulation
from tests.sim.machines import EVENTS, long_run
simulation, duration = long_run("rk4")
simulation.step()
print("up", flush=True)
simulation.run(1000 * duration, sample=duration / 3000, path=sys.argv[1], progress=False)
print("went on", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_run_with_a_file_ends_with_a_checkpoint(name, tmp_path):
    path, number = tmp_path / "run.h5", getattr(signal, name)
    child = subprocess.Popen([sys.executable, "-c", RUN, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "up\n"
    wait_for(lambda: reached(path) > 0.0)
    sent = time.monotonic()
    child.send_signal(number)
    assert child.wait(20) == -number and time.monotonic() - sent < 1.5  # a second, on a machine that is busy
    assert child.stdout.read() == ""  # the script does not go on as if nothing had been asked
    rec, saved = gori.Recording.load(path), gori.record.read_checkpoint(path)
    assert rec.info["end"] == "interrupted" and rec.info["stopped_by"] == name and not rec.info["complete"]
    assert saved is not None and rec.time[-1] <= saved.time < rec.time[-1] + 2 * rec.info["sample"]


def test_handlers_of_the_program_stay():
    seen = []
    before = signal.signal(signal.SIGTERM, lambda *_: seen.append("mine"))
    try:
        with signals.stop_signals(), signals.listening() as request:
            signal.raise_signal(signal.SIGTERM)
        assert seen == ["mine"] and request.number == 0
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_who_listens_is_asked_and_asked_twice_it_ends_at_once():
    with signals.stop_signals():
        with pytest.raises(signals.Stopped, match="SIGTERM"):
            signal.raise_signal(signal.SIGTERM)
        with signals.listening() as request:
            signal.raise_signal(signal.SIGTERM)
            assert request.number == signal.SIGTERM
            with pytest.raises(signals.Stopped):
                signal.raise_signal(signal.SIGTERM)
        with signals.listening() as request:  # a second run begins anew
            assert request.number == 0
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_they_wait_as_ctrl_c_does():
    done = []
    with signals.stop_signals(), pytest.raises(signals.Stopped), without_interrupts():
        signal.raise_signal(signal.SIGTERM)
        done.append("all of it")
    assert done == ["all of it"]
