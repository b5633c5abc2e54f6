"""Depths of overlapping cores: none smaller in any direction, also where cores are concentric, flush or touching."""

import numpy as np
import pytest

from gori.kernels.contact.narrow import epa as kernel
from gori.kernels.contact.narrow.frames import relative_pose
from gori.kernels.contact.narrow.gjk import core_distance
from gori.kernels.contact.narrow.work import EDGE
from gori.kernels.contact.tables import BOX, CYLINDER, ELLIPSOID, HULL, SPHERE
from tests.kernels.contact.random_pairs import KINDS, add_random
from tests.kernels.contact.shapes import Scene, fields, random_rotation, turn
from tests.plain import plain, records, rows
from tests.reference.contact import gap_along, sphere_of_directions


def depth_of(scene):
    """Depth and normal (world axes) of the cores, and the steps taken."""
    work = records(scene.work)
    a, b = (fields(row[0]) for row in scene.rows)
    plain(relative_pose)(*scene.poses, work.pose_ab)
    pair = (a, b, work.pose_ab, scene.vertex)
    corners = plain(core_distance)(*pair, np.inf, 1.0, work.simplex, work.answer[0])
    assert corners > 0
    steps = plain(kernel.core_depth)(*pair, corners, work)
    answer = work.answer[0]
    return -answer.distance, scene.poses[0][:9].reshape(3, 3) @ [answer.nx, answer.ny, answer.nz], steps


def check(scene, depth, normal):
    hulls = [scene.corners[r["first"][0] : r["first"][0] + r["vertices"][0]] for r in scene.rows]
    cores = [r.copy() for r in scene.rows]
    for row in cores:
        row["radius"] = 0.0
    a, b = ((r[0], v, p) for r, v, p in zip(cores, hulls, scene.poses))
    near = normal + 1e-2 * sphere_of_directions(200) * np.geomspace(1e-4, 1.0, 200)[:, None]
    directions = np.vstack([sphere_of_directions(500), near / np.linalg.norm(near, axis=1, keepdims=True)])
    assert gap_along(a, b, normal)[0] == pytest.approx(-depth, abs=1e-9)
    assert gap_along(a, b, directions).max() < -depth + 1e-6


@pytest.mark.parametrize("kind", [k for k in KINDS if k != SPHERE])
@pytest.mark.parametrize("other", [BOX, CYLINDER, ELLIPSOID, HULL])
def test_depth(kind, other):
    rng, scene = np.random.default_rng(10 * kind + other), Scene()
    add_random(scene, rng, kind, 1.0, rng.normal(size=3), random_rotation(rng))
    add_random(scene, rng, other, 1.0, scene.poses[0][9:] + 0.15 * rng.normal(size=3), random_rotation(rng))
    depth, normal, _ = depth_of(scene)
    check(scene, depth, normal)


@pytest.mark.parametrize(
    ("kind", "other", "depth"), [(BOX, BOX, 1.0), (CYLINDER, CYLINDER, 1.0), (SPHERE, CYLINDER, 0.5)]
)
def test_concentric(kind, other, depth):
    scene = Scene()
    for k in (kind, other):
        scene.add(k, (0.5, 0.6, 0.7))
    found, normal, _ = depth_of(scene)
    assert found == pytest.approx(depth, abs=1e-7)
    check(scene, found, normal)


def test_touching_faces():
    scene = Scene()
    scene.add(BOX, (1, 1, 1)), scene.add(BOX, (0.5, 0.5, 0.5), position=(0.2, 0.3, 1.5), rotation=turn(0, 0, 0.4))
    depth, normal, steps = depth_of(scene)
    assert depth == pytest.approx(0.0, abs=1e-12) and normal == pytest.approx([0, 0, 1]) and steps < 20


def test_other_faces_are_tried():
    """A normal at a wrong end: a closer face leads to the end of the ellipsoid that is nearest."""
    scene = Scene()
    scene.add(ELLIPSOID, (0.5, 0.6, 0.7)), scene.add(BOX, (0.1, 0.1, 0.1))
    work = records(scene.work)
    a, b = (fields(row[0]) for row in scene.rows)
    plain(relative_pose)(*scene.poses, work.pose_ab)
    for k, (normal, distance) in enumerate([((0.0, 0.1, 1.0), 0.7), ((1.0, 0.1, 0.1), 0.4), ((1.0, 0.2, 0.1), 0.45)]):
        f = work.face[k]
        f.nx, f.ny, f.nz = np.array(normal) / np.linalg.norm(normal)
        f.distance, f.alive = distance, kernel.OPEN
    work.answer[0].nz, work.answer[0].distance = 1.0, -0.8
    plain(kernel.try_other_faces)(a, b, work.pose_ab, scene.vertex, 2.1, 3, work)
    assert work.answer[0].distance == pytest.approx(-0.6) and work.answer[0].nx == pytest.approx(1.0)
    assert [f.alive for f in work.face[:3]] == [kernel.OPEN] * 3


def test_faces_and_their_horizon():
    work = records(Scene().work)
    for k, p in enumerate([(0, 0, 0), (1, 0, 0), (0, 1, 0), (2, 0, 0)]):
        work.corner[k].x, work.corner[k].y, work.corner[k].z = p
    plain(kernel.add_face)(work.corner, work.face, 0, 0, 1, 2, 1.0)
    plain(kernel.add_face)(work.corner, work.face, 1, 0, 1, 3, 1.0)
    assert work.face[0].nz == 1.0 and work.face[0].alive == kernel.OPEN and work.face[1].alive == kernel.THIN_FACE
    assert not plain(kernel.keep_answer)(work.corner, work.face[0], 0.25, 1.0, work.answer[0])  # not at the surface
    assert work.answer[0].distance == -0.25 and work.answer[0].nz == 1.0
    horizon, count = rows(EDGE.zeros(6)), 0
    for i, j in ((0, 1), (1, 2), (2, 0), (1, 0)):
        count = plain(kernel.toggle)(horizon, count, i, j)
    assert {(e.i, e.j) for e in horizon[:count]} == {(1, 2), (2, 0)}
    work.corner[4].z = 1.0
    plain(kernel.add_face)(work.corner, work.face, 2, 1, 0, 4, 1.0)  # y = 0, a neighbour of face 0
    assert plain(kernel.common_edges)(work.face, work.face[2], np.array([0]), 1) == 1
    work.corner[5].y, work.corner[5].z = 2.0, 0.5
    gone, seen = np.zeros(9, int), np.zeros(9, int)
    assert plain(kernel.find_gone)(work.face, 3, 0, work.corner[5], gone, seen) >= 2 and 2 in gone[:3]
