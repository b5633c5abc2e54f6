"""Facets that share edges and corners -> their rows for `kernels/particles/walls.py`: who owns what, who is next."""

from typing import NamedTuple

import numpy as np

from gori.kernels.particles import columns as t
from gori.kernels.particles.walls import CORNER_BIT, EDGE_BIT, FLAT_BIT

FLAT, EVEN = 1e-4, 1e-3
"""facets that meet at an angle of less than FLAT [rad], all of them within EVEN of their mean, lie in one plane: a mesh
file holds single precision"""


class Facets(NamedTuple):
    """Facets of one kind that touch each other only.

    wall_i, wall_f   (n, N_WALL_I) and (n, N_WALL_F) as in `columns.py`; body, material and shape are not filled in
    rim_i, rim_f     of their corners
    corners          (n, 3 or 4, 3) [m]
    """

    wall_i: np.ndarray
    wall_f: np.ndarray
    rim_i: np.ndarray
    rim_f: np.ndarray
    corners: np.ndarray


def facet_rows(vertices: np.ndarray, faces: np.ndarray) -> Facets:
    """Rows of triangles (n, 3) or rectangles (n, 4), given by the indices of their vertices (m, 3) [m].

    No edge may have more than two facets, none may be without an area. They need not be turned the same way.
    """
    n, sides = faces.shape
    corners = vertices[faces]
    edges = np.roll(corners, -1, axis=1) - corners
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, -1] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    out = np.cross(edges, normal[:, None, :])
    out /= np.linalg.norm(out, axis=2, keepdims=True)

    partner = _partners(faces)
    border = partner < 0
    beyond = np.where(border[..., None], 0.0, out.reshape(-1, 3)[partner])
    flat = ~border & (np.linalg.norm(out + beyond, axis=2) < FLAT)
    flat, common = _planes(normal, flat, partner // sides)
    across = np.cross(edges, common[:, None, :])
    across /= np.linalg.norm(across, axis=2, keepdims=True)
    across *= -np.sign(np.einsum("nki,nki->nk", across, out))[..., None]
    beyond = np.where(flat[..., None], across, beyond)

    own_edge = border | (np.arange(n)[:, None] < partner // sides)
    first = np.full(len(vertices), n)
    np.minimum.at(first, faces, np.broadcast_to(np.arange(n)[:, None], faces.shape))
    own_corner = first[faces] == np.arange(n)[:, None]
    even = np.ones(len(vertices), bool)  # corners in the middle of a plane: one of the faces around has them
    np.logical_and.at(even, faces, flat & np.roll(flat, 1, axis=1))
    own_corner &= ~even[faces]

    wall_i = np.zeros((n, t.N_WALL_I), np.int32)
    wall_i[:, t.KIND] = t.TRIANGLE if sides == 3 else t.RECT
    for bit, flags in ((EDGE_BIT, own_edge), (CORNER_BIT, own_corner), (FLAT_BIT, flat)):
        wall_i[:, t.OWNED] |= (flags << (bit + np.arange(sides))).sum(axis=1).astype(np.int32)
    used, corner = np.unique(faces, return_inverse=True)
    wall_i[:, t.CORNER : t.CORNER + 4] = -1
    wall_i[:, t.CORNER : t.CORNER + sides] = corner.reshape(faces.shape)

    wall_f = np.zeros((n, t.N_WALL_F))
    wall_f[:, t.POINT : t.POINT + 3] = corners[:, 0]
    wall_f[:, t.E1 : t.E1 + 3] = corners[:, 1] - corners[:, 0]
    wall_f[:, t.E2 : t.E2 + 3] = corners[:, -1] - corners[:, 0]
    wall_f[:, t.OUT : t.OUT + 3 * sides] = beyond.reshape(n, -1)
    face = np.cross(wall_f[:, t.E1 : t.E1 + 3], wall_f[:, t.E2 : t.E2 + 3])
    wall_f[:, t.FACE : t.FACE + 3] = face / np.maximum(np.linalg.norm(face, axis=1, keepdims=True), 1e-300)
    return Facets(wall_i, wall_f, *_rims(vertices[used], corner.reshape(faces.shape)), corners)


def edge_ends(faces: np.ndarray) -> np.ndarray:
    """Both vertices of each edge of each facet, the lower one first (n * sides, 2): edge j runs from corner j."""
    ends = np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)
    return np.sort(ends, axis=1)


def _partners(faces: np.ndarray) -> np.ndarray:
    """For each edge (n, sides) the same edge as its other facet has it: facet * sides + edge; -1 at a border."""
    _, which, count = np.unique(edge_ends(faces), axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(which.ravel(), kind="stable")
    pairs = order[count[which.ravel()[order]] == 2].reshape(-1, 2)
    partner = np.full(faces.size, -1)
    partner[pairs] = pairs[:, ::-1]
    return partner.reshape(faces.shape)


def _planes(normal: np.ndarray, flat: np.ndarray, neighbour: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which edges are flat (n, sides), less those of facets that bend away little by little; normals (n, 3) of the
    planes that facets lie in, one for all facets of a plane: they see one division of it.
    """
    n = len(normal)
    facet, edge = np.nonzero(flat)
    count, plane = connected(facet, neighbour[facet, edge], n)
    _, first = np.unique(plane, return_index=True)
    turned = normal * np.where(np.einsum("ni,ni->n", normal, normal[first[plane]]) < 0.0, -1.0, 1.0)[:, None]
    mean = np.zeros((count, 3))
    np.add.at(mean, plane, turned)
    mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-300)
    bend = np.zeros(count)
    np.maximum.at(bend, plane, np.linalg.norm(turned - mean[plane], axis=1))
    even = (bend < EVEN)[plane][:, None]
    return flat & even, np.where(even, mean[plane], normal)


def _rims(points: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """rim_i (nvertex, 2) and rim_f: first and count of the edges that leave each vertex, and their directions."""
    ends = np.unique(edge_ends(faces), axis=0)
    ends = np.concatenate([ends, ends[:, ::-1]])
    ends = ends[np.argsort(ends[:, 0], kind="stable")]
    along = points[ends[:, 1]] - points[ends[:, 0]]
    count = np.bincount(ends[:, 0], minlength=len(points))
    rim_i = np.stack([np.cumsum(count) - count, count], axis=1).astype(np.int32)
    return rim_i, along / np.linalg.norm(along, axis=1, keepdims=True)


def connected(a: np.ndarray, b: np.ndarray, count: int) -> tuple[int, np.ndarray]:
    """Number of groups of so many things, of which a[k] and b[k] belong together, and the group of each."""
    from scipy.sparse import coo_array  # slow to import
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(a)), (a, b)), shape=(count, count))
    return connected_components(graph, directed=False)
