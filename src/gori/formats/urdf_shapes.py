"""Shapes of URDF links: which ones are read, and what they become."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gori.formats.plain import colour_of
from gori.formats.urdf_meshes import MeshFiles
from gori.formats.urdf_xml import ElementError, check_origin, number, numbers, only

COLLISION, VISUAL = "collision", "visual"


@dataclass
class Found:
    """A shape to be read: its name, its kind, and its element; of a visual one its colour, of a mesh its file."""

    name: str
    kind: str
    element: Any
    colour: str | None = None
    file: Path | None = None

    @property
    def visual(self) -> bool:
        return self.name.startswith(VISUAL)


def keep_shapes(root: Any, meshes: bool, note, files: MeshFiles, collide: bool = False) -> dict[str, list[Found]]:
    """Check the shapes of each link, and remove from the tree what is not read; collision shapes come first.

    A visual shape beside collision shapes may be wrong: it is left out with a note, as it is only drawn. So is a mesh
    that is not there, unless shapes collide. What is not read need not be right.

    meshes    whether meshes are read; where shapes collide, those of <collision> always are
    """
    kept: dict[str, list[Found]] = {}
    colours = _materials(root)
    for link in root.findall("link"):
        name = link.get("name")
        kept[name] = []
        spare = link.find(COLLISION) is not None
        for tag in (COLLISION, VISUAL):
            for i, element in enumerate(link.findall(tag)):
                with_meshes = meshes or (collide and tag == COLLISION)
                optional = spare and tag == VISUAL
                try:
                    found = _check(f"{tag}_{i}", name, element, with_meshes, note)
                    if found is not None and found.kind == "mesh":
                        optional = tag == VISUAL or not collide
                        found.file = files.find(found.element)
                except ElementError as problem:
                    if not optional:
                        raise
                    note(problem.line, f"{problem.reason}; this {tag} shape is left out")
                    found = None
                if found is None:
                    link.remove(element)
                    continue
                if tag == VISUAL:
                    found.colour = _colour(element.find("material"), colours)
                kept[name].append(found)
    return kept


def _materials(root: Any) -> dict[str, str]:
    """Colours of all materials that have a name; that of the robot itself counts before one inside a link."""
    found: dict[str, str] = {}
    for element in (*root.findall("material"), *root.iter("material")):
        if element.get("name") and (colour := _rgba(element)) is not None:
            found.setdefault(element.get("name"), colour)
    return found


def _colour(material: Any, known: dict[str, str]) -> str | None:
    """Of a <material>: its own, or that of its name."""
    if material is None:
        return None
    return _rgba(material) or known.get(material.get("name"))


def _rgba(material: Any) -> str | None:
    """#rrggbb, or #rrggbbaa; None where none is given, or none that can be read: a picture is better without."""
    element = material.find("color")
    try:
        rgba = [float(word) for word in (element.get("rgba") or "").split()]
    except (AttributeError, ValueError):
        return None
    return colour_of(rgba) if len(rgba) in (3, 4) else None


def _check(name: str, link: str, element: Any, meshes: bool, note) -> Found | None:
    who = f"link {link!r}, {name}"
    geometry = only(element, "geometry")
    if geometry is None or len(geometry) != 1:
        raise ElementError(element, f"{who}: needs a <geometry> with one shape in it")
    shape = geometry[0]
    found = Found(name, shape.tag, shape)
    sizes = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length")}
    if shape.tag == "mesh":
        if not meshes:
            return None
        if not shape.get("filename"):
            raise ElementError(shape, f"{who}: the mesh has no filename")
        numbers(shape, who, "scale", 1 if len(shape.get("scale", "").split()) == 1 else 3)
    elif shape.tag in sizes:
        values: list[float] = []
        for key in sizes[shape.tag]:
            value: Any = numbers(shape, who, key, 3) if key == "size" else [number(shape, who, key)]
            if value is None or value[0] is None:
                raise ElementError(shape, f"{who}: <{shape.tag}> does not give {key}")
            values += value
        if min(values) < 0.0:
            raise ElementError(shape, f"{who}: the size of a {shape.tag} must not be negative")
        if min(values) == 0.0:
            note(shape.sourceline, f"{who}: this {shape.tag} has no volume and is ignored")
            return None
        if shape.tag == "capsule":  # not known to yourdfpy, and of the same form
            shape.tag = "cylinder"
    else:
        raise ElementError(shape, f"{who}: <{shape.tag}> is not one of box, cylinder, sphere, capsule, mesh")
    check_origin(element, who)
    return found


def convert(found: Found, parsed: Any, pose: dict[str, Any]) -> dict[str, Any]:
    """A shape of the Spec out of a parsed <collision> or <visual>; `pose` is where its origin is."""
    geometry = parsed.geometry
    if found.visual:
        pose = pose | {"visual": True} | ({"colour": found.colour} if found.colour else {})
    if found.kind == "box":
        return {"type": "box", "size": geometry.box.size.tolist()} | pose
    if found.kind == "sphere":
        return {"type": "sphere", "radius": geometry.sphere.radius} | pose
    if found.kind == "mesh":
        shape = {"type": "mesh", "file": str(found.file)} | pose
        scale = geometry.mesh.scale
        return shape if scale is None else shape | {"scale": (np.ones(3) * scale).tolist()}
    # URDF centres the bar at its origin and lets it run along z; ours begins at `at`
    bar = geometry.cylinder
    middle = np.eye(4) if parsed.origin is None else parsed.origin
    start = middle[:3, 3] - middle[:3, 2] * bar.length / 2.0
    size = {"radius": bar.radius, "length": bar.length, "axis": (0.0, 0.0, 1.0)}
    return {"type": found.kind} | size | pose | {"at": (start + 0.0).tolist()}
