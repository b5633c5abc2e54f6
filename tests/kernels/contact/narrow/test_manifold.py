"""Patches of contact: where faces, edges and vertices meet, the same from step to step."""

import numpy as np
import pytest

from gori.kernels.contact.narrow import manifold as kernel
from gori.kernels.contact.narrow.frames import relative_pose
from gori.kernels.contact.narrow.work import FACE_POINT
from gori.kernels.contact.tables import BOX, CAPSULE, CYLINDER, FOUND, HULL, MOST_POINTS
from tests.kernels.contact.shapes import Scene, fields, turn
from tests.plain import plain, records, rows


def patch(scene, normal, distance, reach=0.01, point=(0.0, 0.0, 0.0), witness=True):
    """Contact points of a normal and distance that are given, A standing in the world as it is."""
    work, found = records(scene.work), rows(FOUND.zeros(MOST_POINTS))
    plain(relative_pose)(*scene.poses, work.pose_ab)
    work.answer[0] = (*normal, distance, *point)
    a, b = (fields(row[0]) for row in scene.rows)
    count = plain(kernel.contact_patch)(a, b, scene.poses[0], scene.vertex, reach, witness, work, found)
    return found[: max(count, 0)] if witness else count


def box_on(kind, *shape, height=0.0, rotation=None, at=(0.0, 0.0), **more):
    scene = Scene()
    scene.add(BOX, (1, 1, 1))
    scene.add(kind, *shape, position=(*at, 1.0 + height), rotation=rotation, **more)
    return scene


def test_face_on_face():
    found = patch(box_on(BOX, (0.5, 0.5, 0.5), height=0.499, at=(0.7, 0.0)), (0, 0, 1), -0.001)
    assert len(found) == 4 == len(set(found.feature))
    np.testing.assert_allclose(found.gap, -0.001)
    corners = {(round(x, 9), round(y, 9)) for x, y, _ in found.position}
    assert corners == {(1.0, 0.5), (1.0, -0.5), (0.2, 0.5), (0.2, -0.5)}
    np.testing.assert_allclose(found.position[:, 2], 0.9995)


def test_radii_move_the_middle():
    scene = box_on(BOX, (0.5, 0.5, 0.5), 0.1, height=0.599)
    found = patch(scene, (0, 0, 1), 0.099)
    np.testing.assert_allclose(found.gap, -0.001)
    np.testing.assert_allclose(found.position[:, 2], 0.9995)


def test_edges():
    """On a face an edge has two points; side by side with another one too; across it one."""
    side = turn(np.pi / 2, 0.0, 0.0)
    found = patch(box_on(CAPSULE, (0, 0, 0.8), 0.2, height=0.2, rotation=side), (0, 0, 1), 0.2)
    assert len(found) == 2 and sorted(found.position[:, 1]) == pytest.approx([-0.8, 0.8])
    for yaw, count in ((0.0, 2), (1.0, 1)):
        scene = Scene()
        scene.add(CYLINDER, (0.5, 0, 1.0), rotation=side)
        scene.add(CYLINDER, (0.5, 0, 0.6), position=(0, 0, 1.0), rotation=turn(0, 0, yaw) * side)
        normal = side.inv().apply([0, 0, 1.0])
        point = 0.5 * normal
        found = patch(scene, normal, 0.0, point=point)
        assert len(found) == count == len(set(found.feature))
        assert found.gap == pytest.approx(0.0, abs=1e-12) and found.normal[0] == pytest.approx([0, 0, 1])


def test_a_rim_between_its_points():
    """A tilted cylinder touches with a point of its rim that is none of those that stand for it."""
    tilt = turn(0.3, 0.0, 0.0) * turn(0.0, 0.0, 0.2)
    x, y, _ = tilt.inv().apply([0.0, 0.0, -1.0])
    low = tilt.apply([0.5 * x / np.hypot(x, y), 0.5 * y / np.hypot(x, y), -0.5])
    scene = box_on(CYLINDER, (0.5, 0, 0.5), height=-low[2], rotation=tilt)
    found = patch(scene, (0, 0, 1), 0.0, point=(low[0], low[1], 1.0))
    assert found.gap.min() == pytest.approx(0.0, abs=1e-12)
    assert found.position[found.gap.argmin()] == pytest.approx([low[0], low[1], 1.0])


def test_a_hull_on_a_box():
    angle = 2.0 * np.pi * np.arange(5) / 5
    ring = 0.5 * np.column_stack([np.cos(angle), np.sin(angle)])
    vertices = np.vstack([np.column_stack([ring, np.full(5, z)]) for z in (0.5, -0.5)])
    found = patch(box_on(HULL, height=0.5, vertices=vertices), (0, 0, 1), 0.0)
    assert len(found) == 5 and np.ptp(found.gap) < 1e-12


def test_no_witness_and_no_corner():
    """Vertices that are closest to each other: the gap along an axis is no distance, and the caller is told."""
    scene = box_on(BOX, (1, 1, 1), height=1.5, at=(2.5, 2.5))
    assert patch(scene, (0, 0, 1), 0.5, 10.0, witness=False) == -1
    near = box_on(BOX, (1, 1, 1), height=1.5)
    assert patch(near, (0, 0, 1), 0.5, 10.0, witness=False) == 4


def test_points_keep_their_features():
    rng = np.random.default_rng(0)
    for at, yaw in (((0.0, 0.0), 0.0), ((0.3, 0.1), 0.3), ((0.0, 0.0), np.pi / 4)):
        seen = set()
        for _ in range(20):
            rotation = turn(*1e-7 * rng.normal(size=2), yaw + 1e-7 * rng.normal())
            scene = box_on(BOX, (1, 1, 1), height=1.0 - 1e-4, at=at + 1e-7 * rng.normal(size=2), rotation=rotation)
            found = patch(scene, (0, 0, 1), -1e-4)
            seen.add(frozenset(found.feature.tolist()))
        assert len(seen) == 1 and 4 <= len(seen.pop()) <= 8


def test_planes_of_polygons():
    face = FACE_POINT.zeros(4)
    face["x"], face["y"] = [1, -1, -1, 1], [1, 1, -1, -1]
    face["z"] = 0.5 + 0.1 * face["x"] - 0.2 * face["y"]
    assert plain(kernel.plane_of)(rows(face), 4) == pytest.approx((0.1, -0.2, 0.5, 0.0))
    face["z"][3] += 0.1
    assert plain(kernel.plane_of)(rows(face), 4)[3] > 0.01
