"""What drives a vehicle in a run: pedals, steering wheel and levers over time."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from gori.spec.base import Part, Positive
from gori.spec.expression import closest
from gori.spec.force import Value

if TYPE_CHECKING:
    from gori.spec.spec import Spec

SELECTOR = {"R": -1, "P": 0, "N": 0, "D": 10}
"""words for the gear selector; a number holds that gear, 10 + k is automatic up to gear k"""
TRANSFER = {"neutral": 0, "high": 1, "low": 2, "high_locked": 3}
"""words for the transfer case"""
LEVERS: dict[str, Mapping[str, int]] = {"selector": SELECTOR, "transfer": TRANSFER}
PEDALS = {"throttle": (0.0, 1.0), "brake": (0.0, 1.0), "steer": (-1.0, 1.0)}
"""inputs that move steadily, and their ranges"""


def owner(name: str) -> str:
    """The vehicle that a drive train, steering or driver belongs to: truck of truck.drivetrain."""
    return name.rpartition(".")[0] or name


def lever(kind: str, value: Any, gears: int) -> int:
    """Position of the lever `kind` out of a word or a number; ValueError in plain words for what is none."""
    words, top = LEVERS[kind], 10 + gears
    known = (-1, *range(gears + 1), *range(10, top + 1)) if kind == "selector" else tuple(words.values())
    number = words.get(value) if isinstance(value, str) else value
    if isinstance(number, (int, float, np.integer, np.floating)) and not isinstance(number, bool) and number in known:
        return int(number)
    gear = f", a gear from 1 to {gears}, or 11 to {top} for the automatic up to one" if kind == "selector" else ""
    raise ValueError(f"must be one of {', '.join(words)}{gear}, not {value!r}")


def _a_lever(value: Any) -> Any:
    """One position that is held, or a table of them; whether they are positions, the gearbox says."""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return value
    if not isinstance(value, (list, tuple)) or not value:
        raise PydanticCustomError("lever", "must be a lever position, a gear, or a table [[t, position], ...]", {})
    for k, row in enumerate(value):
        whole = isinstance(row, (list, tuple)) and len(row) == 2 and isinstance(row[1], (str, int))
        if not whole or isinstance(row[0], bool) or not isinstance(row[0], (int, float)):
            raise PydanticCustomError("lever", "must be a row [t, position]", {"inside": str(k)})
        if k and not row[0] > value[k - 1][0]:
            words = f"times must increase from row to row: {row[0]:g} follows {value[k - 1][0]:g}"
            raise PydanticCustomError("lever", "{words}", {"words": words, "inside": str(k)})
    return value[0][1] if len(value) == 1 else tuple((float(t), word) for t, word in value)


_WORD = [{"type": "string"}, {"type": "integer"}]
_ROW = {"type": "array", "prefixItems": [{"type": "number"}, {"anyOf": _WORD}], "minItems": 2, "maxItems": 2}
Lever = Annotated[Any, BeforeValidator(_a_lever), WithJsonSchema({"anyOf": [*_WORD, {"type": "array", "items": _ROW}]})]


def _within(name: str) -> AfterValidator:
    low, high = PEDALS[name]

    def check(value: Any) -> Any:
        if isinstance(value, str):
            return value  # of expressions the run takes what is within
        rows = value if isinstance(value, tuple) else ((0.0, value),)
        for k, (_, x) in enumerate(rows):
            if not low <= x <= high:
                words = f"must be from {low:g} to {high:g}, is {x:g}"
                inside = {"inside": str(k)} if isinstance(value, tuple) else {}
                raise PydanticCustomError("pedal", "{words}", {"words": words, **inside})
        return value

    return AfterValidator(check)


class Schedule(Part):
    """Inputs over time. Each is a number, a table [[t, x], ...] linear between its rows, or an expression of t and of
    coordinates, which is held within the input's range. Levers hold each position until the next row.
    """

    type: Literal["schedule"]
    vehicle: str | None = Field(None, description="default: the prefix of its name, truck of truck.driver")
    throttle: Annotated[Value, _within("throttle")] = Field(0.0, description="0 to 1")
    brake: Annotated[Value, _within("brake")] = Field(0.0, description="0 to 1")
    steer: Annotated[Value, _within("steer")] = Field(0.0, description="-1 (right) to 1 (left)")
    selector: Lever = Field("N", description="R, N, D or a gear; [[0, N], [1, D]] over time")
    transfer: Lever = Field("high", description="high, low, neutral or high_locked; as the selector")
    every: Positive = Field(0.01, description="interval at which the schedule is applied [s]")

    def positions(self, kind: str) -> tuple[tuple[float, str | int], ...]:
        """Rows (t, position) of a lever."""
        value = getattr(self, kind)
        return value if isinstance(value, tuple) else ((0.0, value),)


def inputs_of(spec: "Spec") -> dict[str, str]:
    """All inputs of a Spec by name, with the drive train or steering that takes each."""
    found = {f"{owner(name)}.{kind}": name for name in spec.drivetrains for kind in ("throttle", "brake", *LEVERS)}
    return found | {f"{owner(name)}.steer": name for name in spec.steering}


def check_controls(spec: "Spec") -> Iterator[tuple[str, str]]:
    """What is wrong with the controls of a Spec whose vehicles are in order."""
    inputs, driven = inputs_of(spec), {}
    for name, control in spec.controls.items():
        at, vehicle = f"controls.{name}", control.vehicle or owner(name)
        known = dict.fromkeys(owner(key) for key in inputs)
        if vehicle not in known:
            where = f"{at}.vehicle" if control.vehicle else at
            yield where, f"there is no vehicle {vehicle!r} with drive train or steering{_closest(vehicle, known)}"
            continue
        if vehicle in driven:
            yield at, f"{vehicle!r} is already driven by {driven[vehicle]!r}"
        driven[vehicle] = name
        for kind in (*PEDALS, *LEVERS):
            if kind in control.model_fields_set and f"{vehicle}.{kind}" not in inputs:
                lacking = "steering" if kind == "steer" else "drive train"
                yield f"{at}.{kind}", f"{vehicle!r} has no {lacking}"
        if f"{vehicle}.selector" in inputs:
            gears = len(spec.drivetrains[inputs[f"{vehicle}.selector"]].gearbox.ratios)
            for kind in LEVERS:
                for _, value in control.positions(kind):
                    try:
                        lever(kind, value, gears)
                    except ValueError as error:
                        yield f"{at}.{kind}", str(error)


def _closest(name: str, known: Iterable[str]) -> str:
    return closest(name, known) or f"; there are {', '.join(known) or 'none'}"
