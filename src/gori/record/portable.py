"""Channels of a Recording that goes to another process: functions by their names, else the numbers that they gave."""

import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


def can_be_pickled(thing: Any) -> bool:
    """Whether it can go to another process."""
    try:
        pickle.dumps(thing)
    except Exception:  # each class refuses in its own way
        return False
    return True


class AddedChannels(NamedTuple):
    """Channels that a function added to a Recording, so that it can add them to a copy."""

    function: Callable[..., None]
    arguments: tuple[Any, ...]
    names: tuple[str, ...]

    def portable(self) -> "AddedChannels":
        """The same, with None for arguments that cannot be pickled: functions of the user."""
        return self._replace(arguments=tuple(x if can_be_pickled(x) else None for x in self.arguments))


class KeptChannel:
    """A channel whose function stayed behind: the numbers that it gave."""

    def __init__(self, value: np.ndarray):
        self.value = value

    def __call__(self, *_: Any) -> np.ndarray:
        return self.value
