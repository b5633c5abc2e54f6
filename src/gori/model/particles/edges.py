"""Triangles and rectangles that share edges: who is next to whom, and what lies in one plane."""

from typing import NamedTuple

import numpy as np

FLAT, EVEN = 1e-4, 1e-3
"""facets that meet at an angle of less than FLAT [rad], all of them within EVEN of their mean, lie in one plane: a mesh
file holds single precision"""


class MeshSurface(NamedTuple):
    """Facets with their edges; edge j of a facet runs from its corner j to the next one.

    corners   (n, sides, 3) [m]
    edges     (n, sides, 3) [m]
    normal    (n, 3)          unit normal, by the order of the corners
    out       (n, sides, 3)   unit vector in the plane of the facet, square to the edge, that leads out of it
    partner   (n, sides)      the same edge as its other facet has it: facet * sides + edge; -1 at a border
    flat      (n, sides)      whether both facets of an edge lie in one plane
    plane     (n,)            number of the plane that a facet lies in
    common    (n, 3)          normal of that plane, one for all its facets, but for the sign, which is that of `normal`
    """

    corners: np.ndarray
    edges: np.ndarray
    normal: np.ndarray
    out: np.ndarray
    partner: np.ndarray
    flat: np.ndarray
    plane: np.ndarray
    common: np.ndarray


def surface_of(vertices: np.ndarray, faces: np.ndarray) -> MeshSurface:
    """The surface of triangles (n, 3) or rectangles (n, 4), given by the indices of their vertices (m, 3) [m].

    No edge may have more than two facets, none may be without an area. They need not be turned the same way.
    """
    sides = faces.shape[1]
    corners = vertices[faces]
    edges = np.roll(corners, -1, axis=1) - corners
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, -1] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    out = np.cross(edges, normal[:, None, :])
    out /= np.linalg.norm(out, axis=2, keepdims=True)
    partner = partners(faces)
    flat = (partner >= 0) & (np.linalg.norm(out + out.reshape(-1, 3)[partner], axis=2) < FLAT)
    return MeshSurface(corners, edges, normal, out, partner, *_planes(normal, flat, partner // sides))


def edge_ends(faces: np.ndarray) -> np.ndarray:
    """Both vertices of each edge of each facet, the lower one first (n * sides, 2): edge j runs from corner j."""
    ends = np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)
    return np.sort(ends, axis=1)


def partners(faces: np.ndarray) -> np.ndarray:
    """For each edge (n, sides) the same edge as its other facet has it: facet * sides + edge; -1 at a border."""
    _, which, count = np.unique(edge_ends(faces), axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(which.ravel(), kind="stable")
    pairs = order[count[which.ravel()[order]] == 2].reshape(-1, 2)
    partner = np.full(faces.size, -1)
    partner[pairs] = pairs[:, ::-1]
    return partner.reshape(faces.shape)


def connected(a: np.ndarray, b: np.ndarray, count: int) -> tuple[int, np.ndarray]:
    """Number of groups of so many things, of which a[k] and b[k] belong together, and the group of each."""
    from scipy.sparse import coo_array  # slow to import
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(a)), (a, b)), shape=(count, count))
    return connected_components(graph, directed=False)


def _planes(normal: np.ndarray, flat: np.ndarray, neighbour: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which edges are flat (n, sides), less those of facets that bend away little by little; the plane of each facet
    (n,) and its normal (n, 3), one for all facets of a plane: they see one division of it.
    """
    n = len(normal)
    facet, edge = np.nonzero(flat)
    count, plane = connected(facet, neighbour[facet, edge], n)
    _, first = np.unique(plane, return_index=True)
    turn = np.where(np.einsum("ni,ni->n", normal, normal[first[plane]]) < 0.0, -1.0, 1.0)[:, None]
    mean = np.zeros((count, 3))
    np.add.at(mean, plane, turn * normal)
    mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-300)
    bend = np.zeros(count)
    np.maximum.at(bend, plane, np.linalg.norm(turn * normal - mean[plane], axis=1))
    even = (bend < EVEN)[plane]
    plane = np.where(even, plane, count + np.arange(n))
    return flat & even[:, None], plane, np.where(even[:, None], turn * mean[plane * even], normal)
