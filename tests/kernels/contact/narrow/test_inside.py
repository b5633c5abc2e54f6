"""Convex shapes inside tubes and bowls: the deepest of their points against sampled surfaces."""

import numpy as np
import pytest

from gori.kernels.contact.narrow import inside as kernel
from gori.kernels.contact.tables import BOWL, BOX, CAPSULE, CYLINDER, FOUND, HULL, MOST_POINTS, SPHERE, TUBE
from tests.kernels.contact.random_pairs import KINDS, add_random
from tests.kernels.contact.shapes import Scene, fields, random_rotation, turn
from tests.plain import plain, records, rows
from tests.reference.contact import in_world, sphere_of_directions

WALLS = [(TUBE, (1.0, 1.0, 6.0)), (TUBE, (1.3, 0.9, 6.0)), (BOWL, (1.0, 0.0, 0.0))]


def contacts(scene, reach):
    """Of shape 0 inside shape 1."""
    found, work = rows(FOUND.zeros(MOST_POINTS)), records(scene.work)
    shapes = (fields(row[0]) for row in scene.rows)
    return found[: plain(kernel.inside_wall)(*shapes, *scene.poses, scene.vertex, reach, work, found)]


def sampled_gap(scene):
    """Least gap over many points of the surface of A, in a wall without ends."""
    points = in_world(scene.rows[0][0], scene.corners, scene.poses[0], sphere_of_directions(100_000))
    row, R = scene.rows[1][0], scene.poses[1][:9].reshape(3, 3)
    x, y, z = ((points - scene.poses[1][9:]) @ R).T
    low, high, h = row["size"]
    if row["kind"] == BOWL:
        return (low - np.sqrt(x * x + y * y + z * z)).min()
    k = (high - low) / (2 * h)
    return ((0.5 * (low + high) + k * z - np.hypot(x, y)) / np.hypot(1.0, k)).min()


@pytest.mark.parametrize("wall", WALLS)
@pytest.mark.parametrize("kind", KINDS)
def test_deepest_point(kind, wall):
    rng, scene = np.random.default_rng(kind), Scene()
    centre = rng.normal(size=3)
    add_random(scene, rng, kind, 0.6, centre + 0.1 * rng.normal(size=3), random_rotation(rng))
    scene.add(*wall, position=centre, rotation=random_rotation(rng))
    found = contacts(scene, np.inf)
    point, expected = found[found.gap.argmin()], sampled_gap(scene)
    assert point.gap <= expected + 1e-12 and point.gap == pytest.approx(expected, abs=2e-4)
    # from there the wall is where the normal leads, and the point is midway
    only = Scene()
    only.add(SPHERE, position=point.position), only.add(*wall, position=centre)
    only.poses[1] = scene.poses[1]
    again = contacts(only, np.inf)[0]
    assert again.gap == pytest.approx(0.5 * point.gap, abs=1e-9)
    np.testing.assert_allclose(again.normal, point.normal, atol=1e-7)


def test_a_shaft_in_a_short_bearing_touches_both_ends():
    for kind, size, radius in ((CYLINDER, (0.99, 0, 5), 0.0), (CAPSULE, (0, 0, 5), 0.99), (BOX, (0.7, 0.7, 5), 0.0)):
        scene = Scene()
        scene.add(kind, size, radius, position=(0.02, 0, 0)), scene.add(TUBE, (1, 1, 0.5))
        found = contacts(scene, 1e-3)
        assert sorted({round(z, 9) for z in found.position[:, 2]}) == [-0.5, 0.5] and found.gap.max() < 0.0


def test_a_disc_that_fits_and_one_that_lies_across():
    scene = Scene()
    scene.add(CYLINDER, (1.0, 0, 0.1)), scene.add(TUBE, (1, 1, 2))
    assert len(contacts(scene, 1e-3)) == 8
    scene = Scene()
    scene.add(CYLINDER, (0.2, 0, 0.985), rotation=turn(np.pi / 2, 0, 0)), scene.add(TUBE, (1, 1, 2))
    found = contacts(scene, 0.01)
    assert len(found) == 4 == len(set(found.feature))
    np.testing.assert_allclose(found.gap, 1.0 - np.hypot(0.985, 0.2), atol=1e-12)


def test_most_points_of_a_hull():
    scene = Scene()
    scene.add(HULL, vertices=sphere_of_directions(100)), scene.add(BOWL, (1, 0, 0))
    found = contacts(scene, 1e-3)
    assert len(found) == MOST_POINTS and np.linalg.norm(found.position.mean(axis=0)) < 0.5


def test_rims():
    scene = Scene()
    scene.add(CYLINDER, (0.5, 0, 0.4)), scene.add(BOWL, (1, 0, 0))
    a, b = (fields(row[0]) for row in scene.rows)
    assert plain(kernel.rim_point)(a, b, scene.poses[0], 0.0, 1) == pytest.approx((0.5, 0.0, 0.4))
    assert plain(kernel.rim_gap)(a, b, scene.poses[0], 1.0, 0) == pytest.approx(1.0 - np.hypot(0.5, 0.4))
    scene.poses[0][9] = 0.1
    assert plain(kernel.deepest_angle)(a, b, scene.poses[0], 0.1, 0) == pytest.approx(0.0, abs=1e-6)
