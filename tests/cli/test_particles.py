"""`gori run` and `gori info` with grains: what is told, what is kept, what is refused."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import gori
from gori.analysis.granular import kinetic_energy
from gori.cli import app
from gori.record import Frames, read_checkpoint
from gori.sim.runfile import open_run

TRAY = """gori: 1
materials: {steel: {E: 2.1e11}, gravel: {E: 1e7, density: 2500}}
contacts:
  gravel/gravel: {restitution: 0.4, friction: 0.4}
  gravel/steel: {restitution: 0.4, friction: 0.3}
bodies:
  tray:
    mass: 20
    inertia: [1, 1, 1]
    shapes: {bin: {type: box, size: [0.2, 0.15, 0.2], hollow: true, open: [z+], material: steel}}
joints: {shaker: {type: prismatic, parent: ground, child: tray, axis: [1, 0, 0], stiffness: 4000, damping: 100}}
forces: {push: {type: force, joint: shaker, value: "60*sin(8*t)"}}
particles:
  load: {material: gravel, radius: [0.012, 0.016], fill: {shape: tray.bin, count: 60, packing: poured, seed: 1}}
run:
  duration: 1
  method: {type: rk4, step: 1e-3}
  sample: 0.01
  subsystems: {load: {frames: 0.05}}
  record: [shaker.q, tray.wrench_from.load]
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "tray.yaml").write_text(TRAY)
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "GORI_DEBUG", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return lambda *words: CliRunner().invoke(app, list(map(str, words)), prog_name="gori")


def test_run_tells_of_its_grains(run):
    result = run("run", "tray.yaml")
    assert result.exit_code == 0 and result.stderr == "", result.stderr
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("particles")]
    assert "60 on cpu" in line and "sub-steps of at most" in line and " ms; " in line and "21 frames" in line
    summary = json.loads(Path("out/tray/summary.json").read_text())
    about = summary["particles"]
    assert about["count"] == 60 and about["substeps"] == np.ceil(1e-3 / about["step"]) and about["contacts"] > 60
    names = sorted(path.name for path in Path("out/tray").iterdir())
    assert names == ["particles.png", "plot_1.png", "run.h5", "run.particles.h5", "run.yaml", "summary.json"]
    frames = Frames("out/tray/run.particles.h5")
    assert len(frames) == 21 and len(frames[-1]) == 60 and frames.groups == ("load",)
    # their energy counts: tray, spring and particles at the start and at the end, when these have come down
    own = {}
    for key, frame, k in (("start", frames[0], 0), ("end", frames[-1], -1)):
        own[key] = 9.81 * frame.mass @ frame.position[:, 2] + sum(kinetic_energy(frame))
        tray = open_run("out/tray")["energy.total"][k]
        assert summary["energy"][key] == pytest.approx(own[key] + tray, rel=1e-6)
    assert summary["energy"]["drift"] is None and own["end"] < own["start"] - 0.01
    # the tray carries them: mean over the second half
    recording = open_run("out/tray")
    force = recording["tray.wrench_from.load"][50:, 5].mean()
    assert force == pytest.approx(-9.81 * frames[-1].mass.sum(), rel=0.02) and len(recording.frames) == 21
    # what is there is not overwritten unasked, and goes when asked
    assert run("run", "tray.yaml").exit_code == 2
    assert run("run", "tray.yaml", "--overwrite", "--no-plots", "--duration", 0.1).exit_code == 0
    assert len(Frames("out/tray/run.particles.h5")) == 3 and not Path("out/tray/particles.png").exists()


def test_info_tells_grains_walls_and_step(run):
    words = " ".join(run("info", "tray.yaml").stdout.split())
    assert "load 60 of gravel radius 0.012 to 0.016 m poured in tray.bin" in words
    assert "tray.bin box of steel" in words and "suggested: 0.000" in words and "on cpu" in words
    about = json.loads(run("info", "tray.yaml", "--json").stdout)
    assert about["particles"]["load"]["count"] == 60 and about["walls"]["tray.bin"]["material"] == "steel"
    expected = gori.model.particles.materials.suggested_step(gori.load("tray.yaml"))
    assert about["particle_step"] == {"suggested": expected, "chosen": None, "device": "cpu"}


def test_a_gpu_that_is_not_there(run):
    from numba import cuda

    if cuda.is_available():
        pytest.skip("there is one")
    result = run("run", "tray.yaml", "--device", "cuda")
    assert result.exit_code == 2 and "gori[gpu]" in result.stderr and "device: cpu" in result.stderr
    assert not Path("out").exists()  # nothing was begun


def test_a_device_without_grains(run):
    Path("arm.yaml").write_text(
        "gori: 1\nbodies: {bob: {mass: 1}}\njoints: {slide: {type: prismatic, parent: ground, child: bob}}\n"
        "run: {duration: 1}\n"
    )
    result = run("run", "arm.yaml", "--device", "cpu")
    assert result.exit_code == 2 and "there are none" in result.stderr


LONG = ("--duration", "9", "--no-plots")


def start(folder: Path, out: str) -> subprocess.Popen:
    """A run of some seconds, at work when this returns."""
    words = [sys.executable, "-m", "gori.cli", "run", "tray.yaml", "--out", out, *LONG]
    pipe = subprocess.PIPE
    process = subprocess.Popen(words, cwd=folder, stdout=pipe, stderr=pipe, text=True)
    end = time.monotonic() + 120  # kernels may have to be compiled first
    while time.monotonic() < end and process.poll() is None:
        try:
            saved = read_checkpoint(folder / out / "run.h5")
        except gori.errors.GoriError:
            saved = None
        if saved is not None and saved.time > 0.2:
            return process
        time.sleep(0.02)
    raise AssertionError(process.communicate()[1])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_frames_survive_a_kill_and_ctrl_c(run, tmp_path):
    killed = start(tmp_path, "killed")
    os.kill(killed.pid, signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    frames = Frames("killed/run.particles.h5")
    assert 4 <= len(frames) < 181 and not frames.info["complete"]
    # frames are in their file at once, what is recorded within half a second of the clock, and before each checkpoint
    recorded, saved = open_run("killed").time, read_checkpoint("killed/run.h5").time
    assert recorded[-1] >= saved - np.diff(recorded).max() - 1e-9

    stopped = start(tmp_path, "stopped")
    os.kill(stopped.pid, signal.SIGINT)
    output, errors = stopped.communicate(timeout=30)
    assert stopped.returncode == 130 and "interrupted" in output and errors == "", errors
    assert 4 <= len(Frames("stopped/run.particles.h5")) < 181

    assert run("run", "tray.yaml", "--out", "whole", *LONG).exit_code == 0
    whole, seen = open_run("whole"), Frames("whole/run.particles.h5")
    for folder in ("killed", "stopped"):
        result = run("run", "--resume", folder, "--no-plots")
        assert result.exit_code == 0, result.stderr
        assert np.array_equal(open_run(folder).q, whole.q)
        frames = Frames(f"{folder}/run.particles.h5")
        assert np.array_equal(frames.times, seen.times) and np.array_equal(frames[-1].spheres, seen[-1].spheres)
