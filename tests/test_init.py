"""The front door: names are imported when they are first used, and are those of their packages."""

import subprocess
import sys
from importlib import import_module

import pytest

import gori


def test_every_name_is_that_of_its_package():
    for home, names in gori._HOMES.items():
        for name in names:
            assert getattr(gori, name) is getattr(import_module(home), name), name
    for name in gori._PACKAGES:
        assert getattr(gori, name) is import_module(f"gori.{name}")
    assert set(gori.__all__) | set(gori._PACKAGES) <= set(dir(gori))


def test_names_that_are_none():
    with pytest.raises(AttributeError, match="module 'gori' has no attribute 'Robot'"):
        _ = gori.Robot


def test_importing_it_does_not_wait_for_numba():
    code = "import sys, gori; assert 'numba' not in sys.modules and 'numpy' not in sys.modules; gori.errors.GoriError"
    subprocess.run([sys.executable, "-c", code + "; assert 'numba' not in sys.modules"], check=True)
