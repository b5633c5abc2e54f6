"""The package `mujoco`, which is optional."""

import importlib
from typing import Any

from gori.errors import MissingPackageError


def mujoco_package() -> Any:
    """The module `mujoco`, imported where it is needed first."""
    try:
        return importlib.import_module("mujoco")
    except ImportError as error:
        raise MissingPackageError("MJCF needs mujoco: pip install 'gori[mjcf]'") from error
