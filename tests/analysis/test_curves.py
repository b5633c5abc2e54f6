"""Curves: columns by name, values between rows, tables, files, plots."""

import numpy as np
import pytest

from gori.analysis.curves import Curves
from gori.errors import InputError

CURVES = Curves(
    "bump", {"travel": (np.array([0.2, 0.0, 0.1]), "m"), "camber": (np.array([4.0, 0.0, 1.0]), "deg"),
             "share": (np.array([1.0, 0.0, 0.5]), "")},
)  # fmt: skip


def test_columns():
    assert CURVES.names == ("travel", "camber", "share") and len(CURVES) == 3
    assert CURVES["camber"].tolist() == [4.0, 0.0, 1.0]
    assert [CURVES.label(name) for name in CURVES.names] == ["travel [m]", "camber [deg]", "share"]
    with pytest.raises(InputError, match="bump has no column 'cambre'; did you mean 'camber'"):
        CURVES["cambre"]


def test_values_between_rows_in_any_order():
    assert CURVES.at("camber", 0.05) == pytest.approx(0.5) and CURVES.at("camber", 0.15) == pytest.approx(2.5)
    assert CURVES.at("camber", 0.2) == 4.0
    for outside in (-0.01, 0.21, np.nan):
        with pytest.raises(InputError, match=r"travel .* is outside 0 to 0\.2"):
            CURVES.at("camber", outside)


def test_a_table_has_a_line_for_each_row():
    title, head, *lines = str(CURVES).splitlines()
    assert title == "bump" and head.split() == ["travel", "[m]", "camber", "[deg]", "share"]
    assert [float(x) for x in lines[0].split()] == [0.2, 4.0, 1.0] and len(lines) == 3
    assert len({len(line) for line in lines}) == 1


def test_files_and_plots(tmp_path):
    CURVES.save(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == "travel,camber,share"
    assert np.array_equal(np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)[:, 1], CURVES["camber"])
    CURVES.plot(tmp_path / "a.png")
    CURVES.plot(tmp_path / "b.svg", "share")
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG" and "<svg" in (tmp_path / "b.svg").read_text()
    with pytest.raises(InputError, match="no column"):
        CURVES.plot(tmp_path / "c.png", "toe")
