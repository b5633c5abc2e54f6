"""A row of the report: one quantity of one case, ours beside its reference, and how far they may differ."""

import math
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Source = Literal["published", "exact", "calculated", "typical", "other program", "own run"]
"""where a reference comes from

published      printed in the source that the case names
exact          a closed formula, the reduced equation integrated to 13 digits, statics by hand, a law of conservation,
               the order of a method
calculated     figures worked out beforehand, without Gori, from published or assumed data
typical        the middle of a range found in the literature
other program  the same machine in another program
own run        Gori itself, with another solver or a smaller step: agreement, not proof
"""
Value = float | Mapping[str, float]
"""a number, or several by name"""


@dataclass(frozen=True)
class Check:
    """One row. Of several values the worst is shown; `values` keeps them all: {name: (reference, ours)}."""

    case: str
    quantity: str
    solver: str
    reference: float | str
    ours: float | str
    error: float
    bound: float
    source: Source
    values: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return self.error <= self.bound  # never if the error is not a number


def compare(
    case: str,
    quantity: str,
    solver: Any,
    reference: Value,
    ours: Value,
    bound: float,
    relative: bool = False,
    *,
    source: Source,
) -> Check:
    """The row for ours against a reference; of several values, for the one that is off the most.

    relative   errors count as shares of the reference
    """
    one = not isinstance(reference, Mapping)
    wanted = {"": reference} if one else reference
    got = {"": ours} if not isinstance(ours, Mapping) else ours
    if missing := set(wanted) ^ set(got):
        raise KeyError(f"{case}, {quantity}: {', '.join(sorted(missing))} is on one side only")
    values = {name: (float(wanted[name]), float(got[name])) for name in wanted}
    errors = {name: abs(b - a) / (abs(a) if relative else 1.0) for name, (a, b) in values.items()}
    # not a number is worse than anything
    worst = max(errors, key=lambda name: math.inf if math.isnan(errors[name]) else errors[name])
    words = quantity if one else f"{quantity}: {worst}"
    return Check(case, words, str(solver), *values[worst], errors[worst], bound, source, {} if one else values)


def small(case: str, quantity: str, solver: Any, ours: float, bound: float, source: Source = "exact") -> Check:
    """The row for something that should be zero."""
    return Check(case, quantity, str(solver), 0.0, float(ours), abs(float(ours)), bound, source)


def order(case: str, quantity: str, solver: Any, expected: int, coarse: float, fine: float, bound: float) -> Check:
    """The row for the order of a method, out of its errors with a step and with half of it; more than expected is fine.

    bound   by how much the order may fall short
    """
    observed = math.log2(coarse / fine)
    words = f"order of the {quantity}, errors {coarse:.1e} and {fine:.1e}"
    return Check(case, words, str(solver), float(expected), observed, max(0.0, expected - observed), bound, "exact")


def attempt(case: str, solver: Any, work: Callable[..., Iterable[Check]], *arguments: Any) -> Iterator[Check]:
    """The rows of work(solver, *arguments). A run that fails is a row that fails, not the end of the report."""
    try:
        yield from work(solver, *arguments)
    except Exception as failure:
        words = textwrap.shorten(f"{type(failure).__name__}: {failure}", 170, placeholder=" ..")
        yield Check(case, "the run", str(solver), "ends well", words, math.inf, 0.0, "exact")
