"""Gymnasium is optional."""

import sys

import pytest

from gori.errors import MissingPackageError
from gori.learn.package import gymnasium_module


def test_what_is_said_without_gymnasium(monkeypatch):
    assert gymnasium_module("gymnasium.vector").VectorEnv
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.setitem(sys.modules, "gymnasium.vector", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'gori\[learn\]'"):
        gymnasium_module("gymnasium.vector")
