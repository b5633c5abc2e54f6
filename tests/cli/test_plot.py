"""`gori plot`: pictures and lists of channels, and what it refuses."""

from pathlib import Path

import pytest

from gori.sim.runfile import open_run
from tests.cli.test_run import PENDULUM


@pytest.fixture
def run(run, tmp_path):
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    return run


@pytest.fixture
def recorded(run):
    assert run("run", "pendulum.yaml", "--no-plots").exit_code == 0
    return run


def test_plot(recorded):
    result = recorded("plot", "out/pendulum/run.h5", "pivot.*", "energy.total", "--out", "a.png")
    assert result.exit_code == 0 and result.stdout == "a.png: pivot.q, pivot.v, pivot.a, pivot.reaction, energy.total\n"
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")
    assert recorded("plot", "out/pendulum", "pivot.q", "--out", "b.pdf").exit_code == 0


def test_plot_lists_channels(recorded):
    lines = recorded("plot", "out/pendulum/run.h5", "--list").stdout.splitlines()
    assert ["pivot.q", "rad"] in [line.split() for line in lines]
    assert len(lines) == len(open_run("out/pendulum").channels())
    some = recorded("plot", "out/pendulum/run.h5", "energy.*", "--list").stdout
    assert [line.split() for line in some.splitlines()] == [
        [f"energy.{e}", "J"] for e in ("kinetic", "potential", "elastic", "total", "work", "balance")
    ]


def test_plot_knows_the_channels_of_forces(run):
    Path("motor.yaml").write_text(PENDULUM + "forces: {drive: {type: motor, joint: pivot, kp: 10, kd: 1}}\n")
    assert run("run", "motor.yaml", "--no-plots", "--set", "run.record=drive.power", "--csv").exit_code == 0
    assert "drive.power" in Path("out/motor/channels.csv").read_text().splitlines()[0]
    assert run("plot", "out/motor", "drive.effort", "--out", "a.png").exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["out/pendulum/run.h5", "pivt.q", "--out", "a.png"], "no channel matches 'pivt.q'"),
        (["out/pendulum/run.h5"], "name channels to plot"),
        (["out/pendulum/run.h5", "pivot.q"], "no display available"),
        (["out/pendulum/run.h5", "pivot.q", "--out", "nowhere/a.png"], "cannot be written"),
        (["out/pendulum/run.h5", "pivot.q", "--out", "a.txt.what"], "cannot be written"),
        (["missing.h5", "pivot.q"], "missing.h5"),
        (["pendulum.yaml", "pivot.q"], "pendulum.yaml"),
    ],
)
def test_plot_refuses(recorded, monkeypatch, words, message):
    monkeypatch.setattr("matplotlib.pyplot.get_backend", lambda: "agg")
    result = recorded("plot", *words)
    assert result.exit_code == 2 and message in result.stderr and "Traceback" not in result.stderr
