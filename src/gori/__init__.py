"""Gori: machines made of linked rigid bodies, in plain Python at native speed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gori import errors
    from gori.formats import load, save
    from gori.integrate import (
        RK4,
        Dopri5,
        ErrorDriven,
        Fastest,
        Frozen,
        Full,
        GeneralizedAlpha,
        ImplicitEuler,
        MatrixFree,
        RoundRobin,
        SemiImplicit,
    )
    from gori.model import Derivatives, InverseDerivatives, JointInfo, Model, Poses, State, compile, threads
    from gori.record import Recording
    from gori.sim import Event, Simulation
    from gori.spec import Body, Cut, Frame, Joint, Spec

__version__ = "0.1.0"

__all__ = [
    "RK4",
    "Body",
    "Cut",
    "Derivatives",
    "Dopri5",
    "ErrorDriven",
    "Event",
    "Fastest",
    "Frame",
    "Frozen",
    "Full",
    "GeneralizedAlpha",
    "ImplicitEuler",
    "InverseDerivatives",
    "Joint",
    "JointInfo",
    "MatrixFree",
    "Model",
    "Poses",
    "Recording",
    "RoundRobin",
    "SemiImplicit",
    "Simulation",
    "Spec",
    "State",
    "compile",
    "errors",
    "load",
    "save",
    "threads",
]

# each name is imported when it is first used (PEP 562), so that `gori --help` need not wait for Numba
_HOMES = {
    "gori.formats": ("load", "save"),
    "gori.integrate": (
        "Dopri5",
        "ErrorDriven",
        "Fastest",
        "Frozen",
        "Full",
        "GeneralizedAlpha",
        "ImplicitEuler",
        "MatrixFree",
        "RK4",
        "RoundRobin",
        "SemiImplicit",
    ),
    "gori.model": ("Derivatives", "InverseDerivatives", "JointInfo", "Model", "Poses", "State", "compile", "threads"),
    "gori.record": ("Recording",),
    "gori.sim": ("Event", "Simulation"),
    "gori.spec": ("Body", "Cut", "Frame", "Joint", "Spec"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_PACKAGES = ("errors", "formats", "integrate", "kernels", "model", "record", "sim", "spec", "view")


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"gori.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'gori' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value  # from now on found without asking here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
