"""Gori: machines made of linked rigid bodies, in plain Python at native speed.

Families stand under names of their own: `gori.spec` (parts of a description), `gori.methods`, `gori.jacobian`
(strategies), `gori.loops` (solvers), `gori.vehicle`, `gori.manoeuvre`, `gori.analysis`, `gori.learn`, `gori.view`,
`gori.web`, `gori.errors`.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gori.version import VERSION as __version__

if TYPE_CHECKING:
    from gori import errors
    from gori.analysis import inverse_dynamics, kinematics
    from gori.formats import dh, load, save, soil
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
    from gori.model import Model, State, assemble, compile, consistent_velocity, threads
    from gori.record import Recording
    from gori.sim import Clock, Event, Impacts, Simulation, Subsystem, Trace, at_rest, batch, open_run
    from gori.spec import Spec
    from gori.web import to_html


# each name is imported when it is first used (PEP 562), so that `gori --help` need not wait for Numba
_HOMES = {
    "gori.analysis": ("inverse_dynamics", "kinematics"),
    "gori.formats": ("dh", "load", "save", "soil"),
    "gori.integrate": (
        "RK4", "Adams", "AdamsMoulton", "Dopri5", "GeneralizedAlpha", "ImplicitEuler", "Radau5", "SemiImplicit",
        "TimeStepping",
    ),
    "gori.model": ("Model", "State", "assemble", "compile", "consistent_velocity", "threads"),
    "gori.record": ("Recording",),
    "gori.sim": ("Clock", "Event", "Impacts", "Simulation", "Subsystem", "Trace", "at_rest", "batch", "open_run"),
    "gori.spec": ("Spec",),
    "gori.web": ("to_html",),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_PACKAGES = (
    "analysis", "errors", "formats", "integrate", "jacobian", "kernels", "learn", "loops", "manoeuvre", "methods",
    "model", "record", "sim", "spec", "vehicle", "view", "web",
)  # fmt: skip

__all__ = [*sorted(_HOME_OF), "errors"]  # pyright: ignore[reportUnsupportedDunderAll]


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


if "IPython" in sys.modules:  # a notebook, or a shell of it: machines and runs show themselves
    import_module("gori.web.notebook").register()
