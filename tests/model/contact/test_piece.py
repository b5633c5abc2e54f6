"""Convex hulls as shapes of contact."""

import numpy as np
import pytest

from gori.errors import SpecError
from gori.model.contact.piece import HULL_VERTICES, extreme_points, hull_piece

CUBE = np.array([(x, y, z) for x in (0.0, 2.0) for y in (0.0, 4.0) for z in (0.0, 6.0)])


def test_inner_points_are_left_out_and_the_centre_is_that_of_the_volume():
    points = np.concatenate([CUBE, np.random.default_rng(0).uniform(0, 2, (50, 3))])
    piece = hull_piece(points, "a.b")
    assert len(piece.vertices) == 8 and np.allclose(piece.p, [1, 2, 3]) and np.allclose(piece.half, [1, 2, 3])
    assert piece.curvature == 0.5
    corner = hull_piece(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), "a.b")
    assert np.allclose(corner.p, 0.25) and np.allclose(corner.half, 0.75)


def test_round_meshes_are_thinned():
    rng = np.random.default_rng(1)
    ball = rng.normal(size=(5000, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    piece = hull_piece(ball, "a.b")
    assert 150 < len(piece.vertices) <= HULL_VERTICES
    assert np.allclose(np.linalg.norm(piece.vertices + piece.p, axis=1), 1.0)
    kept = extreme_points(ball, 60)
    assert len(kept) <= 60 and kept[:, 2].max() == ball[:, 2].max() and kept[:, 0].min() == ball[:, 0].min()


@pytest.mark.parametrize(
    "points, words",
    [
        (CUBE[:3], "3 vertices"),
        (CUBE * [1, 1, 0], "flat"),
        (CUBE @ np.array([[1, 0, 1], [0, 1, 1], [0, 0, 0.0]]), "flat"),
        (np.where(CUBE == 6.0, np.nan, CUBE), "not finite"),
        (np.outer(np.arange(5), [1.0, 2.0, 3.0]), "flat"),
    ],
)
def test_degenerate_points(points, words):
    with pytest.raises(SpecError, match=f"arm.tip: mesh 'x.stl'.*{words}"):
        hull_piece(points, "arm.tip: mesh 'x.stl'")
