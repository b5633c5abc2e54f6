import pytest
from typer.testing import CliRunner

from gori.cli import app
from tests.cli.files import ARM, FOUR_BAR


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command line inside a folder with two good files."""
    (tmp_path / "four.yaml").write_text(FOUR_BAR)
    (tmp_path / "arm.urdf").write_text(ARM)
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "GORI_DEBUG", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return lambda *words: CliRunner().invoke(app, list(words), prog_name="gori")
