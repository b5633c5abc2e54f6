"""`gori run`: good and bad files, kills, interrupts, exit codes, what is in the folder."""

import csv
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
from gori.cli import app
from gori.record import read_checkpoint
from gori.sim.runfile import open_run, resume_run, run_file

EXAMPLES = Path(__file__).parents[2] / "examples"
PENDULUM = """gori: 1
bodies: {bob: {mass: 1, com: [0, 0, -1], inertia: [0, 0, 0]}}
joints: {pivot: {type: revolute, parent: ground, child: bob, axis: [0, 1, 0], q_deg: 90}}
run:
  duration: 2
  method: {type: rk4, step: 1e-3}
  sample: 0.01
  events: {bottom: pivot.q}
  record: [pivot.*, energy.total]
"""
URDF = """<robot name="arm"><link name="a"/>
<link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="prismatic">
  <parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" velocity="2" effort="3"/>
</joint></robot>
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command line inside a folder with two good files."""
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    (tmp_path / "arm.urdf").write_text(URDF)
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "GORI_DEBUG", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return lambda *words: CliRunner().invoke(app, list(map(str, words)), prog_name="gori")


def summary(folder) -> dict:
    return json.loads((Path(folder) / "summary.json").read_text())


def files(folder) -> list[str]:
    """Without the locks that a killed run leaves behind: they are free, and the next run removes them."""
    return sorted(path.name for path in Path(folder).iterdir() if not path.name.endswith(".lock"))


# ---- runs


def test_run(run):
    result = run("run", "pendulum.yaml", "--csv")
    assert result.exit_code == 0 and result.stderr == "" and "\x1b" not in result.stdout
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[0] == "simulated 2 s, finished"
    assert lines[1].startswith("method rk4, step 0.001: 2000 steps, 20")
    assert lines[2].startswith("wall time ") and lines[2].endswith(" times real time")
    assert lines[3].startswith("energy drift ")
    assert lines[4:] == [
        "events bottom 2",
        "files out/pendulum: channels.csv plot_1.png run.h5 run.yaml summary.json",
    ]
    about = summary("out/pendulum")
    assert (about["ended"], about["time"], about["steps"]) == ("finished", 2.0, 2000)
    assert about["method"] == {"type": "rk4", "step": 1e-3} and 0.0 < about["energy"]["drift"] < 1e-9
    assert about["wall_time"] > 0.0 and about["real_time_factor"] == pytest.approx(2.0 / about["wall_time"])
    assert [event["name"] for event in about["events"]] == ["bottom", "bottom"]
    assert about["events"][0]["time"] == pytest.approx(2.36784194757624 / 4, abs=1e-9)
    with open("out/pendulum/channels.csv", newline="") as file:
        rows = list(csv.reader(file))
    reaction = [f"pivot.reaction.{k}" for k in range(6)]
    assert rows[0] == ["time", "pivot.q", "pivot.v", "pivot.a", *reaction, "energy.total"]
    recording = open_run("out/pendulum")
    assert len(rows) == 1 + len(recording) and float(rows[-1][1]) == recording["pivot.q"][-1]


def test_run_yaml_runs_again_to_the_same_end(run):
    assert run("run", "pendulum.yaml", "--set", "bob.mass=3", "--no-plots").exit_code == 0
    again = run("run", "out/pendulum/run.yaml", "--no-plots")
    assert again.exit_code == 0 and gori.load("out/run/run.yaml").bodies["bob"].mass == 3.0
    assert np.array_equal(open_run("out/run").q, open_run("out/pendulum").q)
    assert files("out/run") == ["run.h5", "run.yaml", "summary.json"]


