"""What a method is. To write one:

1. A file of its own, with the reference to the formula at its head.
2. A compiled run with the signature `march.RUN`: it moves y = (q, v, z) from clock[NOW] on, writes samples as rows
   (time, y), keeps y at the last good state when something fails, and returns a result code of `accelerations.py`.
   A method with a fixed step writes only its step and lets `march` do the rest.
3. It evaluates rates by `march.rhs` or `accelerations` alone, so that every force works with every method.
4. A frozen dataclass, its parameters with units, derived from `Fixed` or `Adaptive`, naming the run and its
   memory, and in `supports` what it can handle: "events", "friction" (states z of force elements), "user"
   (functions of the user), "vehicles" (what is advanced at the end of a step: `march.arrive`). What it does not name
   is refused when a Simulation is made, never dropped.
5. A row in `METHODS` (`integrate/__init__.py`), an order of convergence in the tests, a row in `docs/methods.md`.
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from gori.errors import InputError

EVERYTHING = frozenset({"events", "friction", "user", "vehicles"})


@dataclass(frozen=True)
class Method:
    """Base of all methods. Not made on its own."""

    kind: ClassVar[str]
    run: ClassVar[Any]
    core: ClassVar[Any] = None  # a kernel that the run calls by its address, `machine.core`
    core_of_loops: ClassVar[Any] = None  # the same for machines with loops; None: loops are closed by `loops.py`
    rows: ClassVar[int] = 0  # of memory, each as long as y
    adaptive: ClassVar[bool]
    supports: ClassVar[frozenset[str]] = EVERYTHING

    def positive(self, *names: str) -> None:
        for name in names:
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and 0.0 < value < float("inf")):
                raise InputError(f"{self.kind}: {name} must be a positive number, not {value!r}")

    def settings(self) -> dict[str, Any]:
        """Type and parameters, as in a run file."""
        return {"type": self.kind, **{f.name: getattr(self, f.name) for f in fields(self)}}

    def memory(self, nrow: int, nq: int, nv: int, nz: int) -> np.ndarray:
        """The arrays that the run keeps between steps, with the parameters that it needs filled in."""
        return np.zeros((self.rows, nq + nv + nz))

    def counts(self, memory: np.ndarray) -> np.ndarray:
        """Numbers that grow as the run goes on, for `report` and `doubts`."""
        return np.zeros(0)

    def report(self, count: np.ndarray) -> dict[str, Any]:
        """What a run has to tell about itself; count: by how much `counts` has grown."""
        return {}

    def doubts(self, count: np.ndarray) -> str | None:
        """What a user should be warned of after a run, if anything."""
        return None

    def forget(self, memory: np.ndarray) -> None:
        """Called when the state is set from outside: what is kept from step to step no longer holds."""


@dataclass(frozen=True)
class Fixed(Method):
    """A method with a fixed step [s]."""

    step: float = 1e-3
    adaptive: ClassVar[bool] = False

    def __post_init__(self):
        self.positive("step")


@dataclass(frozen=True)
class Adaptive(Method):
    """A method that chooses its step by the tolerances."""

    rtol: float = 1e-6
    atol: float = 1e-9
    largest_step: float = 1e9
    adaptive: ClassVar[bool] = True

    def __post_init__(self):
        self.positive("rtol", "atol", "largest_step")
