"""Distances from blocks: the twin, by projections; gradients by differences; nothing that jumps."""

import numpy as np
import pytest

from gori.kernels.vehicle import blocks as kernel
from tests.kernels.vehicle.leaners import ground
from tests.plain import plain
from tests.reference import wheel_edges as twin

BOX = ground(features={"a": {"type": "step", "height": 0.5, "length": 1.0, "width": 0.6}}).feature[0]
FLANKS = ground(features={"a": {"type": "trapezoid", "height": 0.5, "length": 1.4, "top": 1.0, "width": 0.6}}).feature[
    0
]
LEAN = np.arctan2(0.2, 0.5)


def distance(feature, s, across, up):
    return plain(kernel.from_block)(feature, s, across, up)


def half_spaces(ends):
    """Normals and offsets of a block about x in ends, |y| < 0.3, z < 0; its ends lean by LEAN if they are flanks."""
    c, s = (1.0, 0.0) if ends[0] < 0.1 else (np.cos(LEAN), np.sin(LEAN))
    normals = [(-c, 0, s), (c, 0, s), (0, -1, 0), (0, 1, 0), (0, 0, 1)]
    return np.array(normals, float), np.array([-c * ends[0], c * ends[1], 0.3, 0.3, 0.0])


@pytest.mark.parametrize(("feature", "ends"), [(BOX, (0.001, 1.001)), (FLANKS, (0.2, 1.2))], ids=["box", "flanks"])
def test_distances_are_the_twins(feature, ends):
    rng, kinds = np.random.default_rng(5), set()
    for _ in range(120):
        s, across, up = rng.uniform(-0.4, 1.6), rng.uniform(-0.6, 0.6), rng.uniform(-0.4, 0.3)
        found, by_s, by_across, by_up, *_ = distance(feature, s, across, up)
        expected = twin.from_block(np.array([s, across, up]), *half_spaces(ends))
        if feature is BOX or not (abs(across) > 0.3 and expected > 0.0):
            assert found == pytest.approx(expected, abs=2e-3)
        else:  # the corner of a side and a flank that leans: at least the true distance, as long as that is right
            assert expected - 2e-3 < found < 1.3 * expected + 2e-3
        assert np.sqrt(by_s**2 + by_across**2 + by_up**2) == pytest.approx(1.0, abs=1e-9)
        kinds.add((by_s != 0.0, by_across != 0.0, by_up != 0.0))
    assert len(kinds) >= 5


@pytest.mark.parametrize("feature", [BOX, FLANKS], ids=["box", "flanks"])
def test_distances_are_continuous_with_their_gradient(feature):
    rng = np.random.default_rng(6)
    for _ in range(60):
        a, b = (np.array([rng.uniform(-0.4, 1.6), rng.uniform(-0.6, 0.6), rng.uniform(-0.4, 0.3)]) for _ in range(2))
        path = a + np.linspace(0.0, 1.0, 201)[:, None] * (b - a)
        found = np.array([distance(feature, *p)[0] for p in path])
        assert np.abs(np.diff(found)).max() < 1.01 * np.linalg.norm(b - a) / 200.0
        gradient = distance(feature, *a)[1:4]
        for k, e in enumerate(1e-7 * np.eye(3)):
            slope = (distance(feature, *(a + e))[0] - distance(feature, *(a - e))[0]) / 2e-7
            assert gradient[k] == pytest.approx(slope, abs=1e-5)


def test_a_slope_ends_at_its_foot():
    ramp = ground(features={"a": {"type": "ramp", "height": 0.4, "length": 1.0, "top": 1.0, "width": 1.0}}).feature[0]
    assert plain(kernel.end_of)(ramp, 0) == (0.0, -1.0, 0.0)
    assert distance(ramp, -0.3, 0.0, 0.1)[0] == pytest.approx(np.hypot(0.3, 0.1))
    assert distance(ramp, 0.5, 0.0, 0.1)[0] == pytest.approx(0.1)


def test_fading():
    values = np.linspace(-0.5, 1.5, 201)
    found = np.array([plain(kernel.fading)(v, 0.0, 1.0) for v in values])
    np.testing.assert_allclose(found[:, 0], twin.smooth(values), atol=1e-14)
    np.testing.assert_allclose(np.gradient(found[:, 0], values)[1:-1], found[1:-1, 1], atol=2e-2)
    assert plain(kernel.fading)(0.3, 1.0, 0.0)[0] == pytest.approx(twin.smooth(0.7))


@pytest.mark.parametrize(("out", "up", "distance"), [(-0.3, 0.1, 0.1), (0.06, 0.08, 0.1), (-0.3, -0.02, -0.02)])
def test_distance_from_a_wedge(out, up, distance):
    assert plain(kernel.wedge_distance)(out, up, 0.0)[0] == pytest.approx(distance)
