"""The classical Runge-Kutta method of order 4 (Hairer, Norsett, Wanner 1993, table II.1.2).

Quaternions are integrated as four numbers and brought back to length one after each step, which keeps the order.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from gori.integrate.contract import Fixed
from gori.integrate.march import RUN, arrive, marching, rhs
from gori.kernels.accelerations import health
from gori.kernels.codes import OK
from gori.kernels.jit import kernel, part
from gori.kernels.tree.columns import NQ


def stepping(rhs):
    """The step with this right-hand side. (A compiled function that takes another as an argument is not cached.)"""

    @part
    def rk4_step(machine, data, memory, t, h, y):
        """memory (5, n): four slopes and the trial state."""
        n = y.shape[0]
        k1, k2, k3, k4, trial = memory[0], memory[1], memory[2], memory[3], memory[4]
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
        code = arrive(machine, data, t + h, y)
        if code != OK:
            return code
        nq = machine.body_i[0, NQ]
        return health(y[nq : nq + data.tau.shape[0]], data.dof_w)

    return rk4_step


_march = marching(stepping(rhs))


@kernel(RUN)
def rk4_run(machine, data, memory, clock, count, y, samples, watch):
    return _march(machine, data, memory, clock, count, y, samples, watch)


@dataclass(frozen=True)
class RK4(Fixed):
    """Classical Runge-Kutta: order 4, four evaluations a step."""

    kind: ClassVar[str] = "rk4"
    run: ClassVar[Any] = rk4_run
    rows: ClassVar[int] = 5
