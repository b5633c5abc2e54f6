"""Facets that share edges and corners: who owns what, and what is flat."""

import numpy as np
import pytest

from gori.kernels.particles import columns as t
from gori.kernels.particles.facets import CORNER_BIT, EDGE_BIT, FLAT_BIT
from gori.model.particles.edges import edge_ends
from gori.model.particles.facets import facet_rows

CUBE = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
SIDES = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
HALVES = np.concatenate([SIDES[:, [0, 1, 2]], SIDES[:, [0, 2, 3]]])


def bits(made, first, sides):
    """(n, sides) of the column OWNED, from one bit on."""
    return made.wall_i[:, t.OWNED][:, None] >> (first + np.arange(sides)) & 1


@pytest.mark.parametrize("faces", [SIDES, HALVES], ids=["rectangles", "triangles"])
def test_each_edge_and_corner_of_a_cube_has_one_owner(faces):
    made, sides = facet_rows(CUBE, faces), faces.shape[1]
    flat, edges, corners = (bits(made, bit, sides) for bit in (FLAT_BIT, EDGE_BIT, CORNER_BIT))
    assert edges.sum() == (12 if sides == 4 else 18) and corners.sum() == 8
    assert flat.sum() == (0 if sides == 4 else 12)  # both halves of a side, across its diagonal
    owners = edge_ends(faces).reshape(len(faces), sides, 2)[edges.astype(bool)]
    assert len(np.unique(owners, axis=0)) == len(owners)
    assert (made.wall_i[:, t.KIND] == (t.RECT if sides == 4 else t.TRIANGLE)).all()
    assert np.array_equal(made.corners, CUBE[faces])


def test_directions_across_the_edges_of_a_cube():
    """Out of the neighbour: across an edge of a cube that is along the face's own normal, inwards or outwards."""
    made = facet_rows(CUBE, SIDES)
    normal, out = made.wall_f[:, t.FACE : t.FACE + 3], made.wall_f[:, t.OUT : t.OUT + 12].reshape(-1, 4, 3)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-15)
    np.testing.assert_allclose(np.abs(np.einsum("ni,nki->nk", normal, out)), 1.0, atol=1e-14)


def test_borders_belong_to_their_only_facet():
    made = facet_rows(CUBE, SIDES[:1])
    assert bits(made, EDGE_BIT, 4).all() and bits(made, CORNER_BIT, 4).all() and not bits(made, FLAT_BIT, 4).any()
    assert not made.wall_f[0, t.OUT : t.OUT + 12].any()  # nobody is next


def grid(bend):
    """A strip of squares in halves, each bent against the one before it by an angle; some facets are turned over."""
    angle = bend * np.arange(12)
    x, z = (np.concatenate([[0.0], np.cumsum(f(angle))]) for f in (np.cos, np.sin))
    vertices = np.array([(x[k], y, z[k]) for k in range(13) for y in (0.0, 1.0)])
    quads = [(2 * k, 2 * k + 2, 2 * k + 3, 2 * k + 1) for k in range(12)]
    faces = np.array([half for a, b, c, d in quads for half in ((a, b, c), (a, c, d))])
    return vertices, np.array([face if k % 3 else face[::-1] for k, face in enumerate(faces)])


@pytest.mark.parametrize("bend, flat", [(0.0, True), (1e-5, True), (9e-5, True), (2e-4, False), (0.3, False)])
def test_flat_edges(bend, flat):
    """Facets in one plane, to single precision; a strip that bends away little by little is none."""
    made = facet_rows(*grid(bend))
    found = bits(made, FLAT_BIT, 3).sum()
    assert found == (2 * 23 if flat else 2 * 12)  # else the diagonals alone
    corners = bits(made, CORNER_BIT, 3).sum()
    assert corners == 26  # a strip has no corner in the middle


def test_a_corner_in_the_middle_of_a_plane_has_no_owner():
    ring = np.array([(np.cos(a), np.sin(a), 0.0) for a in np.arange(6) * np.pi / 3])
    vertices = np.vstack([[(0.0, 0.0, 0.0)], ring])
    faces = np.array([(0, 1 + k, 1 + (k + 1) % 6) for k in range(6)])
    made = facet_rows(vertices, faces)
    assert bits(made, CORNER_BIT, 3).sum() == 6 and bits(made, FLAT_BIT, 3).sum() == 12
    first, count = made.rim_i[made.wall_i[0, t.CORNER]]
    leaving = made.rim_f[first : first + count]
    assert count == 6 and np.allclose(np.sort(leaving[:, 0]), np.sort(ring[:, 0]))
    assert made.wall_i[0, t.CORNER + 3] == -1
