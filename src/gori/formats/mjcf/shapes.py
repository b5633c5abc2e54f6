"""Geoms as shapes, with their colours.

Where all geoms of a body that touch are in groups that MuJoCo hides, the others are its visual shapes; else all are
drawn.
"""

from pathlib import Path
from typing import Any

import numpy as np

from gori.door import resolved
from gori.formats.mjcf.hills import TERRAIN, is_terrain
from gori.formats.mjcf.source import MjcfSource
from gori.formats.plain import bar_from_middle, colour_of, pose_of, unit
from gori.spec.base import rotation

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)
"""kinds of geoms in an MjModel"""
_READABLE = (".stl", ".obj", ".ply", ".msh")
_HIDDEN = 3
"""the first group that MuJoCo does not draw unless it is asked to"""
_NO_COLOUR = (0.5, 0.5, 0.5, 1.0)
"""of a geom that is given none"""


def shapes(source: MjcfSource) -> dict[str, dict[str, dict[str, Any]]]:
    """Shapes by body and name."""
    m, names = source.m, source.names
    found: dict[str, dict[str, dict[str, Any]]] = {}
    groups: dict[int, list[int]] = {}  # of the geoms that touch, by body
    paired = {*m.pair_geom1.tolist(), *m.pair_geom2.tolist()}
    for k in range(m.ngeom):
        if not is_visual(m, k) or k in paired:
            groups.setdefault(int(m.geom_bodyid[k]), []).append(int(m.geom_group[k]))
    covered = {body for body, own in groups.items() if min(own) >= _HIDDEN}
    for k, name in enumerate(names.geoms):
        shape = _shape(source, k, name)
        if shape is None:
            continue
        if m.geom_bodyid[k] in covered and is_visual(m, k) and k not in paired:
            shape["visual"] = True
        if (colour := geom_colour(m, k)) is not None:
            shape["colour"] = colour
        found.setdefault(names.bodies[m.geom_bodyid[k]], {})[name] = shape
    return found


def geom_colour(m: Any, k: int) -> str | None:
    """#rrggbb, or #rrggbbaa, of a geom or of its material; None if it has neither."""
    rgba = m.geom_rgba[k]
    if np.array_equal(rgba, _NO_COLOUR):
        if m.geom_matid[k] < 0:
            return None
        rgba = m.mat_rgba[m.geom_matid[k]]
    return colour_of(rgba)


def is_visual(m: Any, k: int) -> bool:
    """Whether a geom touches nothing by itself."""
    return m.geom_contype[k] == 0 and m.geom_conaffinity[k] == 0


def _shape(source: MjcfSource, k: int, name: str) -> dict[str, Any] | None:
    m, kind = source.m, int(source.m.geom_type[k])
    size, at, quat = m.geom_size[k], m.geom_pos[k], m.geom_quat[k]
    if kind == PLANE:
        return {"type": "plane"} | pose_of(at, quat)
    if kind == SPHERE:
        return {"type": "sphere", "radius": float(size[0])} | pose_of(at, (1, 0, 0, 0))
    if kind == BOX:
        return {"type": "box", "size": (2.0 * size).tolist()} | pose_of(at, quat)
    if kind == ELLIPSOID:
        return {"type": "ellipsoid", "radii": size.tolist()} | pose_of(at, quat)
    if kind in (CAPSULE, CYLINDER):
        bar = "capsule" if kind == CAPSULE else "cylinder"
        return bar_from_middle(bar, size[0], 2.0 * size[1], at, rotation(None, unit(quat)))
    if kind == MESH:
        return _mesh(source, k, name)
    if is_terrain(m, k):
        return {"type": TERRAIN}
    source.left.add("height field" if kind == HFIELD else "geom of a signed distance field", name)
    return None


def mesh_frames(written: Any) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """`refpos` and `refquat` of the meshes of an MjSpec that have any, by number in the MjModel."""
    frames = {mesh.id: (np.array(mesh.refpos), np.array(mesh.refquat)) for mesh in written.meshes}
    return {k: (at, quat) for k, (at, quat) in frames.items() if at.any() or quat[1:].any()}


def _mesh(source: MjcfSource, k: int, name: str) -> dict[str, Any] | None:
    """A mesh in its file.

    A vertex x of the file becomes R_mesh' (scale R_ref' (x - ref) - p_mesh) in the geom, since MuJoCo moves meshes to
    their principal axes. The shape has it at R (scale x) + p.
    """
    m, mesh = source.m, int(source.m.geom_dataid[k])
    file, scale = _file(source, mesh), m.mesh_scale[mesh]
    if file is None or file.suffix.lower() not in _READABLE:
        source.left.add("mesh without a file, or in one that Gori does not read", name)
        return None
    ref, turn = source.mesh_frames.get(mesh, (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])))
    if turn[1:].any() and np.ptp(scale):
        source.left.add("mesh that is turned by refquat and scaled unevenly", name)
        return None
    R_mesh, R_ref = rotation(None, unit(m.mesh_quat[mesh])), rotation(None, unit(turn))
    out = rotation(None, unit(m.geom_quat[k])) @ R_mesh.T
    at = m.geom_pos[k] - out @ (m.mesh_pos[mesh] + scale * (R_ref.T @ ref))
    shape = {"type": "mesh", "file": str(file)} | pose_of(at, out @ R_ref.T)
    return shape if np.all(scale == 1.0) else shape | {"scale": scale.tolist()}


def _file(source: MjcfSource, mesh: int) -> Path | None:
    m, at = source.m, int(source.m.mesh_pathadr[mesh])
    if at < 0:
        return None
    path = m.paths[at : m.paths.index(b"\0", at)].decode()
    return resolved(source.file.parent / path)
