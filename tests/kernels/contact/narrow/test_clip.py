"""Clipped polygons against an area by other means, and features that do not depend on which of both is clipped."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull, HalfspaceIntersection

from gori.kernels.contact.narrow import clip as kernel
from gori.kernels.contact.narrow.work import CLIP_POINT, CLIP_POINTS, FACE_POINT
from tests.plain import plain, rows


def face(points, clockwise=False):
    table = FACE_POINT.zeros(len(points))
    table["x"], table["y"] = np.transpose(points[::-1] if clockwise else points)
    table["id"] = np.arange(len(points))[::-1] if clockwise else np.arange(len(points))
    return rows(table)


def clipped(other, is_a, polygon):
    clip, spare = rows(CLIP_POINT.zeros(CLIP_POINTS)), rows(CLIP_POINT.zeros(CLIP_POINTS))
    plain(kernel.begin_clip)(polygon, len(polygon), kernel.VERTEX_B if is_a else kernel.VERTEX_A, clip)
    return clip[: plain(kernel.clip_by)(other, len(other), is_a, clip, len(polygon), spare)]


def random_polygon(rng, count):
    angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, count))
    return np.column_stack([np.cos(angle), 0.8 * np.sin(angle)]) + 0.3 * rng.normal(size=2)


def area_of(points):
    return ConvexHull(points).volume if len(points) > 2 else 0.0


@pytest.mark.parametrize("seed", range(20))
def test_overlap_and_features(seed):
    rng = np.random.default_rng(seed)
    p, q = random_polygon(rng, 7), random_polygon(rng, 5)
    planes = np.vstack([ConvexHull(p).equations, ConvexHull(q).equations])
    middle = np.mean([p.mean(axis=0), q.mean(axis=0)], axis=0)
    if np.max(planes[:, :2] @ middle + planes[:, 2]) > -1e-3:
        middle = None
    first = clipped(face(p), True, face(q, clockwise=True))  # B clipped by A
    second = clipped(face(q, clockwise=True), False, face(p))  # A clipped by B
    assert set(first.feature) == set(second.feature) and len(set(first.feature)) == len(first)
    if middle is not None:
        expected = area_of(HalfspaceIntersection(planes, middle).intersections)
        for points in (first, second):
            assert area_of(np.column_stack([points.x, points.y])) == pytest.approx(expected, rel=1e-4)
    where = {f: (x, y) for f, x, y in zip(first.feature, first.x, first.y)}
    for f, x, y in zip(second.feature, second.x, second.y):
        assert where[f] == pytest.approx((x, y), abs=1e-5)


def test_polygons_that_are_apart_and_one_within_the_other():
    square = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)], float)
    assert len(clipped(face(square), True, face(square + 3.0, clockwise=True))) == 0
    small = clipped(face(square), True, face(0.5 * square, clockwise=True))
    assert sorted(small.feature) == [kernel.VERTEX_B + k for k in range(4)]
    flush = clipped(face(square), True, face(square + 1e-8, clockwise=True))
    assert sorted(flush.feature) == [kernel.VERTEX_B + k for k in range(4)]


def test_ids():
    assert plain(kernel.edge_id)(5, 2) == plain(kernel.edge_id)(2, 5) != plain(kernel.edge_id)(2, 6)
    assert plain(kernel.crossing)(1, 2) != plain(kernel.crossing)(2, 1)
    ids = {kernel.VERTEX_A, kernel.VERTEX_B, kernel.CROSSING}
    assert len(ids) == 3 and max(ids) + (1 << 57) < 2**63