def test_options(run):
    result = run("run", "pendulum.yaml", "--out", "a/b", "--duration", 1, "--method", "dopri5", "--no-plots",
                 "--set", "pivot.q_deg=10", "--set", "run.events.bottom.action=stop", "--set", "frames={}")  # fmt: skip
    assert result.exit_code == 0 and "simulated  0.50" in result.stdout and "stopped by bottom" in result.stdout
    about, used = summary("a/b"), gori.load("a/b/run.yaml")
    assert about["method"]["type"] == "dopri5" and about["ended"] == "stopped by bottom" and about["steps"] > 3
    assert used.run.duration == 1.0 and used.joints["pivot"].q_deg == (10.0,)
    result = run("run", "pendulum.yaml", "--step", 0.01, "--no-plots")
    assert summary("out/pendulum")["method"] == {"type": "rk4", "step": 0.01}


def test_urdf_takes_its_run_from_the_command_line(run):
    assert run("run", "arm.urdf").exit_code == 2
    result = run("run", "arm.urdf", "--duration", 1, "--base", "fixed")
    assert result.exit_code == 0 and files("out/arm") == ["plot_1.png", "run.h5", "run.yaml", "summary.json"]
    assert open_run("out/arm")["slide.q"][-1] == pytest.approx(-9.81 / 2)


def test_warnings_are_told_once(run):
    text = PENDULUM.replace("q_deg: 90", "q_deg: 90, limits_deg: [-10, 10]")
    Path("pendulum.yaml").write_text(text)
    plain = run("run", "pendulum.yaml", "--no-plots").stderr
    changed = run("run", "pendulum.yaml", "--no-plots", "--overwrite", "--set", "bob.mass=2", "--step", "2e-3").stderr
    assert plain == changed


def test_existing_results_are_kept(run):
    assert run("run", "pendulum.yaml").exit_code == 0
    before = Path("out/pendulum/run.h5").read_bytes()
    result = run("run", "pendulum.yaml", "--duration", 1)
    assert result.exit_code == 2 and "out/pendulum: contains the results of an earlier run" in result.stderr
    assert "--overwrite" in result.stderr and Path("out/pendulum/run.h5").read_bytes() == before
    Path("out/pendulum/notes.txt").write_text("mine")
    assert run("run", "pendulum.yaml", "--duration", 1, "--overwrite", "--no-plots").exit_code == 0
    assert files("out/pendulum") == ["notes.txt", "run.h5", "run.yaml", "summary.json"]
    assert summary("out/pendulum")["time"] == 1.0


BAD = {
    "method": (["--method", "rk5"], "run.method: method 'rk5' is not one of"),
    "parameter": (["--set", "run.method.size=3"], "run.method: method rk4 takes"),
    "negative step": (["--step", "-1e-3"], "run.method: rk4: step must be a positive number"),
    "negative duration": (["--duration", "-1"], "run.duration: must be positive"),
    "short": (["--duration", "1e-4"], "less than one step"),
    "channel": (["--set", "run.record=pivt.q"], "run.record: no channel matches 'pivt.q'; did you mean 'pivot.q'?"),
    "plot": (["--set", "run.plots=[[pivot.q], [bab.x]]"], "run.plots.1: no channel matches 'bab.x'"),
    "no columns": (["--set", "run.plots=[z]"], "run.plots.0: z has no columns"),
    "event": (["--set", "run.events.bottom=pivt.q"], "event 'bottom'"),
    "expression": (["--set", "run.events.bottom=pivot.q +"], "is not an expression"),
    "name": (["--set", "bab.mass=1"], "unknown name"),
    "key": (["--set", "bob.mas=1"], "unknown key 'mas'"),
    "type": (["--set", "bob.mass=heavy"], "must be a number, not 'heavy'"),
    "no value": (["--set", "bob.mass"], "--set takes NAME=VALUE"),
    "yaml": (["--set", "bob.com=[1"], "--set bob.com=[1: "),
    "alias": (["--set", "bob.com=*a"], "anchors (&) and aliases (*) are not supported"),
    "base": (["--base", "free"], "take no option base"),
    "resume": (["--resume", "out"], "--resume continues a run unchanged: it cannot be combined with FILE"),
}


@pytest.mark.parametrize("name", BAD)
def test_refused_before_anything_is_written(run, name):
    words, message = BAD[name]
    result = run("run", "pendulum.yaml", *words)
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith("error: ") and message in result.stderr and "Traceback" not in result.stderr
    assert not [path for path in Path("out").rglob("*") if path.is_file()]


