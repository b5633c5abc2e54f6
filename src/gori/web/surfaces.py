"""Shapes of a scene as triangles: what pages draw by formulas, written out for files that hold nothing else."""

from typing import Any

import numpy as np

AROUND = 48
"""corners of a circle"""
CREASE = np.radians(35.0)
"""edges between faces that meet at a larger angle stay sharp"""
PLANE = 1.0
"""half edge of a plane, which has no end, by the size of the scene"""
FINE = 20_000
"""triangles of a mesh from which on all of it is smooth"""

Surface = tuple[np.ndarray, np.ndarray]
"""vertices (n, 3) [m] and triangles (m, 3)"""


def surface_of(entry: dict[str, Any], arrays: dict[str, np.ndarray], size: float) -> Surface:
    """Vertices and triangles of an entry of a scene, in its own frame; hollow ones without their open faces."""
    match entry["type"]:
        case "mesh":
            return arrays[entry["vertices"]].astype(float), arrays[entry["triangles"]].astype(int)
        case "sphere":
            return turned([(0.0, -1.0), *_arc(-0.5, 0.5)], entry["radius"])
        case "ellipsoid":
            vertices, triangles = turned([(0.0, -1.0), *_arc(-0.5, 0.5)], 1.0)
            return vertices * np.array(entry["radii"], float), triangles
        case "capsule":
            r, length = entry["radius"], entry["length"]
            below = [(r * x, r * z) for x, z in _arc(-0.5, 0.0)]
            return turned([(0.0, -r), *below, *((r * x, length + r * z) for x, z in _arc(0.0, 0.5))], 1.0)
        case "cylinder" | "cone":
            r, length = entry["radius"], entry["length"]
            top = r if entry["type"] == "cylinder" else entry.get("top_radius", 0.0)
            outline = [] if "base" in entry.get("open", ()) else [(0.0, 0.0)]
            outline += [(r, 0.0), (top, length)]
            outline += [] if "top" in entry.get("open", ()) or top == 0.0 else [(0.0, length)]
            return turned(outline, 1.0)
        case "box":
            return _box(np.array(entry["size"], float) / 2.0, entry.get("open", ()))
        case "tyre":
            return turned(_tyre(entry["radius"], entry["width"]), 1.0)
        case "plane":
            edge = PLANE * size
            corners = np.array([(-edge, -edge, 0.0), (edge, -edge, 0.0), (edge, edge, 0.0), (-edge, edge, 0.0)])
            return corners, np.array([(0, 1, 2), (0, 2, 3)])
    raise ValueError(f"no triangles for a shape of type {entry['type']!r}")


def _arc(first: float, last: float, steps: int = AROUND // 4) -> list[tuple[float, float]]:
    """Points (r, z) of a circle of radius 1 between two angles, in half turns from the equator."""
    angles = np.pi * np.linspace(first, last, steps + 1)
    return [(float(max(np.cos(angle), 0.0)), float(np.sin(angle))) for angle in angles]


def _tyre(radius: float, width: float) -> list[tuple[float, float]]:
    """Outline (r, z) of a tyre about its axis, with rounded shoulders."""
    shoulder = 0.15 * width
    edges = [(0.0, -0.5 * width), (radius - shoulder, -0.5 * width), (radius, -0.5 * width + shoulder)]
    return edges + [(r, -z) for r, z in reversed(edges)]


def turned(outline: list[tuple[float, float]], scale: float) -> Surface:
    """A surface of revolution about z, from an outline (r, z) that goes upwards."""
    angles = 2.0 * np.pi * np.arange(AROUND) / AROUND
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    vertices = np.concatenate([np.column_stack([r * ring, np.full(AROUND, z)]) for r, z in outline])
    here = np.arange(AROUND)
    after = (here + 1) % AROUND
    triangles = []
    for k in range(len(outline) - 1):
        low, high = k * AROUND, (k + 1) * AROUND
        triangles += [np.column_stack([low + here, low + after, high + after])]
        triangles += [np.column_stack([low + here, high + after, high + here])]
    return scale * vertices, _proper(scale * vertices, np.concatenate(triangles))


def _proper(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Without triangles that have no area, as at poles."""
    a, b, c = vertices[triangles].transpose(1, 0, 2)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return triangles[area > 1e-12 * max(1e-300, area.max(initial=0.0))]


_FACES = {"x-": (0, -1), "x+": (0, 1), "y-": (1, -1), "y+": (1, 1), "z-": (2, -1), "z+": (2, 1)}


def _box(half: np.ndarray, open_faces: Any) -> Surface:
    """Four vertices for each face, so that edges stay sharp."""
    vertices, triangles = [], []
    for name, (axis, sign) in _FACES.items():
        if name in open_faces:
            continue
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for p, q in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            corner = np.zeros(3)
            corner[axis], corner[u], corner[v] = sign, p * sign, q
            vertices.append(corner * half)
        first = len(vertices) - 4
        triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    return np.array(vertices), np.array(triangles, int)


def shaded(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Vertices, unit normals and triangles of the same surface, and of which vertex each is one: a vertex is there once
    for each smooth piece of surface around it.
    """
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])  # twice the area long
    lengths = np.linalg.norm(normals, axis=1)
    triangles, normals, lengths = triangles[lengths > 0.0], normals[lengths > 0.0], lengths[lengths > 0.0]
    if len(triangles) > FINE:
        sums = np.zeros_like(vertices)
        for k in range(3):
            np.add.at(sums, triangles[:, k], normals)
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        sums = np.where(length > 0.0, sums / np.where(length > 0.0, length, 1.0), (0.0, 0.0, 1.0))
        return vertices, sums, triangles, np.arange(len(vertices))
    flat = normals / lengths[:, None]
    _, places = np.unique(vertices.round(12), axis=0, return_inverse=True)
    around: dict[int, list[int]] = {}
    for face, corner in enumerate(places.reshape(-1)[triangles]):
        for place in corner:
            around.setdefault(int(place), []).append(face)
    out_normals, of, known = [], [], {}
    out = np.empty_like(triangles)
    for face, corner in enumerate(triangles):
        for k, vertex in enumerate(corner):
            near = around[int(places.reshape(-1)[vertex])]
            smooth = [other for other in near if flat[other] @ flat[face] > np.cos(CREASE)]
            key = (int(vertex), tuple(smooth))
            if key not in known:
                known[key] = len(of)
                normal = normals[smooth].sum(0)
                out_normals.append(normal / np.linalg.norm(normal))
                of.append(int(vertex))
            out[face, k] = known[key]
    return vertices[of], np.array(out_normals).reshape(-1, 3), out, np.array(of, int)
