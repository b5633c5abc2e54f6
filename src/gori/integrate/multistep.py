"""What the Adams methods share: slopes of past steps, the predictor, and a Runge-Kutta method for the first steps.

The rest of a step that an event has interrupted has a different length from the steps before: the method restarts.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gori.errors import InputError
from gori.integrate.clock import MethodMemory, Sizes, method_memory, run_type
from gori.integrate.contract import Fixed
from gori.integrate.rates import rhs_apart
from gori.integrate.rk4 import RK4_WORK, rk4_step_with
from gori.kernels.accelerations import finite
from gori.kernels.jit import block, part
from gori.kernels.layout import array, field, layout, record
from gori.kernels.tree.columns import NQ

HIGHEST = 4

MULTISTEP_HEAD = record(
    "MultistepHead",
    field("slopes", "", "number of slopes that are there", dtype="i8"),
    field("step", "s", "between them"),
)
MULTISTEP_SETTINGS = record("MultistepSettings", field("order", "", "2 to 4", dtype="i8"))
MULTISTEP_STATE = layout(
    "MultistepState",
    ("n",),
    array("slopes", f"{HIGHEST} n", "", "dy/dt, newest first: the first at the present state"),
)
MultistepMemory = method_memory("MultistepMemory", MULTISTEP_HEAD, MULTISTEP_STATE, MULTISTEP_SETTINGS, work=RK4_WORK)

MULTISTEP_RUN = run_type(MultistepMemory)

_rk4_step = rk4_step_with(rhs_apart)


@block
def starting_step(machine, data, memory, t, h, y):
    """A step of the Runge-Kutta method of order 4, whose work is that of the Adams methods."""
    return _rk4_step(machine, data, memory, t, h, y)


@part
def past_slopes(memory, h):
    """Number of slopes that fit a step of length h."""
    head = memory.head[0]
    if h != head.step:  # the step has changed: past slopes are not valid
        head.slopes, head.step = 0, h
    return head.slopes


@part
def predict(slopes, order, h, y):
    """Adams-Bashforth: y from the start of a step to its end, before it is projected."""
    f0, f1, f2, f3 = slopes[0], slopes[1], slopes[2], slopes[3]
    if order == 2:
        b0, b1, b2, b3 = 1.5, -0.5, 0.0, 0.0
    elif order == 3:
        b0, b1, b2, b3 = 23.0 / 12.0, -16.0 / 12.0, 5.0 / 12.0, 0.0
    else:
        b0, b1, b2, b3 = 55.0 / 24.0, -59.0 / 24.0, 37.0 / 24.0, -9.0 / 24.0
    for i in range(y.shape[0]):
        y[i] += h * (b0 * f0[i] + b1 * f1[i] + b2 * f2[i] + b3 * f3[i])


@part
def shift(slopes, count, n):
    """Shift the slopes to insert a new one; count: of old ones to keep."""
    for j in range(count, 0, -1):
        for i in range(n):
            slopes[j, i] = slopes[j - 1, i]


@part
def finish_multistep(machine, data, memory, slopes, y):
    """The step is done, and so many slopes are there. Returns a result code."""
    memory.head[0].slopes = min(slopes, memory.settings[0].order)
    nq = machine.body_i[0, NQ]
    return finite(y[nq : nq + data.tau.shape[0]])


@dataclass(frozen=True)
class Multistep(Fixed):
    """An Adams method of order 2 to 4. Not instantiated itself."""

    order: int = HIGHEST
    run: ClassVar[Any]

    def __post_init__(self):
        super().__post_init__()
        if isinstance(self.order, bool) or not isinstance(self.order, int | np.integer) or self.order not in (2, 3, 4):
            raise InputError(f"{self.kind}: order must be 2, 3 or 4, not {self.order!r}")

    def memory(self, sizes: Sizes) -> MethodMemory:
        return MultistepMemory.make(sizes.named(), order=self.order)

    def forget(self, memory: MethodMemory) -> None:
        memory.head["slopes"] = 0
