"""Normals of least depth, refined."""

import numpy as np
import pytest

from gori.kernels.contact.narrow import polish as kernel
from gori.kernels.contact.narrow.frames import relative_pose
from gori.kernels.contact.tables import BOX, CYLINDER, ELLIPSOID, SPHERE
from tests.kernels.contact.shapes import Scene, fields, turn
from tests.plain import plain, records
from tests.reference.contact import signed_distance


def test_ellipsoids():
    scene = Scene()
    scene.add(ELLIPSOID, (0.5, 0.7, 0.9))
    scene.add(ELLIPSOID, (0.8, 0.4, 0.6), position=(1.0, 0.1, 0.2), rotation=turn(0.3, 0.2, 0.1))
    work = records(scene.work)
    plain(relative_pose)(*scene.poses, work.pose_ab)
    a, b = (fields(row[0]) for row in scene.rows)
    distance, normal = signed_distance(*((r[0], (), p) for r, p in zip(scene.rows, scene.poses)), rounds=60)
    answer = work.answer[0]
    start = normal + np.array([0.0, 0.02, 0.01])
    answer.nx, answer.ny, answer.nz = start / np.linalg.norm(start)
    assert plain(kernel.polish_normal)(a, b, work.pose_ab, scene.vertex, 1.0, answer)
    assert answer.distance == pytest.approx(distance, abs=1e-10)
    n = np.array([answer.nx, answer.ny, answer.nz])
    w = plain(kernel.support_of_both)(a, b, work.pose_ab, scene.vertex, *n)
    np.testing.assert_allclose(np.cross(n, w[:3]), 0.0, atol=1e-10)  # the closest point is where the normal leads


def test_a_cylinder_in_a_box():
    """Its side under a face, with a normal that is off: one round finds it, and a point of the line of contact."""
    scene = Scene()
    scene.add(BOX, (1, 1, 1))
    scene.add(CYLINDER, (0.5, 0.0, 0.7), position=(0.1, 0.2, 1.49), rotation=turn(np.pi / 2, 0.0, 0.3))
    work = records(scene.work)
    plain(relative_pose)(*scene.poses, work.pose_ab)
    before, answer = work.pose_ab.copy(), work.answer[0]
    answer.nx, answer.ny, answer.nz, answer.distance = 1e-4, -1e-4, 1.0, -0.0102
    a, b = (fields(row[0]) for row in scene.rows)
    plain(kernel.refine_by_distance)(a, b, work.pose_ab, scene.vertex, 3.0, work)
    assert (answer.nx, answer.ny, answer.nz) == pytest.approx((0.0, 0.0, 1.0), abs=1e-9)
    assert answer.distance == pytest.approx(-0.01) and answer.z == pytest.approx(1.0)
    np.testing.assert_array_equal(before, work.pose_ab)


def test_rounds_are_mixed():
    """Errors that shrink by a matrix, as those of normals do: two rounds before are enough to know where they tend."""
    wanted, shrink = np.array([0.0, 0.0, 1.0]), np.diag([0.95, 0.6, 0.0])
    n, past, count = np.array([1e-4, -2e-4, 1.0]), np.zeros((3, 6)), 0
    for _ in range(3):
        m = wanted + shrink @ (n - wanted)
        count = plain(kernel.remember)(past, count, *n, *m)
        assert plain(kernel.length_of_turn)(past, 0) == pytest.approx(np.linalg.norm(m - n))
        n = m
    assert count == 3 and np.linalg.norm(m - wanted) > 8e-5
    np.testing.assert_allclose(plain(kernel.mixed)(past, count, *m), wanted, atol=1e-12)


def test_an_ellipsoid_deep_under_a_face():
    """Nearly as deep as it is curved: rounds alone would be hundreds."""
    scene = Scene()
    scene.add(BOX, (1.0, 1.0, 1.0))
    scene.add(ELLIPSOID, (1.0, 0.8, 0.6), position=(0.1, 0.2, 0.95), rotation=turn(0.5, 0.4, 0.3))
    work = records(scene.work)
    plain(relative_pose)(*scene.poses, work.pose_ab)
    a, b = (fields(row[0]) for row in scene.rows)
    answer = work.answer[0]
    answer.nx, answer.ny, answer.nz = np.array([0.01, -0.02, 1.0]) / np.linalg.norm([0.01, -0.02, 1.0])
    answer.distance = -plain(kernel.depth_along)(a, b, work.pose_ab, scene.vertex, answer.nx, answer.ny, answer.nz)
    plain(kernel.refine_by_distance)(a, b, work.pose_ab, scene.vertex, 5.0, work)
    assert (answer.nx, answer.ny, answer.nz) == pytest.approx((0.0, 0.0, 1.0), abs=1e-7)


def test_which_cores_are_smooth():
    scene = Scene()
    sphere, box, ellipsoid = (fields(scene.rows[scene.add(kind, (1, 1, 1))][0]) for kind in (SPHERE, BOX, ELLIPSOID))
    assert plain(kernel.smooth_pair)(sphere, ellipsoid) and not plain(kernel.smooth_pair)(ellipsoid, box)
    assert plain(kernel.is_curved)(ellipsoid) and not plain(kernel.is_curved)(box)
