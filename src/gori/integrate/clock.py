"""Time and counts of a run, the events that it watches, and the signature of the compiled run of every method."""

from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np
from numba import types

from gori.kernels.bundle import Bundle
from gori.kernels.forces.probes import N_READINGS, NO_PROBES, PROBE
from gori.kernels.layout import Layout, Record, array, field, layout, record
from gori.kernels.machine import data_type, machine_type

CLOCK = record(
    "Clock",
    # kept: what a run needs to continue
    field("start_time", "s", "from where steps and samples are counted"),
    field("time", "s", "reached so far"),
    field("elapsed", "s", "since the start, of an adaptive method; a large time is not as exact"),
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
    field("duration", "s", "of the run, from its start to its end, of an adaptive method"),
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
    "start_time", "time", "elapsed", "step", "last_error", "steps_done", "steps_refused", "samples_total",
    "slopes_valid", "first_step", "inside_step",
)  # fmt: skip
"""fields that a State holds; the others are settings and results of one call"""

FIRST_ERROR = 1e-4
"""`last_error` when no previous step is known"""

MET_AND_CHANGED = 3.0
"""mark of an event that occurred and changed the state"""

WATCH_WORK = layout(
    "WatchWork",
    ("n", "events", "nreading", "nq", "nv"),
    array("start", "n", "", "y at the start of the step"),
    array("start_rates", "n", "", "dy/dt at the start of the step"),
    array("end_rates", "n", "", "dy/dt at its end"),
    array("trial", "n", "", "y within the step"),
    array("after", "events", "", "values of the events at the end of the step"),
    array("here", "events", "", "values of the events at the trial state"),
    array("early", "events", "", "values of the events soon after the start of the step, where gaps are watched"),
    array("late", "events", "", "values of the events shortly before its end, likewise"),
    array("readings", "nreading", "m, m/s, rad/s", "of the probes, where events were evaluated last"),
    array("q", "nq", "m, rad", "coordinates of the tree, then of cuts; none where no event watches a cut"),
    array("v", "nv", "m/s, rad/s", "velocities likewise"),
)


_f1, _f2, _i1, _i2 = types.float64[::1], types.float64[:, ::1], types.int64[::1], types.int64[:, ::1]


class Watch(Bundle):
    """Events to watch for: signals that cross zero."""

    signal_i: Annotated[Any, _i2]
    signal_f: Annotated[Any, _f2]
    probe: Annotated[Any, PROBE.type[::1]]  # bodies and frames that the signals read
    direction: Annotated[Any, _i1]  # (events,) -1 falling, 1 rising, 0 both
    # (events,) kept: 1 rising, -1 falling; half of that in the other direction; MET_AND_CHANGED; else 0
    met: Annotated[Any, _f1]
    before: Annotated[Any, _f1]  # (events,) kept: values at the start of the step
    work: Annotated[Any, WATCH_WORK.type]


def watch_of(
    signal_i: np.ndarray,
    signal_f: np.ndarray,
    direction: np.ndarray,
    n: int,
    probe: np.ndarray = NO_PROBES,
    nq: int = 0,
    nv: int = 0,
) -> Watch:
    """A Watch for states of n numbers; nq, nv: count of coordinates and velocities, if some are of cuts."""
    events = len(direction)
    work = WATCH_WORK.make(n=n, events=events, nreading=N_READINGS * len(probe), nq=nq, nv=nv)
    return Watch(
        signal_i=signal_i, signal_f=signal_f, probe=probe, direction=direction, met=np.zeros(events),
        before=np.zeros(events), work=work,
    )  # fmt: skip


EMPTY = record("Empty", field("nothing", "", "a method that needs no such numbers"))
NOTHING = layout("Nothing", ())


class MethodMemory(Bundle):
    """What a method has between and within steps; `method_memory` declares one. head and state must be kept."""

    head: np.ndarray  # kept numbers: a table of one row
    state: Any  # kept arrays, a bundle of a layout
    settings: np.ndarray  # parameters: a table of one row
    step: np.ndarray  # numbers of the present step: a table of one row
    declared: ClassVar[dict[str, Record | Layout]] = {}
    """these four and the work, arrays that are computed before they are read"""

    @classmethod
    def make(cls, sizes: dict[str, int], unused: tuple[str, ...] = (), **settings: Any) -> Self:
        """A new memory; settings by name. Arrays of unused members are empty."""
        none = dict.fromkeys(sizes, 0)
        members = {
            name: table.zeros(1) if isinstance(table, Record) else table.make(**none if name in unused else sizes)
            for name, table in cls.declared.items()
        }
        for name, value in settings.items():
            members["settings"][name] = value
        return cls(**members)

    def kept(self) -> dict[str, np.ndarray]:
        """What a State has to hold, by name."""
        return {"head": self.head, "state": self.state.flat}


def method_memory(
    name: str,
    head: Record = EMPTY,
    state: Layout = NOTHING,
    settings: Record = EMPTY,
    step: Record = EMPTY,
    **work: Layout,
) -> type[MethodMemory]:
    """Declare the memory of a method."""
    declared: dict[str, Record | Layout] = {"head": head, "state": state, "settings": settings, "step": step, **work}
    members = {
        name: Annotated[Any, table.type[::1] if isinstance(table, Record) else table.type]
        for name, table in declared.items()
    }
    return type(name, (MethodMemory,), {"__annotations__": members, "declared": declared})


clock_type = CLOCK.type[::1]


def run_type(memory: type[MethodMemory]) -> Any:
    """Signature of a run: machine, data, memory, clock, y, samples (rows: time, y, recorded), watch."""
    return types.int64(machine_type, data_type, memory.type, clock_type, _f1, _f2, Watch.type)


class Sizes(NamedTuple):
    """Sizes of a machine."""

    nrow: int
    nq: int
    nv: int
    nz: int
    ne: int = 0  # equations of loops that are kept
    on_axes: bool = False  # whether all forces act on single axes, with known derivatives

    @property
    def n(self) -> int:
        """Numbers of y = (q, v, z, w)."""
        return self.nq + self.nv + self.nz + 1

    def named(self) -> dict[str, int]:
        """By name, as layouts take them."""
        return self._asdict() | {"n": self.n}
