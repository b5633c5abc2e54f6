"""Why a march of particles ended, in words."""

import numpy as np
import pytest

from gori.kernels.particles import columns as c
from gori.sim.particles.engine import EngineFailure
from gori.sim.particles.failures import deepest_pair, march_error
from tests.sim.particles.poses import still


class Bed:
    """Two grains, numbers 3 and 7."""

    def __init__(self):
        self.sphere = np.array([[0.0, 0.0, 1.0, 0.01], [1.0, 2.0, -3.0, 0.01]])

    def snapshot(self):
        motion = np.zeros((2, 8))
        motion[1, :3] = (0.0, 3.0, 4.0)
        return np.array([3, 7]), self.sphere, motion


class Known:
    """A domain that a grain leaves below."""

    def __init__(self, given):
        self.given = given

    def left_by(self, point, poses):
        assert point.tolist() == [1.0, 2.0, -3.0] and poses.shape == (1, c.N_POSE)
        return " through its side z-"


def words(code, who=7, given=True, advice="", bed=None, walls=()):
    failure, poses = EngineFailure(code, who), still(0)[0]
    error = march_error(failure, bed or Bed(), Known(given), poses, 0.25, 1e-5, advice, lambda sphere: walls)
    assert error.time == 0.25
    return str(error)


def test_a_grain_that_is_lost():
    text = words(c.LOST)
    assert text.startswith("particle 7 at (1, 2, -3) m, moving with 5 m/s, has left the domain through its side z-")
    assert "t = 0.25 s" in text and "outlet" in text and "By default it is" not in text
    assert "By default it is the initial bounding box" in words(c.LOST, given=False)


def test_too_deep_and_too_fast():
    text = words(c.TOO_DEEP)
    assert text.startswith(
        "particle 7 at (1, 2, -3) m, moving with 5 m/s, overlaps another or a wall by more than half"
    )
    assert "the wall 'tray.bin' by more than half a radius, before t = 0.25 s" in words(c.TOO_DEEP, walls=["tray.bin"])
    fast = words(c.RUNAWAY, advice="take a step of 1e-6 s; ")
    assert "quarter of its radius in one step of 1e-05 s" in fast and "touches" not in fast
    assert "take a step of 1e-6 s; an impact is far too hard" in fast


@pytest.mark.parametrize("who", [-1, 3, 7])
def test_both_particles_of_a_pair_are_named(who):
    """Whether the engine knows one of them or none; where they are, how fast, and how deep they overlap."""
    bed = Bed()
    bed.sphere[1] = [0.008, 0.0, 1.0, 0.01]
    text = words(c.TOO_DEEP, who, bed=bed)
    assert "particle 3 at (0, 0, 1) m, moving with 0 m/s, and particle 7 at (0.008, 0, 1) m, moving with 5 m/s," in text
    assert "overlap by 0.012 m, more than half a radius, before t = 0.25 s; their relative speed is 5 m/s" in text
    fast = words(c.RUNAWAY, 3, bed=bed)
    assert fast.startswith("particle 3 at") and "and touches particle 7 at (0.008, 0, 1) m, moving with 5 m/s: " in fast


def test_the_deepest_pair_is_found():
    sphere = np.array(
        [[0, 0, 0, 1], [1.9, 0, 0, 1], [0, 5, 0, 1], [0, 5.5, 0, 0.1], [np.nan, 0, 0, 1], [1.9, 1, 0, 0.5]]
    )
    assert deepest_pair(sphere)[:2] == (2, 3)
    assert deepest_pair(sphere, 0) == pytest.approx((0, 1, 0.1, 0.1))
    assert deepest_pair(sphere[:1]) is None and deepest_pair(sphere[[0, 2]]) is None and deepest_pair(sphere, 4) is None


@pytest.mark.parametrize(("who", "start"), [(5, "particle 5 overlaps"), (-1, "a particle overlaps")])
def test_grains_that_are_gone(who, start):
    assert words(c.TOO_DEEP, who).startswith(start)
