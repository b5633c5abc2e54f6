"""Steps of one machine among many: what one thread does, with a fixed step.

steps_of_many(step, turning)    the compiled loop with the step of a method
MANY                            what is kept of each machine besides its state: a table of one row
"""

from typing import Any

from gori.integrate.batch.given import given
from gori.integrate.fixed_step import SURE, total_rate
from gori.kernels.accelerations import finite
from gori.kernels.codes import OK
from gori.kernels.jit import part
from gori.kernels.layout import field, record
from gori.kernels.loops.coordinates import follow_turns
from gori.kernels.tree.columns import NQ

MANY = record(
    "Many",
    field("start_time", "s", "from where steps are counted"),
    field("steps_done", "", "since then", dtype="i8"),
    field("code", "", "OK, or why the machine stands still since", dtype="i8"),
)


def steps_of_many(step: Any, turning: bool) -> Any:
    """The loop of a method with this step; turning: turns of angles of cuts are counted, as in `fixed_step.py`."""

    @part
    def advance(machine, data, memory, many, y, before, steps, h):
        """So many steps, or fewer if one fails: y then is the last good state, and the code tells why."""
        own, n, turned = many[0], y.shape[0], 0.0
        nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
        if own.code == OK:
            own.code = given(machine, data)
        for _ in range(steps):
            if own.code != OK:
                break
            for i in range(n):
                before[i] = y[i]
            code = step(machine, data, memory, own.start_time + own.steps_done * h, h, y)
            if code == OK:
                code = finite(y)
            if code == OK:
                own.steps_done += 1
            else:
                own.code = code
                for i in range(n):
                    y[i] = before[i]
            if turning:
                turned += h * total_rate(y[nq : nq + nv])
                if turned > SURE:
                    follow_turns(machine, data, own.start_time + own.steps_done * h, y[:nq], y[nq : nq + nv])
                    turned = 0.0
        if turning:
            follow_turns(machine, data, own.start_time + own.steps_done * h, y[:nq], y[nq : nq + nv])

    return advance
