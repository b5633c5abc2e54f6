"""Lists against all pairs: each pair within the skin has its slot, for sizes of all levels."""

import numpy as np
import pytest

from gori.kernels.particles.lists import class_of
from tests.sim.particles.heaps import ONE, RADIUS, STEP, bed_of, setup_of
from tests.sim.particles.poses import still


def test_classes_of_gaps():
    assert [class_of.py_func(gap, 1.0) for gap in (-0.1, 0.0, 0.1, 0.2, 0.6)] == [0, 0, 1, 2, 3]


def cloud(count, sizes, seed=0):
    """Particles here and there, without motion: overlaps are as they may be, as no sub-step is made."""
    rng = np.random.default_rng(seed)
    place, motion = np.zeros((count, 4)), np.zeros((count, 8))
    place[:, 3] = RADIUS * rng.choice(sizes, count, p=[0.05, *[0.95 / (len(sizes) - 1)] * (len(sizes) - 1)])
    place[:, :3] = rng.uniform(-0.35, 0.35, (count, 3)) * RADIUS * count ** (1.0 / 3.0)
    motion[:, 3] = place[:, 3] ** 3
    return place, motion


@pytest.mark.parametrize("levels", [1, 2, 3])
@pytest.mark.parametrize("count", [60, 5000])
def test_all_pairs_have_a_slot(levels, count):
    """Whether the cells are as wide as the largest reach, or each level of sizes has its own."""
    sizes = np.array([1.0, 0.3, 0.2, 0.1])
    place, motion = cloud(count, sizes)
    setup = setup_of(ONE, skin=0.1 * RADIUS)._replace(levels=RADIUS * sizes[[0, 1, 3]][:levels])
    bed = bed_of(setup, place, motion)
    names, slots = bed._ids(), bed._slots()
    found = np.sort(np.stack([names[bed._g.owner[slots]], names[bed._g.other[slots]]], axis=1), axis=1)
    found, times = np.unique(found, axis=0, return_counts=True)
    gap = np.linalg.norm(place[:, None, :3] - place[None, :, :3], axis=-1) - place[:, None, 3] - place[None, :, 3]
    expected = np.argwhere(np.triu(gap < 0.1 * RADIUS, 1))
    assert np.array_equal(found, expected) and len(found) > count / 4
    assert times.max() == 2  # those of two chunks have one in each


def test_levels_of_sizes_change_no_result():
    rng = np.random.default_rng(5)
    side = 9
    place, motion = np.zeros((side**3, 4)), np.zeros((side**3, 8))
    cells = np.stack(np.unravel_index(np.arange(side**3), (side,) * 3), axis=1)
    place[:, :3] = RADIUS * (0.39 * cells + rng.uniform(-0.02, 0.02, cells.shape))
    place[:, 3] = 0.2 * RADIUS
    place[0] = [-RADIUS, -RADIUS, -RADIUS, RADIUS]
    motion[:, :3] = rng.normal(0.0, 0.1, cells.shape) - 2e3 * (place[:, :3] - place[:, :3].mean(axis=0))
    motion[:, 3] = 2500.0 * place[:, 3] ** 3
    motion[0, :3] = 20.0
    ends = []
    for levels in (None, RADIUS * np.array([1.0, 0.2])):
        bed = bed_of(setup_of(ONE, skin=0.02 * RADIUS, workers=2)._replace(levels=levels), place, motion)
        assert bed.march(still(100), 0.2 * STEP) is None
        ends.append(bed)
    one, two = ends
    assert one.counts()["rebuilds"] == two.counts()["rebuilds"] > 3 and one.counts()["contacts"] > 30
    assert one.counts() == two.counts()
    np.testing.assert_allclose(two.snapshot()[1], one.snapshot()[1], rtol=0, atol=1e-9 * RADIUS)
