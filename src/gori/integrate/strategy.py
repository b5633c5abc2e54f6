"""Where the Jacobian of an implicit step comes from: how much of it is recomputed in each step.

`docs/strategies.md` says which to take when.
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from gori.errors import InputError
from gori.integrate import implicit_memory as w
from gori.integrate.clock import MethodMemory
from gori.integrate.settings import from_settings


@dataclass(frozen=True)
class Strategy:
    """Base of all strategies. Not instantiated itself."""

    kind: ClassVar[str]
    code: ClassVar[int]

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "columns":
                if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
                    raise InputError(f"{self.kind}: columns must be 1, 2, 3, ..., not {value!r}")
                object.__setattr__(self, "columns", int(value))
            elif field.name == "tolerance":
                number = isinstance(value, (int, float, np.floating)) and not isinstance(value, bool)
                if not (number and 0.0 < value < 1.0):
                    raise InputError(f"{self.kind}: tolerance must lie between 0 and 1, not {value!r}")
                object.__setattr__(self, "tolerance", float(value))
            elif not isinstance(value, bool):
                raise InputError(f"{self.kind}: {field.name} must be true or false, not {value!r}")

    def settings(self) -> dict[str, Any]:
        """Type and parameters, as in a run file."""
        return {"type": self.kind, **{f.name: getattr(self, f.name) for f in fields(self)}}

    def parameters(self) -> dict[str, Any]:
        """What the compiled step reads: fields of IMPLICIT_SETTINGS."""
        values = self.settings()
        return {
            "strategy": self.code,
            "columns": values.get("columns", 0),
            "tolerance": values.get("tolerance", 0.0),
            "differences": values.get("differences", False),
        }


@dataclass(frozen=True)
class Full(Strategy):
    """The full Jacobian recomputed in every step, and within a step when needed; solved by LAPACK: O(n^3).

    differences   by differences, n forward dynamics, instead of analytically
    """

    differences: bool = False
    kind: ClassVar[str] = "full"
    code: ClassVar[int] = w.FULL


@dataclass(frozen=True)
class Frozen(Strategy):
    """The Jacobian of the first step for all steps."""

    kind: ClassVar[str] = "frozen"
    code: ClassVar[int] = w.FROZEN


@dataclass(frozen=True)
class RoundRobin(Strategy):
    """All columns in the first step, then in each step the next ones cyclically.

    columns   number per step; those of a joint with several axes go together
    """

    columns: int = 1
    kind: ClassVar[str] = "round_robin"
    code: ClassVar[int] = w.ROUND_ROBIN


@dataclass(frozen=True)
class Fastest(Strategy):
    """All columns at the first step, then at each step those of the fastest axes.

    columns   number per step; those of a joint with several axes go together. Speeds of sliding axes are divided
              by the mean distance between joints to compare them with angular speeds.
    """

    columns: int = 1
    kind: ClassVar[str] = "fastest"
    code: ClassVar[int] = w.FASTEST


@dataclass(frozen=True)
class ErrorDriven(Strategy):
    """Columns are updated when the residual of a step shows that they are outdated; all of them if necessary.

    tolerance   what the drift may add to the error of a step, as a share of the step's own truncation error. Methods
                that solve each step to convergence (ImplicitEuler with newton, GeneralizedAlpha) have no use for it.
    """

    tolerance: float = 0.1
    kind: ClassVar[str] = "error_driven"
    code: ClassVar[int] = w.ERROR_DRIVEN


@dataclass(frozen=True)
class MatrixFree(Strategy):
    """No matrix: the linearised tree is solved by recursion in O(n), with all forces that act on single axes, and what
    contact does to each body; other forces are iterated on with GMRES.

    tolerance   of GMRES: relative residual
    """

    tolerance: float = 1e-6
    kind: ClassVar[str] = "matrix_free"
    code: ClassVar[int] = w.MATRIX_FREE


STRATEGIES: dict[str, type[Strategy]] = {
    strategy.kind: strategy for strategy in (Full, Frozen, RoundRobin, Fastest, ErrorDriven, MatrixFree)
}


def strategy_of(settings: dict[str, Any] | str | Strategy) -> Strategy:
    """A strategy from its name, or from settings as in a run file: {type: round_robin, columns: 2}."""
    if not isinstance(settings, (str, dict, Strategy)):
        raise InputError(f"jacobian must be a strategy, as Full() or RoundRobin(columns=2), not {settings!r}")
    return from_settings(settings, Strategy, STRATEGIES, "jacobian", "no parameters")


def report(count: np.ndarray) -> dict[str, float]:
    """What the Jacobian has cost, by the counts of an implicit method (`implicit_memory.COUNTS`) or their growth."""
    guarded, steps, columns, whole, iterations, products, impacts, halved = (float(x) for x in count)
    per_step = max(1.0, steps)
    return {
        "steps": int(steps),
        "columns_per_step": columns / per_step,
        "whole": int(whole),
        "guarded": int(guarded),
        "iterations_per_step": iterations / per_step,
        "products_per_step": products / per_step,
        "impacts": int(impacts),
        "halved": int(halved),
    }


def refreshed(memory: MethodMemory) -> np.ndarray:
    """Columns updated in the last step."""
    return np.flatnonzero(memory.state.refreshed_step == memory.head["steps"][0])
