"""Why a march of particles ended, in words."""

import numpy as np
import pytest

from gori.kernels.particles import columns as c
from gori.sim.particles.engine import EngineFailure
from gori.sim.particles.failures import march_error
from tests.sim.particles.poses import still


class Bed:
    """Two grains, numbers 3 and 7."""

    def snapshot(self):
        sphere = np.array([[0.0, 0.0, 1.0, 0.01], [1.0, 2.0, -3.0, 0.01]])
        motion = np.zeros((2, 8))
        motion[1, :3] = (0.0, 3.0, 4.0)
        return np.array([3, 7]), sphere, motion


class Known:
    """A domain that a grain leaves below."""

    def __init__(self, given):
        self.given = given

    def left_by(self, point, poses):
        assert point.tolist() == [1.0, 2.0, -3.0] and poses.shape == (1, c.N_POSE)
        return " through its side z-"


def words(code, who=7, given=True, advice=""):
    error = march_error(EngineFailure(code, who), Bed(), Known(given), still(0)[0], 0.25, 1e-5, advice)
    assert error.time == 0.25
    return str(error)


def test_a_grain_that_is_lost():
    text = words(c.LOST)
    assert text.startswith("particle 7 at (1, 2, -3) m, moving with 5 m/s, has left the domain through its side z-")
    assert "t = 0.25 s" in text and "outlet" in text and "By default it is" not in text
    assert "By default it is the initial bounding box" in words(c.LOST, given=False)


def test_too_deep_and_too_fast():
    assert "overlaps another or a wall by more than half a radius, before t = 0.25 s" in words(c.TOO_DEEP)
    fast = words(c.RUNAWAY, advice="take a step of 1e-6 s; ")
    assert "quarter of its radius in one step of 1e-05 s" in fast
    assert "take a step of 1e-6 s; an impact is far too hard" in fast


@pytest.mark.parametrize(("who", "start"), [(5, "particle 5 overlaps"), (-1, "a particle overlaps")])
def test_grains_that_are_gone(who, start):
    assert words(c.TOO_DEEP, who).startswith(start)
