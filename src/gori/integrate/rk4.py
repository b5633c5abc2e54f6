"""The classical Runge-Kutta method of order 4 (Hairer, Norsett, Wanner 1993, table II.1.2).

Quaternions are integrated as four numbers and normalised after each step, which keeps the order.
"""

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

RK4_WORK = layout(
    "RK4Work",
    ("n",),
    array("k1", "n", "", "dy/dt at the start"),
    array("k2", "n", "", "in the middle"),
    array("k3", "n", "", "in the middle"),
    array("k4", "n", "", "at the end"),
    array("trial", "n", "", "state of a stage"),
)
RK4Memory = method_memory("RK4Memory", work=RK4_WORK)


def rk4_step_with(rhs):
    """The step with this right-hand side. (A compiled function that takes another as an argument is not cached.)"""

    @part
    def rk4_step(machine, data, memory, t, h, y):
        n = y.shape[0]
        work = memory.work
        k1, k2, k3, k4, trial = work.k1, work.k2, work.k3, work.k4, work.trial
        code = rhs(machine, data, t, y, k1)
        if code != OK:
            return code
        for i in range(n):
            trial[i] = y[i] + 0.5 * h * k1[i]
        code = rhs(machine, data, t + 0.5 * h, trial, k2)
        if code != OK:
            return code
        for i in range(n):
            trial[i] = y[i] + 0.5 * h * k2[i]
        code = rhs(machine, data, t + 0.5 * h, trial, k3)
        if code != OK:
            return code
        for i in range(n):
            trial[i] = y[i] + h * k3[i]
        code = rhs(machine, data, t + h, trial, k4)
        if code != OK:
            return code
        for i in range(n):
            y[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i])
        code = finish_step(machine, data, t + h, y)
        if code != OK:
            return code
        nq = machine.body_i[0, NQ]
        return health(y[nq : nq + data.tau.shape[0]], data.dof_w)

    return rk4_step


_step = rk4_step_with(rhs)
_steps = fixed_steps(_step)


@kernel(run_type(RK4Memory))
def rk4_run(machine, data, memory, clock, y, samples, watch):
    return _steps(machine, data, memory, clock, y, samples, watch)


@dataclass(frozen=True)
class RK4(Fixed):
    """Classical Runge-Kutta: order 4, four evaluations per step."""

    kind: ClassVar[str] = "rk4"
    run: ClassVar[Any] = rk4_run
    one_step: ClassVar[Any] = _step

    def decay_limit(self) -> float:
        return 2.78

    def memory(self, sizes: Sizes) -> MethodMemory:
        return RK4Memory.make(sizes.named())
