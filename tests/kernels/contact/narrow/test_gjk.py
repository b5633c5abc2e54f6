"""Distances of cores: against the search over directions, with closest points on both shapes."""

import numpy as np
import pytest

from gori.kernels.contact.narrow import gjk as kernel
from gori.kernels.contact.narrow.frames import relative_pose
from gori.kernels.contact.tables import BOX, ELLIPSOID, SPHERE
from tests.kernels.contact.random_pairs import KINDS, add_random
from tests.kernels.contact.shapes import Scene, fields, random_rotation
from tests.plain import plain, records
from tests.reference.contact import contains, gap_along, sphere_of_directions


def searched(scene, limit=np.inf, care=1.0):
    work = records(scene.work)
    a, b = (fields(row[0]) for row in scene.rows)
    plain(relative_pose)(*scene.poses, work.pose_ab)
    tables = work.pose_ab, scene.vertex
    state = plain(kernel.core_distance)(a, b, *tables, limit, care, work.simplex, work.answer[0])
    return state, work.answer[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_distance(kind, other):
    rng, scene = np.random.default_rng(10 * kind + other), Scene()
    add_random(scene, rng, kind, 1.0, rng.normal(size=3), random_rotation(rng))
    away = rng.normal(size=3)
    add_random(scene, rng, other, 1.0, scene.poses[0][9:] + 4.0 * away / np.linalg.norm(away), random_rotation(rng))
    for row in scene.rows:
        row["radius"] = 0.0  # of the cores
    state, answer = searched(scene)
    assert state == kernel.APART
    R = scene.poses[0][:9].reshape(3, 3)
    n = R @ [answer.nx, answer.ny, answer.nz]
    hulls = [scene.corners[r["first"][0] : r["first"][0] + r["vertices"][0]] for r in scene.rows]
    a, b = ((r[0], v, p) for r, v, p in zip(scene.rows, hulls, scene.poses))
    # the plane between them is as far from both as the points say: no direction can be better
    assert gap_along(a, b, n)[0] == pytest.approx(answer.distance, rel=1e-10)
    point = R @ [answer.x, answer.y, answer.z] + scene.poses[0][9:]
    directions = sphere_of_directions(500)
    assert contains(*a, point, directions) < 1e-7
    assert contains(*b, point + answer.distance * n, directions) < 1e-7


def test_far_touching_and_overlapping_cores():
    scene = Scene()
    scene.add(BOX, (1, 1, 1))
    scene.add(BOX, (1, 1, 1), position=(3.0, 0.5, 0.2))
    assert searched(scene)[1].distance == pytest.approx(1.0)
    assert searched(scene, 0.5)[0] == kernel.FAR
    for x, states in ((2.0, range(1, 5)), (1.0, (4,)), (0.0, range(1, 5))):
        scene.poses[1][9:] = x, 0.5 * x, 0.2 * x
        assert searched(scene)[0] in states


def test_the_direction_of_a_small_distance():
    """A hundred thousandth of a size apart: with care the normal is exact, not the distance alone."""
    scene = Scene()
    scene.add(ELLIPSOID, (1.0, 2.0, 50.0))
    scene.add(BOX, (90.0, 90.0, 1.0), position=(0.3, 0.2, -51.0 - 1e-3))
    state, answer = searched(scene, care=kernel.EXACT)
    assert state == kernel.APART
    assert (answer.nx, answer.ny, answer.nz) == pytest.approx((0.0, 0.0, -1.0), abs=1e-9)


def test_a_point_of_the_difference():
    scene = Scene()
    scene.add(SPHERE), scene.add(BOX, (1, 2, 3), position=(5, 0, 0))
    work = records(scene.work)
    plain(relative_pose)(*scene.poses, work.pose_ab)
    shapes = [fields(row[0]) for row in scene.rows]
    w = plain(kernel.difference_support)(*shapes, work.pose_ab, scene.vertex, 1.0, 1.0, 1.0)
    assert w == (-4.0, 2.0, 3.0, 0.0, 0.0, 0.0)
    plain(kernel.set_corner)(work.simplex[0], *w)
    assert (work.simplex[0].x, work.simplex[0].z) == (-4.0, 3.0)
