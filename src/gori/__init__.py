"""Gori: machines made of linked rigid bodies, in plain Python at native speed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gori import errors
    from gori.formats import load, save
    from gori.model import Derivatives, InverseDerivatives, JointInfo, Model, Poses, compile, threads
    from gori.spec import Body, Cut, Frame, Joint, Spec

__version__ = "0.1.0"

__all__ = [
    "Body",
    "Cut",
    "Derivatives",
    "Frame",
    "InverseDerivatives",
    "Joint",
    "JointInfo",
    "Model",
    "Poses",
    "Spec",
    "compile",
    "errors",
    "load",
    "save",
    "threads",
]

# each name is imported when it is first used (PEP 562), so that `gori --help` need not wait for Numba
_HOMES = {
    "gori.formats": ("load", "save"),
    "gori.model": ("Derivatives", "InverseDerivatives", "JointInfo", "Model", "Poses", "compile", "threads"),
    "gori.spec": ("Body", "Cut", "Frame", "Joint", "Spec"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_PACKAGES = ("errors", "formats", "kernels", "model", "spec", "view")


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
