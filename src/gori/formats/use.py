"""A description that builds on another: `use: robot.urdf`, and below it what is added or changed."""

from itertools import combinations
from typing import Any

from gori.spec.spec import GROUPS

_PAIRS = (
    ("rpy_deg", "quat"),
    ("child_rpy_deg", "child_quat"),
    *combinations(("q", "q_deg", "guess", "guess_deg"), 2),
    ("limits", "limits_deg"),
    ("rest", "rest_deg"),
    ("density", "mass"),
    ("value", "speed"),
    ("fill", "positions"),
    ("shape", "box"),
    ("box", "below"),
    ("E", "rigid"),
)
_INSTEAD = {name: {a if b == name else b for a, b in _PAIRS if name in (a, b)} for pair in _PAIRS for name in pair}
_INSTEAD["start"] = {"value"}
"""fields that say the same in two ways: who gives one of them takes the other away (start goes with speed)"""


def changed(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Plain data of a Spec with that of a file on top: parts are changed field by field, all else is replaced."""
    return old | {key: _named(old.get(key), value) if key in GROUPS else value for key, value in new.items()}


def _named(old: Any, new: Any) -> Any:
    """Parts by name: new ones are added, known ones changed."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    return old | {name: _part(old.get(name), part) for name, part in new.items()}


def _part(old: Any, new: Any) -> Any:
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    if "law" in new and new["law"] != old.get("law", "hertz"):
        return new  # another law: nothing of the old contact fits
    kept = {key: value for key, value in old.items() if not _INSTEAD.get(key, set()) & new.keys()}
    return kept | {key: _field(key, old.get(key), value) for key, value in new.items()}


def _field(key: str, old: Any, new: Any) -> Any:
    if key == "tyre" and isinstance(new, dict) and "type" in new:
        return new  # another tyre: nothing of the old one fits
    return (_named if key == "shapes" else _part)(old, new)


def holds(data: Any, place: str) -> bool:
    """Whether plain data has a value at a dotted place; names may have dots of their own."""
    return isinstance(data, dict) and any(
        place == key or (place.startswith(key + ".") and holds(value, place[len(key) + 1 :]))
        for key, value in data.items()
    )
