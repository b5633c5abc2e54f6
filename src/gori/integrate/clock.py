"""Time and counts of a run, the events that it watches, and the signature of the compiled run of every method."""

from typing import Any, NamedTuple

import numpy as np
from numba import types

from gori.kernels.layout import array, field, layout, record
from gori.kernels.machine import data_type, machine_type

CLOCK = record(
    "Clock",
    # kept: what a run needs to continue
    field("start_time", "s", "from where steps and samples are counted"),
    field("time", "s", "reached so far"),
    field("step", "s", "fixed, or the next one of an adaptive method"),
    field("last_error", "", "of the last step of an adaptive method, by its tolerances"),
    field("steps_done", "", "since the start", dtype="i8"),
    field("steps_refused", "", "since the start, by an adaptive method", dtype="i8"),
    field("samples_total", "", "written since the start, by an adaptive method", dtype="i8"),
    field("slopes_valid", "", "whether slopes and event values of the last call still hold", dtype="i8"),
    field("first_step", "", "steps done when the run began", dtype="i8"),
    field("inside_step", "", "whether an event has interrupted a step, the rest of which is still to do", dtype="i8"),
    # settings of the present call
    field("end_time", "s", "of the run"),
    field("sample_period", "s", "time between samples"),
    field("largest_step", "s", "of an adaptive method"),
    field("steps_to_do", "", "in this call, at most", dtype="i8"),
    field("sample_every", "", "steps between samples, of a fixed step", dtype="i8"),
    # results of the present call
    field("samples_written", "", "in this call", dtype="i8"),
    field("event_index", "", "of the event that was met", dtype="i8"),
)
"""a table of one row"""

KEPT_OF_CLOCK = (
    "start_time", "time", "step", "last_error", "steps_done", "steps_refused", "samples_total", "slopes_valid",
    "first_step", "inside_step",
)  # fmt: skip
"""fields that a State holds; the others are settings and results of one call"""

FIRST_ERROR = 1e-4
"""`last_error` when no previous step is known"""

MET_AND_CHANGED = 3.0
"""mark of an event that occurred and changed the state"""

WATCH_WORK = layout(
    "WatchWork",
    ("n", "events"),
    array("start", "n", "", "y at the start of the step"),
    array("start_rates", "n", "", "dy/dt at the start of the step"),
    array("end_rates", "n", "", "dy/dt at its end"),
    array("trial", "n", "", "y within the step"),
    array("after", "events", "", "values of the events at the end of the step"),
    array("here", "events", "", "values of the events at the trial state"),
)
carve_watch = WATCH_WORK.carve


class Watch(NamedTuple):
    """Events to watch for: signals that cross zero."""

    signal_i: Any
    signal_f: Any
    direction: Any  # (events,) -1 falling, 1 rising, 0 both
    met: Any  # (events,) kept: 1 rising, -1 falling; half of that in the other direction; MET_AND_CHANGED; else 0
    before: Any  # (events,) kept: values at the start of the step
    work: Any  # flat: WATCH_WORK


def watch_of(signal_i: np.ndarray, signal_f: np.ndarray, direction: np.ndarray, n: int) -> Watch:
    """A Watch for states of n numbers."""
    events = len(direction)
    work = np.zeros(WATCH_WORK.size(n=n, events=events))
    return Watch(signal_i, signal_f, direction, np.zeros(events), np.zeros(events), work)


class MethodMemory(NamedTuple):
    """What a method has between and within steps. `head` and `state` must be kept to continue bit for bit."""

    head: Any  # kept numbers: a table of one row
    state: Any  # kept arrays, flat
    settings: Any  # parameters: a table of one row
    step: Any  # numbers of the present step: a table of one row
    work: Any  # arrays that are computed before they are read, flat
    matrices: Any  # the same, for large ones

    def kept(self) -> dict[str, np.ndarray]:
        """What a State has to hold, by name."""
        return {"head": self.head, "state": self.state}


EMPTY = record("Empty", field("nothing", "", "a method that needs no such numbers"))

_f1, _f2, _i1, _i2 = types.float64[::1], types.float64[:, ::1], types.int64[::1], types.int64[:, ::1]
clock_type = CLOCK.type[::1]
watch_type = types.NamedTuple([_i2, _f2, _i1, _f1, _f1, _f1], Watch)


def memory_type(head=EMPTY, settings=EMPTY, step=EMPTY) -> Any:
    """Numba's type of a MethodMemory with these records."""
    return types.NamedTuple([head.type[::1], _f1, settings.type[::1], step.type[::1], _f1, _f1], MethodMemory)


def run_type(memory: Any) -> Any:
    """Signature of a run: machine, data, memory, clock, y, samples (rows: time, y, recorded), watch."""
    return types.int64(machine_type, data_type, memory, clock_type, _f1, _f2, watch_type)


class Sizes(NamedTuple):
    """Sizes of a machine."""

    nrow: int
    nq: int
    nv: int
    nz: int
    ne: int = 0  # equations of loops that are kept

    @property
    def n(self) -> int:
        """Numbers of y = (q, v, z)."""
        return self.nq + self.nv + self.nz
