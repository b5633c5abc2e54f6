"""The package `mujoco`, which is optional."""

import importlib
from typing import Any

from gori.errors import MissingPackageError

OLDEST = 4
"""version of mujoco whose models have all that is read here"""


def mujoco_package() -> Any:
    """The module `mujoco`, imported where it is needed first."""
    try:
        package = importlib.import_module("mujoco")
    except ImportError as error:
        raise MissingPackageError("MJCF needs mujoco: pip install 'gori[mjcf]'") from error
    if int(package.__version__.partition(".")[0]) < OLDEST:
        words = f"MJCF needs mujoco {OLDEST} or newer, {package.__version__} is installed: pip install 'gori[mjcf]'"
        raise MissingPackageError(words)
    return package
