"""Implicit Euler: v' = v + h f(q', v'), q' = q (+) h v'. Order 1, damps high frequencies; for stiff machines."""

from dataclasses import dataclass
from typing import Any, ClassVar

from gori.errors import InputError
from gori.integrate.clock import run_type
from gori.integrate.euler_steps import euler_steps
from gori.integrate.fixed_step import fixed_steps
from gori.integrate.implicit import Implicit
from gori.integrate.implicit_memory import ImplicitMemory
from gori.kernels.jit import kernel

_steps = fixed_steps(euler_steps)


@kernel(run_type(ImplicitMemory))
def implicit_euler_run(machine, data, memory, clock, y, samples, watch):
    return _steps(machine, data, memory, clock, y, samples, watch)


@dataclass(frozen=True)
class ImplicitEuler(Implicit):
    """Implicit Euler.

    newton     iterate to convergence; otherwise one linear solve per step (linearly implicit)
    """

    newton: bool = False
    kind: ClassVar[str] = "implicit_euler"
    energy_error: ClassVar[float] = 1e-2  # of first order: with a good step still some thousandths
    run: ClassVar[Any] = implicit_euler_run
    one_step: ClassVar[Any] = euler_steps

    def __post_init__(self):
        super().__post_init__()
        if not isinstance(self.newton, bool):
            raise InputError(f"implicit_euler: newton must be true or false, not {self.newton!r}")

    def iterates(self) -> bool:
        return self.newton
