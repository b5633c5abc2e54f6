"""From any simplex with the origin to a tetrahedron of support points."""

import numpy as np
import pytest

from gori.kernels.contact.narrow import tetrahedron as kernel
from gori.kernels.contact.narrow.frames import relative_pose
from gori.kernels.contact.tables import BOX, CAPSULE, SPHERE
from tests.kernels.contact.shapes import Scene, fields, turn
from tests.plain import plain, records


def start(kind, other, rotation=None):
    scene = Scene()
    scene.add(kind, (1, 1, 1)), scene.add(other, (0.5, 0.5, 0.5), rotation=rotation)
    work = records(scene.work)
    plain(relative_pose)(*scene.poses, work.pose_ab)
    return (*(fields(row[0]) for row in scene.rows), work.pose_ab, scene.vertex), work


@pytest.mark.parametrize("count", [1, 2, 3])
def test_boxes(count):
    pair, work = start(BOX, BOX)
    for k, d in enumerate([(1.0, 0.9, 0.8), (-1.0, -0.9, -0.8), (1.0, -0.9, 0.7)][:count]):
        plain(kernel.try_corner)(*pair, *d, work.corner, k)
    assert plain(kernel.grow_to_tetrahedron)(*pair, 3.0, work.corner, count) == 4
    assert abs(plain(kernel.volume_of)(work.corner, 0, 1, 2, 3)) > 1.0
    assert plain(kernel.off_line)(work.corner, 2) > 1.0


def test_a_flat_difference_has_none():
    """Two segments that cross: a parallelogram. Across it they overlap by nothing."""
    pair, work = start(CAPSULE, CAPSULE, turn(0.7, 0.0, 0.0))
    plain(kernel.try_corner)(*pair, 0.1, 0.2, 0.3, work.corner, 0)
    count = plain(kernel.grow_to_tetrahedron)(*pair, 3.0, work.corner, 1)
    assert count == 3
    answer = work.answer[0]
    plain(kernel.flat_answer)(*pair, work.corner, count, answer)
    assert answer.distance == pytest.approx(0.0) and abs(answer.nx) == pytest.approx(1.0)
    pair, work = start(SPHERE, SPHERE)
    assert plain(kernel.grow_to_tetrahedron)(*pair, 3.0, work.corner, 1) == 1
    plain(kernel.flat_answer)(*pair, work.corner, 1, answer)
    assert np.linalg.norm([answer.nx, answer.ny, answer.nz]) == 1.0 and answer.distance == 0.0
