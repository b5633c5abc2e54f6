"""Mesh files: triangles fit to be a wall, joined at their corners, without needles, without holes; and writing one."""

from pathlib import Path
from typing import Any

import numpy as np

from gori.door import triangles
from gori.errors import MissingPackageError, SpecError
from gori.model.particles.edges import connected, edge_ends
from gori.spec.explain import warn

JOIN = 1e-7
"""corners closer than this share of the mesh's size are one; a file in single precision has digits for 6e-8"""
THIN = 1e-6
"""a triangle lower than this share of its longest side has no plane"""


def _trimesh() -> Any:
    try:
        import trimesh
    except ImportError as error:
        raise MissingPackageError("meshes need trimesh: pip install 'gori[formats]'") from error
    return trimesh


def read_mesh(file: str, scale: Any = (1.0, 1.0, 1.0), surface: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (m, 3) [m] and triangles (n, 3) of an STL, OBJ, ... file.

    surface   the mesh may have borders; otherwise a hole is an error
    """
    _trimesh()
    mesh = triangles(file, f"mesh {file!r}")
    vertices, faces = np.array(mesh.vertices, float), np.array(mesh.faces, int)
    return clean_mesh(vertices * np.array(scale), faces, f"mesh {file!r}", surface)


def write_stl(path: str | Path, vertices: np.ndarray, faces: np.ndarray) -> None:
    """Write a mesh, vertices (n, 3) and triangles (m, 3), as a binary STL file."""
    _trimesh().Trimesh(vertices, faces, process=False).export(path, file_type="stl")


def clean_mesh(
    vertices: np.ndarray, faces: np.ndarray, what: str, surface: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The same mesh with its corners joined and its needles gone; refused if it is no proper surface."""
    if len(faces) == 0:
        raise SpecError(f"{what} has no triangles")
    if not np.isfinite(vertices[faces]).all():
        raise SpecError(f"{what} has a vertex that is not finite: export the file again")
    vertices, faces = _joined(vertices, faces)
    flat = (faces == np.roll(faces, 1, axis=1)).any(axis=1)
    faces, needles = _without_needles(vertices, faces[~flat])
    if flat.any() or needles:
        warn(f"{what} has {int(flat.sum()) + needles} degenerate triangles, which are ignored")
    if len(faces) == 0:
        raise SpecError(f"{what} has only degenerate triangles")
    if _thin(vertices, faces).any():
        raise SpecError(f"{what} has degenerate triangles that cannot be removed: repair it in a mesh editor")
    _check_edges(vertices, faces, what, surface)
    return vertices, faces


def _joined(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners at one place made one vertex."""
    points, which = np.unique(vertices[faces.ravel()], axis=0, return_inverse=True)
    from scipy.spatial import KDTree  # slow to import

    pairs = KDTree(points).query_pairs(JOIN * np.linalg.norm(np.ptp(points, axis=0)), output_type="ndarray")
    _, group = connected(pairs[:, 0], pairs[:, 1], len(points))
    _, first = np.unique(group, return_index=True)
    return points[first], group[which.ravel()].reshape(faces.shape)


def _thin(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    corners = vertices[faces]
    sides = np.roll(corners, -1, axis=1) - corners
    longest = np.einsum("nki,nki->nk", sides, sides).max(axis=1)
    return np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1) <= THIN * longest


def _without_needles(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, int]:
    """Triangles, without those whose three corners lie on a line, and how many these were.

    Leaving one out would open a slit: the triangle on the other side of its longest edge is split at its middle corner.
    """
    queue = np.flatnonzero(_thin(vertices, faces)).tolist()
    if not queue:
        return faces, 0
    kept: dict[int, tuple[int, ...]] = dict(enumerate(map(tuple, faces.tolist())))
    at_edge: dict[tuple[int, int], set[int]] = {}

    def ends(face: tuple[int, ...]) -> list[tuple[int, int]]:
        return [(min(a, b), max(a, b)) for a, b in zip(face, face[1:] + face[:1])]

    def put(k: int, face: tuple[int, ...]) -> None:
        kept[k] = face
        for edge in ends(face):
            at_edge.setdefault(edge, set()).add(k)

    def take(k: int) -> tuple[int, ...]:
        face = kept.pop(k)
        for edge in ends(face):
            at_edge[edge].discard(k)
        return face

    for k, face in list(kept.items()):
        put(k, face)
    number, needles = len(faces), len(queue)
    while queue and number < 10 * len(faces) + 100:  # each split makes edges shorter, so this ends long before
        k = queue.pop()
        if k not in kept:
            continue
        needle = take(k)
        a, c = max(ends(needle), key=lambda edge: float(np.linalg.norm(vertices[edge[0]] - vertices[edge[1]])))
        (b,) = set(needle) - {a, c}
        for g in list(at_edge[a, c])[:1]:
            face = take(g)
            if b in face:  # the same needle, from the other side
                continue
            for gone in (a, c):
                half = tuple(b if corner == gone else corner for corner in face)
                put(number, half)
                if _thin(vertices, np.array([half]))[0]:
                    queue.append(number)
                number += 1
    return np.array([kept[k] for k in sorted(kept)], int).reshape(-1, 3), needles


def _check_edges(vertices: np.ndarray, faces: np.ndarray, what: str, surface: bool) -> None:
    edges, count = np.unique(edge_ends(faces), axis=0, return_counts=True)
    if (count > 2).any():
        a, b = vertices[edges[np.argmax(count)]]
        raise SpecError(
            f"{what} is not a surface: {count.max()} triangles meet at the edge from {_words(a)} to {_words(b)}: "
            "remove inner walls and duplicate triangles"
        )
    if surface or (count == 2).all():
        return
    border = edges[count == 1]
    _, group = connected(border[:, 0], border[:, 1], len(vertices))
    rims = [vertices[np.unique(border[group[border[:, 0]] == g])] for g in np.unique(group[border[:, 0]])]
    widths = [float(np.linalg.norm(np.ptp(rim, axis=0))) for rim in rims]
    widest = int(np.argmax(widths))
    more = "" if len(rims) == 1 else f", and {len(rims) - 1} more"
    raise SpecError(
        f"{what} has a hole around {_words(rims[widest].mean(axis=0))}, {widths[widest]:.3g} m wide{more}: close it, "
        "or write `surface: true` if it is intentionally open"
    )


def _words(point: np.ndarray) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in point) + ")"
