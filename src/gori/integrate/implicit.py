"""What all implicit methods have in common for their users: a fixed step and a strategy for the Jacobian."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gori.integrate.contract import Fixed
from gori.integrate.strategy import MatrixFree, Strategy, report, strategy_of
from gori.integrate.work import KNOWN, MADE_FOR, NEWTON, memory_of


@dataclass(frozen=True)
class Implicit(Fixed):
    """An implicit method. Not made on its own.

    jacobian   a strategy: MatrixFree(), Full(), Frozen(), RoundRobin(columns), Fastest(columns),
               ErrorDriven(tolerance); or its settings as in a run file: {"type": "round_robin", "columns": 2}
    """

    jacobian: Strategy | dict | str = MatrixFree.kind

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
        memory[0, [KNOWN, MADE_FOR]] = 0.0

    def report(self, memory: np.ndarray) -> dict[str, Any]:
        return {"jacobian": report(memory)}
