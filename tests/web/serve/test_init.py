"""Names of the server are imported when they are first used."""

import subprocess
import sys

import pytest

from gori.web import serve


def test_names():
    assert set(serve.__all__) == set(serve._HOMES)
    assert all(getattr(serve, name).__doc__ for name in serve.__all__)
    with pytest.raises(AttributeError, match="no attribute"):
        serve.nothing  # noqa: B018


def test_gori_does_not_wait_for_a_server():
    code = "import sys, gori, gori.cli; sys.exit(any(x in sys.modules for x in ('starlette', 'uvicorn', 'numba')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
