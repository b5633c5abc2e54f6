"""Recordings as tables, CSV files and plots."""

import csv

import matplotlib
import numpy as np
import pytest

from gori.errors import FileError, InputError
from gori.record.export import plot, table, write_csv

matplotlib.use("Agg")
from tests.record.runs import swing


def test_tables(tmp_path):
    rec = swing(3)
    columns = table(rec, ("elbow.q", "tool.position", "tool.rotation"))
    assert list(columns)[:5] == [
        "elbow.q",
        "tool.position.0",
        "tool.position.1",
        "tool.position.2",
        "tool.rotation.0.0",
    ]
    assert np.array_equal(columns["tool.rotation.2.1"], rec["tool.rotation"][:, 2, 1])

    assert list(rec.table("elbow.q")) == ["elbow.q"]

    write_csv(rec, tmp_path / "a.csv", ("elbow.q", "tool.position"))
    with open(tmp_path / "a.csv", newline="") as file:
        head, *lines = csv.reader(file)
    assert head == ["time", "elbow.q", "tool.position.0", "tool.position.1", "tool.position.2"]
    numbers = np.array(lines, float)
    assert np.array_equal(numbers[:, 1], rec["elbow.q"]) and np.array_equal(numbers[:, 2:], rec["tool.position"])

    rec.to_csv(tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text().splitlines()[0] == "time,q.0,q.1,v.0,v.1"
    with pytest.raises(FileError, match="cannot be written"):
        rec.to_csv(tmp_path / "nowhere" / "a.csv", "elbow.q")


def test_plots(tmp_path):
    rec = swing(extra={"note": np.arange(200)})
    figure = rec.plot("elbow.q", "tool.position", "tool.velocity", "energy.total", "note", path=tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["angle [rad]", "length [m]", "angular velocity [rad/s]", "velocity [m/s]", "energy [J]", "[-]"]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    assert [text.get_text() for text in figure.axes[1].get_legend().get_texts()] == [
        f"tool.position.{k}" for k in range(3)
    ]
    plot(rec, ("momentum",), tmp_path / "a.svg")
    assert (tmp_path / "a.svg").stat().st_size > 1000
    for names, words in (((), "name the channels to plot"), (("z",), "no columns"), (("elbow.p",), "did you mean")):
        with pytest.raises(InputError, match=words):
            rec.plot(*names)
    with pytest.raises(FileError, match="cannot be written"):
        rec.plot("elbow.q", path=tmp_path / "a.nonsense")
