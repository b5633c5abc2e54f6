"""Convex shapes on a plane: the deepest point, and all that is within reach of a flat face."""

import numpy as np
import pytest

from gori.kernels.contact.narrow import planes as kernel
from gori.kernels.contact.tables import BOX, CAPSULE, CYLINDER, FOUND, HULL, MOST_POINTS, PLANE, SPHERE
from tests.kernels.contact.random_pairs import KINDS, add_random
from tests.kernels.contact.shapes import Scene, fields, random_rotation, turn
from tests.plain import plain, records, rows
from tests.reference.contact import in_world

OWN = {SPHERE: kernel.sphere_plane, CAPSULE: kernel.capsule_plane, BOX: kernel.box_plane}


def contacts(scene, reach, own=True):
    """Of shape 0 on the plane, shape 1."""
    a, found, work = fields(scene.rows[0][0]), rows(FOUND.zeros(MOST_POINTS)), records(scene.work)
    if own and int(a.kind) in OWN:
        count = plain(OWN[int(a.kind)])(a, *scene.poses, reach, found)
    else:
        count = plain(kernel.convex_plane)(a, *scene.poses, scene.vertex, reach, work, found)
    return found[:count]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_deepest_point(kind, seed):
    rng, scene = np.random.default_rng(seed), Scene()
    add_random(scene, rng, kind, 1.0, rng.normal(size=3), random_rotation(rng))
    rotation = random_rotation(rng)
    scene.add(PLANE, position=0.5 * rng.normal(size=3), rotation=rotation)
    n, o = rotation.as_matrix()[:, 2], scene.poses[1][9:]
    low = in_world(scene.rows[0][0], scene.corners, scene.poses[0], -n[None])[0]
    for own in (True, False):
        found = contacts(scene, np.inf, own)
        assert found.gap.min() == pytest.approx(n @ (low - o), abs=1e-12)
        np.testing.assert_allclose(found.normal, np.tile(-n, (len(found), 1)))
        np.testing.assert_allclose((found.position - o) @ n, 0.5 * found.gap, atol=1e-12)  # midway
        assert len(set(found.feature)) == len(found) <= MOST_POINTS
        assert len(contacts(scene, found.gap.min() - 1e-9, own)) == 0


@pytest.mark.parametrize(
    ("kind", "size", "rotation", "count"),
    [
        (BOX, (0.5, 0.6, 0.7), None, 4),
        (BOX, (0.5, 0.6, 0.7), turn(np.pi / 4, 0, 0), 2),
        (CYLINDER, (0.5, 0, 0.7), None, 8),
        (CYLINDER, (0.5, 0, 0.7), turn(np.pi / 2, 0, 0), 2),
        (CAPSULE, (0, 0, 0.7), turn(0, np.pi / 2, 0), 2),
    ],
)
def test_flat_faces(kind, size, rotation, count):
    scene = Scene()
    scene.add(kind, size, 0.0, (0.0, 0.0, 0.0), rotation)
    scene.add(PLANE)
    scene.poses[0][11] = -contacts(scene, np.inf).gap.min() - 1e-4
    found = contacts(scene, 1e-3)
    assert len(found) == count
    np.testing.assert_allclose(found.gap, -1e-4, atol=1e-12)


def test_a_hull_with_many_vertices_gives_few_points():
    angle = 2.0 * np.pi * np.arange(14) / 14
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    scene = Scene()
    scene.add(HULL, vertices=np.vstack([np.column_stack([ring, np.full(14, z)]) for z in (0.5, -0.5)]))
    scene.add(PLANE)
    scene.poses[0][11] = 0.5
    found = contacts(scene, 1e-3)
    assert 6 <= len(found) <= 8 and np.linalg.norm(found.position[:, :2].mean(axis=0)) < 0.2


def test_heights():
    scene = Scene()
    scene.add(PLANE, position=(0, 0, 1))
    assert plain(kernel.height_over)(scene.poses[0], 5.0, 5.0, 3.0) == 2.0
    found = rows(FOUND.zeros(1))
    plain(kernel.put_on_plane)(found[0], scene.poses[0], 0.0, 0.0, 3.0, 2.0, 0.5, 4)
    assert found[0].gap == 1.5 and found[0].position[2] == 1.75
