"""USD needs a package that may be missing."""

import sys

import pytest

from gori.errors import MissingPackageError

pytest.importorskip("pxr")


def test_it_is_there_or_named(monkeypatch):
    from pxr import Sdf

    from gori.web.usd.package import usd_module

    assert usd_module("Sdf") is Sdf
    monkeypatch.setitem(sys.modules, "pxr.Sdf", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'gori\[usd\]'"):
        usd_module("Sdf")
