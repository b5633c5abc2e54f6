"""Names of the server are imported when they are first used."""

import subprocess
import sys

import pytest

import gori.web.serve
from gori.web.serve import LiveSession, MachineSession, RecordedSession, Server, serve


def test_names():
    assert callable(serve) and all(map(callable, (LiveSession, MachineSession, RecordedSession, Server)))
    with pytest.raises(AttributeError, match="no attribute"):
        gori.web.serve.nothing  # noqa: B018


def test_gori_does_not_wait_for_a_server():
    code = (
        "import sys, gori, gori.cli; sys.exit(any(name in sys.modules for name in ('starlette', 'uvicorn', 'numba')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
