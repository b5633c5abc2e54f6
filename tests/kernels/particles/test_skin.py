"""The neighbour-list skin that follows motion."""

from types import SimpleNamespace

import numpy as np
import pytest

from gori.kernels.particles import skin as skins
from tests.kernels.particles.device import settings
from tests.plain import plain
from tests.reference import particles as twin
from tests.sim.particles.heaps import ONE, RADIUS, STEP, bed_of, corner, heap, setup_of
from tests.sim.particles.poses import still


def arrays(skin, far=0.5, follow=6.0, narrow=0.01, wide=1.0):
    return SimpleNamespace(settings=settings(follow=follow, narrow=narrow, wide=wide), skin=np.array([skin, 0.0, far]))


@pytest.mark.parametrize("skin", [0.02, 0.1, 0.5])
def test_the_best_skin_is_found_at_once(skin):
    """Lists that motion of u in a sub-step wears out give the skin of least cost, whatever the skin was."""
    u, cost_of_lists, cost_of_pair, pairs = 1e-3, 30.0, 5.0, 7.0  # pairs of a particle in a skin of 1
    cost = lambda s: cost_of_pair * pairs * s + 2.0 * cost_of_lists * u / s  # noqa: E731
    found = plain(skins.best_skin)(arrays(skin, 0.5 * pairs * skin), skin / (2.0 * u))
    assert cost(found) < min(cost(0.9 * found), cost(1.1 * found)) and 0.01 < found < 1.0


def test_it_has_bounds_and_may_be_given():
    best = plain(skins.best_skin)
    assert best(arrays(0.1), 10**9) == 0.01 and best(arrays(0.9, follow=100.0), 1) == 1.0
    assert best(arrays(0.1, follow=0.0), 5) == 0.1
    assert best(arrays(0.1), 0) == 0.1  # lists that were not worn out tell nothing
    assert best(arrays(0.1, far=0.0), 5) == 1.0  # nothing is near


def test_what_nothing_wears_out_becomes_narrower():
    too_wide = plain(skins.too_wide)
    assert too_wide(arrays(0.5), skins.PATIENCE) and not too_wide(arrays(0.5), skins.PATIENCE - 1)
    assert not too_wide(arrays(0.01), skins.PATIENCE) and not too_wide(arrays(0.5, follow=0.0), skins.PATIENCE)


def test_what_is_in_the_farther_half_of_the_skin_is_counted():
    """Pairs once, of all chunks, and walls for as much as they cost."""
    place, motion = heap(600, 3)
    floor = twin.Plane(np.array([0.0, 0.0, -0.7 * RADIUS]), np.array([0.0, 0.0, 1.0]))
    setup = setup_of(ONE, planes=[*corner(), floor], skin=RADIUS)._replace(follow=1.0, wide=RADIUS)
    bed = bed_of(setup, place, motion)
    gap = np.linalg.norm(place[:, None, :3] - place[None, :, :3], axis=-1) - place[:, None, 3] - place[None, :, 3]
    far = (gap > 0.5 * RADIUS) & (gap < RADIUS)
    same = np.zeros_like(far)
    order, rows = bed._ids(), int(bed._progress["rows"])
    for first in range(0, 600, rows):
        same[np.ix_(order[first : first + rows], order[first : first + rows])] = True
    walls = place[:, 2] + 0.7 * RADIUS - place[:, 3]
    expected = 0.5 * (far & same).sum() + (far & ~same).sum()  # those of two chunks have a slot in each
    expected += skins.WALL * ((walls > 0.5 * RADIUS) & (walls < RADIUS)).sum()
    assert bed._g.skin[2] == pytest.approx(expected / 600, rel=1e-12) and (far & same).any() and expected > 100


def test_it_changes_no_result():
    """Fast particles get wide lists, and nothing but the number of lists depends on it."""
    place, motion = heap(600, 3)
    fixed = setup_of(ONE, planes=corner(), skin=0.02 * RADIUS)
    beds = [bed_of(one, place, motion) for one in (fixed, fixed._replace(follow=100.0, wide=RADIUS))]
    for bed in beds:
        assert bed.march(still(120), STEP) is None
    given, auto = beds
    assert auto.state().skin > 5.0 * given.state().skin == pytest.approx(0.1 * RADIUS)
    assert auto.counts()["rebuilds"] < 0.5 * given.counts()["rebuilds"]
    assert auto.counts()["contacts"] == given.counts()["contacts"]
    np.testing.assert_allclose(auto.snapshot()[1], given.snapshot()[1], rtol=0, atol=1e-9 * RADIUS)
