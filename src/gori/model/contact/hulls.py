"""Mesh files as shapes of contact: one convex hull, or the pieces of a convex decomposition.

Only the vertices count for a hull: holes, and triangles that are inside out, do no harm. A decomposition needs a closed
surface; one that is inside out is turned.
"""

from typing import Any

import numpy as np

from gori.door import triangles
from gori.errors import MissingPackageError, SpecError
from gori.model.contact.piece import Piece, hull_piece

CONCAVITY = 0.05
"""how far a piece may differ from its hull, of the size of the mesh (CoACD's threshold)"""


def mesh_pieces(name: str, shape: Any) -> list[Piece]:
    """Hulls of a mesh; name: "body.shape", for messages."""
    what = f"{name}: mesh {shape.file!r}"
    vertices, faces = _read(shape.file, what)
    vertices = vertices * np.array(shape.scale)
    used = vertices[np.unique(faces)] if len(faces) else vertices
    whole = hull_piece(used, what)
    if not shape.pieces:
        return [whole]
    return [hull_piece(part, f"{what}, piece {k}") for k, part in enumerate(_decomposed(vertices, faces, what))]


def _read(file: str, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles as they stand in the file."""
    mesh = triangles(file, what)
    return np.array(mesh.vertices, float).reshape(-1, 3), np.array(mesh.faces, int).reshape(-1, 3)


def _decomposed(vertices: np.ndarray, faces: np.ndarray, what: str) -> list[np.ndarray]:
    """Vertices of convex pieces that fill a closed mesh (Wei et al. 2022); always the same ones."""
    try:
        import coacd
    except ImportError as error:
        raise MissingPackageError(f"{what}: `pieces: true` needs coacd: pip install 'gori[contact]'") from error
    vertices, faces = _closed(vertices, faces, what)
    coacd.set_log_level("error")
    parts = coacd.run_coacd(coacd.Mesh(vertices, faces), threshold=CONCAVITY, seed=0)
    if not parts:
        raise SpecError(f"{what} cannot be divided into convex pieces: close its surface, or remove pieces: true")
    return [np.array(points, float) for points, _ in parts]


def _closed(vertices: np.ndarray, faces: np.ndarray, what: str) -> tuple[np.ndarray, np.ndarray]:
    """A mesh with each vertex once, without triangles that have no area, and its faces turned to the outside.

    An STL file has the vertices of each triangle for themselves, which for CoACD would be a surface full of holes. In a
    closed one each edge belongs to two triangles, which run through it in opposite directions; or, where solids touch
    each other along it, to four. CoACD makes a new surface of such a mesh, which takes longer and is less exact.
    """
    vertices, number = np.unique(vertices, axis=0, return_inverse=True)
    faces = number.reshape(-1)[faces]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    _, shared = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)
    remedy = "repair it (`trimesh.repair`, MeshLab), or remove pieces: true, and its convex hull collides"
    odd = shared[shared % 2 != 0]
    if len(odd):
        raise SpecError(
            f"{what} is not closed: of its {len(shared)} edges {np.sum(odd == 1)} belong to one triangle and "
            f"{np.sum(odd > 1)} to three or more. With pieces: true each must have two: {remedy}"
        )
    there, back = (np.unique(way, axis=0, return_counts=True) for way in (edges, edges[:, ::-1]))
    if not (len(there[0]) == len(back[0]) and (there[0] == back[0]).all() and (there[1] == back[1]).all()):
        raise SpecError(f"{what} has triangles that are inside out beside others that are not: {remedy}")
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    if np.einsum("ni,ni->", a, np.cross(b, c)) < 0.0:
        faces = faces[:, ::-1]
    return vertices, np.ascontiguousarray(faces)
