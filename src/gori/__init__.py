"""Gori: machines made of linked rigid bodies, in plain Python at native speed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gori import errors
    from gori.analysis import inverse_dynamics, kinematics
    from gori.formats import dh, load, save, soil
    from gori.integrate import (
        RK4,
        Adams,
        AdamsMoulton,
        Dopri5,
        ErrorDriven,
        Fastest,
        Frozen,
        FrozenExplicit,
        Full,
        GeneralizedAlpha,
        ImplicitEuler,
        MatrixFree,
        Multipliers,
        Partition,
        RoundRobin,
        SemiImplicit,
    )
    from gori.model import (
        Derivatives,
        InverseDerivatives,
        JointInfo,
        Mobility,
        Model,
        Poses,
        State,
        assemble,
        compile,
        consistent_velocity,
        threads,
    )
    from gori.record import Recording
    from gori.sim import Clock, Event, Simulation, Trace, at_rest, batch, devices, open_run
    from gori.spec import Body, Cut, Frame, Joint, Motion, Spec

__version__ = "0.1.0"

__all__ = [
    "RK4",
    "Adams",
    "AdamsMoulton",
    "Body",
    "Clock",
    "Cut",
    "Derivatives",
    "Dopri5",
    "ErrorDriven",
    "Event",
    "Fastest",
    "Frame",
    "Frozen",
    "FrozenExplicit",
    "Full",
    "GeneralizedAlpha",
    "ImplicitEuler",
    "InverseDerivatives",
    "Joint",
    "JointInfo",
    "MatrixFree",
    "Mobility",
    "Model",
    "Motion",
    "Multipliers",
    "Partition",
    "Poses",
    "Recording",
    "RoundRobin",
    "SemiImplicit",
    "Simulation",
    "Spec",
    "State",
    "Trace",
    "assemble",
    "at_rest",
    "batch",
    "compile",
    "consistent_velocity",
    "devices",
    "dh",
    "errors",
    "inverse_dynamics",
    "kinematics",
    "load",
    "open_run",
    "save",
    "soil",
    "threads",
]

# each name is imported when it is first used (PEP 562), so that `gori --help` need not wait for Numba
_HOMES = {
    "gori.analysis": ("inverse_dynamics", "kinematics"),
    "gori.formats": ("dh", "load", "save", "soil"),
    "gori.integrate": (
        "Adams",
        "AdamsMoulton",
        "Dopri5",
        "ErrorDriven",
        "Fastest",
        "Frozen",
        "FrozenExplicit",
        "Full",
        "GeneralizedAlpha",
        "ImplicitEuler",
        "MatrixFree",
        "Multipliers",
        "Partition",
        "RK4",
        "RoundRobin",
        "SemiImplicit",
    ),
    "gori.model": (
        "Derivatives",
        "InverseDerivatives",
        "JointInfo",
        "Mobility",
        "Model",
        "Poses",
        "State",
        "assemble",
        "compile",
        "consistent_velocity",
        "threads",
    ),
    "gori.record": ("Recording",),
    "gori.sim": ("Clock", "Event", "Simulation", "Trace", "at_rest", "batch", "devices", "open_run"),
    "gori.spec": ("Body", "Cut", "Frame", "Joint", "Motion", "Spec"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_PACKAGES = (
    "analysis", "errors", "formats", "integrate", "kernels", "manoeuvre", "model", "record", "sim", "spec", "vehicle",
    "view",
)  # fmt: skip


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
