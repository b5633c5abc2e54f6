"""All manoeuvres by name, and the arguments that each takes."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from gori.errors import InputError
from gori.manoeuvre.handling import circle, step_steer
from gori.manoeuvre.lane_change import lane_change
from gori.manoeuvre.result import Result
from gori.manoeuvre.setup import ManoeuvreSetup
from gori.manoeuvre.soft import soft_soil
from gori.manoeuvre.straight import acceleration, braking, bump, slope
from gori.spec.expression import closest

MANOEUVRES: dict[str, Callable[..., Result]] = {
    "acceleration": acceleration,
    "braking": braking,
    "bump": bump,
    "circle": circle,
    "lane_change": lane_change,
    "slope": slope,
    "soft_soil": soft_soil,
    "step_steer": step_steer,
}


def manoeuvre(name: str, **arguments: Any) -> Result:
    """Drive a manoeuvre by its name: `manoeuvre("bump", speed=22.5, set={"payload.mass": 600})`."""
    function, known = _function(name), arguments_of(name)
    for argument in arguments:
        if argument not in known:
            raise InputError(
                f"{name} has no argument {argument!r}{closest(argument, known)}; arguments: {', '.join(known)}"
            )
    return function(**arguments)


def arguments_of(name: str) -> dict[str, Any]:
    """Arguments of a manoeuvre and what they are if they are not given; first its own, then the shared ones."""
    own = {
        key: part.default
        for key, part in inspect.signature(_function(name)).parameters.items()
        if part.kind is part.POSITIONAL_OR_KEYWORD
    }
    return own | {part.name: part.default for part in fields(ManoeuvreSetup) if part.name not in own}


def about(name: str) -> str:
    """What a manoeuvre does, in a line."""
    text = inspect.getdoc(_function(name)) or ""
    return text.partition("\n\n")[0].replace("\n", " ").partition(": ")[0].rstrip(".")


def _function(name: str) -> Callable[..., Result]:
    key = str(name).replace("-", "_")
    if key not in MANOEUVRES:
        hint = closest(key, MANOEUVRES) or f"; there are {', '.join(MANOEUVRES)}"
        raise InputError(f"there is no manoeuvre {name!r}{hint}")
    return MANOEUVRES[key]
