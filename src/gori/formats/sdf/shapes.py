"""Collision and visual shapes of links, with their colours."""

from typing import Any

import numpy as np

from gori.formats.plain import bar_from_middle, colour_of, free_name, pose_of
from gori.formats.sdf.elements import child, inverse, needed, number, numbers, pose, truth, who
from gori.formats.sdf.frames import SdfLink
from gori.formats.sdf.source import SdfSource
from gori.formats.xml import ElementError, numbers_of
from gori.spec.base import rotation_to

Shapes = dict[str, dict[str, Any]]


def shapes(source: SdfSource, link: SdfLink) -> Shapes:
    """The shapes of a link by name; collision shapes come first, visual ones are only drawn."""
    element, found = link.scope.links[link.name], {}
    inertial = child(element, "inertial")
    weighs = inertial is not None and truth(inertial, "auto", inertial.get("auto", "false"))
    for tag in ("collision", "visual"):
        for k, drawn in enumerate(element.findall(tag)):
            solid = tag == "collision"
            always = solid and (source.collide is not None or weighs)
            shape = _shape(source, link, drawn, source.meshes or always, always)
            if shape is None:
                continue
            name = "_".join((drawn.get("name") or f"{tag}_{k}").split())
            name = name if name not in found else free_name(f"{name}.{tag}", found)
            if not solid:
                shape |= {"visual": True} | _colour(drawn)
            found[name] = shape
    return found


def _shape(source: SdfSource, link: SdfLink, drawn: Any, meshes: bool, required: bool) -> dict[str, Any] | None:
    """One shape in the frame of its link; None if it is not read."""
    geometry, name = child(drawn, "geometry"), f"{source.body(link)}.{drawn.get('name')}"
    kinds = [kind for kind in geometry if isinstance(kind.tag, str)] if geometry is not None else []
    if len(kinds) != 1:
        raise ElementError(drawn, f"{who(drawn)}: needs a <geometry> with one shape in it")
    (kind,) = kinds
    X, relative_to = pose(drawn)
    if relative_to:
        frames, scope = source.frames, link.scope
        X = inverse(frames.of_link(scope, link)) @ frames.pose(scope, relative_to, drawn) @ X
    at, R = X[:3, 3], X[:3, :3]
    if kind.tag == "mesh":
        return _mesh(source, kind, name, at, R, required) if meshes else None
    if kind.tag == "plane":
        normal = numbers(kind, "normal", 3)
        normal = np.array([0.0, 0.0, 1.0]) if normal is None else normal
        if not normal.any():
            raise ElementError(kind, f"{who(drawn)}: the normal of the plane is zero")
        return {"type": "plane"} | pose_of(at, R @ rotation_to(normal))
    if kind.tag not in _SIZES:
        if kind.tag != "empty":
            source.left.add(f"<{kind.tag}> shape", name)
        return None
    sizes = _sizes(kind)
    if min(sizes) <= 0.0:
        source.left.note(f"{name}: this {kind.tag} has no volume and is left out")
        return None
    if kind.tag == "sphere":
        return {"type": "sphere", "radius": sizes[0]} | pose_of(at, np.eye(3))
    if kind.tag == "box":
        return {"type": "box", "size": sizes} | pose_of(at, R)
    if kind.tag == "ellipsoid":
        return {"type": "ellipsoid", "radii": sizes} | pose_of(at, R)
    return bar_from_middle(kind.tag, sizes[0], sizes[1], at, R)


_SIZES = {"box": {"size": 3}, "sphere": {"radius": 1}, "ellipsoid": {"radii": 3},
          "cylinder": {"radius": 1, "length": 1}, "capsule": {"radius": 1, "length": 1},
          "cone": {"radius": 1, "length": 1}}  # fmt: skip


def _sizes(kind: Any) -> list[float]:
    found = []
    for tag, count in _SIZES[kind.tag].items():
        needed(kind, tag)
        found += numbers(kind, tag, count).tolist()  # pyright: ignore[reportOptionalMemberAccess]
    return found


def _mesh(
    source: SdfSource, mesh: Any, name: str, at: np.ndarray, R: np.ndarray, required: bool
) -> dict[str, Any] | None:
    """A mesh in its file; one that is not there is left out, unless it is needed."""
    if child(mesh, "submesh") is not None:
        source.left.add("part of a mesh (<submesh>)", name)
        return None
    try:
        file = source.files.at(mesh, needed(mesh, "uri"), "mesh")
    except ElementError as problem:
        if required:
            raise
        source.left.note(f"line {problem.line}: {problem.reason}; {name} is left out")
        return None
    shape = {"type": "mesh", "file": str(file)} | pose_of(at, R)
    scale = numbers(mesh, "scale", 3)
    return shape if scale is None or np.all(scale == 1.0) else shape | {"scale": scale.tolist()}


def _colour(visual: Any) -> dict[str, str]:
    """The diffuse colour of a visual, or its ambient one; one that cannot be read is none."""
    if (material := visual.find("material")) is None:
        return {}
    for tag in ("diffuse", "ambient"):
        words = (material.findtext(tag) or "").split()
        try:
            rgba = numbers_of(material, tag, " ".join(words), len(words))
        except ElementError:
            continue
        if len(rgba) in (3, 4):
            seen = 1.0 - number(visual, "transparency", 0.0)
            return {"colour": colour_of([*rgba[:3], (rgba[3] if len(rgba) == 4 else 1.0) * seen])}
    return {}
