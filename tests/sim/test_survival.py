"""Runs that are killed, interrupted or run out of disk: what is computed is kept, and a run goes on bit for bit."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import gori
from gori.errors import InputError, RecordError
from gori.integrate import RK4
from gori.record import read_checkpoint
from gori.sim import Simulation
from tests.sim.machines import EVENTS, LONG, busy, falling, long_run
from tests.sim.test_simulation import same

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")


def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def reached(path):
    """Time of the last checkpoint; zero while there is none but that of the start."""
    try:
        saved = read_checkpoint(path)
    except (OSError, ValueError):
        return 0.0
    return 0.0 if saved is None else saved.time


@pytest.mark.parametrize("method", LONG)
def test_a_killed_run_goes_on_bit_for_bit(method, tmp_path):
    path = tmp_path / "run.h5"
    whole, duration = long_run(method)
    whole.method.run.load()  # so that the child need not compile
    child = subprocess.Popen([sys.executable, "-m", "tests.sim.machines", path, method], cwd=ROOT)
    try:
        wait_for(lambda: path.exists() and reached(path) > 0.0)
        assert child.poll() is None, "the run was over before it could be killed"
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    at, left = reached(path), gori.Recording.load(path)
    assert 0.0 < at < duration and not left.info["complete"]
    rec = Simulation.resume(path, progress=False, events=EVENTS)
    expected = whole.run(duration, sample=duration / 3000, progress=False)
    print(f"\n{method}: killed with {len(left)} of {len(rec)} samples, checkpoint at {at:.3f} of {duration:g} s")
    assert len(left) < len(rec)
    same(rec, expected)
    loaded = gori.Recording.load(path)
    assert loaded.info["complete"]
    np.testing.assert_array_equal(loaded.time, expected.time)
    np.testing.assert_array_equal(loaded.z, expected.z)
    np.testing.assert_array_equal(loaded.q, expected.q)


def test_a_run_that_is_killed_at_once_starts_again(tmp_path):
    """There is a checkpoint from the first moment on."""
    path = tmp_path / "run.h5"
    model = gori.compile(falling())

    def die(t, q, v):
        raise KeyboardInterrupt

    rec = Simulation(model, forces=die).run(1.0, path=path)
    assert rec.info["interrupted"] and len(rec) == 1
    same(Simulation.resume(path, changed=True), Simulation(model).run(1.0))


@pytest.mark.parametrize("method", [RK4(step=1e-3), "dopri5"])
def test_ctrl_c_in_a_function_of_the_user(method, tmp_path):
    """Where a plain function runs, that is where Ctrl-C arrives."""
    path, model = tmp_path / "run.h5", gori.compile(busy())

    def force(t, q, v):
        if t > 1.0 and pressed.is_set():
            raise KeyboardInterrupt
        return 0.01 * v

    pressed = threading.Event()
    pressed.set()
    simulation = Simulation(model, method, forces=force, events=EVENTS)
    rec = simulation.run(2.0, sample=0.01, path=path)
    assert rec.info["interrupted"] is True
    assert 0.8 < rec.time[-1] <= 1.0 + 1e-9
    stored = gori.Recording.load(path)
    assert stored.info["interrupted"] is True
    np.testing.assert_array_equal(stored.q, rec.q)
    pressed.clear()
    whole = Simulation(model, method, forces=force, events=EVENTS).run(2.0, sample=0.01)
    assert "interrupted" not in whole.info
    resumed = Simulation.resume(path, forces=force, events=EVENTS)
    same(resumed, whole)
    assert "interrupted" not in resumed.info and "interrupted" not in gori.Recording.load(path).info
    simulation.run(0.1)  # the one that was stopped can go on as well
    assert simulation.time > rec.time[-1]


def test_ctrl_c_in_compiled_code(tmp_path):
    path, simulation = tmp_path / "run.h5", Simulation(gori.compile(busy()), RK4(step=1e-5), events=EVENTS)
    simulation.step()
    presses = threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT))
    began = time.monotonic()
    presses.start()
    try:
        rec = simulation.run(1e4, sample=1e-3, path=path)
    finally:
        presses.join()
    assert time.monotonic() - began < 2.0
    assert rec.info["interrupted"] is True and len(rec) > 10
    stored = gori.Recording.load(path)
    assert stored.info["interrupted"] is True and len(stored) == len(rec)


def test_resuming_a_run_that_is_done(tmp_path):
    path, model = tmp_path / "run.h5", gori.compile(busy())
    rec = Simulation(model, events=EVENTS).run(1.0, path=path)
    same(Simulation.resume(path, events=EVENTS), rec)


def test_what_cannot_be_resumed(tmp_path):
    path, model = tmp_path / "run.h5", gori.compile(falling())
    rec = Simulation(model).run(0.1)
    rec.save(path)
    with pytest.raises(InputError, match="no checkpoint"):
        Simulation.resume(path)
    Simulation(model).run(0.1, path=path, overwrite=True)
    many = {f"e{k}": f"rail.q - {k}" for k in range(5)}
    with pytest.raises(InputError, match="with other programs: events e0, e1, e2, e3, e4 given"):
        Simulation.resume(path, events=many)
    with pytest.raises(InputError, match="with other events"):
        Simulation.resume(path, events=many, changed=True)


def test_a_file_is_not_overwritten(tmp_path):
    simulation = Simulation(gori.compile(falling()))
    simulation.run(0.1, path=tmp_path / "run.h5")
    with pytest.raises(gori.errors.FileError, match="already exists"):
        simulation.run(0.1, path=tmp_path / "run.h5")
    assert simulation.time == pytest.approx(0.1)
    assert len(gori.Recording.load(tmp_path / "run.h5")) == 101


def test_a_run_of_limited_wall_time(tmp_path):
    """It ends as interrupted, with a checkpoint at its end, and goes on from there."""
    path, (simulation, duration) = tmp_path / "run.h5", long_run("rk4")
    simulation.method.run.load()
    part = simulation.run(duration, sample=duration / 3000, path=path, progress=False, max_wall=0.15)
    saved = read_checkpoint(path)
    assert part.info["end"] == "interrupted" and part.info["stopped_by"] == "max_wall"
    assert saved is not None and saved.time == simulation.time < duration
    whole = long_run("rk4")[0].run(duration, sample=duration / 3000, progress=False)
    same(Simulation.resume(path, progress=False, events=EVENTS), whole)
    with pytest.raises(InputError, match="max_wall must be a positive number of seconds"):
        simulation.run(1.0, max_wall=-1.0)


def test_two_runs_do_not_share_a_file(tmp_path):
    path, model = tmp_path / "run.h5", gori.compile(falling())

    def second(simulation):
        with pytest.raises(gori.errors.FileError, match=r"is in use: process \d+ on"):
            Simulation(model).run(0.1, path=path, overwrite=True)

    Simulation(model, driver=second, driver_period=0.05).run(0.1, path=path)
    assert gori.Recording.load(path).info["complete"]


# ---- full disk


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1500k", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("no right to mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_full_disk(small_disk, method):
    path, (simulation, duration) = small_disk / "run.h5", long_run(method)
    with pytest.raises(RecordError, match=r"cannot be written.*samples are safe"):
        simulation.run(duration, sample=duration / 50_000, path=path, progress=False)
    left = gori.Recording.load(path)
    assert len(left) > 100 and left.info["end"] == "failed" and not left.info["complete"]
    expected, _ = long_run(method)
    expected = expected.run(0.25 * duration, sample=duration / 50_000, progress=False)
    count = min(len(left), 1000)
    np.testing.assert_array_equal(left.time[:count], expected.time[:count])
    np.testing.assert_array_equal(left.q[:count], expected.q[:count])
