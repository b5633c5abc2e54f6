"""The lower surface of shapes over a position: by trying heights from below with a test that knows the shape alone."""

from types import SimpleNamespace

import numpy as np
import pytest

from gori.kernels.contact.tables import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE
from gori.kernels.contact.terrain import under as kernel
from tests.kernels.contact.turns import random_rotation
from tests.plain import plain

CUBE = np.array([[s * (k == i) for k in range(3)] + [0.3] for i in range(3) for s in (1.0, -1.0)])
"""planes of a cube"""


def inside(kind, p):
    """Whether a point of the shape's own frame is in it, sizes as below; (n, 3)."""
    x, y, z = p.T
    if kind == BOX:
        return (np.abs(x) < 0.4) & (np.abs(y) < 0.3) & (np.abs(z) < 0.2)
    if kind == HULL:
        return np.abs(p).max(axis=1) < 0.3
    if kind == ELLIPSOID:
        return (x / 0.4) ** 2 + (y / 0.3) ** 2 + (z / 0.2) ** 2 < 1.0
    if kind == SPHERE:
        return np.linalg.norm(p, axis=1) < 0.25
    if kind == CAPSULE:
        return x**2 + y**2 + np.maximum(np.abs(z) - 0.2, 0.0) ** 2 < 0.25**2
    top = 0.4 if kind == CYLINDER else 0.1
    radius = 0.5 * (0.4 + top) + 0.5 * (top - 0.4) * z / 0.2
    return (np.abs(z) < 0.2) & (x**2 + y**2 < radius**2)


@pytest.mark.parametrize("kind", [BOX, HULL, ELLIPSOID, SPHERE, CAPSULE, CYLINDER, CONE])
def test_heights_and_normals(kind):
    rng, size = np.random.default_rng(kind), (0.4, 0.3, 0.2)
    if kind in (CYLINDER, CONE):
        size = (0.4, 0.4 if kind == CYLINDER else 0.1, 0.2)
    shape = SimpleNamespace(kind=kind, size=size, radius=0.25, first_plane=0, planes=6)
    met = missed = 0
    heights = np.linspace(-1.0, 1.0, 8001)
    for trial in range(60):
        R = random_rotation(rng) if trial else np.eye(3)
        pose = np.append(R.ravel(), [0.1, -0.2, 0.05])
        x, y = rng.uniform(-0.5, 0.5, 2)
        z, *normal = plain(kernel.lower_surface)(shape, pose, CUBE, x, y)
        line = np.column_stack([np.full(8001, x), np.full(8001, y), heights]) - pose[9:]
        there = inside(kind, line @ R)
        if not there.any():
            missed += 1
            assert not np.isfinite(z) or not inside(kind, ((np.array([x, y, z + 1e-3]) - pose[9:]) @ R)[None])[0]
            continue
        met += 1
        assert z == pytest.approx(heights[there.argmax()], abs=3e-4)
        # a little inwards from the point is inside, a little outwards is not
        point = np.array([x, y, z]) - pose[9:]
        ends = np.array([point - 1e-5 * np.array(normal), point + 1e-5 * np.array(normal)]) @ R
        assert np.linalg.norm(normal) == pytest.approx(1.0) and normal[2] < 0.0
        assert not inside(kind, ends)[1]
        if abs(normal[2]) > 0.05:
            assert inside(kind, ends)[0]
    assert met > 8 and missed > 3
