"""`gori wheel-rig`: the table, its file, lists of slips, and refusals."""

import pytest
from typer.testing import CliRunner

from gori.cli import app
from gori.cli.wheel_rig import MOST, numbers
from gori.errors import InputError
from gori.formats.soils import soil_names


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, ["wheel-rig", *map(str, words)], prog_name="gori")


def test_wheel_rig(run, tmp_path):
    done = run("--soil", "lete_sand", "--slip", "0.2", "--cell", "0.03", "--csv", "a.csv")
    assert done.exit_code == 0 and "sinkage mm" in done.stdout and "angle deg" not in done.stdout
    head, row = (line.split(",") for line in (tmp_path / "a.csv").read_text().splitlines())
    assert float(row[head.index("slip")]) == 0.2 and len(row) == len(head)


def test_soils_are_listed(run):
    done = run("--soils")
    assert done.exit_code == 0 and all(name in done.stdout for name in soil_names())


def test_numbers():
    assert numbers("0.1", "--slip") == [0.1] and numbers("0,0.1,-3", "--slip") == [0.0, 0.1, -3.0]
    assert numbers("0:0.6:4", "--slip") == pytest.approx([0.0, 0.2, 0.4, 0.6])
    for text in ("", "a", "0:1", "0:1:0", "0:1:2.5", f"0:1:{MOST + 1}", "0:1:-2", "0,,1"):
        with pytest.raises(InputError, match="--slip takes numbers, such as"):
            numbers(text, "--slip")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "name a soil"),
        (["--soil", "lete_sant"], "did you mean 'lete_sand'"),
        (["--soil", "lete_sand", "--slip", "fast"], "--slip takes numbers"),
        (["--soil", "lete_sand", "--slip", "0.2", "--cell", "0.03", "--csv", "none/a.csv"], "cannot be written"),
    ],
)
def test_refused_in_words(run, words, told):
    done = run(*words)
    assert done.exit_code == 2 and told in done.stderr, done.output
