"""Semi-implicit (symplectic) Euler: v' = v + h a(q, v), q' = q (+) h v'. Order 1, one evaluation per step."""

from dataclasses import dataclass
from typing import Any, ClassVar

from gori.integrate.clock import MethodMemory, Sizes, method_memory, run_type
from gori.integrate.contract import Fixed
from gori.integrate.fixed_step import fixed_steps
from gori.integrate.rates import finish_step, rhs
from gori.kernels.accelerations import health
from gori.kernels.codes import OK
from gori.kernels.jit import kernel, part
from gori.kernels.layout import array, layout
from gori.kernels.tree.columns import NQ
from gori.kernels.tree.configuration import integrate

SEMI_IMPLICIT_WORK = layout(
    "SemiImplicitWork",
    ("n", "nv"),
    array("rates", "n", "", "dy/dt"),
    array("increment", "nv", "m, rad", "h v"),
)
SemiImplicitMemory = method_memory("SemiImplicitMemory", work=SEMI_IMPLICIT_WORK)


@part
def semi_implicit_step(machine, data, memory, t, h, y):
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    q, v, z = y[:nq], y[nq : nq + nv], y[nq + nv :]
    rates, increment = memory.work.rates, memory.work.increment
    qdd, zdot = rates[nq : nq + nv], rates[nq + nv :]
    code = rhs(machine, data, t, y, rates)
    if code != OK:
        return code
    for k in range(nv):
        v[k] += h * qdd[k]
        increment[k] = h * v[k]
    for k in range(z.shape[0]):
        z[k] += h * zdot[k]
    integrate(machine.body_i, q, increment, q)
    code = finish_step(machine, data, t + h, y)
    if code != OK:
        return code
    return health(v, data.dof_w)


_steps = fixed_steps(semi_implicit_step)


@kernel(run_type(SemiImplicitMemory))
def semi_implicit_run(machine, data, memory, clock, y, samples, watch):
    return _steps(machine, data, memory, clock, y, samples, watch)


@dataclass(frozen=True)
class SemiImplicit(Fixed):
    """Semi-implicit Euler: cheapest, energy stays bounded in conservative systems; order 1."""

    kind: ClassVar[str] = "semi_implicit"
    energy_error: ClassVar[float] = 1e-2  # of first order: with a good step still some thousandths
    run: ClassVar[Any] = semi_implicit_run
    one_step: ClassVar[Any] = semi_implicit_step

    def decay_limit(self) -> float:
        return 2.0

    def memory(self, sizes: Sizes) -> MethodMemory:
        return SemiImplicitMemory.make(sizes.named())
