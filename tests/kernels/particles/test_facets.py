"""One flat facet by itself: where its edges are, what it answers within reach and beyond."""

import numpy as np
import pytest

from gori.kernels.particles import columns as t
from gori.kernels.particles import facets as kernel
from gori.model.particles.facets import facet_rows
from tests.plain import plain
from tests.reference.walls import closest_on_polygon

SQUARE = np.array([(0.0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0)])
FACES = {"rectangle": np.array([(0, 1, 2, 3)]), "triangle": np.array([(0, 1, 2)])}


@pytest.mark.parametrize("kind", FACES)
def test_edges_run_from_corner_to_corner(kind):
    made = facet_rows(SQUARE, FACES[kind])
    corners = made.corners[0]
    for j in range(len(corners)):
        found = plain(kernel.side_of)(made.wall_f, kind == "rectangle", 0, j)
        np.testing.assert_allclose(found[:3], corners[j] - corners[0])
        np.testing.assert_allclose(found[3:], np.roll(corners, -1, axis=0)[j] - corners[j])


@pytest.mark.parametrize("kind", FACES)
def test_a_facet_alone_against_brute_force(kind):
    """Its borders are its own: it answers its closest point, or FAR if its plane is farther than the reach."""
    made, rng, far = facet_rows(SQUARE, FACES[kind]), np.random.default_rng(0), 0
    for _ in range(300):
        c = rng.uniform([-1.0, -1.0, -1.0], [3.0, 2.0, 1.0])
        gap, *n = plain(kernel.to_facet)(*made[:4], 0, *c, 0.7)
        if abs(c[2]) >= 0.7:
            assert gap == t.FAR
            far += 1
        else:
            q = closest_on_polygon(made.corners[0], c)
            np.testing.assert_allclose(c + gap * np.array(n), q, atol=1e-9)
    assert far > 50
