"""MJCF needs packages that may be missing."""

import sys

import mujoco
import pytest

from gori.errors import MissingPackageError
from gori.formats.mjcf.package import OLDEST, mujoco_package


def test_it_is_there_or_told(monkeypatch):
    assert mujoco_package() is mujoco
    monkeypatch.setattr(mujoco, "__version__", f"{OLDEST - 1}.9.0")
    with pytest.raises(MissingPackageError, match=r"needs mujoco 4 or newer, 3\.9\.0 is installed"):
        mujoco_package()
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'gori\[mjcf\]'"):
        mujoco_package()
