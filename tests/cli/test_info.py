"""`gori info`."""

import json
import re
from pathlib import Path

import pytest

import gori
from tests.cli.files import FOUR_BAR, chain
from tests.model.loops.singular import parallelogram


def test_info(run):
    result = run("info", "four.yaml")
    assert result.exit_code == 0 and result.stderr == "" and "\x1b" not in result.stdout
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[:3] == [
        "four.yaml YAML, gravity 0 0 -9.81 m/s2",
        "4 bodies, 4 joints (3 moving), 1 cut, 1 frame, 1 mimic",
        "mass 10 kg, nq 6, nv 5",
    ]
    text = "\n".join(lines)
    assert "crank 1 kg A revolute q[0] -30 .. 90 deg" in text
    assert "coupler 2 kg B spherical q[1:5] v[1:4]" in text
    assert "rocker 3 kg C revolute q[5] v[4] mimic" in text
    assert "rod 4 kg E fixed" in text
    assert "D revolute coupler - rocker" in text
    assert "C = 2 * A +0.5" in text
    assert "tip on coupler" in text


def test_info_shows_urdf_warnings_in_words(run):
    result = run("info", "arm.urdf", "--base", "free")
    assert result.exit_code == 0 and "warning" not in result.stdout
    assert "nq 8, nv 7" in result.stdout and "-1 .. 1 m" in result.stdout
    assert result.stderr.startswith("warning: line 3: link 'b': inertia violates the triangle inequality")
    assert "SpecWarning" not in result.stderr and "warnings.warn" not in result.stderr


def test_info_strict_refuses(run):
    result = run("info", "arm.urdf", "--strict")
    assert result.exit_code == 2 and "error: arm.urdf, line 3: link 'b'" in result.stderr


def test_info_options_of_another_format(run):
    result = run("info", "four.yaml", "--base", "free")
    assert result.exit_code == 2 and "take no option base" in result.stderr


def test_info_json(run):
    about = json.loads(run("info", "four.yaml", "--json").stdout)
    assert (about["nq"], about["nv"], about["mass"], about["format"]) == (6, 5, 10.0, "YAML")
    assert list(about["bodies"]) == ["crank", "coupler", "rocker", "rod"]
    assert about["joints"]["B"] == {
        "type": "spherical", "parent": "crank", "child": "coupler", "q": [1, 5], "v": [1, 4], "limits": None
    }  # fmt: skip
    assert about["joints"]["A"]["limits"] == pytest.approx([-0.5235987755982988, 1.5707963267948966])
    assert about["mimic"] == {"C": {"joint": "A", "ratio": 2.0, "offset": 0.5}}
    assert about["cuts"]["D"]["child"] == "rocker" and about["frames"] == {"tip": {"body": "coupler"}}
    assert about["warnings"] == []
    assert "triangle" in json.loads(run("info", "arm.urdf", "--json").stdout)["warnings"][0]


def test_info_says_which_joints_became_cuts(run):
    text = FOUR_BAR.replace("C: {type: revolute, parent: ground, at: [0.5, 0, 0], child: rocker,",
                            "C: {type: revolute, parent: rocker, child_at: [0.5, 0, 0], child: ground,")  # fmt: skip
    head, tail = text.split("cuts:\n")
    Path("graph.yaml").write_text(head + tail)  # D is one of the joints now
    result = run("info", "graph.yaml")
    assert result.exit_code == 0
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "4 bodies, 4 joints (3 moving), 1 cut, 1 frame, 1 mimic" in lines
    assert "B spherical crank - coupler a joint that closes a loop" in lines
    assert lines.index("C ground - rocker") == lines.index("reversed joints") + 1
    about = json.loads(run("info", "graph.yaml", "--json").stdout)
    assert about["became_cuts"] == ["B"] and about["turned"] == ["C", "D"]
    assert about["cuts"]["B"] == {"type": "spherical", "parent": "crank", "child": "coupler"}
    assert json.loads(run("info", "four.yaml", "--json").stdout)["became_cuts"] == []


def test_info_names_a_singular_pose(run):
    gori.save(parallelogram(), "flat.yaml")
    assert "a singular pose: 2 in this instant, 1 of a finite motion" in run("info", "flat.yaml").stdout
    assert json.loads(run("info", "flat.yaml", "--json").stdout)["loops"]["instantaneous"] == 2
    gori.save(parallelogram(0.7), "open.yaml")
    assert "singular" not in run("info", "open.yaml").stdout


def test_info_leaves_out_the_middle_of_a_long_chain(run):
    Path("long.yaml").write_text(chain(1200))
    short, full = run("info", "long.yaml").stdout, run("info", "long.yaml", "--all").stdout
    assert "... 1190 more" in short and "b600 " not in short and "b1199 " in short
    assert "more" not in full and all(f"b{i} " in full for i in range(1200))


def test_info_counts_what_is_too_deep(run):
    Path("comb.yaml").write_text(chain(60, ribs=True))
    assert re.search(r"\.\.\. \d+ more", run("info", "comb.yaml").stdout)
    full = run("info", "comb.yaml", "--all")
    assert full.exit_code == 0 and "r59" in full.stdout


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_info_fits_a_narrow_terminal(run, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    result = run("info", "four.yaml")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= columns


def test_info_takes_names_as_they_are(run):
    Path("odd.yaml").write_text(
        'gori: 1\nbodies: {"[red]b[/red]": {mass: 1}, ":smile:": {}}\n'
        'joints:\n  j: {type: free, parent: ground, child: "[red]b[/red]"}\n'
        '  k: {type: fixed, parent: ground, child: ":smile:"}\n'
    )
    result = run("info", "odd.yaml")
    assert "[red]b[/red]" in result.stdout and ":smile:" in result.stdout


def test_info_of_nothing(run):
    Path("empty.yaml").write_text("gori: 1\n")
    result = run("info", "empty.yaml")
    assert result.exit_code == 0 and "0 bodies, 0 joints" in result.stdout


def test_info_lists_visual_shapes(run, tmp_path):
    skin = "skin: {type: sphere, radius: 2, visual: true, colour: '#FF8000'}"
    (tmp_path / "skin.yaml").write_text(f"gori: 1\nbodies:\n  ground:\n    shapes:\n      {skin}\n")
    assert json.loads(run("info", "skin.yaml", "--json").stdout)["drawn"] == {
        "ground.skin": {"type": "sphere", "colour": "#ff8000"}
    }
    shown = run("info", "skin.yaml").stdout
    assert "visual shapes" in shown and "ground.skin" in shown


def test_the_machine_of_a_run(run, tmp_path):
    (tmp_path / "out").mkdir()
    model = gori.compile(gori.load("four.yaml"), open_loops=True)
    gori.Simulation(model, gori.RK4(1e-3)).run(0.1, sample=0.05, path="out/run.h5", progress=False)
    for name in ("out", "out/run.h5"):
        done = run("info", name)
        assert done.exit_code == 0 and f"{name}  a run of 0.1 s, 3 samples, gravity" in done.stdout
        assert "4 bodies" in done.stdout and "crank" in done.stdout
    done = run("info", "out", "--base", "free")
    assert done.exit_code == 2 and "--base is for machines, and out is a run" in done.stderr
    for name in ("nothing", "nothing.h5"):
        done = run("info", name)
        assert done.exit_code == 2 and f"{name}: there is no such file" in done.stderr
