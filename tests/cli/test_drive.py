"""`gori drive` on the command line."""

import pytest
from typer.testing import CliRunner

from gori.cli import app
from gori.cli.drive import drive


@pytest.fixture
def served(monkeypatch):
    """Sessions that would be served; their vehicles stand on their wheels."""
    found = []
    monkeypatch.setattr("gori.web.pages.built", lambda name: name)
    monkeypatch.setattr("gori.web.serve.app.serve", lambda session, **how: found.append((session, how)))
    yield found
    for session, _ in found:
        session.stop()


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


def test_soil_that_does_not_carry_the_vehicle_is_said_before_anything_is_served(served):
    done = CliRunner().invoke(app, ["drive", "--soil", "snow_us", "--payload", "3000"])
    assert done.exit_code == 1 and not served
    assert "snow us does not carry hmmwv with 3000 kg of payload" in done.output + done.stderr
