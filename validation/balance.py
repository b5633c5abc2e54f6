"""The energy balance of the runs of a case: noted as they are made, and told after its own rows."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import gori
from gori.sim.energy import balance, limit
from validation.check import Check

if TYPE_CHECKING:
    from validation.solvers import Solver


class Noted(NamedTuple):
    """A run: its solver, and the largest |energy.balance| as a share of the energy that was exchanged."""

    solver: "Solver"
    share: float


FIRST_ORDER = 5e-2
"""bound for methods of first order"""

_runs: list[Noted] = []


def noted(recording: gori.Recording, solver: "Solver") -> gori.Recording:
    """The same recording; its balance is noted."""
    _runs.append(Noted(solver, balance(recording).share))
    return recording


def forget() -> None:
    """Begin with another case."""
    _runs.clear()


def checks(case: str) -> Iterator[Check]:
    """For each method the worst of the runs since `forget`.

    The bound is that of the warning. Methods of first order are judged by their order elsewhere, with steps as coarse
    as that needs: they may lose more.
    """
    for kind in dict.fromkeys(run.solver.kind for run in _runs):
        runs = [run for run in _runs if run.solver.kind == kind]
        worst = max(runs, key=lambda run: run.share)
        bound = limit(worst.solver.method) if worst.solver.order > 1 else FIRST_ORDER
        words = f"energy.balance / energy exchanged, worst of {len(runs)} runs"
        yield Check(case, words, str(worst.solver), 0.0, worst.share, worst.share, bound, "exact")
