"""Walls seen from inside: gaps against distances to sampled walls."""

import numpy as np
import pytest

from gori.kernels.contact.narrow import hollow as kernel
from gori.kernels.contact.narrow.work import CLIP_POINT, CLIP_POINTS
from gori.kernels.contact.tables import BOWL, TUBE
from tests.kernels.contact.shapes import Scene, fields
from tests.plain import plain, rows


def wall(kind, *size):
    scene = Scene()
    scene.add(kind, size)
    return fields(scene.rows[0][0])


TUBES = [wall(TUBE, 1.0, 1.0, 2.0), wall(TUBE, 1.0, 0.5, 2.0), wall(TUBE, 0.3, 1.2, 0.7)]


@pytest.mark.parametrize("tube", TUBES)
def test_gap_of_a_tube(tube):
    rng = np.random.default_rng(0)
    low, high, h = tube.size
    t, angle = np.meshgrid(np.linspace(0, 1, 801), np.linspace(0, 2 * np.pi, 801))
    r = low + t * (high - low)
    points = np.stack([r * np.cos(angle), r * np.sin(angle), h * (2 * t - 1)], axis=-1).reshape(-1, 3)
    for _ in range(20):
        z = rng.uniform(-1.1 * h, 1.1 * h)
        radius = 0.9 * (low + (high - low) * (z + h) / (2 * h))
        p = np.array([*(radius * rng.uniform(-0.7, 0.7, 2)), z])
        away = np.linalg.norm(points - p, axis=1)
        gap, *n = plain(kernel.wall_gap)(tube, 0.1, *p)
        assert gap == pytest.approx(away.min(), abs=2e-4)
        np.testing.assert_allclose(p + gap * np.array(n), points[away.argmin()], atol=2e-2)


def test_beyond_the_end_there_is_no_wall():
    tube = TUBES[0]
    assert plain(kernel.wall_gap)(tube, 0.0, 0.9, 0.0, 2.1)[0] == np.inf
    assert plain(kernel.wall_gap)(tube, 0.1, 1.1, 0.0, 2.1)[0] == np.inf
    assert plain(kernel.wall_gap)(tube, 0.1, 1.1, 0.0, 1.9)[0] == pytest.approx(-0.1)


def test_bowl():
    bowl = wall(BOWL, 2.0, 0.0, 0.0)
    assert plain(kernel.wall_gap)(bowl, 0.0, 0.0, 1.2, 1.6) == pytest.approx((0.0, 0.0, 0.6, 0.8))
    assert plain(kernel.outward)(bowl, 0.0, 0.0, 0.0) == (2.0, 0.0, 0.0, -1.0)


def test_edges_are_cut_at_the_ends():
    assert plain(kernel.cut)(TUBES[0], 0.0, 0.0, 4.0, 1.0, 0.0, 0.0) == (0.5, 0.0, 2.0)
    assert plain(kernel.cut)(TUBES[0], 0.0, 0.0, -4.0, 1.0, 0.0, 0.0) == (0.5, 0.0, -2.0)
    assert plain(kernel.cut)(TUBES[0], 0.0, 0.0, 1.0, 1.0, 0.0, 0.0) == (0.0, 0.0, 1.0)


def test_a_full_list_gives_its_shallowest_away():
    rng, point, count = np.random.default_rng(1), rows(CLIP_POINT.zeros(CLIP_POINTS)), 0
    x = rng.uniform(0.0, 1.0, 60)
    for k in range(60):
        count = plain(kernel.take)(TUBES[0], 0.0, 5.0, x[k], 0.0, 0.0, k, point, count)
    assert count == CLIP_POINTS
    np.testing.assert_allclose(np.sort(point.x), np.sort(x)[-CLIP_POINTS:])
    assert plain(kernel.take)(TUBES[0], 0.0, 0.1, 0.5, 0.0, 0.0, 0, point, 3) == 3  # out of reach

    deepest = point.gap.min()
    assert plain(kernel.spread)(point, count, 4) == 4
    assert point[0].gap == deepest and np.ptp(point[:4].x) == pytest.approx(np.ptp(point.x))
    first = point[0].copy()
    plain(kernel.swap)(point, 0, 1)
    assert point[1].x == first.x and point[1].feature == first.feature
