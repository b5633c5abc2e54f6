"""Machines of different Models in one call: a Batch of each."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.integrate import Method
from gori.model import Model
from gori.sim.batch.batch import Batch
from gori.spec import Spec

OF_EACH = ("parameters", "state", "sub_steps")
"""options that each Model has for itself, by the name of its group"""


class Batches(Mapping[str, Batch]):
    """Batches by name, which step together.

    groups    {name: (Model or Spec, number of machines)}
    options   of `Batch` for all of them; `parameters`, `state` and `sub_steps` are {name of a group: ...}
    """

    def __init__(
        self, groups: Mapping[str, tuple[Model | Spec, int]], method: Method | dict | str | None = None, **options: Any
    ):
        self._batches: dict[str, Batch] = {}
        for option in OF_EACH:
            given = options.get(option) or {}
            unknown = [name for name in given if name not in groups] if isinstance(given, Mapping) else [given]
            if unknown:
                raise InputError(
                    f"{option} of groups must be {{name of a group: ...}}; there is no group {unknown[0]!r}"
                )
        for name, group in groups.items():
            if not isinstance(group, tuple | list) or len(group) != 2:
                raise InputError(f"group {name!r} must be (Model, number of machines), not {group!r}")
            own: dict[str, Any] = options | {option: (options.get(option) or {}).get(name) for option in OF_EACH}
            self._batches[name] = Batch(group[0], group[1], method, **own)
        if not self._batches:
            raise InputError("a batch of groups needs at least one")

    def __getitem__(self, name: str) -> Batch:
        return self._batches[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._batches)

    def __len__(self) -> int:
        return len(self._batches)

    def __repr__(self) -> str:
        return f"<gori batches: {', '.join(f'{len(batch)} {name}' for name, batch in self.items())}>"

    def step(self, steps: int = 1) -> None:
        """So many steps of all machines of all groups."""
        for batch in self.values():
            batch.step(steps)

    def run(self, duration: float, progress: bool = True) -> None:
        """Steps for a duration [s], group after group."""
        for batch in self.values():
            batch.run(duration, progress)

    def reset(self) -> None:
        """All machines back to their start."""
        for batch in self.values():
            batch.reset()

    @property
    def time(self) -> dict[str, np.ndarray]:
        """Time that each machine has reached (machines,) [s], by group."""
        return {name: batch.time for name, batch in self.items()}

    @property
    def failed(self) -> dict[str, np.ndarray]:
        """Which machines have failed (machines,), by group."""
        return {name: batch.failed for name, batch in self.items()}

    def failures(self, most: int = 10) -> dict[str, dict[int, str]]:
        """Why machines have failed, by group."""
        found = {name: batch.failures(most) for name, batch in self.items()}
        return {name: words for name, words in found.items() if words}
