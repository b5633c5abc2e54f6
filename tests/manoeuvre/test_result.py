"""Results of manoeuvres: figures by name, as text, as a picture and as a report."""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.manoeuvre.result import Figure, Panel, PlotLine, Result, track
from tests.checks import arm


@pytest.fixture(scope="module")
def result():
    rec = gori.Simulation(gori.compile(arm()), gori.RK4(step=1e-3)).run(0.1, sample=0.01)
    figures = (
        Figure("stopped", 1.0, "yes/no"),
        Figure("stopping distance", 41.23456, "m"),
        Figure("time to 60 mph", math.nan, "s"),
    )
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]])
    panels = (
        Panel("speed", "t [s]", "[km/h]", [PlotLine("", rec.time, rec.q[:, 0])]),
        Panel("path", "x [m]", "y [m]", [track("chassis", square), track("cones", square, "k^")], True),
        Panel("roll", "t [s]", "[deg]", [PlotLine("", rec.time, rec.q[:, 1])]),
    )
    return Result("full_stop", "braking from 60 mph", figures, rec, panels, ("tyres are warm",))


def test_figures_by_name(result):
    assert result["stopping distance"] == 41.23456 and result["stopped"]
    with pytest.raises(InputError, match="full_stop has no result 'stoped'; did you mean 'stopped'"):
        result["stoped"]


def test_text(result):
    lines = str(result).splitlines()
    assert lines[0] == "braking from 60 mph" and lines[-1] == "tyres are warm"
    assert [line.split() for line in lines[1:4]] == [
        ["stopped", "yes"], ["stopping", "distance", "41.23", "m"], ["time", "to", "60", "mph", "none", "s"],
    ]  # fmt: skip


def test_picture(result, tmp_path):
    figure = result.plot()
    assert [len(axis.lines) for axis in figure.axes] == [1, 2, 1, 0]
    assert figure.axes[1].get_aspect() == 1.0 and figure.axes[0].get_legend() is None
    plt.close(figure)
    with pytest.raises(InputError, match="cannot be plotted"):
        result.plot(tmp_path / "a.nothing")
    plt.close("all")


def test_report(result, tmp_path):
    page = result.report(tmp_path / "out")
    text = page.read_text()
    assert text.startswith("# full stop\n") and "| stopping distance | 41.23 | m |" in text
    assert "- tyres are warm" in text and "full_stop.png" in text and "rk4, step 0.001 s" in text
    assert (tmp_path / "out" / "full_stop.png").stat().st_size > 10_000
    assert gori.Recording.load(tmp_path / "out" / "full_stop.h5").time[-1] == result.recording.time[-1]
    with pytest.raises(InputError, match="cannot be written"):
        result.report(tmp_path / "out" / "full_stop.md" / "x")
    assert "png" not in result.report(tmp_path / "text", picture=False).read_text()
