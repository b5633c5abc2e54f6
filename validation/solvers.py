"""The solvers that are validated: every method, explicit ones with every way to keep loops closed."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import gori
from gori.integrate import LOOPS, Method
from validation.balance import noted

PRECISE = gori.Dopri5(rtol=1e-10, atol=1e-12)
ORDER = {"semi_implicit": 1, "implicit_euler": 1, "generalized_alpha": 2, "adams": 3, "rk4": 4, "dopri5": 5}
"""of each method; of Adams as it is used here"""


class Solver(NamedTuple):
    """A method, and for explicit ones how loops are kept closed."""

    method: Method
    loops: str | None = None

    @property
    def kind(self) -> str:
        return self.method.kind

    @property
    def order(self) -> int:
        return ORDER[self.kind]

    def __str__(self) -> str:
        settings = self.method.settings()
        how = f"rtol {settings['rtol']:g}" if self.method.adaptive else f"{settings['step']:g} s"
        newton = ", Newton" if settings.get("newton") else ""
        closed = f"{LOOPS[self.loops].__name__}, " if self.loops else ""
        return f"{closed}{type(self.method).__name__} {how}{newton}"

    def halved(self) -> "Solver":
        """The same with half the step."""
        return self._replace(method=replace(self.method, step=self.method.settings()["step"] / 2))

    def simulation(self, model: gori.Model, **options: Any) -> gori.Simulation:
        return gori.Simulation(model, self.method, loops=self.loops, **options)

    def run(self, model: gori.Model, duration: float, sample: float | None = None, **options: Any) -> gori.Recording:
        """One run; by default only the end is sampled."""
        simulation = self.simulation(model, **options)
        return noted(simulation.run(duration, sample=duration if sample is None else sample, progress=False), self)


def with_loops(methods: Iterable[Method]) -> list[Solver]:
    """All solvers for machines with loops: explicit methods in every way, implicit ones in their own."""
    found = []
    for method in methods:
        ways = LOOPS if method.core_of_loops is None else [None]
        found += [Solver(method, way) for way in ways]
    return found


def first_order(step: float) -> list[Method]:
    """The methods of order 1: judged by their order, as their error is large with any step."""
    return [gori.SemiImplicit(step=step), gori.ImplicitEuler(step=step)]
