"""Implicit Euler: v' = v + h f(q', v'), q' = q (+) h v'. Order 1, damps high frequencies; for stiff machines."""

from dataclasses import dataclass
from typing import Any, ClassVar

from gori.errors import InputError
from gori.integrate.clock import run_type
from gori.integrate.fixed_step import fixed_steps
from gori.integrate.implicit import Implicit
from gori.integrate.implicit_memory import ImplicitMemory
from gori.integrate.newton import begin_step, end_step
from gori.kernels.codes import OK
from gori.kernels.jit import call_at, kernel, part
from gori.kernels.tree.columns import NQ


@part
def euler_step(machine, data, memory, t, h, y):
    work, last, nq = memory.work, memory.state.last, machine.body_i[0, NQ]
    begin_step(machine, data, memory, work, last, t, h, h, h * h)
    for k in range(data.tau.shape[0]):
        work.base_velocity[k] = y[nq + k]
        work.base_increment[k] = h * y[nq + k]
    code = call_at(machine.core, machine, data, memory, y)
    return end_step(machine, data, memory, work, last, y, 0.0) if code == OK else code


_steps = fixed_steps(euler_step)


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

    def __post_init__(self):
        super().__post_init__()
        if not isinstance(self.newton, bool):
            raise InputError(f"implicit_euler: newton must be true or false, not {self.newton!r}")

    def iterates(self) -> bool:
        return self.newton
