"""Spheres, capsules and boxes: closest points in closed form against the search over directions."""

import numpy as np
import pytest

from gori.kernels.contact.narrow import rounded as kernel
from gori.kernels.contact.tables import BOX, CAPSULE, CONE, CYLINDER, FOUND, SPHERE
from tests.kernels.contact.shapes import Scene, fields, random_rotation, turn
from tests.plain import plain, rows
from tests.reference.contact import gap_along, signed_distance

KERNELS = {
    (SPHERE, SPHERE): kernel.sphere_sphere,
    (SPHERE, CAPSULE): kernel.sphere_capsule,
    (CAPSULE, CAPSULE): kernel.capsule_capsule,
    (SPHERE, BOX): kernel.sphere_box,
    (SPHERE, CYLINDER): kernel.sphere_frustum,
    (SPHERE, CONE): kernel.sphere_frustum,
}
SIZES = {SPHERE: ((0, 0, 0), 0.4), CAPSULE: ((0, 0, 0.8), 0.3), BOX: ((0.5, 0.7, 0.9), 0.0)}
SIZES |= {CYLINDER: ((0.5, 0.0, 0.7), 0.0), CONE: ((0.6, 0.2, 0.7), 0.0)}


def contacts(scene, reach=np.inf):
    a, b = (fields(row[0]) for row in scene.rows)
    found = rows(FOUND.zeros(8))
    return found[: plain(KERNELS[int(a.kind), int(b.kind)])(a, b, *scene.poses, reach, found)]


@pytest.mark.parametrize("kinds", KERNELS)
@pytest.mark.parametrize("seed", range(4))
def test_distance_and_depth(kinds, seed):
    rng, scene = np.random.default_rng(seed), Scene()
    for kind in kinds:
        scene.add(kind, *SIZES[kind], rng.normal(size=3) * 0.7, random_rotation(rng))
    pair = [(row[0], (), pose) for row, pose in zip(scene.rows, scene.poses)]
    found = contacts(scene)
    point = found[np.argmin(found.gap)]
    distance, normal = signed_distance(*pair, start=[point.normal])
    assert point.gap == pytest.approx(distance, abs=1e-9)
    np.testing.assert_allclose(point.normal, normal, atol=1e-4)
    assert len(contacts(scene, distance - 1e-6)) == 0


def test_parallel_capsules_touch_in_two_points_and_crossed_ones_in_one():
    for angle, count in ((0.0, 2), (1e-3, 3), (1.0, 1)):
        scene = Scene()
        scene.add(CAPSULE, (0, 0, 1.0), 0.2)
        scene.add(CAPSULE, (0, 0, 0.7), 0.3, (0.49, 0.0, 0.5), turn(angle, 0.0, 0.0))
        found = contacts(scene, 0.01)
        assert len(found) == count and len(set(found.feature)) == count
        assert found.gap.min() == pytest.approx(-0.01)
    assert found.position[0] == pytest.approx([0.195, 0.0, 0.5])


def test_centres_that_coincide():
    """A normal there is, and the depth is the largest possible."""
    for kinds, depth in (((SPHERE, SPHERE), 0.8), ((SPHERE, CAPSULE), 0.7), ((CAPSULE, CAPSULE), 0.6)):
        scene = Scene()
        for kind in kinds:
            scene.add(kind, *SIZES[kind])
        found = contacts(scene)
        assert found.gap.min() == pytest.approx(-depth)
        np.testing.assert_allclose(np.linalg.norm(found.normal, axis=1), 1.0)


def test_segments_and_bounds():
    assert plain(kernel.clamped)(3.0, -1.0, 2.0) == 2.0
    s, t = plain(kernel.closest_on_segments)(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0)
    assert (s, t) == (0.0, 0.0)


@pytest.mark.parametrize("kind", [CYLINDER, CONE])
@pytest.mark.parametrize(
    "offset", [(0.0, 0.0, 0.0), (1e-9, 0.0, 0.0), (1e-4, 2e-4, 0.1), (0.1, 0.0, 0.6), (0.3, 0.3, 2.0)]
)
def test_a_sphere_near_the_axis_of_a_bar(kind, offset):
    """All around it is nearly as deep: no search over directions is needed to know which way is least."""
    scene = Scene()
    scene.add(SPHERE, *SIZES[SPHERE], offset), scene.add(kind, *SIZES[kind])
    pair = [(row[0], (), pose) for row, pose in zip(scene.rows, scene.poses)]
    point = contacts(scene)[0]
    turns = 2 * np.pi * np.arange(720) / 720
    ring = np.stack([np.cos(turns), np.sin(turns), 0 * turns], axis=1)
    tilted = [np.cos(t) * ring + np.sin(t) * np.array([0, 0, 1.0]) for t in np.linspace(-1.57, 1.57, 181)]
    assert gap_along(*pair, point.normal)[0] == pytest.approx(point.gap, abs=1e-12)
    assert gap_along(*pair, np.vstack(tilted)).max() < point.gap + 1e-12
