"""Steps of many machines with inputs of their own, which keep where each of them began."""

from gori.integrate.semi_implicit import semi_implicit_step
from gori.kernels.forces.signals import HELD, SIGNAL_KIND
from gori.kernels.jit import part
from gori.kernels.layout import array, layout

RECORD = layout(
    "RecordTrace",
    ("nstep", "ny", "nval"),
    array("states", "nstep ny", "", "y from which each step began"),
    array("values", "nstep nval", "", "of signals that are held, for each step"),
    array("next", "1", "", "the step that is next"),
)


@part
def recorded_step(machine, data, memory, t, h, y):
    """A step of `semi_implicit` with the next values of what is held. Returns a result code."""
    trace = memory.trace
    k = int(trace.next[0])
    trace.next[0] = k + 1.0
    for s in range(machine.signal_i.shape[0]):
        if machine.signal_i[s, SIGNAL_KIND] == HELD:
            data.values[s] = trace.values[k, s]
    for i in range(y.shape[0]):
        trace.states[k, i] = y[i]
    return semi_implicit_step(machine, data, memory, t, h, y)
