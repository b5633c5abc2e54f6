"""Prims with names that USD allows, and where they stand."""

from typing import Any

import numpy as np

from gori.web.usd.package import Gf, Path, Prim, Stage, Tf, Usd, UsdGeom


def child(stage: Stage, schema: Any, parent: Path, name: str) -> Any:
    """A new prim below another. USD takes letters, digits and _ alone: any other name becomes the display name."""
    word = Tf.MakeValidIdentifier(name)
    path, number = parent.AppendChild(word), 1
    while stage.GetPrimAtPath(path):
        path, number = parent.AppendChild(f"{word}_{number}"), number + 1
    found = schema.Define(stage, path)
    if path.name != name:
        found.GetPrim().SetDisplayName(name)
    return found


def place(prim: Any, at: Any, quaternion: Any) -> tuple[Prim, Prim]:
    """Put a prim at a point [m], turned by w x y z, in double precision; the two attributes."""
    double = UsdGeom.XformOp.PrecisionDouble
    translate, orient = prim.AddTranslateOp(double), prim.AddOrientOp(double)
    translate.Set(vector(at))
    orient.Set(quatd(quaternion))
    return translate.GetAttr(), orient.GetAttr()


def vector(values: Any) -> Any:
    return Gf.Vec3d(*(float(value) for value in values))


def quatd(values: Any) -> Any:
    return Gf.Quatd(*(float(value) for value in values))


def colour_attr(gprim: Any, rgb: np.ndarray) -> None:
    """The colour (3,) of a prim, or (n, 3) of its vertices, for programs without materials."""
    kind = UsdGeom.Tokens.constant if rgb.ndim == 1 else UsdGeom.Tokens.vertex
    gprim.CreateDisplayColorPrimvar(kind).Set(np.atleast_2d(rgb).astype(np.float32))


def bound(gprim: Any) -> None:
    """Write the extent, so that nobody needs to compute it."""
    gprim.CreateExtentAttr(UsdGeom.Boundable.ComputeExtentFromPlugins(gprim, Usd.TimeCode.Default()))
