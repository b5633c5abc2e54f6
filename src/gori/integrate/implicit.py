"""What all implicit methods have in common for their users: a fixed step and a strategy for the Jacobian."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gori.integrate.closed import closed_core
from gori.integrate.contract import Fixed
from gori.integrate.newton import implicit_core
from gori.integrate.strategy import Fastest, Frozen, MatrixFree, RoundRobin, Strategy, counts, report, strategy_of
from gori.integrate.work import KNOWN, MADE_FOR, NEWTON, NEXT, WANTED, memory_of


@dataclass(frozen=True)
class Implicit(Fixed):
    """An implicit method. Not made on its own.

    jacobian   a strategy: MatrixFree(), Full(), Frozen(), RoundRobin(columns), Fastest(columns),
               ErrorDriven(tolerance); or its settings as in a run file: {"type": "round_robin", "columns": 2}
    """

    jacobian: Strategy | dict | str = MatrixFree.kind
    core: ClassVar[Any] = implicit_core
    core_of_loops: ClassVar[Any] = closed_core

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "jacobian", strategy_of(self.jacobian))

    def iterates(self) -> bool:
        """Whether the equations of each step are solved to convergence."""
        return True

    def settings(self) -> dict[str, Any]:
        return super().settings() | {"jacobian": strategy_of(self.jacobian).settings()}

    def head(self) -> dict[int, float]:
        """Numbers that the compiled step reads."""
        return strategy_of(self.jacobian).head() | {NEWTON: float(self.iterates())}

    def memory(self, nrow: int, nq: int, nv: int, nz: int) -> np.ndarray:
        return memory_of(self.head(), nrow, nq, nv, nz)

    def forget(self, memory: np.ndarray) -> None:
        memory[0, [KNOWN, MADE_FOR, NEXT, WANTED]] = 0.0

    def counts(self, memory: np.ndarray) -> np.ndarray:
        return counts(memory)

    def report(self, count: np.ndarray) -> dict[str, Any]:
        return {"jacobian": report(count)}

    def doubts(self, count: np.ndarray) -> str | None:
        found = report(count)
        blind = isinstance(self.jacobian, (Frozen, RoundRobin, Fastest)) and not self.iterates()
        if blind and found["guarded"] > 1 + 0.01 * found["steps"]:
            return (
                f"the Jacobian of {strategy_of(self.jacobian).kind} went out of date so fast that it was made anew "
                f"{found['guarded']} times in {found['steps']} steps: the motion may be wrong. Take error_driven or "
                "matrix_free, more columns, or a smaller step"
            )
        return None
