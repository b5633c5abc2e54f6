"""What a page may say: JSON text of bounded size, checked field by field before anything acts on it."""

import json
import math
from dataclasses import dataclass
from typing import Any, NoReturn

LONGEST = 64 * 1024
"""of a message [bytes]"""
LONGEST_NAME = 200
MOST_GRAINS = 2_000_000
ARROWS = ("contact", "reaction", "force")
GEARS = ("R", "N", "D", "1", "2", "3")
DEEDS = ("pause", "resume", "step", "reset", "record", "stop_record", "speed", "replay", "example")
"""what `do` may name"""


class MessageError(ValueError):
    """A message that is not understood; its text is for a person."""


@dataclass(frozen=True)
class PageMessage:
    """One message, checked.

    kind     "ask", "set", "drag", "do", "drive" or "shown"
    what     the word behind it: "grains", "q", "pause"; for others empty
    fields   its fields, of the types that they must have
    """

    kind: str
    what: str
    fields: dict[str, Any]


def parse_message(text: str | bytes) -> PageMessage:
    """A message as text, checked; else a MessageError."""
    if not isinstance(text, str):
        raise MessageError("a message must be text")
    if len(text) > LONGEST or len(text.encode("utf-8", "surrogatepass")) > LONGEST:
        raise MessageError(f"a message may have {LONGEST // 1024} kB at most")
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise MessageError("a message must be JSON") from None
    if not isinstance(data, dict):
        raise MessageError("a message must be a JSON object")
    for kind, read in _READERS.items():
        if kind in data:
            return read(data)
    raise MessageError(f"unknown message; it must have one of: {', '.join(_READERS)}")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def number(value: Any, what: str, low: float = -1e12, high: float = 1e12) -> float:
    """A finite number within limits."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise MessageError(f"{what} must be a finite number")
    if not low <= value <= high:
        raise MessageError(f"{what} must be {low:g} to {high:g}")
    return float(value)


def whole(value: Any, what: str, high: int = 2**53) -> int:
    """A whole number from 0 on."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= high:
        raise MessageError(f"{what} must be a whole number from 0 to {high}")
    return value


def name_of(value: Any, what: str) -> str:
    """A short text."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME:
        raise MessageError(f"{what} must be a name of at most {LONGEST_NAME} letters")
    return value


def one_of(value: Any, what: str, names: tuple[str, ...]) -> str:
    """One of some words."""
    if not isinstance(value, str) or value not in names:
        raise MessageError(f"{what} must be one of: {', '.join(names)}")
    return value


def numbers(value: Any, what: str, least: int, most: int) -> list[float]:
    """A short list of finite numbers."""
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise MessageError(f"{what} must be a list of {least} to {most} numbers")
    return [number(x, what) for x in value]


def _only(data: dict[str, Any], what: str, *names: str) -> None:
    if others := sorted(set(data) - set(names)):
        raise MessageError(f"{what}: unknown field {others[0][:LONGEST_NAME]!r}")


def _ask(data: dict[str, Any]) -> PageMessage:
    what = one_of(data["ask"], "ask", ("grains", "series", "arrows"))
    if what == "grains":
        _only(data, what, "ask", "frame", "most")
        most = whole(data.get("most", 60_000), "most", MOST_GRAINS)
        return PageMessage("ask", what, {"frame": whole(data.get("frame"), "frame"), "most": most})
    if what == "series":
        _only(data, what, "ask", "name")
        return PageMessage("ask", what, {"name": name_of(data.get("name"), "name")})
    _only(data, what, "ask", "kind")
    return PageMessage("ask", what, {"kind": one_of(data.get("kind"), "kind", ARROWS)})


def _set(data: dict[str, Any]) -> PageMessage:
    what = one_of(data["set"], "set", ("q", "input", "parameter"))
    if what == "q":
        _only(data, what, "set", "joint", "value")
        value = data.get("value")
        row = numbers(value if isinstance(value, list) else [value], "value", 1, 7)
        return PageMessage("set", what, {"joint": name_of(data.get("joint"), "joint"), "value": row})
    _only(data, what, "set", "name", "value")
    value = data.get("value")
    checked = name_of(value, "value") if what == "input" and isinstance(value, str) else number(value, "value")
    return PageMessage("set", what, {"name": name_of(data.get("name"), "name"), "value": checked})


def _drag(data: dict[str, Any]) -> PageMessage:
    _only(data, "drag", "drag")
    pull = data["drag"]
    if pull is None:
        return PageMessage("drag", "", {"body": None})
    if not isinstance(pull, dict):
        raise MessageError("drag must be an object or null")
    _only(pull, "drag", "body", "point", "target")
    fields = {name: numbers(pull.get(name), name, 3, 3) for name in ("point", "target")}
    return PageMessage("drag", "", {"body": whole(pull.get("body"), "body"), **fields})


def _do(data: dict[str, Any]) -> PageMessage:
    _only(data, "do", "do", "value")
    what, value = one_of(data["do"], "do", DEEDS), data.get("value")
    if isinstance(value, str):
        value = name_of(value, "value")
    elif value is not None:
        value = number(value, "value")
    return PageMessage("do", what, {"value": value})


def _drive(data: dict[str, Any]) -> PageMessage:
    _only(data, "drive", "drive", "sent")
    pedals = data["drive"]
    if not isinstance(pedals, dict):
        raise MessageError("drive must be an object")
    _only(pedals, "drive", "throttle", "brake", "steering", "gear", "low", "smooth")
    fields: dict[str, Any] = {name: number(pedals.get(name, 0.0), name, 0.0, 1.0) for name in ("throttle", "brake")}
    fields["steering"] = number(pedals.get("steering", 0.0), "steering", -1.0, 1.0)
    fields["gear"] = one_of(pedals.get("gear", "D"), "gear", GEARS)
    for name in ("low", "smooth"):
        fields[name] = pedals.get(name, False)
        if not isinstance(fields[name], bool):
            raise MessageError(f"{name} must be true or false")
    fields["sent"] = number(data.get("sent", 0.0), "sent", 0.0, 1e15)
    return PageMessage("drive", "", fields)


def _shown(data: dict[str, Any]) -> PageMessage:
    _only(data, "shown", "shown")
    return PageMessage("shown", "", {"number": whole(data["shown"], "shown")})


_READERS = {"shown": _shown, "drive": _drive, "ask": _ask, "set": _set, "drag": _drag, "do": _do}
