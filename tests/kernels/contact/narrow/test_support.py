"""Support points against their twin, and supporting faces: all of their points support, in order."""

import numpy as np
import pytest

from gori.kernels.contact.narrow import support as kernel
from gori.kernels.contact.narrow.work import narrow_work
from gori.kernels.contact.tables import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE
from tests.kernels.contact.random_pairs import KINDS, add_random
from tests.kernels.contact.shapes import Scene, fields
from tests.plain import plain, records
from tests.reference.contact import support_points


def shape_of(kind, seed=0):
    scene = Scene()
    add_random(scene, np.random.default_rng(seed), kind, 1.0, np.zeros(3), None)
    return fields(scene.rows[0][0]), scene.rows[0][0], scene.vertex


def face_of(shape, vertex, d, reach=0.0):
    work = records(narrow_work())
    count = plain(kernel.supporting_face)(shape, vertex, *d, reach, work.near, work.face_a)
    return np.array([(p.x, p.y, p.z) for p in work.face_a[:count]]), [int(p.id) for p in work.face_a[:count]]


@pytest.mark.parametrize("kind", KINDS)
def test_support_points(kind):
    shape, row, vertex = shape_of(kind)
    directions = np.vstack([np.random.default_rng(1).normal(size=(30, 3)), np.eye(3), -np.eye(3)])
    expected = support_points(row, vertex.T, directions)
    for d, p in zip(directions, expected):
        found = plain(kernel.support)(shape, vertex, *d)
        assert np.dot(d, found) == pytest.approx(np.dot(d, p), abs=1e-14)
        assert np.dot(d, found) == pytest.approx(np.max(expected @ d), abs=1e-14)


def test_faces_of_a_box():
    shape, _, vertex = shape_of(BOX)
    for d in np.vstack([np.eye(3), -np.eye(3)]):
        points, ids = face_of(shape, vertex, d + 0.1)
        assert len(set(ids)) == 4
        np.testing.assert_allclose(points @ d, shape.size @ np.abs(d))
        turn = np.cross(points[1] - points[0], points[2] - points[1])
        assert turn @ d > 0.0  # counter-clockwise


@pytest.mark.parametrize("kind", [CYLINDER, CONE])
def test_faces_of_a_cylinder(kind):
    shape, _, vertex = shape_of(kind, 3)
    points, ids = face_of(shape, vertex, [0.01, 0.0, -1.0])
    assert len(points) == kernel.RIM_POINTS == len(set(ids))
    np.testing.assert_allclose(np.linalg.norm(points[:, :2], axis=1), shape.size[0])
    assert np.cross(points[1] - points[0], points[2] - points[1])[2] < 0.0
    points, ids = face_of(shape, vertex, [0.6, 0.8, 0.0])
    assert ids == [0, 1] and points[0] == pytest.approx([0.6 * shape.size[0], 0.8 * shape.size[0], -shape.size[2]])


def test_edges_and_points():
    for kind, count in ((CAPSULE, 2), (SPHERE, 1), (ELLIPSOID, 1)):
        shape, _, vertex = shape_of(kind)
        assert len(face_of(shape, vertex, [1.0, 0.2, 0.1])[0]) == count


def test_faces_of_a_hull():
    """A prism: its cap in order; an edge where it stands on one; with a reach what is a little behind."""
    angle = 2.0 * np.pi * np.arange(6) / 6
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    vertices = np.vstack([np.column_stack([ring, np.full(6, z)]) for z in (1.0, -1.0)])
    vertices = np.vstack([vertices, [(0.0, 0.0, 1.0), (0.3, 0.0, -1.0)]])  # within the caps: no corners
    scene = Scene()
    scene.add(HULL, vertices=vertices[np.random.default_rng(0).permutation(14)])
    shape, vertex = fields(scene.rows[0][0]), scene.vertex
    points, ids = face_of(shape, vertex, [0.0, 0.0, 2.0])
    assert len(points) == 6 == len(set(ids)) and points[:, 2].min() == 1.0
    turns = np.cross(np.roll(points, -1, 0) - points, np.roll(points, -2, 0) - np.roll(points, -1, 0))[:, 2]
    assert turns.min() > 0.0
    tilted = [0.01, 0.02, -1.0]
    assert len(face_of(shape, vertex, tilted)[0]) < 6 and len(face_of(shape, vertex, tilted, 0.05)[0]) == 6
    assert plain(kernel.hull_support)(shape, vertex, 0.0, -1.0, 0.1)[2] == 1.0
