"""Facets that share edges and corners -> their rows for `kernels/particles/facets.py` and `curved.py`: who owns what,
who is next, and how triangles of a smooth surface bulge.
"""

from typing import NamedTuple

import numpy as np

from gori.kernels.particles import columns as t
from gori.kernels.particles.facets import CORNER_BIT, CURVED_BIT, EDGE_BIT, FLAT_BIT
from gori.model.particles.edges import MeshSurface, edge_ends, surface_of
from gori.model.particles.smooth import Smooth, rise, smooth

SLIGHT = 1e-8
"""deflections in the size of a facet, and angles [rad], that are none"""


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


def facet_rows(vertices: np.ndarray, faces: np.ndarray, crease: float = 0.0) -> Facets:
    """Rows of triangles (n, 3) or rectangles (n, 4), given by the indices of their vertices (m, 3) [m].

    No edge may have more than two facets, none may be without an area. They need not be turned the same way.

    crease   triangles that meet at less than this angle [rad] may stand for a smooth surface (`smooth.py`)
    """
    n, sides = faces.shape
    bulged = smooth(vertices, faces, crease) if crease > 0.0 and sides == 3 else None
    s = surface_of(vertices, faces)
    border, other = s.partner < 0, s.partner // sides
    flat = s.flat if bulged is None else ~bulged.sharp
    out, curved = s.out, np.zeros(n, bool)
    if bulged is not None:
        curved = _is_curved(s, bulged)
        out = np.where(curved[:, None, None], _outwards(s.edges, bulged), out)
    beyond = np.where(border[..., None], 0.0, out.reshape(-1, 3)[s.partner])
    across = np.cross(s.edges, s.common[:, None, :])
    across /= np.linalg.norm(across, axis=2, keepdims=True)
    across *= -np.sign(np.einsum("nki,nki->nk", across, s.out))[..., None]
    beyond = np.where(flat[..., None], across, beyond)

    own_edge = border | (np.arange(n)[:, None] < other)
    first = np.full(len(vertices), n)
    np.minimum.at(first, faces, np.broadcast_to(np.arange(n)[:, None], faces.shape))
    own_corner = first[faces] == np.arange(n)[:, None]
    even = np.ones(len(vertices), bool)  # corners in the middle of a plane: one of the faces around has them
    np.logical_and.at(even, faces, flat & np.roll(flat, 1, axis=1))
    if bulged is not None:
        even[faces[bulged.weight == 0.0]] = False
        own_edge &= ~flat
    own_corner &= ~even[faces]

    wall_i = np.zeros((n, t.N_WALL_I), np.int32)
    wall_i[:, t.KIND] = t.TRIANGLE if sides == 3 else t.RECT
    for bit, flags in ((EDGE_BIT, own_edge), (CORNER_BIT, own_corner), (FLAT_BIT, flat)):
        wall_i[:, t.OWNED] |= (flags << (bit + np.arange(sides))).sum(axis=1).astype(np.int32)
    used, corner = np.unique(faces, return_inverse=True)
    corner = corner.reshape(faces.shape)
    wall_i[:, t.CORNER : t.CORNER + 4] = -1
    wall_i[:, t.CORNER : t.CORNER + sides] = corner

    wall_f = np.zeros((n, t.N_WALL_F))
    wall_f[:, t.POINT : t.POINT + 3] = s.corners[:, 0]
    wall_f[:, t.E1 : t.E1 + 3] = s.corners[:, 1] - s.corners[:, 0]
    wall_f[:, t.E2 : t.E2 + 3] = s.corners[:, -1] - s.corners[:, 0]
    wall_f[:, t.OUT : t.OUT + 3 * sides] = beyond.reshape(n, -1)
    wall_f[:, t.FACE : t.FACE + 3] = s.normal
    if bulged is not None:
        wall_i[:, t.OWNED] |= curved << CURVED_BIT
        wall_f[curved] += _curved_columns(s, bulged)[curved]
    middle = np.zeros(s.edges.shape) if bulged is None else bulged.middle
    return Facets(wall_i, wall_f, *_rims(vertices[used], corner, middle), s.corners)


def _means(bulged: Smooth) -> np.ndarray:
    """(n, 3, 3) unit normal in the middle of each edge."""
    weighed = bulged.weight[..., None] * bulged.normal
    mean = weighed + np.roll(weighed, -1, axis=1)
    return mean / np.linalg.norm(mean, axis=2, keepdims=True)


def _outwards(edges: np.ndarray, bulged: Smooth) -> np.ndarray:
    """(n, 3, 3) directions that lead out of triangles across their edges, in their curved surface."""
    out = np.cross(edges, _means(bulged))
    return out / np.linalg.norm(out, axis=2, keepdims=True)


def _is_curved(s: MeshSurface, bulged: Smooth) -> np.ndarray:
    """(n,) whether triangles or their edges are curved at all."""
    slope = np.linalg.norm(np.cross(s.common[:, None], bulged.normal), axis=2)
    far = np.linalg.norm(bulged.middle, axis=2)
    return ((slope > SLIGHT) | (far > SLIGHT * np.linalg.norm(s.edges, axis=2))).any(axis=1)


def _curved_columns(s: MeshSurface, bulged: Smooth) -> np.ndarray:
    """(n, N_WALL_F) the columns that only curved triangles have."""
    numbers = np.zeros((len(s.edges), t.N_WALL_F))
    double_area = np.linalg.norm(np.cross(s.edges[:, 0], s.edges[:, 1]), axis=1)
    wide = np.einsum("nki,nki->nk", bulged.middle, _outwards(s.edges, bulged))
    upright = np.einsum("ni,nki->nk", s.normal, bulged.normal)
    slope = np.linalg.norm(np.cross(s.normal[:, None], bulged.normal), axis=2) / np.maximum(upright, 1e-3)
    numbers[:, t.RISE : t.RISE + 3] = rise(s, bulged.normal, bulged.weight)
    numbers[:, t.AT_CORNER : t.AT_CORNER + 9] = (bulged.weight[..., None] * bulged.normal).reshape(-1, 9)
    numbers[:, t.WEIGHT : t.WEIGHT + 3] = bulged.weight
    numbers[:, t.SPREAD : t.SPREAD + 3] = wide * np.linalg.norm(s.edges, axis=2) / double_area[:, None]
    numbers[:, t.LEAN] = np.where(slope > SLIGHT, slope, 0.0).max(axis=1)
    numbers[:, t.BULGE] = 4.0 / 3.0 * np.linalg.norm(bulged.middle, axis=2).max(axis=1)
    return numbers


def _rims(points: np.ndarray, faces: np.ndarray, middle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """rim_i (nvertex, 2) and rim_f: first and count of the edges that leave each vertex, and their directions there.

    middle   (n, sides, 3) deflection of the middle of each edge [m]
    """
    ends, first = np.unique(edge_ends(faces), axis=0, return_index=True)
    ends, first = np.concatenate([ends, ends[:, ::-1]]), np.tile(first, 2)
    order = np.argsort(ends[:, 0], kind="stable")
    ends, first = ends[order], first[order]
    along = points[ends[:, 1]] - points[ends[:, 0]] + 4.0 * middle.reshape(-1, 3)[first]
    count = np.bincount(ends[:, 0], minlength=len(points))
    rim_i = np.stack([np.cumsum(count) - count, count], axis=1).astype(np.int32)
    return rim_i, along / np.linalg.norm(along, axis=1, keepdims=True)