def test_refused_without_a_file(run):
    assert "give a file to run" in run("run").stderr
    assert run("run", "missing.yaml").exit_code == 2
    Path("file").write_text("")
    result = run("run", "pendulum.yaml", "--out", "file")
    assert result.exit_code == 2 and "file: cannot be used for results" in result.stderr


def test_a_run_that_fails_leaves_what_was_computed(run):
    Path("bad.yaml").write_text(PENDULUM + 'forces: {push: {type: torque, joint: pivot, value: "100*pivot.q**3"}}\n')
    result = run("run", "bad.yaml", "--csv")
    assert result.exit_code == 1 and " at t = 0.1" in result.stderr
    assert files("out/bad") == ["channels.csv", "plot_1.png", "run.h5", "run.yaml", "summary.json"]
    assert "failed" in result.stdout and "Infinity" not in Path("out/bad/summary.json").read_text()
    about, recording = summary("out/bad"), open_run("out/bad")
    assert about["ended"].startswith("failed: ") and about["samples"] == len(recording) > 1
    with pytest.raises(gori.errors.SimulationError):
        run_file("bad.yaml", overwrite=True, plots=False)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_examples(run, path):
    if gori.load(path).run is None:
        pytest.skip("has no section run")
    result = run("run", path, "--duration", 0.1 if path.stem == "gears" else 0.5)  # thousands of particles
    assert result.exit_code == 0 and list(Path("out").glob("*/plot_1.png"))


# ---- stopped from outside

LONG = ("--step", "2e-6", "--duration", "4", "--no-plots")


def start(folder: Path, out: str) -> subprocess.Popen:
    """A run of some seconds, at work when this returns."""
    words = ["run", "pendulum.yaml", "--out", out, *LONG]
    process = subprocess.Popen(
        [sys.executable, "-m", "gori.cli", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 120  # kernels may have to be compiled first
    while time.monotonic() < end and process.poll() is None:
        try:
            saved = read_checkpoint(folder / out / "run.h5")
        except gori.errors.GoriError:
            saved = None
        if saved is not None and saved.time > 0.6:  # the first event is behind it
            return process
        time.sleep(0.02)
    raise AssertionError(process.communicate()[1])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_resume_after_kill_and_after_ctrl_c(run, tmp_path):
    killed = start(tmp_path, "killed")
    os.kill(killed.pid, signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    assert files("killed") == ["run.h5", "run.yaml"] and open_run("killed").time[-1] < 4.0
    result = run("run", "--resume", "killed", "--no-plots", "--csv")
    assert result.exit_code == 0, result.stderr
    assert "simulated  4 s, finished" in result.stdout
    assert files("killed") == ["channels.csv", "run.h5", "run.yaml", "summary.json"]

    stopped = start(tmp_path, "stopped")
    os.kill(stopped.pid, signal.SIGINT)
    output, errors = stopped.communicate(timeout=30)
    assert stopped.returncode == 130 and "interrupted" in output and errors == ""
    assert summary("stopped")["ended"] == "interrupted by Ctrl-C" and 0.6 < summary("stopped")["time"] < 4.0
    assert len(resume_run("stopped", plots=False)) == len(open_run("stopped"))

    assert run("run", "pendulum.yaml", "--out", "whole", *LONG).exit_code == 0
    whole = open_run("whole")
    for folder in ("killed", "stopped"):
        recording = open_run(folder)
        assert np.array_equal(recording.time, whole.time) and np.array_equal(recording.q, whole.q)
        assert summary(folder)["events"] == summary("whole")["events"]
        assert summary(folder)["steps"] == summary("whole")["steps"] == 2_000_000

    result = run("run", "--resume", "whole")
    assert result.exit_code == 2 and "nothing to resume" in result.stderr


def test_resume_of_nothing(run):
    result = run("run", "--resume", "nowhere")
    assert result.exit_code == 2 and "it has no run.h5" in result.stderr
