"""Names that USD allows, and places in double precision."""

import numpy as np
import pytest

pytest.importorskip("pxr")
from pxr import Sdf, Usd, UsdGeom

from gori.web.usd.prims import bound, child, colour_attr, place


def test_names_are_valid_and_different():
    stage = Usd.Stage.CreateInMemory()
    names = ["arm", "a.b", "a_b", "a b", "1st", "바퀴", "다리", ""]
    prims = [child(stage, UsdGeom.Xform, Sdf.Path.absoluteRootPath, name).GetPrim() for name in names]
    assert len({prim.GetPath() for prim in prims}) == len(names)
    assert [prim.GetName() for prim in prims[:4]] == ["arm", "a_b", "a_b_1", "a_b_2"]
    assert [prim.GetDisplayName() or prim.GetName() for prim in prims[:-1]] == names[:-1]


def test_a_place_keeps_all_digits():
    stage = Usd.Stage.CreateInMemory()
    prim = child(stage, UsdGeom.Xform, Sdf.Path.absoluteRootPath, "arm")
    angle = 1.0 / 3.0
    place(prim, [0.1, 0.2, 1e-9 / 3.0], [np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])
    found = np.array(prim.ComputeLocalToWorldTransform(Usd.TimeCode.Default())).T
    np.testing.assert_allclose(found[:3, 3], [0.1, 0.2, 1e-9 / 3.0], rtol=1e-15)
    np.testing.assert_allclose(found[:2, 0], [np.cos(angle), np.sin(angle)], rtol=1e-15)


def test_extent_and_colour():
    stage = Usd.Stage.CreateInMemory()
    ball = child(stage, UsdGeom.Sphere, Sdf.Path.absoluteRootPath, "ball")
    ball.CreateRadiusAttr(2.0)
    bound(ball)
    colour_attr(ball, np.array([1.0, 0.5, 0.0]))
    np.testing.assert_allclose(ball.GetExtentAttr().Get(), [[-2] * 3, [2] * 3])
    assert ball.GetDisplayColorPrimvar().GetInterpolation() == "constant"
    assert list(ball.GetDisplayColorAttr().Get()[0]) == [1.0, 0.5, 0.0]
