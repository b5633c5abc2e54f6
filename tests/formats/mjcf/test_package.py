"""MJCF needs packages that may be missing."""

import sys

import mujoco
import pytest

from gori.errors import MissingPackageError
from gori.formats.mjcf.package import mujoco_package


def test_it_is_there_or_told(monkeypatch):
    assert mujoco_package() is mujoco
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'gori\[mjcf\]'"):
        mujoco_package()
