"""Methods of integration in time, one file each."""

from dataclasses import fields
from typing import Any

from gori.errors import InputError
from gori.integrate.adams import Adams
from gori.integrate.adams_moulton import AdamsMoulton
from gori.integrate.contract import Adaptive, Fixed, Method
from gori.integrate.dopri5 import Dopri5
from gori.integrate.generalized_alpha import GeneralizedAlpha
from gori.integrate.implicit_euler import ImplicitEuler
from gori.integrate.loops import LOOPS, FrozenExplicit, Loops, Multipliers, Partition, loops_of
from gori.integrate.rk4 import RK4
from gori.integrate.semi_implicit import SemiImplicit
from gori.integrate.strategy import (
    STRATEGIES,
    ErrorDriven,
    Fastest,
    Frozen,
    Full,
    MatrixFree,
    RoundRobin,
    Strategy,
    strategy_of,
)

METHODS: dict[str, type[Method]] = {
    method.kind: method for method in (SemiImplicit, RK4, Adams, AdamsMoulton, Dopri5, ImplicitEuler, GeneralizedAlpha)
}


def method_of(settings: dict[str, Any] | str | Method) -> Method:
    """A method from its name, or from settings as in a run file: {type: rk4, step: 1e-3}."""
    if isinstance(settings, Method):
        return settings
    values = {"type": settings} if isinstance(settings, str) else dict(settings)
    kind = values.pop("type", None)
    if kind not in METHODS:
        raise InputError(f"method {kind!r} is not one of {', '.join(METHODS)}")
    try:
        return METHODS[kind](**values)
    except TypeError:
        known = ", ".join(field.name for field in fields(METHODS[kind]))
        raise InputError(f"method {kind} takes {known}, not {', '.join(values)}") from None


__all__ = [
    "LOOPS",
    "METHODS",
    "RK4",
    "STRATEGIES",
    "Adams",
    "AdamsMoulton",
    "Adaptive",
    "Dopri5",
    "ErrorDriven",
    "Fastest",
    "Fixed",
    "Frozen",
    "FrozenExplicit",
    "Full",
    "GeneralizedAlpha",
    "ImplicitEuler",
    "Loops",
    "MatrixFree",
    "Method",
    "Multipliers",
    "Partition",
    "RoundRobin",
    "SemiImplicit",
    "Strategy",
    "loops_of",
    "method_of",
    "strategy_of",
]
