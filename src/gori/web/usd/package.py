"""The modules of usd-core, which is optional."""

from importlib import import_module
from typing import Any

from gori.errors import MissingPackageError

Stage = Path = Prim = Any
"""classes of usd-core, which has no types that a checker can read: a stage, a path in it, what stands there"""


def usd_module(name: str) -> Any:
    try:
        return import_module(f"pxr.{name}")
    except ImportError as error:
        raise MissingPackageError("USD needs usd-core: pip install 'gori[usd]'") from error


Gf, Sdf, Tf, Vt = (usd_module(name) for name in ("Gf", "Sdf", "Tf", "Vt"))
Usd, UsdGeom, UsdPhysics = (usd_module(name) for name in ("Usd", "UsdGeom", "UsdPhysics"))
UsdShade, UsdUtils = (usd_module(name) for name in ("UsdShade", "UsdUtils"))
