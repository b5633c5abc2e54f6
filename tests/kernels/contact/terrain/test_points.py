"""Points of shapes on the terrain: rims, balls, vertices."""

import numpy as np
import pytest

from gori.kernels.contact.tables import BOX, CYLINDER, ELLIPSOID
from gori.kernels.contact.terrain import points as kernel
from tests.kernels.contact.shapes import turn
from tests.kernels.contact.terrain.test_faces import laid
from tests.plain import plain

LEVEL = {"at": [-2, -2], "cell": 0.5, "heights": np.zeros((9, 9))}


def points_of(kind, size, z, rotation=None, **terrain):
    a, scene, tables, work, (points, *_) = laid(kind, size, z, rotation, **terrain)
    count = plain(kernel.own_points)(a, scene.poses[0], tables, scene.vertex, 0.02, work, points)
    return work.spot[:count]


def test_rim_of_a_cylinder():
    assert len(points_of(CYLINDER, (0.3, 0.3, 0.2), 0.1999, field=LEVEL)) == 8


def test_support_points_between_those_of_the_rim():
    """A cylinder that leans towards a place between two points of its rim is as deep as it is."""
    lean, around = 0.3, np.pi / 8
    low = 0.3 * np.sin(lean) + 0.2 * np.cos(lean)
    spots = points_of(CYLINDER, (0.3, 0.3, 0.2), low - 1e-3, turn(0, 0, around) * turn(0, lean, 0), field=LEVEL)
    assert spots.gap.min() == pytest.approx(-1e-3, abs=1e-9)


def test_vertices_of_a_box_and_an_ellipsoid():
    assert sorted(points_of(BOX, (0.3, 0.2, 0.1), 0.1, field=LEVEL).id) == [0, 1, 2, 3]
    spots = points_of(ELLIPSOID, (0.3, 0.2, 0.1), 0.099, field=LEVEL)
    assert len(spots) == 1 and spots[0].gap == pytest.approx(-1e-3)
