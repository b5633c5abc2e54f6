"""Adams-Moulton, predicted and corrected with one evaluation per step (Hairer, Norsett, Wanner 1993, section III.1).

    y_p = y + h sum_j b_j f_j,     f_p = f(t + h, y_p),     y' = y + h (c_0 f_p + sum_j c_(j+1) f_j)

The error is a tenth of that of Adams-Bashforth with the same order and evaluations (PEC: f_p serves as f_0 of the next
step), the largest stable step is smaller. Of machines with loops the state that a step leads to is near to where the
last evaluation was, so that its factors close the loops in one correction.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from gori.integrate.fixed_step import fixed_steps
from gori.integrate.multistep import (
    MULTISTEP_RUN,
    Multistep,
    finish_multistep,
    past_slopes,
    predict,
    shift,
    starting_step,
)
from gori.integrate.rates import finish_step, rhs, rhs_apart
from gori.kernels.accelerations import unit_quaternions
from gori.kernels.codes import OK
from gori.kernels.jit import kernel, part


@part
def weights(order):
    """c_0 to c_3."""
    if order == 2:
        return 0.5, 0.5, 0.0, 0.0
    if order == 3:
        return 5.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0, 0.0
    return 9.0 / 24.0, 19.0 / 24.0, -5.0 / 24.0, 1.0 / 24.0


@part
def adams_moulton_step(machine, data, memory, t, h, y):
    n, head, order = y.shape[0], memory.head[0], memory.settings[0].order
    slopes, there = memory.state.slopes, past_slopes(memory, h)
    code = OK
    if there == 0:
        code = rhs_apart(machine, data, t, y, slopes[0])
        there = 1
    head.slopes = 0  # until the step has succeeded
    if code == OK and there < order:
        code = starting_step(machine, data, memory, t, h, y)
        if code == OK:
            shift(slopes, min(there, order - 1), n)
            code = rhs_apart(machine, data, t + h, y, slopes[0])
    elif code == OK:
        trial = memory.work.trial
        for i in range(n):
            trial[i] = y[i]
        predict(slopes, order, h, trial)
        unit_quaternions(machine.body_i, trial)
        shift(slopes, order - 1, n)
        code = rhs(machine, data, t + h, trial, slopes[0])
        if code == OK:
            c0, c1, c2, c3 = weights(order)
            f0, f1, f2, f3 = slopes[0], slopes[1], slopes[2], slopes[3]
            for i in range(n):
                y[i] += h * (c0 * f0[i] + c1 * f1[i] + c2 * f2[i] + c3 * f3[i])
            code = finish_step(machine, data, t + h, y)
    if code != OK:
        return code
    return finish_multistep(machine, data, memory, there + 1, y)


_steps = fixed_steps(adams_moulton_step)


@kernel(MULTISTEP_RUN)
def adams_moulton_run(machine, data, memory, clock, y, samples, watch):
    return _steps(machine, data, memory, clock, y, samples, watch)


@dataclass(frozen=True)
class AdamsMoulton(Multistep):
    """Adams-Moulton of order 2 to 4, predicted and corrected: one evaluation per step, for smooth motion."""

    kind: ClassVar[str] = "adams_moulton"
    run: ClassVar[Any] = adams_moulton_run
    one_step: ClassVar[Any] = adams_moulton_step

    def decay_limit(self) -> float:
        return {2: 0.5, 3: 0.285, 4: 0.157}[self.order]
