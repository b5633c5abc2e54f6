"""Meshes of files as triangles with colours, coarser where they are finer than a picture needs."""

import os
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gori.door import triangles as triangles_of

GREY = (150, 150, 150)
"""of parts without a colour, in a file where others have one"""
KEPT = 64
"""files that stay in memory"""


class Triangles(NamedTuple):
    """vertices (n, 3) [m], triangles (m, 3) of their numbers, colours (n, 3) u1 of vertices or None"""

    vertices: np.ndarray
    triangles: np.ndarray
    colours: np.ndarray | None


def read_triangles(file: str, most: int | None = None) -> Triangles:
    """All parts of a file (STL, OBJ, DAE, ...), each in its place and in the colour of its material.

    most   triangles; a finer mesh is simplified
    """
    status = os.stat(file)
    whole = _read(file, status.st_mtime_ns, status.st_size)
    return whole if most is None else simplified(whole, most)


@lru_cache(maxsize=KEPT)
def _read(file: str, changed: int, size: int) -> Triangles:
    """A file as it was when it was last changed: robots have several parts of one file, and pages are made anew."""
    import trimesh

    mujoco = file.lower().endswith(".msh")
    scene: Any = trimesh.Scene(triangles_of(file, f"mesh {file!r}")) if mujoco else trimesh.load_scene(file)
    vertices, triangles, colours, count = [], [], [], 0
    for node in scene.graph.nodes_geometry:
        T, name = scene.graph[node]
        part = scene.geometry[name]
        if not isinstance(part, trimesh.Trimesh) or not len(part.faces):
            continue
        faces = np.array(part.faces)
        # a part that is mirrored into its place: what was outside is inside
        triangles.append(count + (faces[:, ::-1] if np.linalg.det(T[:3, :3]) < 0.0 else faces))
        vertices.append(np.array(part.vertices) @ T[:3, :3].T + T[:3, 3])
        colours.append(part_colours(part))
        count += len(vertices[-1])
    if not triangles:
        raise ValueError("it contains no triangles that can be read")
    own = None
    if any(found is not None for found in colours):
        filled = [np.tile(GREY, (len(x), 1)) if found is None else found for x, found in zip(vertices, colours)]
        own = np.concatenate(filled).astype(np.uint8)
    return Triangles(np.concatenate(vertices), np.concatenate(triangles), own)


def part_colours(part: Any) -> np.ndarray | None:
    """Colours (vertices, 3) u1 of a mesh of trimesh; None where its file says nothing of them."""
    visual = part.visual
    if visual is None or not visual.defined:
        return None
    if visual.kind != "texture":
        return np.asarray(visual.vertex_colors, np.uint8)[:, :3]
    image = getattr(visual.material, "image", None) or getattr(visual.material, "baseColorTexture", None)
    if image is not None and visual.uv is not None:
        return np.asarray(visual.to_color().vertex_colors, np.uint8)[:, :3]
    main = np.asarray(visual.material.main_color, np.uint8).reshape(-1)
    return np.tile(main[:3], (len(part.vertices), 1))


def simplified(mesh: Triangles, most: int) -> Triangles:
    """A mesh of at most so many triangles: vertices in one cell of a grid become one (Rossignac and Borrel 1993)."""
    if len(mesh.triangles) <= most:
        return mesh
    low = mesh.vertices.min(axis=0)
    reach = max(float(np.ptp(mesh.vertices, axis=0).max()), 1e-12)
    cells = max(2.0, 0.7 * most**0.5)
    while True:
        coarse = _clustered(mesh, low, reach / cells)
        if len(coarse.triangles) <= most or cells <= 2.0:
            return coarse
        cells = max(2.0, 0.98 * cells * min(0.95, (most / len(coarse.triangles)) ** 0.5))


def _clustered(mesh: Triangles, low: np.ndarray, width: float) -> Triangles:
    """One vertex for each cell of this width [m] that has some: their mean, in the colour of the first."""
    x, y, z = np.floor((mesh.vertices - low) / width).astype(np.int64).T
    _, first, of = np.unique((x << 42) + (y << 21) + z, return_index=True, return_inverse=True)
    counts = np.bincount(of)
    vertices = np.stack([np.bincount(of, mesh.vertices[:, k]) / counts for k in range(3)], axis=1)
    triangles = of[mesh.triangles]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    # the same three vertices once, whichever comes first
    turned = np.take_along_axis(triangles, (triangles.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    a, b, c = turned.T
    _, once = np.unique((a * len(vertices) + b) * len(vertices) + c, return_index=True)
    return Triangles(vertices, turned[np.sort(once)], None if mesh.colours is None else mesh.colours[first])
