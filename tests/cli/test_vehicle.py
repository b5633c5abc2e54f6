"""`gori vehicle`: tables, reports, refusals."""

import pytest
from typer.testing import CliRunner

from gori.cli import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, list(map(str, words)), prog_name="gori")


def test_list(run):
    done = run("vehicle", "--list")
    assert done.exit_code == 0
    for word in ("bump", "lane_change", "ISO 4138", "radius", "hmmwv"):
        assert word in done.stdout


def test_manoeuvre_with_a_report(run, tmp_path):
    done = run(
        "vehicle", "braking", "--speed", 36, "--set", "payload.mass=600", "--option", "pedal=0.4", "--out", "here"
    )
    assert done.exit_code == 0, done.output
    assert "stopping distance" in done.stdout and "payload.mass 600" in done.stdout
    assert sorted(path.name for path in (tmp_path / "here").iterdir()) == ["braking.h5", "braking.md", "braking.png"]
    assert "| stopping distance |" in (tmp_path / "here" / "braking.md").read_text()


def test_without_a_report_nothing_is_written(run, tmp_path):
    done = run("vehicle", "soft-soil", "--soil", "lete_sand", "--option", "drawbar=false", "--option", "length=5")
    assert done.exit_code == 0 and "sinkage, rear" in done.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["vehicle"], "name a manoeuvre"),
        (["vehicle", "bumb"], "did you mean 'bump'"),
        (["vehicle", "bump", "--soil", "lete_sant"], "did you mean 'lete_sand'"),
        (["vehicle", "bump", "--set", "payload.mas=1"], "did you mean 'mass'"),
        (["vehicle", "bump", "--option", "hight=1"], "did you mean 'height'"),
        (["vehicle", "bump", "--option", "height"], "--option takes NAME=VALUE"),
        (["vehicle", "acceleration", "--speed", 3], "takes no speed"),
        (["vehicle", "bump", "--vehicle", "tank"], "not a vehicle"),
        (["vehicle", "bump", "--loops", "glue"], "glue"),
    ],
)
def test_refused_in_words(run, words, told):
    done = run(*words)
    assert done.exit_code == 2 and told in done.stderr, done.output
