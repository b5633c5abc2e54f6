"""Numbers that differ from machine to machine of a batch: of tables of the Machine, or of what is kept at the start."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gori.kernels.forces.signals import HELD, SIGNAL_KIND, SIGNAL_START
from gori.model import Model
from gori.model.varied import vary
from gori.sim.progress import Progress
from gori.sim.stepper import Stepper
from gori.spec import Spec

KEPT = {
    "start": "y",
    "start.wheel": "data.wheel",
    "start.train": "data.train",
    "loops.eps_mass": "data.loops.state.eps_mass",
    "loops.eps_unit": "data.loops.state.eps_unit",
    "loops.extra_inertia": "data.loops.state.extra_inertia",
}
"""members that hold what stands beside the tables of a Model"""
INPUTS = "data.values"
"""values of signals, of which those that are held are inputs"""
LEFT_OUT = ("loops.tolerance",)
"""what all machines share: those of the Model do for all"""


class Numbers(NamedTuple):
    """Some numbers of one member of the bundles.

    path     "machine.body_f", "y", "data.wheel"
    words    which of its words (numbers,)
    values   (numbers, machines)
    """

    path: str
    words: np.ndarray
    values: np.ndarray

    @property
    def of_tables(self) -> bool:
        """Whether they are constants of a Machine."""
        return self.path.startswith("machine.")

    def of_sets(self, sets: np.ndarray) -> "Numbers":
        """For machines that have these columns of the values."""
        return self._replace(values=np.ascontiguousarray(self.values[:, sets]))

    @property
    def of_machine(self) -> bool:
        """Whether they belong to a machine wherever it starts: tables, inputs, what its loops are solved with."""
        return self.of_tables or self.path == INPUTS or self.path.startswith("data.loops.")

    def addresses(self, stepper: Stepper) -> list[int]:
        """Of these numbers in the bundles of one machine."""
        member: Any = stepper
        for name in self.path.split("."):
            member = getattr(member, name)
        return [member.ctypes.data + 8 * int(k) for k in self.words]


def numbers_of(model: Model | Spec, parameters: Mapping[str, Any]) -> tuple[Model, list[Numbers]]:
    """The numbers in which machines with these parameters differ, and the Model that has their structure. A bar shows
    how many machines are compiled, where that takes long.
    """
    bar = Progress(True, 0.0, 1.0, lambda: "compiling machines that differ")
    try:
        found = vary(model, parameters, progress=lambda done, of: bar.move(done / of))
    finally:
        bar.close()
    numbers = [
        Numbers(KEPT.get(name, f"machine.{name}"), table.words, table.values)
        for name, table in found.tables.items()
        if name not in LEFT_OUT
    ]
    return found.model, numbers


def with_inputs(model: Model, numbers: Iterable[Numbers]) -> list[Numbers]:
    """The same numbers, but those of signals that are held in this Model, as what a machine keeps."""
    table, found = model.forces.signal_i, []
    held = np.flatnonzero(table[:, SIGNAL_KIND] == HELD)
    signal_at = {2 * int(table[k, SIGNAL_START]): int(k) for k in held}  # words of signal_f, which has two columns
    for one in numbers:
        own = np.array([one.path == "machine.signal_f" and int(word) in signal_at for word in one.words], bool)
        if own.any():
            signals = np.array([signal_at[int(word)] for word in one.words[own]], np.int64)
            found.append(Numbers(INPUTS, signals, one.values[own]))
        if not own.all():
            found.append(one._replace(words=one.words[~own], values=one.values[~own]))
    return found


def in_groups(numbers: Iterable[Numbers]) -> tuple[list[Numbers], list[Numbers], list[Numbers]]:
    """Those of tables, those that a machine keeps wherever it starts, and those of its start."""
    found: tuple[list[Numbers], list[Numbers], list[Numbers]] = [], [], []
    for one in numbers:
        found[0 if one.of_tables else 1 if one.of_machine else 2].append(one)
    return found


def digest_of(numbers: Iterable[Numbers]) -> str:
    """Tells numbers of one batch from those of another; of none it is empty."""
    found = [hashlib.sha256(x.path.encode() + x.words.tobytes() + x.values.tobytes()).hexdigest() for x in numbers]
    return hashlib.sha256("".join(found).encode()).hexdigest()[:16] if found else ""
