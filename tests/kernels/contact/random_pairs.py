"""Random pairs of convex shapes: apart, touching, overlapping, concentric, flush, crossed, and of sizes 1 : 1000."""

import numpy as np
from scipy.spatial.transform import Rotation

from gori.kernels.contact.tables import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE
from tests.kernels.contact.shapes import Scene, random_rotation

KINDS = (SPHERE, CAPSULE, BOX, CYLINDER, CONE, ELLIPSOID, HULL)
NAMES = ("sphere", "capsule", "box", "cylinder", "cone", "ellipsoid", "hull")


def ball_points(rng, count=30):
    points = rng.normal(size=(count, 3))
    points *= rng.uniform(0.7, 1.0, (count, 1)) / np.linalg.norm(points, axis=1, keepdims=True)
    return points - 0.5 * (points.max(axis=0) + points.min(axis=0))


def add_random(scene, rng, kind, scale, position, rotation):
    size, radius, vertices = rng.uniform(0.3, 1.0, 3) * scale, 0.0, ()
    if kind == SPHERE:
        size, radius = np.zeros(3), size[0]
    elif kind == CAPSULE:
        size, radius = np.array([0.0, 0.0, size[2]]), 0.5 * size[0]
    elif kind == CONE and rng.random() < 0.5:
        size[1] = 0.0
    elif kind == HULL:
        size, vertices = np.zeros(3), ball_points(rng) * scale
    return scene.add(kind, size, radius, position, rotation, vertices)


def random_pairs(count, seed=0):
    """A Scene of 2 count shapes, of which 2 k and 2 k + 1 are a pair."""
    rng, scene = np.random.default_rng(seed), Scene()
    quarter = Rotation.create_group("O")
    for k in range(count):
        kinds = KINDS[k % 7], KINDS[k // 7 % 7]
        scale = 10.0 ** rng.uniform(-1.5, 1.5, 2) if k % 5 == 0 else np.ones(2)
        case = rng.integers(8)
        rotation = [random_rotation(rng), random_rotation(rng)]
        away = rng.normal(size=3)
        away *= rng.uniform(0.0, 2.0) * scale.sum() / np.linalg.norm(away)
        if case == 0:  # concentric
            away = np.zeros(3)
        elif case in (1, 2):  # axes parallel, or at right angles
            rotation[1] = rotation[0] * quarter[rng.integers(24)]
            if case == 2:
                away = rotation[0].apply(np.eye(3)[rng.integers(3)] * rng.uniform(0.0, 2.0) * scale.sum())
        elif case == 3:  # edge on edge
            rotation[1] = rotation[0] * Rotation.from_euler("x", np.pi / 4) * Rotation.from_euler("y", np.pi / 4)
        centre = rng.normal(size=3) * scale.max()
        add_random(scene, rng, kinds[0], scale[0], centre, rotation[0])
        add_random(scene, rng, kinds[1], scale[1], centre + away, rotation[1])
    return scene


def bring_to_gap(scene, found, gap):
    """Move each B along the normal so that the pair has this gap [m] by its size, or touches."""
    for k, points in enumerate(found):
        if len(points):
            deepest = points[np.argmin(points["gap"])]
            size = min(scene.rows[2 * k]["half"].max(), scene.rows[2 * k + 1]["half"].max())
            scene.poses[2 * k + 1][9:] += (gap * size - deepest["gap"]) * deepest["normal"]
