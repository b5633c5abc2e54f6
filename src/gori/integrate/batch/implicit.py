"""The accelerations of an implicit step of one machine among many: Newton's method in O(n) (`matrix_free.py`) alone.

One correction from zero, or iterations with a new matrix each, as `newton.py` does with all its strategies: what a
thread of a GPU can do, which has no factors of dense matrices.
"""

from gori.integrate.implicit_memory import MATRIX_FREE, size_of
from gori.integrate.matrix_free import tree_correction
from gori.integrate.newton import HASTE, start_from, take, tolerated
from gori.kernels.codes import NO_CONVERGENCE, NOT_FINITE, OK, SINGULAR
from gori.kernels.jit import part


@part
def tree_core(machine, data, memory, y):
    """x of a step; called in place of `implicit_core`. Returns a result code."""
    work, last = memory.work, memory.state.last
    head, step = memory.head[0], memory.step[0]
    head.steps += 1
    if work.x.shape[0] == 0:
        return OK
    step.strategy, step.careful, step.once = MATRIX_FREE, 0, 0
    if memory.settings[0].newton == 0 and head.known != 0 and work.z_end.shape[0] == 0:
        step.once = 1
        start_from(work, last, 0.0)
        head.iterations += 1
        code = tree_correction(machine, data, memory, y, last, True)
        step.once = 0
        if code not in (NO_CONVERGENCE, SINGULAR):
            take(work, 1.0)
            return code
    start_from(work, last, 1.0)
    for _ in range(HASTE):
        head.iterations += 1
        code = tree_correction(machine, data, memory, y, work.x, True)
        if code != OK:
            return code
        size = size_of(work.dx, work.axis_scale)
        if size * 0.0 != 0.0:
            return NOT_FINITE
        take(work, 1.0)
        if size <= tolerated(memory, work, last):
            return OK
    return NO_CONVERGENCE
