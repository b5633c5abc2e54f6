"""Convex shapes on the terrain: as on a plane, on slopes, ridges, kerbs and fields, against the twin."""

import numpy as np
import pytest

from gori.kernels.contact.narrow.work import SPOT
from gori.kernels.contact.tables import BOX, CAPSULE, CYLINDER, ELLIPSOID, FOUND, GROUND, MOST_POINTS, PLANE, SPHERE
from gori.kernels.contact.terrain import ground as kernel
from gori.spec.vehicle.terrain import Terrain
from tests.kernels.contact.random_pairs import KINDS, add_random
from tests.kernels.contact.shapes import Scene, fields, random_rotation, turn
from tests.plain import plain, records, rows
from tests.reference.terrain_contact import clearance

RIDGE = {"type": "trapezoid", "at": [-0.1, 0], "length": 0.2, "top": 0.0, "height": 0.1}
KERB = {"type": "step", "at": [0, 0], "height": 0.15, "length": 1.0, "width": 1.0}


def scene_on(**terrain):
    return Scene(Terrain.model_validate(terrain))


def contacts(scene, reach=0.02):
    """Of shape 0 on the terrain, compiled."""
    if len(scene.rows) == 1:
        scene.add(GROUND)
    return scene.collide([(0, 1)], reach)[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rough", [False, True])
def test_level_ground_is_a_plane(kind, rough):
    """Also where a field without relief, or a feature far below the shape's reach, makes it look at every point."""
    rng = np.random.default_rng(kind)
    field = {"at": [-3, -3], "cell": 0.4, "heights": np.zeros((16, 16))}
    scene = scene_on(grade=[0.1, 0.2], **({"field": field} if rough else {}))
    add_random(scene, rng, kind, 0.3, [0.1, 0.2, 0.0], random_rotation(rng))
    n = np.array([-0.1, -0.2, 1.0]) / np.sqrt(1.05)
    scene.add(GROUND)
    other = turn(0.0, 0.0, 0.0)
    other = type(other).align_vectors([n], [[0.0, 0.0, 1.0]])[0]
    scene.add(PLANE, rotation=other)
    scene.poses[0][11] -= min(p["gap"] for p in scene.collide([(0, 2)])[0]) / n[2] + 1e-3
    mine, plane = scene.collide([(0, 1), (0, 2)], 1e-4)
    assert mine["gap"].min() == pytest.approx(plane["gap"].min(), abs=1e-6)
    np.testing.assert_allclose(mine["normal"], np.tile(-n, (len(mine), 1)), atol=1e-9)
    deepest = mine["position"][mine["gap"].argmin()] - plane["position"][plane["gap"].argmin()]
    assert np.linalg.norm(deepest) < 1e-6 or len(plane) > 1
    assert len(set(mine["feature"])) == len(mine) <= MOST_POINTS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_touches_where_the_twin_does(kind, seed):
    """Lowered onto a field until points of it are on the ground: the gap is then that of the twin, near zero."""
    rng = np.random.default_rng(10 * kind + seed)
    heights = 0.04 * rng.normal(size=(14, 14))
    features = {"ridge": RIDGE | {"at": [-0.5, 0], "length": 1.0}}
    scene = scene_on(field={"at": [-3, -3], "cell": 0.45, "heights": heights}, features=features)
    add_random(scene, rng, kind, 0.4, rng.uniform(-0.5, 0.5, 3), random_rotation(rng))
    lower = clearance(scene.terrain, scene.rows[0][0], scene.corners, scene.poses[0])
    scene.poses[0][11] -= lower + 2e-3
    found = contacts(scene, 0.05)
    assert len(found) > 0 and found["gap"].min() == pytest.approx(-2e-3, abs=8e-3)


def test_ridge_under_a_flat_belly():
    scene = scene_on(features={"ridge": RIDGE})
    scene.add(BOX, (1.0, 0.5, 0.1), position=(0.03, 0.0, 0.199))
    found = contacts(scene)
    np.testing.assert_allclose(found["gap"], -1e-3, atol=1e-9)
    np.testing.assert_allclose(np.sort(found["position"][:, 1]), [-0.5, 0.5], atol=1e-9)
    np.testing.assert_allclose(found["normal"], [[0, 0, -1]] * 2, atol=1e-9)


@pytest.mark.parametrize(
    ("kind", "size", "radius", "z", "rotation"),
    [
        (SPHERE, (0, 0, 0), 0.1, 0.199, None),
        (CAPSULE, (0, 0, 0.5), 0.1, 0.199, turn(0, np.pi / 2, 0)),
        (CYLINDER, (0.3, 0.3, 0.5), 0.0, 0.399, turn(np.pi / 2, 0, 0)),
        (ELLIPSOID, (0.3, 0.2, 0.1), 0.0, 0.199, None),
    ],
)
def test_round_shapes_on_a_ridge(kind, size, radius, z, rotation):
    scene = scene_on(features={"ridge": RIDGE})
    scene.add(kind, size, radius, (0.0, 0.0, z), rotation)
    found = contacts(scene)
    assert found["gap"].min() == pytest.approx(-1e-3, abs=1e-5)
    np.testing.assert_allclose(found["normal"][found["gap"].argmin()], [0, 0, -1], atol=0.02)


def test_corner_of_floor_and_kerb():
    """A box that has slid into a kerb touches both; its front is not lifted onto it."""
    scene = scene_on(features={"kerb": KERB})
    scene.add(BOX, (0.2, 0.15, 0.1), position=(-0.199, 0.0, 0.0995))
    found = contacts(scene, 0.0)
    assert found["gap"].min() > -2e-3
    assert sum(found["normal"][:, 0] > 0.9) == 2 and sum(found["normal"][:, 2] < -0.9) == 4


def test_a_ball_in_a_ditch_touches_both_sides():
    heights = np.abs(np.arange(-4, 5))[None, :] * np.ones((9, 1)) * 0.3
    scene = scene_on(field={"at": [-1.2, -1.2], "cell": 0.3, "heights": heights})
    scene.add(SPHERE, radius=0.1, position=(0.0, 0.0, 0.1 * np.sqrt(2.0) - 1e-3))
    found = contacts(scene)
    np.testing.assert_allclose(np.sort(found["normal"][:, 0]), [-np.sqrt(0.5), np.sqrt(0.5)], atol=1e-6)


def test_broad_bound():
    tables = records(scene_of_bound().tables)
    low, high = np.array([0, 0, 0.36, 1, 1, 1.0]), np.array([0, 0, 0.34, 1, 1, 1.0])
    assert plain(kernel.clear_of)(tables, fields(scene_of_bound().rows[0][0]), low)
    assert not plain(kernel.clear_of)(tables, fields(scene_of_bound().rows[0][0]), high)


def scene_of_bound():
    scene = scene_on(features={"kerb": KERB}, grade=[0.2, -0.1])
    scene.add(GROUND, (0.15, 0.0, 0.0))
    return scene


def test_choice_of_points():
    """The deepest first, then far apart; one place with two normals counts twice."""
    spot, found = rows(SPOT.zeros(12)), rows(FOUND.zeros(MOST_POINTS))
    for k in range(12):
        s = spot[k]
        s.x, s.nz, s.gap, s.id = 0.1 * k, 1.0, -1e-3 if k != 5 else -2e-3, k
    spot[6].x, spot[6].nx, spot[6].nz = 0.5, 1.0, 0.0
    count = plain(kernel.choose)(spot, 12, 1.0, found)
    ids = found.feature[:count].tolist()
    assert ids[0] == 5 and {0, 11, 6} <= set(ids) and count == MOST_POINTS
