"""`gori run`, `gori info`, `gori plot` and `gori convert` with a vehicle in the file."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import gori
from gori.cli import app
from gori.sim.runfile import open_run, resume_run, run_file

TRUCK = """gori: 1
parts:
  truck: {use: hmmwv}
terrain: {soft: {soil: lete_sand, at: [-4, -2], size: [12, 4], cell: 0.1}}
controls:
  truck.driver: {type: schedule, throttle: 0.3, selector: D}
run:
  duration: 0.3
  start: equilibrium
  speed: 3
  sample: 0.01
  method: {type: adams, step: 1e-3, order: 2}
  loops: multipliers
  record: [truck.wheel_*.load, truck.drivetrain.gear, truck.chassis.acceleration]
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "truck.yaml").write_text(TRUCK)
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "GORI_DEBUG", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return lambda *words: CliRunner().invoke(app, list(map(str, words)), prog_name="gori")


def test_run_plot_and_what_is_left(run):
    done = run("run", "truck.yaml", "--csv")
    assert done.exit_code == 0, done.output
    names = {path.name for path in Path("out/truck").iterdir()}
    assert names == {"run.h5", "run.yaml", "summary.json", "channels.csv", "plot_1.png", "ruts.png"}
    about = json.loads(Path("out/truck/summary.json").read_text())
    assert about["ended"] == "finished" and about["energy"]["drift"] is None and about["steps"] == 300
    head = Path("out/truck/channels.csv").read_text().split("\n")[0]
    assert "truck.wheel_fl.load" in head and "truck.drivetrain.gear" in head

    rec = open_run("out/truck")
    loads = sum(rec[f"truck.wheel_{corner}.load"] for corner in ("fl", "fr", "rl", "rr"))
    assert loads[0] == pytest.approx(9.81 * rec.model.mass, rel=0.02) and rec["truck.drivetrain.throttle"][-1] == 0.3
    assert rec.model.spec == gori.load("truck.yaml") and np.isfinite(rec["truck.chassis.acceleration"]).all()

    done = run("plot", "out/truck", "truck.wheel_*.sinkage", "--out", "sinkage.png")
    assert done.exit_code == 0 and Path("sinkage.png").stat().st_size > 5000
    listed = run("plot", "out/truck", "--list").output
    assert "truck.wheel_rr.slip_angle" in listed and "truck.drivetrain.engine_speed" in listed
    refused = run("plot", "out/truck", "truck.wheel_fl.lod", "--out", "a.png")
    assert refused.exit_code == 2 and "truck.wheel_fl.load" in refused.output

    with pytest.raises(gori.errors.FileError, match="contains a completed run"):
        resume_run("out/truck")
    again = run_file("truck.yaml", out="out/again", plots=False, progress=False)
    np.testing.assert_array_equal(again.z, rec.z)


def test_values_of_the_command_line(run):
    done = run("run", "truck.yaml", "--set", "truck.payload.mass=600", "--set", "truck.wheel_fl.brake=9", "--no-plots")
    assert done.exit_code == 0, done.output
    spec = gori.load("out/truck/run.yaml")
    assert spec.bodies["truck.chassis"].mass == pytest.approx(2686.52) and spec.wheels["truck.wheel_fl"].brake == 9
    assert not Path("out/truck/ruts.png").exists()
    for bad, words in (
        ("truck.payload.mass=-1", "payload.mass: must not be negative, is -1"),
        ("truck.payload.mas=1", "unknown key 'mas'; did you mean 'mass'?"),
        ("truck.wheel_fl.brak=1", "unknown key 'brak'"),
    ):
        done = run("run", "truck.yaml", "--overwrite", "--set", bad)
        assert done.exit_code == 2 and words in done.output, done.output


def test_info(run):
    done = run("info", "truck.yaml")
    assert done.exit_code == 0, done.output
    told = ("11 degrees of freedom", "truck.wheel_rr", "radius 0.4699 m", "4 gears (2.48 1.48 1 0.75)", "soft soil")
    more = ("12 x 4 m from (-4, -2), cells of 0.1 m", "leads truck.rack", "schedule", "drives truck")
    assert [words for words in (*told, *more) if words not in done.output] == []
    about = json.loads(run("info", "truck.yaml", "--json").output)
    assert list(about["wheels"]) == [f"truck.wheel_{corner}" for corner in ("fl", "fr", "rl", "rr")]
    assert (
        about["terrain"]["soft"]["soil"] == "exponential"
        and about["drivetrains"]["truck.drivetrain"]["gears"][0] == 2.48
    )
    assert (
        json.loads(run("info", Path(__file__).parents[2] / "examples/pendulum.yaml", "--json").output)["terrain"]
        is None
    )


def test_convert_writes_everything_out(run):
    done = run("convert", "truck.yaml", "whole.yaml")
    assert done.exit_code == 0, done.output
    assert gori.load("whole.yaml") == gori.load("truck.yaml") and "parts:" not in Path("whole.yaml").read_text()


def test_mistakes_end_with_the_line(run):
    Path("truck.yaml").write_text(TRUCK.replace("lete_sand", "lete_snad"))
    done = run("run", "truck.yaml")
    assert done.exit_code == 2 and "truck.yaml, line 4: terrain.soft.soil: there is no soil 'lete_snad'" in done.output
    Path("truck.yaml").write_text(
        TRUCK.replace("size: [12, 4]", "size: [6, 4]").replace("duration: 0.3", "duration: 3")
    )
    done = run("run", "truck.yaml")
    assert done.exit_code == 1 and "a wheel leaves the grid of soft soil" in done.output
    assert json.loads(Path("out/truck/summary.json").read_text())["ended"].startswith("failed: a wheel leaves")
