"""Ground that bulges under the supporting face of a shape."""

import numpy as np
import pytest

from gori.kernels.contact.tables import BOX
from gori.kernels.contact.terrain import faces as kernel
from gori.kernels.contact.terrain.points import own_points
from gori.spec.vehicle.terrain import Terrain
from tests.kernels.contact.shapes import Scene, fields, turn
from tests.plain import plain, records

PEAK = np.zeros((9, 9))
PEAK[4, 4] = 0.1


def laid(kind, size, z, rotation=None, **terrain):
    """A shape over the origin, its tables and work, and what `lay_face` finds."""
    scene = Scene(Terrain.model_validate(terrain))
    scene.add(kind, size, position=(0.0, 0.0, z), rotation=rotation)
    a, tables, work = fields(scene.rows[0][0]), records(scene.tables), records(scene.work)
    face = plain(kernel.lay_face)(a, scene.poses[0], tables, scene.vertex, 0.02, work)
    return a, scene, tables, work, face


def test_face_over_a_slope_has_its_normal():
    *_, work, (points, *normal) = laid(BOX, (0.5, 0.4, 0.1), 0.2, turn(0, -0.1, 0), grade=[0.1, 0.0])
    assert points == 4
    np.testing.assert_allclose(normal, [-np.sin(0.1), 0.0, np.cos(0.1)], atol=1e-9)
    assert work.clip_to[4].x == pytest.approx(0.1 * np.sin(0.1), abs=1e-9)  # the middle of the face


def test_a_node_of_the_field_under_a_face():
    field = {"at": [-2, -2], "cell": 0.5, "heights": PEAK}
    a, _, tables, work, (points, *normal) = laid(BOX, (0.3, 0.3, 0.1), 0.195, field=field)
    count = plain(kernel.ground_points)(a, tables, 0.02, work, points, tuple(normal), 0)
    inside = [work.spot[k] for k in range(count) if work.spot[k].id >= kernel.OF_NODES]
    assert len(inside) == 1 and inside[0].gap == pytest.approx(-5e-3) and inside[0].nz == pytest.approx(1.0)
    assert (inside[0].x, inside[0].y) == (0.0, 0.0)


def test_level_ground_adds_nothing_to_the_corners():
    field = {"at": [-2, -2], "cell": 0.1, "heights": np.zeros((41, 41))}
    a, scene, tables, work, (points, *normal) = laid(BOX, (0.5, 0.5, 0.1), 0.0999, field=field)
    own = plain(own_points)(a, scene.poses[0], tables, scene.vertex, 0.02, work, points)
    assert own == 4
    assert plain(kernel.ground_points)(a, tables, 0.02, work, points, tuple(normal), own) == own
