"""A State against a run: each part is checked before any of it is taken over, and compiled code sees nothing else.

Vehicles and particles check their own parts (`sim/vehicle/vehicles.py`, `model/particles/part.py`).
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.integrate import Method
from gori.integrate.clock import CLOCK, KEPT_OF_CLOCK, MET_AND_CHANGED, MethodMemory, Sizes
from gori.integrate.implicit import Implicit
from gori.integrate.multistep import HIGHEST
from gori.integrate.radau.memory import FOR_ITS_ERROR, PRESENT
from gori.kernels.loops.memory import LoopMemory
from gori.model.state import COUNTED, State
from gori.sim.grid import MOST

FLAGS = ("slopes_valid", "inside_step", "known", "mass_factors")
"""whole numbers that are 0 or 1"""
ROUNDING = 1e-6
"""share of a step by which times of a grid may differ"""


def field_of(part: str, name: str) -> str:
    """A field of a State, as messages name it."""
    return f"state.{part}[{name!r}]" if part.isidentifier() else f"state.parts[{part!r}][{name!r}]"


def require(part: str, saved: Mapping[str, np.ndarray], names: Iterable[str]) -> None:
    """Refuse a part that lacks a field."""
    for name in names:
        if name not in saved:
            raise InputError(f"{field_of(part, name)} is missing")


def check_array(
    part: str, name: str, value: np.ndarray, like: np.ndarray, most: Mapping[str, int] | None = None, finite=True
) -> None:
    """Refuse what has not the type and shape of `like`; numbers must be finite, and whole numbers counts.

    most   {field: largest} of whole numbers in a table
    """
    where, kind = field_of(part, name), like.dtype.kind
    alike = value.dtype == like.dtype or (kind in "if" and value.dtype.kind == kind)
    if not alike or value.shape != like.shape:
        what = like.dtype.names or like.dtype
        raise InputError(
            f"{where} must be {what} of shape {like.shape}, not {value.dtype.names or value.dtype} of shape "
            f"{value.shape}: it may be of another run"
        )
    for field in like.dtype.names or (None,):
        numbers, called = (value, where) if field is None else (value[field], f"{where}[{field!r}]")
        if numbers.dtype.kind == "f" and finite and not np.isfinite(numbers).all():
            raise InputError(f"{called} must be finite")
        if numbers.dtype.kind == "i":
            largest = 1 if (field or name) in FLAGS else (most or {}).get(field or name, MOST)
            if not ((numbers >= 0) & (numbers <= largest)).all():
                raise InputError(f"{called} must be from 0 to {largest}, not {numbers.tolist()}")


def checked_work(state: State) -> float:
    """Work that a State holds [J]; 0 if it was made by hand."""
    if "energy" not in state.parts:
        return 0.0
    require("energy", state.parts["energy"], ("work",))
    check_array("energy", "work", state.parts["energy"]["work"], np.zeros(()))
    return float(state.parts["energy"]["work"])


def check_clock(saved: Mapping[str, np.ndarray], time: float) -> None:
    """Refuse a clock that is not that of a run at this time [s]."""
    require("clock", saved, (*KEPT_OF_CLOCK, "drivers_acted_at"))
    for name in KEPT_OF_CLOCK:
        check_array("clock", name, saved[name], np.zeros((), CLOCK.dtype[name]))
    acted = saved["drivers_acted_at"]
    _refuse("clock", "drivers_acted_at", acted.shape != () or acted.dtype.kind != "i", "must be a whole number")
    wrong = {
        "time": (saved["time"] != time, f"must be the time of the State, {time!r} s"),
        "start_time": (saved["start_time"] > time, "must not be after the time of the State"),
        "elapsed": (saved["elapsed"] < 0.0, "must not be negative"),
        "step": (saved["step"] < 0.0, "must not be negative"),
        "last_error": (saved["last_error"] <= 0.0, "must be positive"),
        "first_step": (saved["first_step"] > saved["steps_done"], "must not be beyond 'steps_done'"),
        "drivers_acted_at": (not -1 <= acted <= saved["steps_done"], "must be from -1 to 'steps_done'"),
    }
    for name, (bad, words) in wrong.items():
        _refuse("clock", name, bad, words)


def on_grid(clock: Mapping[str, Any]) -> bool:
    """Whether a clock of a fixed step shows the time that its count of steps gives; within a step, some part of one."""
    begun = clock["start_time"] + clock["steps_done"] * clock["step"]
    rounding = ROUNDING * clock["step"] + 1e-12 * abs(clock["time"])
    return bool(-rounding <= clock["time"] - begun <= clock["inside_step"] * clock["step"] + rounding)


def has_elapsed(clock: Mapping[str, Any]) -> bool:
    """Whether a clock of an adaptive method shows the time that has elapsed since its start."""
    return bool(abs(clock["start_time"] + clock["elapsed"] - clock["time"]) <= 1e-12 * abs(clock["time"]))


def largest_numbers(sizes: Sizes) -> dict[str, int]:
    """The largest whole numbers in the memory of a method, by field."""
    return {"slopes": HIGHEST, "next_row": max(0, sizes.nrow - 2), "made": PRESENT, "refused": FOR_ITS_ERROR}


def check_method(saved: Mapping[str, np.ndarray], method: Method, memory: MethodMemory, sizes: Sizes) -> None:
    """Refuse what is not the memory of this method on this machine."""
    kept, counts = memory.kept(), method.counts(memory)
    require("method", saved, ("tag", *kept, COUNTED))
    for name, own in kept.items():
        check_array("method", name, saved[name], own, largest_numbers(sizes))
    check_array("method", COUNTED, saved[COUNTED], counts)
    if isinstance(method, Implicit) and sizes.ne and saved["head"]["made_for"][0] != 0.0:
        views = memory.state.cut(np.array(saved["state"], float))
        rows = len(views.closed_pivots)
        pivots = views.closed_pivots.view(np.int32)[:rows]  # as LAPACK leaves them: rows counted from one
        bad = (pivots <= np.arange(rows)).any() or (pivots > rows).any()
        _refuse("method", "state", bad, "holds pivots that are no rows of the matrix")


def check_loops(saved: Mapping[str, np.ndarray], memory: LoopMemory) -> None:
    """Refuse what is not the memory of a loop solver of this machine."""
    require("loops", saved, ("head", "state"))
    check_array("loops", "head", saved["head"], memory.head, {"redundant": len(memory.state.multipliers)})
    check_array("loops", "state", saved["state"], memory.state.flat)
    views = memory.state.cut(np.array(saved["state"], float))
    wrong = {
        "dependent coordinates that are not marked by 0 or 1": not np.isin(views.dependent, (0.0, 1.0)).all(),
        "a regularisation that is negative": (views.eps_mass < 0.0).any() or (views.eps_unit < 0.0).any(),
        "an inertia that is negative": (views.extra_inertia < 0.0).any(),
    }
    for words, bad in wrong.items():
        _refuse("loops", "state", bad, f"holds {words}")


def check_cuts(saved: Mapping[str, np.ndarray], turns: np.ndarray, track: np.ndarray) -> None:
    """Refuse what are not turns of the cuts of this machine."""
    require("cuts", saved, ("turns", "track"))
    check_array("cuts", "turns", saved["turns"], turns)
    check_array("cuts", "track", saved["track"], track)
    _refuse("cuts", "turns", (saved["turns"] != np.round(saved["turns"])).any(), "must be whole numbers")


def check_events(saved: Mapping[str, np.ndarray], met: np.ndarray) -> None:
    """Refuse what are not the marks of these events, and their log."""
    require("events", saved, ("met", "before", "log"))
    check_array("events", "met", saved["met"], met)
    check_array("events", "before", saved["before"], met, finite=False)  # an expression may give anything
    marks = (0.0, 0.5, 1.0, MET_AND_CHANGED)
    _refuse("events", "met", not np.isin(np.abs(saved["met"]), marks).all(), f"must be marks: {marks}")
    log = json_of("events", "log", saved["log"], list)
    good = all(
        isinstance(row, list) and len(row) == 2 and isinstance(row[0], str) and isinstance(row[1], (int, float))
        for row in log
    )
    _refuse("events", "log", not good, "must be pairs of a name and a time")


def json_of(part: str, name: str, value: np.ndarray, kind: type) -> Any:
    """Plain data, a list or a dict, out of a text of a State."""
    try:
        if value.shape != () or value.dtype.kind != "U":
            raise ValueError("no text")
        found = json.loads(str(value))
    except ValueError:
        raise InputError(f"{field_of(part, name)} must be one text of JSON") from None
    _refuse(part, name, not isinstance(found, kind), f"must be JSON of a {kind.__name__}")
    return found


def _refuse(part: str, name: str, bad: bool | np.bool_ | np.ndarray, words: str) -> None:
    if bad:
        raise InputError(f"{field_of(part, name)} {words}")
