"""Adams-Moulton, predicted and corrected with one evaluation a step (Hairer, Norsett, Wanner 1993, section III.1).

    y_p = y + h sum_j b_j f_j,     f_p = f(t + h, y_p),     y' = y + h (c_0 f_p + sum_j c_(j+1) f_j)

The error is a tenth of that of Adams-Bashforth with the same order and evaluations (PEC: f_p serves as f_0 of the next
step), the largest stable step is smaller. Of machines with loops the state that a step leads to is near to where the
last evaluation was, so that its factors close the loops in one correction.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gori.errors import InputError
from gori.integrate.adams import HEAD, ROOM, adams_memory, extrapolate, starting_step
from gori.integrate.contract import Fixed
from gori.integrate.march import RUN, arrive, marching, rhs, rhs_apart
from gori.kernels.accelerations import finite, unit_quaternions
from gori.kernels.codes import OK
from gori.kernels.jit import kernel, part
from gori.kernels.tree.columns import NQ


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
    n, head = y.shape[0], memory[HEAD]
    order, there = int(head[0]), int(head[1])
    if h != head[2]:  # another step than before: what is past does not fit
        there, head[2] = 0, h
    code = OK
    if there == 0:
        code = rhs_apart(machine, data, t, y, memory[0])
        there = 1
    head[1] = 0.0  # until all is well
    if code == OK and there < order:
        code = starting_step(machine, data, memory[ROOM:HEAD], t, h, y)
        if code == OK:
            push(memory, min(there, order - 1), n)
            code = rhs_apart(machine, data, t + h, y, memory[0])
    elif code == OK:
        trial = memory[ROOM]
        for i in range(n):
            trial[i] = y[i]
        extrapolate(memory, order, h, trial)
        unit_quaternions(machine.body_i, trial)
        push(memory, order - 1, n)
        code = rhs(machine, data, t + h, trial, memory[0])
        if code == OK:
            c0, c1, c2, c3 = weights(order)
            f0, f1, f2, f3 = memory[0], memory[1], memory[2], memory[3]
            for i in range(n):
                y[i] += h * (c0 * f0[i] + c1 * f1[i] + c2 * f2[i] + c3 * f3[i])
            code = arrive(machine, data, t + h, y)
    if code != OK:
        return code
    head[1] = min(there + 1, order)
    nq = machine.body_i[0, NQ]
    return finite(y[nq : nq + data.tau.shape[0]])


@part
def push(memory, count, n):
    """Make room for a new slope; count: of the old ones to keep."""
    for j in range(count, 0, -1):
        for i in range(n):
            memory[j, i] = memory[j - 1, i]


_march = marching(adams_moulton_step)


@kernel(RUN)
def adams_moulton_run(machine, data, memory, clock, count, y, samples, watch):
    return _march(machine, data, memory, clock, count, y, samples, watch)


@dataclass(frozen=True)
class AdamsMoulton(Fixed):
    """Adams-Moulton of order 2 to 4, predicted and corrected: one evaluation a step, for smooth motion."""

    order: int = 4
    supports: ClassVar[frozenset[str]] = frozenset({"events", "user", "vehicles"})  # sticking friction is stiff
    kind: ClassVar[str] = "adams_moulton"
    run: ClassVar[Any] = adams_moulton_run

    def __post_init__(self):
        super().__post_init__()
        if isinstance(self.order, bool) or self.order not in (2, 3, 4):
            raise InputError(f"adams_moulton: order must be 2, 3 or 4, not {self.order!r}")

    def memory(self, nrow: int, nq: int, nv: int, nz: int) -> np.ndarray:
        return adams_memory(self.order, nq + nv + nz)

    def forget(self, memory: np.ndarray) -> None:
        memory[HEAD, 1] = 0.0
