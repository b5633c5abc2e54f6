"""Implicit Euler: v' = v + h f(q', v'), q' = q (+) h v'. Order 1, damps everything fast; for stiff machines."""

from dataclasses import dataclass
from typing import Any, ClassVar

from gori.errors import InputError
from gori.integrate.implicit import Implicit
from gori.integrate.march import RUN, marching
from gori.integrate.newton import begin_step, end_step
from gori.integrate.work import BASE_M, BASE_V
from gori.kernels.codes import OK
from gori.kernels.jit import call_at, kernel, part
from gori.kernels.tree.columns import NQ


@part
def euler_step(machine, data, memory, t, h, y):
    work, nq = begin_step(machine, data, memory, t, h, h, h * h, y), machine.body_i[0, NQ]
    for k in range(work.vectors.shape[1]):
        work.vectors[BASE_V, k] = y[nq + k]
        work.vectors[BASE_M, k] = h * y[nq + k]
    code = call_at(machine.core, machine, data, memory, y)
    return end_step(machine, data, work, y) if code == OK else code


_march = marching(euler_step)


@kernel(RUN)
def implicit_euler_run(machine, data, memory, clock, count, y, samples, watch):
    return _march(machine, data, memory, clock, count, y, samples, watch)


@dataclass(frozen=True)
class ImplicitEuler(Implicit):
    """Implicit Euler.

    newton     iterate to convergence; otherwise one linear solve a step (linearly implicit)
    """

    newton: bool = False
    kind: ClassVar[str] = "implicit_euler"
    run: ClassVar[Any] = implicit_euler_run

    def __post_init__(self):
        super().__post_init__()
        if not isinstance(self.newton, bool):
            raise InputError(f"implicit_euler: newton must be true or false, not {self.newton!r}")

    def iterates(self) -> bool:
        return self.newton
