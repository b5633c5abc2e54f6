"""Shapes of all types as USD: their bounds, colours and materials."""

import numpy as np
import pytest

pytest.importorskip("pxr")
from pxr import Usd, UsdGeom, UsdShade

from gori.web.usd.shapes import THIN
from tests.web.usd.checks import findings, machine, staged

SHAPES = {
    "sphere": ("{type: sphere, radius: 0.5}", "Sphere", [0.5, 0.5, 0.5], [0, 0, 0]),
    "box": ("{type: box, size: [1, 2, 3]}", "Cube", [0.5, 1, 1.5], [0, 0, 0]),
    "capsule": ("{type: capsule, radius: 0.5, length: 2, axis: [0, 0, 1]}", "Capsule", [0.5, 0.5, 1.5], [0, 0, 1]),
    "cylinder": ("{type: cylinder, radius: 0.5, length: 2, axis: [0, 0, 1]}", "Cylinder", [0.5, 0.5, 1], [0, 0, 1]),
    "leaning": ("{type: cylinder, radius: 0.5, length: 2, axis: [1, 0, 0]}", "Cylinder", [1, 0.5, 0.5], [1, 0, 0]),
    "cone": ("{type: cone, radius: 0.5, length: 2, axis: [0, 0, 1], top_radius: 0}", "Cone", [0.5, 0.5, 1], [0, 0, 1]),
    "frustum": ("{type: cone, radius: 0.5, length: 2, axis: [0, 0, 1], top_radius: 1}", "Mesh", [1, 1, 1], [0, 0, 1]),
    "ellipsoid": ("{type: ellipsoid, radii: [1, 2, 3]}", "Mesh", [1, 2, 3], [0, 0, 0]),
    "bin": ("{type: box, size: [1, 2, 3], hollow: true, open: [z+]}", "Mesh", [0.5, 1, 1.5], [0, 0, 0]),
    "moved": ("{type: box, size: [1, 2, 3], at: [1, 2, 3], rpy_deg: [0, 0, 90]}", "Cube", [1, 0.5, 1.5], [1, 2, 3]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_is_where_it_is(name, tmp_path):
    text, kind, half, middle = SHAPES[name]
    model = machine(tmp_path, f"gori: 1\nbodies:\n  ground: {{shapes: {{s: {text}}}}}\n  b: {{mass: 1}}\n"
                              "joints: {j: {type: prismatic, parent: ground, child: b}}\n")  # fmt: skip
    stage = staged(model)
    prim = stage.GetPrimAtPath("/machine/ground/s")
    assert prim.GetTypeName() == kind and findings(stage) == []
    cache = UsdGeom.BBoxCache(Usd.TimeCode.Default(), [UsdGeom.Tokens.default_])
    box = cache.ComputeWorldBound(prim).ComputeAlignedRange()
    np.testing.assert_allclose((np.array(box.GetMax()) - box.GetMin()) / 2, half, rtol=5e-3)
    np.testing.assert_allclose(np.array(box.GetMidpoint()), middle, atol=5e-3)


def test_colours_opacity_and_sides(tmp_path):
    stage = staged(machine(tmp_path))
    ball = stage.GetPrimAtPath("/machine/ball/s")
    shader = UsdShade.MaterialBindingAPI(ball).ComputeBoundMaterial()[0].ComputeSurfaceSource()[0]
    assert shader.GetIdAttr().Get() == "UsdPreviewSurface"
    assert list(shader.GetInput("diffuseColor").Get()) == [1.0, 0.0, 0.0]
    assert shader.GetInput("opacity").Get() == pytest.approx(128 / 255, abs=1e-4)
    (bin_,) = stage.GetPrimAtPath("/machine/rod_1_1").GetChildren()
    assert bin_.GetDisplayName() == "통" and UsdGeom.Gprim(bin_).GetDoubleSidedAttr().Get()
    materials = stage.GetPrimAtPath("/machine/materials").GetChildren()
    assert len(materials) == len({str(UsdShade.MaterialBindingAPI(prim).GetDirectBinding().GetMaterialPath())
                                  for prim in stage.Traverse() if prim.IsA(UsdGeom.Gprim)})  # fmt: skip


def test_a_mesh_has_normals_and_the_colours_of_its_file(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.box((1, 1, 1))
    mesh.visual.vertex_colors = np.tile([255, 0, 188, 255], (8, 1))
    mesh.export(tmp_path / "m.ply")
    stage = staged(machine(tmp_path, "gori: 1\nbodies: {b: {mass: 1, shapes: {s: {type: mesh, file: m.ply}}}}\n"
                                     "joints: {j: {type: prismatic, parent: ground, child: b}}\n"))  # fmt: skip
    found = UsdGeom.Mesh(stage.GetPrimAtPath("/machine/b/s"))
    points, normals = np.array(found.GetPointsAttr().Get()), np.array(found.GetNormalsAttr().Get())
    assert len(points) == 24 and np.allclose(np.max(points * normals, axis=1), 0.5)
    np.testing.assert_allclose(np.array(found.GetDisplayColorAttr().Get())[:, 2], 0.5029, atol=1e-3)
    assert found.GetDisplayColorPrimvar().GetInterpolation() == "vertex" and findings(stage) == []
    shader = UsdShade.MaterialBindingAPI(found).ComputeBoundMaterial()[0].ComputeSurfaceSource()[0]
    source = shader.GetInput("diffuseColor").GetConnectedSources()[0][0].source
    assert UsdShade.Shader(source).GetIdAttr().Get() == "UsdPrimvarReader_float3"


def test_bodies_without_shapes_and_shapes_that_are_not_drawn(tmp_path):
    text = """gori: 1
bodies:
  a: {mass: 1, shapes: {hull: {type: box, size: [1, 1, 1]}, skin: {type: sphere, radius: 1, visual: true}}}
  b: {mass: 1}
joints:
  j: {type: prismatic, parent: ground, child: a}
  k: {type: prismatic, parent: a, child: b, child_at: [0, 0, 2]}
"""
    stage = staged(machine(tmp_path, text))
    assert UsdGeom.Imageable(stage.GetPrimAtPath("/machine/a/hull")).GetPurposeAttr().Get() == "guide"
    assert not UsdGeom.Imageable(stage.GetPrimAtPath("/machine/a/skin")).GetPurposeAttr().HasAuthoredValue()
    sticks = UsdGeom.BasisCurves(stage.GetPrimAtPath("/machine/b/sticks"))
    np.testing.assert_allclose(sticks.GetPointsAttr().Get(), [[0, 0, 0], [0, 0, 2]])
    assert 0.0 < sticks.GetWidthsAttr().Get()[0] < 10 * THIN and findings(stage) == []
