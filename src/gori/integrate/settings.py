"""Methods, strategies and solvers from settings, as in a run file."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from gori.errors import InputError


def from_settings(settings: Any, base: type, kinds: dict[str, Any], word: str, none: str = "no settings") -> Any:
    """An object from its name or its settings, {type: rk4, step: 1e-3}; or the object itself.

    base    class of all of them
    kinds   classes by name
    word    what they are called in messages, and none: what one takes that has no parameters
    """
    if isinstance(settings, base):
        return settings
    if not isinstance(settings, Mapping | str):
        raise InputError(f"{word} must be a name or settings, {{type: ..., ...}}, not {settings!r}")
    values = {"type": settings} if isinstance(settings, str) else dict(settings)
    kind = values.pop("type", None)
    if not isinstance(kind, str) or kind not in kinds:
        raise InputError(f"{word} {kind!r} is not one of {', '.join(kinds)}")
    try:
        return kinds[kind](**values)
    except TypeError as error:
        if set(values) <= {field.name for field in fields(kinds[kind])}:
            raise InputError(f"{word} {kind}: {error}") from None
        known = ", ".join(field.name for field in fields(kinds[kind])) or none
        raise InputError(f"{word} {kind} takes {known}, not {', '.join(map(str, values))}") from None
