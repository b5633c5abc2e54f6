"""All methods of integration: `gori.methods.RK4(step=1e-3)`. Those at the top of `gori` are the same."""

from gori.integrate import (
    RK4,
    Adams,
    AdamsMoulton,
    Dopri5,
    GeneralizedAlpha,
    ImplicitEuler,
    Radau5,
    SemiImplicit,
    TimeStepping,
)

__all__ = [
    "RK4",
    "Adams",
    "AdamsMoulton",
    "Dopri5",
    "GeneralizedAlpha",
    "ImplicitEuler",
    "Radau5",
    "SemiImplicit",
    "TimeStepping",
]
