"""Shapes as primitives of UsdGeom where it has them, else as meshes; colours as UsdPreviewSurface."""

from typing import Any

import numpy as np

from gori.web.contents import Contents, DrawnBody, DrawnShape, Rgba
from gori.web.poses import rotations
from gori.web.surfaces import shaded
from gori.web.usd.package import Path, Prim, Sdf, Stage, UsdGeom, UsdShade, Vt
from gori.web.usd.prims import bound, child, colour_attr, place, vector

THIN = 0.004
"""width of lines, by the size of the machine"""


class Materials:
    """One material for each colour, below `materials`."""

    def __init__(self, stage: Stage, root: Path):
        self.stage, self.path = stage, child(stage, UsdGeom.Scope, root, "materials").GetPath()
        self.known: dict[tuple[Rgba, bool], Prim] = {}

    def bind(self, gprim: Any, colour: Rgba, by_vertex: bool = False) -> None:
        """Give a prim its colour; by_vertex: that of its vertices, by their primvar."""
        key = (colour, by_vertex)
        if key not in self.known:
            self.known[key] = self._made(colour, by_vertex)
        UsdShade.MaterialBindingAPI.Apply(gprim.GetPrim()).Bind(self.known[key])

    def _made(self, colour: Rgba, by_vertex: bool) -> Prim:
        material = child(self.stage, UsdShade.Material, self.path, f"material_{len(self.known)}")
        shader = child(self.stage, UsdShade.Shader, material.GetPath(), "surface")
        shader.CreateIdAttr("UsdPreviewSurface")
        diffuse = shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f)
        if by_vertex:
            reader = child(self.stage, UsdShade.Shader, material.GetPath(), "colours")
            reader.CreateIdAttr("UsdPrimvarReader_float3")
            reader.CreateInput("varname", Sdf.ValueTypeNames.String).Set("displayColor")
            diffuse.ConnectToSource(reader.CreateOutput("result", Sdf.ValueTypeNames.Float3))
        else:
            diffuse.Set(vector(colour[:3]))
        for name, value in (("metallic", 0.1), ("roughness", 0.7), ("opacity", colour[3])):
            shader.CreateInput(name, Sdf.ValueTypeNames.Float).Set(value)
        surface = shader.CreateOutput("surface", Sdf.ValueTypeNames.Token)
        material.CreateSurfaceOutput().ConnectToSource(surface)
        return material


def draw_shape(materials: Materials, parent: Path, name: str, contents: Contents, shape: DrawnShape) -> Prim:
    """A shape in the frame of its parent; one that visual shapes stand for has the purpose guide."""
    gprim, lift = _primitive(materials.stage, parent, name, shape.entry)
    if gprim is None:
        gprim = mesh(materials.stage, parent, name, *contents.surface(shape), colours=shape.colours)
    place(gprim, shape.at + rotations(shape.quaternion)[:, 2] * lift, shape.quaternion)
    if shape.entry["type"] == "box" and gprim.GetPrim().IsA(UsdGeom.Cube):
        gprim.AddScaleOp(UsdGeom.XformOp.PrecisionDouble).Set(vector(shape.entry["size"]))
    if shape.two_sided:
        gprim.CreateDoubleSidedAttr(True)
    if shape.colours is None:
        colour_attr(gprim, np.array(shape.colour[:3]))
    materials.bind(gprim, shape.colour, shape.colours is not None)
    if shape.hidden:
        gprim.CreatePurposeAttr(UsdGeom.Tokens.guide)
    bound(gprim)
    return gprim


def _primitive(stage: Stage, parent: Path, name: str, entry: dict[str, Any]) -> tuple[Any, float]:
    """A primitive about its middle, and how far up z that is in the frame of the shape [m]; None: USD has none."""
    if entry.get("open"):
        return None, 0.0
    match entry["type"]:
        case "sphere":
            sphere = child(stage, UsdGeom.Sphere, parent, name)
            sphere.CreateRadiusAttr(float(entry["radius"]))
            return sphere, 0.0
        case "box":
            cube = child(stage, UsdGeom.Cube, parent, name)
            cube.CreateSizeAttr(1.0)
            return cube, 0.0
        case "capsule" | "cylinder" | "cone" as kind if not entry.get("top_radius"):
            schema = {"capsule": UsdGeom.Capsule, "cylinder": UsdGeom.Cylinder, "cone": UsdGeom.Cone}[kind]
            bar = child(stage, schema, parent, name)
            bar.CreateAxisAttr(UsdGeom.Tokens.z)
            bar.CreateRadiusAttr(float(entry["radius"]))
            bar.CreateHeightAttr(float(entry["length"]))
            return bar, 0.5 * float(entry["length"])
    return None, 0.0


def mesh(
    stage: Stage, parent: Path, name: str, vertices: Any, triangles: Any, colours: np.ndarray | None = None
) -> Prim:
    """Triangles with normals; with colours (n, 3) of the vertices."""
    points, normals, faces, of = shaded(vertices, triangles)
    found = child(stage, UsdGeom.Mesh, parent, name)
    found.CreatePointsAttr(points.astype(np.float32))
    found.CreateNormalsAttr(normals.astype(np.float32))
    found.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    found.CreateFaceVertexCountsAttr(np.full(len(faces), 3, np.int32))
    found.CreateFaceVertexIndicesAttr(faces.reshape(-1).astype(np.int32))
    found.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    if colours is not None:
        colour_attr(found, colours[of])
    return found


def draw_sticks(materials: Materials, parent: Path, body: DrawnBody, size: float) -> None:
    """Lines from the origin of a body without shapes to its joints and frames."""
    points = np.stack([np.zeros_like(body.sticks), body.sticks], axis=1).reshape(-1, 3)
    line(materials, parent, "sticks", points, body.colour, size)


def line(materials: Materials, parent: Path, name: str, points: np.ndarray, colour: Rgba, size: float) -> Prim:
    """A curve for each two of the points (2 n, 3), by the size of the machine [m] as wide as it can be seen."""
    curves = child(materials.stage, UsdGeom.BasisCurves, parent, name)
    curves.CreateTypeAttr(UsdGeom.Tokens.linear)
    curves.CreatePointsAttr(points.astype(np.float32))
    curves.CreateCurveVertexCountsAttr(Vt.IntArray([2] * (len(points) // 2)))
    curves.CreateWidthsAttr([THIN * size])
    curves.SetWidthsInterpolation(UsdGeom.Tokens.constant)
    colour_attr(curves, np.array(colour[:3]))
    materials.bind(curves, colour)
    bound(curves)
    return curves
