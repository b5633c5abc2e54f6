"""`gori play` on the command line."""

import pytest
from typer.testing import CliRunner

from gori.cli import app
from gori.cli.play import play


@pytest.fixture
def served(monkeypatch):
    """Sessions that would be served."""
    found = []
    monkeypatch.setattr("gori.web.pages.built", lambda name: name)
    monkeypatch.setattr("gori.web.serve.app.serve", lambda session, **how: found.append(session))
    return found


def test_an_example_by_name(served):
    assert CliRunner().invoke(app, ["play", "governor", "--no-browser"]).exit_code == 0
    assert served[0].first.name == "governor"
    assert CliRunner().invoke(app, ["play", "no-such"]).exit_code == 2
    assert play.__doc__
