"""What a batch is given: which machines are meant, and what is refused."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.model import Model
from gori.model.threads import threads
from gori.sim.batch.varied import Numbers
from gori.sim.grid import MOST as MOST_STEPS

MOST = 1 << 31
"""machines"""
Which = np.ndarray | Sequence[int] | Sequence[bool] | int | None
"""machines of a batch: a mask, indices, one index; None: all"""


def machine_index(machine: int, count: int) -> int:
    """The index of one machine of a batch of so many."""
    if not _is_whole(machine) or not 0 <= machine < count:
        raise InputError(f"machine must be a number from 0 to {count - 1}, not {machine!r}")
    return int(machine)


def machine_mask(machines: Which, count: int) -> np.ndarray:
    """A mask (count,) from whatever says which machines."""
    if machines is None:
        return np.ones(count, bool)
    try:
        chosen = np.asarray(machines)
    except ValueError:
        raise InputError(f"machines must be a mask, or a row of indices, not {machines!r}") from None
    if chosen.size == 0:
        return np.zeros(count, bool)
    if chosen.dtype == bool:
        if chosen.shape != (count,):
            raise InputError(f"a mask of machines must be of shape ({count},), not {chosen.shape}")
        return chosen
    if chosen.dtype.kind not in "iu" or not 0 <= chosen.min() <= chosen.max() < count:
        raise InputError(f"machines must be a mask, or indices from 0 to {count - 1}, not {machines!r}")
    mask = np.zeros(count, bool)
    mask[chosen] = True
    return mask


def machine_count(count: int) -> int:
    """A number of machines."""
    if not _is_whole(count) or not 0 < count < MOST:
        raise InputError(f"a batch has a positive number of machines, not {count!r}")
    return int(count)


def worker_count(workers: int | None) -> int:
    """Threads of the CPU; None: as many as `gori.threads()` says."""
    workers = threads() if workers is None else workers
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise InputError(f"workers must be a positive integer, not {workers!r}")
    return workers


def step_count(steps: int) -> int:
    """A number of steps."""
    if not _is_whole(steps) or not 1 <= steps <= MOST_STEPS:
        raise InputError(f"the number of steps must be an integer from 1 to {MOST_STEPS}, not {steps!r}")
    return int(steps)


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def refuse_other_count(varied: Iterable[Numbers], count: int) -> None:
    """Refuse parameters of another number of machines."""
    for numbers in varied:
        if numbers.values.shape[1] != count:
            raise InputError(f"parameters are given for {numbers.values.shape[1]} machines, and the batch has {count}")


def refuse_unable(model: Model) -> None:
    """Refuse by name what machines of a batch cannot have yet."""
    refused = {
        "particles": model.particles is not None,
        "contact between bodies": model.contact is not None,
        "controls of the Spec, which set inputs by Python": model.vehicle is not None and model.vehicle.schedules,
    }
    for words, there in refused.items():
        if there:
            raise UnsupportedError(f"a batch does not support {words}: use gori.batch with a list of Simulations")
