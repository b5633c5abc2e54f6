"""Contact points of all pairs of kinds: against coal, by certificates of their own, and in either order."""

import numpy as np
import pytest

from gori.kernels.contact.narrow import pairs as kernel
from gori.kernels.contact.tables import (
    BOWL,
    BOX,
    CAPSULE,
    CONE,
    ELLIPSOID,
    FOUND,
    GROUND,
    MOST_POINTS,
    PLANE,
    SPHERE,
    TUBE,
)
from gori.spec.vehicle.terrain import Terrain
from tests.kernels.contact.coal_twin import signed_distances
from tests.kernels.contact.random_pairs import KINDS, bring_to_gap, random_pairs
from tests.kernels.contact.shapes import Scene, fields, random_rotation, turn
from tests.plain import plain, records, rows
from tests.reference.contact import contains, gap_along, normal_nearby, sphere_of_directions

COUNT = 2500
CASES = {"random": None, "overlapping": -0.01, "apart": 0.01, "touching": 0.0}
PAIRS = np.arange(2 * COUNT).reshape(-1, 2)
ACCURACY = 1e-6
"""of distances and depths, by the size of the smaller shape"""


@pytest.fixture(scope="module")
def scenes():
    """The same pairs four times, each with its contacts: 10,000 in all."""
    made, scene = {}, random_pairs(COUNT)
    found = scene.collide(PAIRS)
    for case, gap in CASES.items():
        if gap is not None:
            bring_to_gap(scene, found, gap)
            found = scene.collide(PAIRS)
        made[case] = [pose.copy() for pose in scene.poses], found
    return scene, made


def both(scene, k):
    """The two (shape, vertices, pose) of a pair."""
    for i in (2 * k, 2 * k + 1):
        row = scene.rows[i][0]
        yield row, scene.all_vertices[row["first"] : row["first"] + row["vertices"]], scene.poses[i]


def sizes(scene):
    half = np.array([row["half"][0].max() for row in scene.rows]).reshape(-1, 2)
    return half.min(axis=1)


def deepest(found):
    best = [points[np.argmin(points["gap"])] for points in found]
    return np.array([p["gap"] for p in best]), np.array([p["normal"] for p in best])


@pytest.mark.parametrize("case", CASES)
def test_against_coal(scenes, case):
    """Where both differ, the normal found here separates the shapes by more: it is coal that is off."""
    scene, made = scenes
    scene.poses, found = made[case]
    scene.all_vertices = scene.corners
    (gap, normal), size, theirs = deepest(found), sizes(scene), signed_distances(scene)
    differ = np.abs(gap - theirs[:, 0]) > ACCURACY * size
    assert np.isfinite(theirs[:, 0]).sum() > 0.8 * COUNT and differ.sum() < 0.05 * COUNT
    for k in np.flatnonzero(differ):
        a, b = both(scene, k)
        length = np.linalg.norm(theirs[k, 1:])
        assert length == 0.0 or gap_along(a, b, theirs[k, 1:] / length)[0] < gap_along(a, b, normal[k])[0]


@pytest.mark.parametrize("case", CASES)
def test_certificates(scenes, case):
    """The gap is that of the plane across the normal, no direction has a larger one, and closest points are on both."""
    scene, made = scenes
    scene.poses, found = made[case]
    scene.all_vertices = scene.corners
    (gap, normal), size, lattice = deepest(found), sizes(scene), sphere_of_directions(100)
    turns = np.geomspace(1e-7, 1e-1, 100)[:, None] * lattice
    for k in range(COUNT):
        a, b = both(scene, k)
        assert gap_along(a, b, normal[k])[0] == pytest.approx(gap[k], abs=ACCURACY * size[k])
        near = normal[k] + turns
        directions = np.vstack([lattice, near / np.linalg.norm(near, axis=1, keepdims=True)])
        assert gap_along(a, b, directions).max() < gap[k] + ACCURACY * size[k]
        if gap[k] > 0.0 or case != "random":  # deep inside of each other closest points are not unique
            point, across = found[k][np.argmin(found[k]["gap"])], 0.5 * gap[k] * normal[k]
            reach = 3.0 * ACCURACY * max(a[0]["half"].max(), b[0]["half"].max())
            assert contains(*a, point["position"] - across, directions) < reach
            assert contains(*b, point["position"] + across, directions) < reach


@pytest.mark.parametrize("case", CASES)
def test_normals(scenes, case):
    """No direction next to the normal has a larger gap: it is the best one to 1e-6 rad, coal or not."""
    scene, made = scenes
    scene.poses, found = made[case]
    scene.all_vertices = scene.corners
    _, normal = deepest(found)
    for k in range(COUNT):
        a, b = both(scene, k)
        if np.ptp(np.array([a[2][9:], b[2][9:]]), axis=0).max() < 1e-12 and a[0]["kind"] == b[0]["kind"] == SPHERE:
            continue  # concentric: one direction is as good as another
        _, best = normal_nearby(a, b, normal[k])
        if np.linalg.norm(best - normal[k]) > 0.3 * ACCURACY:  # flat there: with more digits
            _, best = normal_nearby(a, b, normal[k], 1e-4, 1e-11, np.longdouble)
        assert np.linalg.norm(best - normal[k]) < ACCURACY


