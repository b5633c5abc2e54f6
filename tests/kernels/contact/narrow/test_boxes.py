"""Boxes against boxes: the depth of 15 axes is the least of all directions, and bounds the distance."""

import numpy as np
import pytest

from gori.kernels.contact.narrow import boxes as kernel
from gori.kernels.contact.narrow.frames import relative_pose
from gori.kernels.contact.tables import BOX
from tests.kernels.contact.shapes import Scene, fields, random_rotation, turn
from tests.plain import plain, records
from tests.reference.contact import gap_along, signed_distance


def axis_of(scene, limit=np.inf):
    work = records(scene.work)
    plain(relative_pose)(*scene.poses, work.pose_ab)
    within = plain(kernel.box_axis)(*(fields(r[0]) for r in scene.rows), work.pose_ab, limit, work.answer[0])
    answer = work.answer[0]
    return within, answer.distance, scene.poses[0][:9].reshape(3, 3) @ [answer.nx, answer.ny, answer.nz]


@pytest.mark.parametrize("seed", range(30))
def test_depth(seed):
    rng, scene = np.random.default_rng(seed), Scene()
    for _ in range(2):
        scene.add(BOX, rng.uniform(0.3, 1.0, 3), 0.0, rng.normal(size=3) * 0.5, random_rotation(rng))
    _, gap, normal = axis_of(scene)
    a, b = ((r[0], (), p) for r, p in zip(scene.rows, scene.poses))
    expected, _ = signed_distance(a, b, start=[normal])
    assert gap_along(a, b, normal)[0] == pytest.approx(gap, abs=1e-12)
    assert gap <= expected + 1e-12
    if gap < 0.0:
        assert gap == pytest.approx(expected, abs=1e-6)
    assert not axis_of(scene, gap - 1e-3)[0]


def test_crossed_edges():
    scene = Scene()
    scene.add(BOX, (1, 1, 1), rotation=turn(0, np.pi / 4, 0))
    scene.add(BOX, (1, 1, 1), position=(0, 0, 2 * 2**0.5 - 0.1), rotation=turn(np.pi / 4, 0, 0))
    _, gap, normal = axis_of(scene)
    assert gap == pytest.approx(-0.1) and normal == pytest.approx([0, 0, 1])


def test_stacked_boxes_keep_the_normal_of_a_face():
    rng = np.random.default_rng(0)
    for _ in range(20):
        scene = Scene()
        scene.add(BOX, (0.5, 0.5, 0.5))
        scene.add(BOX, (0.5, 0.5, 0.5), position=(0.01, 0.02, 0.999), rotation=turn(*1e-9 * rng.normal(size=3)))
        assert axis_of(scene)[2] == pytest.approx([0, 0, 1], abs=1e-12)
