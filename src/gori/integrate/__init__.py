"""Methods of integration in time, one file each."""

from typing import Any

from gori.integrate.adams import Adams
from gori.integrate.adams_moulton import AdamsMoulton
from gori.integrate.contract import Adaptive, Fixed, Method
from gori.integrate.dopri5 import Dopri5
from gori.integrate.generalized_alpha import GeneralizedAlpha
from gori.integrate.implicit_euler import ImplicitEuler
from gori.integrate.loops import EXACT, LOOPS, FrozenExplicit, Loops, Multipliers, Partition, RealTime, loops_of
from gori.integrate.radau import Radau5
from gori.integrate.rk4 import RK4
from gori.integrate.semi_implicit import SemiImplicit
from gori.integrate.settings import from_settings
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
from gori.integrate.time_stepping import TimeStepping

METHODS: dict[str, type[Method]] = {
    method.kind: method
    for method in (
        SemiImplicit,
        RK4,
        Adams,
        AdamsMoulton,
        Dopri5,
        ImplicitEuler,
        GeneralizedAlpha,
        Radau5,
        TimeStepping,
    )
}


def method_of(settings: dict[str, Any] | str | Method) -> Method:
    """A method from its name, or from settings as in a run file: {type: rk4, step: 1e-3}."""
    return from_settings(settings, Method, METHODS, "method")


__all__ = [
    "EXACT",
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
    "Radau5",
    "RealTime",
    "RoundRobin",
    "SemiImplicit",
    "Strategy",
    "TimeStepping",
    "loops_of",
    "method_of",
    "strategy_of",
]