def test_a_sphere_about_the_axis_of_a_capsule():
    """However close to it, the normal is across the axis: what rounding leaves along it would be deeper."""
    rng, scene = np.random.default_rng(5), Scene()
    for _ in range(100):
        rotation, centre = random_rotation(rng), rng.normal(size=3)
        along = rotation.as_matrix()[:, 2]
        scene.add(SPHERE, radius=0.4, position=centre + rng.uniform(-0.7, 0.7) * along)
        scene.add(CAPSULE, (0, 0, 0.8), 0.3, centre, rotation)
    gap, normal = deepest(scene.collide(np.arange(200).reshape(-1, 2)))
    axis = np.array([pose[[2, 5, 8]] for pose in scene.poses[1::2]])
    np.testing.assert_allclose(gap, -0.7, atol=1e-12)
    assert np.abs(np.sum(normal * axis, axis=1)).max() < 1e-12


def test_a_small_ellipsoid_in_the_middle_of_a_cone():
    """Hardly deeper one way than another: of many local minima of the depth the least is found."""
    scene = Scene()
    scene.add(CONE, (4.569, 1.733, 3.570))
    scene.add(ELLIPSOID, (0.041, 0.035, 0.039), rotation=turn(0.254, 0.770, 1.542))
    gap, normal = deepest(scene.collide([(0, 1)]))
    pair = [(row[0], (), pose) for row, pose in zip(scene.rows, scene.poses)]
    assert gap_along(*pair, normal) == pytest.approx(gap, abs=1e-9)
    starts = sphere_of_directions(1000)
    starts = starts[np.argsort(gap_along(*pair, starts))[-60:]]
    best = max(normal_nearby(*pair, start, 0.05, 1e-7)[0] for start in starts)
    assert gap > best - 1e-7


def test_either_order(scenes):
    scene, made = scenes
    scene.poses, found = made["overlapping"]
    for one, other in zip(found, scene.collide(PAIRS[:, ::-1])):
        gap, _ = deepest([one, other])
        assert gap[0] == pytest.approx(gap[1], abs=1e-6)
        if len(one) == len(other) == 1 and abs(gap[0]) < 0.1:
            np.testing.assert_allclose(one["position"], other["position"], atol=1e-4)


def test_points_of_a_pair(scenes):
    """At most MOST_POINTS, none beyond the reach, each with a feature of its own, one normal for all."""
    scene, made = scenes
    scene.poses, _ = made["overlapping"]
    for points in scene.collide(PAIRS, 1e-3):
        assert 1 <= len(points) <= MOST_POINTS and points["gap"].max() < 1e-3
        assert len(set(points["feature"].tolist())) == len(points)
        np.testing.assert_allclose(np.linalg.norm(points["normal"], axis=1), 1.0, atol=1e-12)


def test_a_stack_keeps_its_points():
    """Boxes at rest on each other, with noise: four points each, with the same features."""
    rng, seen = np.random.default_rng(0), set()
    for _ in range(50):
        scene = Scene()
        for level in range(5):
            noise = rng.normal(size=6) * 1e-7
            scene.add(BOX, (0.5, 0.4, 0.3), 0.0, (*noise[:2], level * (0.6 - 1e-4)), turn(*noise[3:]))
        found = scene.collide([(k, k + 1) for k in range(4)], 1e-3)
        assert [len(points) for points in found] == [4] * 4
        seen.add(tuple(tuple(sorted(points["feature"].tolist())) for points in found))
    assert len(seen) == 1


def test_vertices_of_boxes_that_are_apart():
    scene = Scene()
    scene.add(BOX, (1, 1, 1)), scene.add(BOX, (1, 1, 1), position=(2.3, 2.4, 2.0))
    gap, normal = deepest(scene.collide([(0, 1)]))
    assert gap == pytest.approx([0.5]) and normal[0] == pytest.approx([0.6, 0.8, 0.0])
    assert len(scene.collide([(0, 1)], 0.45)[0]) == 0


def test_walls_and_ground():
    """Any convex shape on a plane or terrain, in a tube or bowl, in either order; walls do not touch each other."""
    scene = Scene(Terrain.model_validate({}))
    for kind in KINDS:
        vertices = sphere_of_directions(40) * 0.5 if kind == KINDS[-1] else ()
        scene.add(kind, (0.3, 0.4, 0.5), 0.2 if kind in (SPHERE, CAPSULE) else 0.0, (0, 0, 0.1), None, vertices)
    walls = [scene.add(PLANE), scene.add(TUBE, (0.45, 0.45, 2)), scene.add(BOWL, (0.55, 0, 0)), scene.add(GROUND)]
    for wall in walls:
        one = scene.collide([(k, wall) for k in range(7)], 0.5)
        other = scene.collide([(wall, k) for k in range(7)], 0.5)
        for points, flipped in zip(one, other):
            assert 0 < len(points) == len(flipped)
            np.testing.assert_allclose(points["normal"], -flipped["normal"])
            np.testing.assert_allclose(points["position"], flipped["position"])
    assert sum(len(points) for points in scene.collide([(i, j) for i in walls for j in walls])) == 0


def test_plain_and_compiled_are_the_same():
    scene = random_pairs(98, seed=1)
    compiled = scene.collide(np.arange(196).reshape(-1, 2), 0.1)
    work, tables = records(scene.work), records(scene.tables)
    for k, points in enumerate(compiled):
        a, b = (fields(scene.rows[i][0]) for i in (2 * k, 2 * k + 1))
        if int(a.kind) < 4 and int(b.kind) < 4:
            found = rows(FOUND.zeros(MOST_POINTS))
            count = plain(kernel.collide)(a, b, *scene.poses[2 * k : 2 * k + 2], tables, 0.1, work, found)
            assert count == len(points)
            if count:
                assert found[:count].gap.min() == pytest.approx(points["gap"].min(), abs=1e-7)
