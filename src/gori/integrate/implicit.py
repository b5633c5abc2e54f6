"""What all implicit methods have in common for their users: a fixed step and a strategy for the Jacobian."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gori.integrate.batch.implicit import tree_core
from gori.integrate.clock import MethodMemory, Sizes
from gori.integrate.closed import closed_core
from gori.integrate.contract import Fixed
from gori.integrate.implicit_memory import COUNTS, implicit_memory
from gori.integrate.newton import implicit_core
from gori.integrate.strategy import Fastest, Frozen, MatrixFree, RoundRobin, Strategy, report, strategy_of


@dataclass(frozen=True)
class Implicit(Fixed):
    """An implicit method. Not instantiated itself.

    jacobian   a strategy: MatrixFree(), Full(), Frozen(), RoundRobin(columns), Fastest(columns),
               ErrorDriven(tolerance); or its settings as in a run file: {"type": "round_robin", "columns": 2}
    """

    jacobian: Strategy | dict | str = MatrixFree.kind
    core: ClassVar[Any] = implicit_core
    core_of_many: ClassVar[Any] = tree_core
    core_of_loops: ClassVar[Any] = closed_core

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "jacobian", strategy_of(self.jacobian))

    def iterates(self) -> bool:
        """Whether the equations of each step are solved to convergence."""
        return True

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"jacobian": strategy_of(self.jacobian).settings()}

    def parameters(self) -> dict[str, Any]:
        """What the compiled step reads: fields of IMPLICIT_SETTINGS."""
        return strategy_of(self.jacobian).parameters() | {"newton": self.iterates()}

    def memory(self, sizes: Sizes) -> MethodMemory:
        return implicit_memory(sizes, **self.parameters())

    def forget(self, memory: MethodMemory) -> None:
        for name in ("known", "made_for", "next_row", "wanted"):
            memory.head[name] = 0

    def counts(self, memory: MethodMemory) -> np.ndarray:
        return np.array([memory.head[name][0] for name in COUNTS], float)

    def report(self, count: np.ndarray) -> dict[str, Any]:
        return {"jacobian": report(count)}

    def doubts(self, count: np.ndarray) -> str | None:
        found = report(count)
        blind = isinstance(self.jacobian, (Frozen, RoundRobin, Fastest)) and not self.iterates()
        if blind and found["guarded"] > 1 + 0.01 * found["steps"]:
            more = "" if isinstance(self.jacobian, Frozen) else "more columns, "
            return (
                f"the Jacobian of {strategy_of(self.jacobian).kind} went out of date so fast that it was made anew "
                f"{found['guarded']} times in {found['steps']} steps: the motion may be wrong. Take error_driven or "
                f"matrix_free, {more}or a smaller step"
            )
        return None
