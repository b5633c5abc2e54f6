"""Adams-Bashforth: explicit, one evaluation per step (Hairer, Norsett, Wanner 1993, section III.1).

    y' = y + h sum_j b_j f_j,     f_0 at the start of the step, f_1, f_2, .. at those before it

The first steps, and the rest of a step that an event has interrupted, are taken by the Runge-Kutta method of order 4.
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
from gori.integrate.rates import finish_and_evaluate, rhs_apart
from gori.kernels.codes import OK
from gori.kernels.jit import kernel, part


@part
def adams_step(machine, data, memory, t, h, y):
    n, head, order = y.shape[0], memory.head[0], memory.settings[0].order
    slopes, there = memory.state.slopes, past_slopes(memory, h)
    code = OK
    if there == 0:
        code = rhs_apart(machine, data, t, y, slopes[0])
        there = 1
    if code == OK and there < order:
        code = starting_step(machine, data, memory, t, h, y)
    elif code == OK:
        predict(slopes, order, h, y)
    head.slopes = 0  # until the step has succeeded
    if code != OK:
        return code
    shift(slopes, min(there, order - 1), n)
    code = finish_and_evaluate(machine, data, t + h, y, slopes[0])
    if code != OK:
        return code
    return finish_multistep(machine, data, memory, there + 1, y)


_steps = fixed_steps(adams_step)


@kernel(MULTISTEP_RUN)
def adams_run(machine, data, memory, clock, y, samples, watch):
    return _steps(machine, data, memory, clock, y, samples, watch)


@dataclass(frozen=True)
class Adams(Multistep):
    """Adams-Bashforth of order 2 to 4: one evaluation per step, for smooth motion in real time."""

    order: int = 3
    kind: ClassVar[str] = "adams"
    run: ClassVar[Any] = adams_run
    one_step: ClassVar[Any] = adams_step

    def decay_limit(self) -> float:
        return {2: 1.0, 3: 0.545, 4: 0.3}[self.order]
