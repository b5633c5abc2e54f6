"""How explicit methods keep loops closed: solvers that are interchangeable, with any explicit method.

Implicit methods need none: they solve the equations of the loops together with those of the step (`closed.py`).
"""

import json
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from gori.errors import InputError
from gori.integrate.settings import from_settings
from gori.kernels.loops.frozen import frozen
from gori.kernels.loops.multipliers import multipliers
from gori.kernels.loops.partition import partition
from gori.model.loops.system import CLOSED
from gori.text.arguments import names_of


@dataclass(frozen=True)
class Loops:
    """Base of all loop solvers. Not instantiated itself."""

    kind: ClassVar[str]
    solver: ClassVar[Any]

    def settings(self) -> dict[str, Any]:
        """Type and parameters, as in a run file."""
        return {"type": self.kind, **{f.name: getattr(self, f.name) for f in fields(self)}}

    def tag(self) -> str:
        """Type and parameters in one text, as `Method.tag`."""
        return json.dumps(self.settings(), sort_keys=True)


@dataclass(frozen=True)
class Multipliers(Loops):
    """Accelerations and multipliers together, from sparse factors; the default choice. Redundant equations and
    singular poses are allowed; cost grows in proportion to the number of loops that follow each other.
    """

    kind: ClassVar[str] = "multipliers"
    solver: ClassVar[Any] = multipliers


@dataclass(frozen=True)
class Partition(Loops):
    """The reduced equation in independent coordinates: the loops are closed at every evaluation.

    independent   joints to take as independent; default: chosen, and again where ill-conditioned
    """

    independent: tuple[str, ...] | None = None
    kind: ClassVar[str] = "partition"
    solver: ClassVar[Any] = partition

    def __post_init__(self):
        if self.independent is not None:
            names = [self.independent] if isinstance(self.independent, str) else self.independent
            object.__setattr__(self, "independent", tuple(names_of(names, "independent joints")))


@dataclass(frozen=True)
class FrozenExplicit(Loops):
    """Exact equations, corrected with factors that are reused as long as corrections converge well: cheap for
    machines that stay near one pose, as vehicles do.

    tolerance   of accelerations, as a share of the largest
    closure     of the loops, as a share of the machine's size
    """

    tolerance: float = 1e-10
    closure: float = CLOSED
    kind: ClassVar[str] = "frozen_explicit"
    solver: ClassVar[Any] = frozen

    def __post_init__(self):
        for name in ("tolerance", "closure"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 1e-14 <= value <= 1e-2:
                raise InputError(f"{self.kind}: {name} must be a number from 1e-14 to 1e-2, not {value!r}")


@dataclass(frozen=True)
class RealTime(FrozenExplicit):
    """FrozenExplicit as vehicles take it in real time, with one correction in most steps of 1 ms. The rows of vehicles
    in `gori validate` are run with it, and so are the times of `bench/vehicle.py`.
    """

    tolerance: float = 1e-3
    closure: float = 1e-7
    kind: ClassVar[str] = "real_time"


LOOPS: dict[str, type[Loops]] = {solver.kind: solver for solver in (Multipliers, Partition, FrozenExplicit, RealTime)}
"""solvers by name"""
EXACT = tuple(kind for kind in LOOPS if kind != RealTime.kind)
"""those whose error is that of rounding"""


def loops_of(settings: dict[str, Any] | str | Loops) -> Loops:
    """A solver from its name, or from settings as in a run file: {type: partition, independent: [A]}."""
    return from_settings(settings, Loops, LOOPS, "loops")
