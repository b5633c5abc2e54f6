"""The neighbour-list skin that follows motion."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from gori.kernels.particles import skin as skins
from tests.kernels.particles.device import settings
from tests.plain import plain
from tests.sim.particles.heaps import ONE, RADIUS, STEP, bed_of, corner, heap, setup_of
from tests.sim.particles.poses import still


def arrays(skin, follow=6.0, narrow=0.01, wide=1.0):
    return SimpleNamespace(settings=settings(follow=follow, narrow=narrow, wide=wide), skin=np.array([skin, 0.0]))


@pytest.mark.parametrize("skin", [0.02, 0.1, 0.5])
def test_the_best_skin_is_found_at_once(skin):
    """Lists that motion of u in a sub-step wears out give the skin of least cost, whatever the skin was."""
    u, c, b = 1e-3, 30.0, 10.0  # 2 c / b is what `follow` says, for r = 1
    cost = lambda s: 1.0 + b * s + 2.0 * c * u / s  # noqa: E731
    found = plain(skins.best_skin)(arrays(skin), skin / (2.0 * u))
    assert found == pytest.approx(math.sqrt(6.0 * u))
    assert cost(found) < min(cost(0.9 * found), cost(1.1 * found))


def test_it_has_bounds_and_may_be_given():
    best = plain(skins.best_skin)
    assert best(arrays(0.1), 10**9) == 0.01 and best(arrays(0.9, follow=100.0), 1) == 1.0
    assert best(arrays(0.1, follow=0.0), 5) == 0.1
    assert best(arrays(0.1), 0) == 0.1  # lists that were not worn out tell nothing


def test_what_nothing_wears_out_becomes_narrower():
    too_wide = plain(skins.too_wide)
    assert too_wide(arrays(0.5), skins.PATIENCE) and not too_wide(arrays(0.5), skins.PATIENCE - 1)
    assert not too_wide(arrays(0.01), skins.PATIENCE) and not too_wide(arrays(0.5, follow=0.0), skins.PATIENCE)


def test_it_changes_no_result():
    """Fast particles get wide lists, and nothing but the number of lists depends on it."""
    place, motion = heap(600, 3)
    fixed = setup_of(ONE, planes=corner(), skin=0.02 * RADIUS)
    beds = [bed_of(one, place, motion) for one in (fixed, fixed._replace(follow=60.0 * RADIUS, wide=RADIUS))]
    for bed in beds:
        assert bed.march(still(120), STEP) is None
    given, auto = beds
    assert auto.state().skin > 5.0 * given.state().skin == pytest.approx(0.1 * RADIUS)
    assert auto.counts()["rebuilds"] < 0.5 * given.counts()["rebuilds"]
    assert auto.counts()["contacts"] == given.counts()["contacts"]
    np.testing.assert_allclose(auto.snapshot()[1], given.snapshot()[1], rtol=0, atol=1e-9 * RADIUS)
