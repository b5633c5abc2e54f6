"""Gymnasium, which is optional."""

from importlib import import_module
from typing import Any

from gori.errors import MissingPackageError


def gymnasium_module(name: str) -> Any:
    """A module of Gymnasium 1.1 or newer, which has vector environments that reset in the same step."""
    try:
        module = import_module(name)
        import_module("gymnasium.vector").AutoresetMode  # noqa: B018
    except (ImportError, AttributeError) as error:
        raise MissingPackageError("gori.learn needs Gymnasium 1.1 or newer: pip install 'gori[learn]'") from error
    return module


vector, spaces = gymnasium_module("gymnasium.vector"), gymnasium_module("gymnasium.spaces")
