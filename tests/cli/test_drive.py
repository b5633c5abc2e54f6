"""`gori drive` on the command line."""

import pytest
from typer.testing import CliRunner

from gori.cli import app
from gori.cli.drive import drive


@pytest.fixture
def served(monkeypatch):
    """Sessions that would be served."""
    found = []
    monkeypatch.setattr("gori.web.pages.built", lambda name: name)
    monkeypatch.setattr("gori.web.serve.app.serve", lambda session, **how: found.append((session, how)))
    return found


def test_options_reach_the_session(served, tmp_path):
    done = CliRunner().invoke(
        app, ["drive", "--course", "bump", "--payload", "300", "--no-browser", "--out", str(tmp_path / "runs")]
    )
    assert done.exit_code == 0, done.output
    (session, how), *_ = served
    assert session.vehicle.options.payload == 300.0 and session.page == "drive"
    assert how == {"host": "127.0.0.1", "port": 0, "open_browser": False} and (tmp_path / "runs").is_dir()


def test_an_unknown_course_is_said(served):
    done = CliRunner().invoke(app, ["drive", "--course", "moon"])
    assert done.exit_code == 2 and not served
    assert drive.__doc__
