"""Events: zero crossings of named expressions, found within a step by the dense output."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from gori.errors import InputError
from gori.integrate.clock import Watch, watch_of
from gori.model import Model
from gori.model.loops.coordinates import WithCuts
from gori.model.signals import SignalTable, probe_table
from gori.model.state import State


@dataclass(frozen=True)
class Event:
    """A zero crossing.

    value       expression of t and of coordinates and velocities by name: "slider.q - 0.1"
    when        "falling", "rising" or "both"
    action      "record" notes it and goes on; "stop" ends the run; a function of the State may return a new State
    """

    value: str
    when: Literal["falling", "rising", "both"] = "both"
    action: Literal["record", "stop"] | Callable[[State], State | None] = "record"

    @property
    def direction(self) -> int:
        return {"falling": -1, "rising": 1, "both": 0}[self.when]

    def __post_init__(self):
        if not isinstance(self.value, str):
            raise InputError(f"the value of an event must be an expression, not {self.value!r}")
        if self.when not in ("falling", "rising", "both"):
            raise InputError(f"when must be 'falling', 'rising' or 'both', not {self.when!r}")
        if not callable(self.action) and self.action not in ("record", "stop"):
            raise InputError(f"action must be 'record', 'stop' or a function, not {self.action!r}")


def event_of(name: str, event: str | Event) -> Event:
    if isinstance(event, str):
        return Event(event)
    if isinstance(event, Event):
        return event
    raise InputError(f"event {name!r} must be an expression or an Event, not {type(event).__name__}")


def watch_events(model: Model, events: Mapping[str, Event], n: int, gaps: int = 0) -> tuple[Watch, int]:
    """What compiled code watches for states of n numbers, and the depth of the stack that the expressions take.

    gaps   events at the end that are gaps, whose values come from elsewhere
    """
    table, names = SignalTable(), WithCuts(model)
    for name, event in events.items():
        table.add(event.value, f"event {name!r}", cast(Model, names))
    signal_i, signal_f, depth = table.tables()
    directions = np.array([event.direction for event in events.values()] + [-1] * gaps, np.int64)
    nq, nv = model.cut_coordinates.sizes
    sizes = (model.nq + nq, model.nv + nv) if names.used else (0, 0)
    return watch_of(signal_i, signal_f, directions, n, probe_table(model, table.probes), *sizes), depth
