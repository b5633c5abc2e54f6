"""Error messages and warnings for a description."""

import sys
import warnings
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError

from gori.errors import SpecError, SpecWarning
from gori.spec.expression import closest

Problem = tuple[str, str]
"""dotted path in the part that was made, and message"""


def refusal(error: ValidationError, kind: type[BaseModel]) -> SpecError:
    """What to raise when `kind` could not be made."""
    problems = explain(error, kind)
    refused = SpecError("\n".join(f"{path}: {message}" if path else message for path, message in problems))
    refused.problems = tuple(problems)
    return refused


def warn(message: str, kind: type[Warning] = SpecWarning) -> None:
    """A warning at the line that called Gori, however deep inside Gori it was raised."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("gori", "pydantic"):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=level)


def explain(error: ValidationError, kind: type[BaseModel]) -> list[Problem]:
    """Each problem that pydantic found while it made `kind`."""
    problems: dict[tuple, Problem] = {}
    for item in error.errors():
        loc, context = item["loc"], item.get("ctx", {})
        if item["type"] == "spec":
            problems[loc, context["at"]] = context["at"], context["message"]
        elif item["type"] == "missing" and isinstance(loc[-1], int):
            # pydantic reports each missing number; the last one says how many are needed
            path, _ = _follow(kind, loc[:-1])
            problems[loc[:-1], "short"] = ".".join(path), _count(loc[-1] + 1, len(item["input"]))
        else:
            path, owner = _follow(kind, loc)
            path += [context["inside"]] if "inside" in context else []
            problems[loc, item["type"]] = ".".join(path), _message(item, path, owner)
    return list(problems.values())


def _follow(kind: Any, loc: tuple[int | str, ...]) -> tuple[list[str], type[BaseModel] | None]:
    """The dotted path of a pydantic location, without the tags of unions, and the part that its last key belongs to.

    ('bodies', 'a', 'shapes', 'b', 'sphere', 'radius') is bodies.a.shapes.b.radius, and belongs to Sphere;
    ('value', '<table>', 2) is value.2.
    """
    path, owner = [], None
    for key in loc:
        parts = _parts(kind)
        if len(parts) > 1:  # a union: the key is the tag of one of its members
            kind = next((part for part in parts if key in get_args(part.model_fields["type"].annotation)), None)
            continue
        if parts:
            owner = parts[0]
            field = owner.model_fields.get(str(key))
            kind = field.annotation if field else None
        elif get_origin(_plain(kind)) is dict:
            kind = get_args(_plain(kind))[1]
        elif isinstance(key, str) and key.startswith("<"):
            continue
        path.append(str(key))
    return path, owner


def _plain(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _parts(kind: Any) -> list[type[BaseModel]]:
    """The parts that a type may stand for: one, several in a union, or none."""
    kind = _plain(kind)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [kind]
    if get_origin(kind) in (None, dict, tuple, Literal):
        return []
    return [part for member in get_args(kind) if member is not NoneType for part in _parts(member)]


def _count(needed: int, given: int) -> str:
    return f"needs {needed} number{'s' * (needed > 1)}, has {given}"


def _message(item: Any, path: list[str], owner: type[BaseModel] | None) -> str:
    given, context = item.get("input"), item.get("ctx", {})
    match item["type"]:
        case "extra_forbidden":
            known = list(owner.model_fields) if owner else []
            return f"unknown key {path[-1]!r}" + (closest(path[-1], known) or f"; known keys: {', '.join(known)}")
        case "missing":
            return f"{path[-1]!r} is missing"
        case "too_long":
            return _count(context["max_length"], context["actual_length"])
        case "dict_type" | "model_type" | "model_attributes_type":
            return f"must be a mapping, not {given!r}"
        case "tuple_type":
            return f"must be a list of numbers, not {given!r}"
        case "string_type":
            return f"must be text, not {given!r}"
        case "greater_than_equal":
            least = context["ge"]
            return f"must be at least {least:g}, is {given:g}" if least else f"must not be negative, is {given:g}"
        case "less_than_equal":
            return f"must be at most {context['le']:g}, is {given:g}"
        case "greater_than":
            return f"must be positive, is {given:g}"
        case "literal_error":
            return f"{given!r} is not one of {context['expected']}"
        case "union_tag_invalid":
            return f"type {context['tag']!r} is not one of {context['expected_tags']}"
        case "union_tag_not_found":
            return "'type' is missing"
    return item["msg"]
