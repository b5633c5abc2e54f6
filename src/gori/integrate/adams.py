"""Adams-Bashforth: explicit, one evaluation a step (Hairer, Norsett, Wanner 1993, section III.1).

    y' = y + h sum_j b_j f_j,     f_0 at the start of the step, f_1, f_2, .. at those before it

The first steps, and the rest of a step that an event has interrupted, are taken by the Runge-Kutta method of order 4.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gori.errors import InputError
from gori.integrate.contract import Fixed
from gori.integrate.march import RUN, land, marching, rhs_apart
from gori.integrate.rk4 import stepping
from gori.kernels.accelerations import finite
from gori.kernels.codes import OK
from gori.kernels.jit import block, kernel, part
from gori.kernels.tree.columns import NQ

HIGHEST = 4
SLOPES, ROOM, HEAD = 0, HIGHEST, HIGHEST + 5
"""rows of memory: slopes, newest first, the first at the state itself; of the starting method; order, slopes that are
there, their step"""


_rk4_step = stepping(rhs_apart)


@block
def starting_step(machine, data, memory, t, h, y):
    return _rk4_step(machine, data, memory, t, h, y)


@part
def extrapolate(memory, order, h, y):
    """y from the start of a step to its end, before it is brought back to where states live."""
    f0, f1, f2, f3 = memory[0], memory[1], memory[2], memory[3]
    if order == 2:
        b0, b1, b2, b3 = 1.5, -0.5, 0.0, 0.0
    elif order == 3:
        b0, b1, b2, b3 = 23.0 / 12.0, -16.0 / 12.0, 5.0 / 12.0, 0.0
    else:
        b0, b1, b2, b3 = 55.0 / 24.0, -59.0 / 24.0, 37.0 / 24.0, -9.0 / 24.0
    for i in range(y.shape[0]):
        y[i] += h * (b0 * f0[i] + b1 * f1[i] + b2 * f2[i] + b3 * f3[i])


@part
def adams_step(machine, data, memory, t, h, y):
    n, head = y.shape[0], memory[HEAD]
    order, there = int(head[0]), int(head[1])
    if h != head[2]:  # another step than before: what is past does not fit
        there, head[2] = 0, h
    code = OK
    if there == 0:
        code = rhs_apart(machine, data, t, y, memory[0])
        there = 1
    if code == OK and there < order:
        code = starting_step(machine, data, memory[ROOM:HEAD], t, h, y)
    elif code == OK:
        extrapolate(memory, order, h, y)
    head[1] = 0.0  # until all is well
    if code != OK:
        return code
    for j in range(min(there, order - 1), 0, -1):
        for i in range(n):
            memory[j, i] = memory[j - 1, i]
    code = land(machine, data, t + h, y, memory[0])
    if code != OK:
        return code
    head[1] = min(there + 1, order)
    nq = machine.body_i[0, NQ]
    return finite(y[nq : nq + data.tau.shape[0]])


_march = marching(adams_step)


@kernel(RUN)
def adams_run(machine, data, memory, clock, count, y, samples, watch):
    return _march(machine, data, memory, clock, count, y, samples, watch)


def adams_memory(order: int, n: int) -> np.ndarray:
    memory = np.zeros((HEAD + 1, max(n, 3)))
    memory[HEAD, 0] = order
    return memory


@dataclass(frozen=True)
class Adams(Fixed):
    """Adams-Bashforth of order 2 to 4: one evaluation a step, for smooth motion in real time."""

    order: int = 3
    supports: ClassVar[frozenset[str]] = frozenset({"events", "user", "vehicles"})  # sticking friction is stiff
    kind: ClassVar[str] = "adams"
    run: ClassVar[Any] = adams_run

    def __post_init__(self):
        super().__post_init__()
        if isinstance(self.order, bool) or self.order not in (2, 3, 4):
            raise InputError(f"adams: order must be 2, 3 or 4, not {self.order!r}")

    def memory(self, nrow: int, nq: int, nv: int, nz: int) -> np.ndarray:
        return adams_memory(self.order, nq + nv + nz)

    def forget(self, memory: np.ndarray) -> None:
        memory[HEAD, 1] = 0.0
