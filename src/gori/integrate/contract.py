"""What a method is. To write one:

1. A file of its own, with the reference to the formula at its head.
2. A compiled run with the signature `clock.run_type(memory)`: it moves y = (q, v, z, w) on from clock.time, writes
   samples as rows (time, y), leaves y at the last valid state on failure, and returns a result code of
   `kernels/codes.py`. A method with a fixed step writes only its step and lets `fixed_step.py` do the rest. The work w
   (`rates.py`) is integrated with the order of the method, and left out of error norms.
3. It evaluates rates by `rates.rhs` or `accelerations` alone, so that every force works with every method.
4. A frozen dataclass, its parameters with units, derived from `Fixed` or `Adaptive`, naming the run and its
   memory, and in `supports` what it can handle: "events", "friction" (states z of force elements), "user"
   (functions of the user), "vehicles" and "contact" (what is advanced at the end of a step: `rates.finish_step`). What
   it does not name is rejected when a Simulation is created, never ignored.
5. Its memory declared by records and layouts (`clock.method_memory`): what is kept from step to step, apart from what
   is computed before it is read. A run continues bit for bit from what is kept.
6. A row in `METHODS` (`integrate/__init__.py`), an order of convergence in the tests, a row in `docs/methods.md`.
"""

import json
import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from gori.errors import InputError
from gori.integrate.clock import MethodMemory, Sizes

EVERYTHING = frozenset({"events", "friction", "user", "vehicles", "contact"})


@dataclass(frozen=True)
class Method:
    """Base of all methods. Not instantiated itself."""

    kind: ClassVar[str]
    run: ClassVar[Any]
    one_step: ClassVar[Any] = None  # the step of a fixed method that a thread of a GPU can take (`batch/many.py`)
    core: ClassVar[Any] = None  # a kernel that the run calls by its address, `machine.core`
    core_of_many: ClassVar[Any] = None  # what a thread of a GPU calls in its place
    core_of_loops: ClassVar[Any] = None  # the same for machines with loops; None: loops are closed by `loops.py`
    adaptive: ClassVar[bool]
    energy_error: ClassVar[float] = 1e-3  # share of the exchanged energy: a run whose balance is worse is warned of
    supports: ClassVar[frozenset[str]] = EVERYTHING
    contact: ClassVar[str] = "penalty"  # how bodies push each other: by forces, or by "impulses" of its own

    def decay_limit(self) -> float:
        """Largest step times rate of a decay with which it is stable: its interval on the negative real axis.

        Infinite where the method is implicit or chooses its steps.
        """
        return math.inf

    def positive(self, *names: str) -> None:
        for name in names:
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and 0.0 < value < float("inf")):
                raise InputError(f"{self.kind}: {name} must be a positive number, not {value!r}")

    def settings(self) -> dict[str, Any]:
        """Type and parameters, as in a run file."""
        return {"type": self.kind, **{f.name: getattr(self, f.name) for f in fields(self)}}

    def tag(self) -> str:
        """Type and parameters in one text: what is kept by one method fits another only if their tags are equal."""
        return json.dumps(self.settings(), sort_keys=True)

    def memory(self, sizes: Sizes) -> MethodMemory:
        """A new memory, with the parameters filled in."""
        raise NotImplementedError

    def counts(self, memory: MethodMemory) -> np.ndarray:
        """Counters that grow during the run, for `report` and `doubts`."""
        return np.zeros(0)

    def report(self, count: np.ndarray) -> dict[str, Any]:
        """What a run has cost; count: by how much `counts` has grown."""
        return {}

    def doubts(self, count: np.ndarray) -> str | None:
        """What a user should be warned of after a run, if anything."""
        return None

    def forget(self, memory: MethodMemory) -> None:
        """Called when the state is set from outside: what is kept from step to step is no longer valid."""


@dataclass(frozen=True)
class Fixed(Method):
    """A method with a fixed step [s]."""

    step: float = 1e-3
    adaptive: ClassVar[bool] = False

    def __post_init__(self):
        self.positive("step")


@dataclass(frozen=True)
class Adaptive(Method):
    """A method with adaptive step size."""

    rtol: float = 1e-6
    atol: float = 1e-9
    largest_step: float = 1e9
    adaptive: ClassVar[bool] = True

    def __post_init__(self):
        self.positive("rtol", "atol", "largest_step")
        for name, least, sensible in (("rtol", 1e-16, "1e-3 to 1e-13"), ("atol", 1e-30, "1e-6 to 1e-15")):
            if (value := getattr(self, name)) < least:
                raise InputError(
                    f"{self.kind}: {name} must be at least {least:g}, not {value:g}: numbers of 16 digits cannot be "
                    f"that accurate, and no step would do. {sensible} is sensible"
                )
