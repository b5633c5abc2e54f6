"""Height of the ground, compared with that of the Spec."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.learn.arrays import Arrays
from gori.learn.ground import GroundHeights
from tests.learn.machines import cart_pole, flyer


def test_heights_are_those_of_the_spec():
    ground = GroundHeights(flyer(), Arrays(gori.batch(flyer(), 3)))
    x, y = np.random.default_rng(1).uniform(-6.0, 6.0, (2, 3, 4000))
    heights, exact = ground.height(x, y), flyer().spec.terrain.height(x, y)
    assert np.abs(heights - exact).max() < 1e-12 and np.ptp(exact) > 1.0


def test_no_ground():
    with pytest.raises(InputError, match="no `terrain`"):
        GroundHeights(cart_pole(), Arrays(gori.batch(cart_pole(), 3)))
