"""The search for closed poses from several starts."""

import numpy as np
import pytest

import gori
from gori.model.loops.newton import Search, close_from
from tests.integrate.closed_machines import rockers


def search(q, weight=1.0):
    model = gori.compile(rockers())
    return model, Search(model, np.array(q), np.full(model.nv, weight), 0.0)


def both(angle):
    """B of both closed poses of the rockers, by the triangle of coupler and rocker."""
    to_foot = np.array([1.0, 0.0]) - 0.6 * np.array([np.cos(angle), np.sin(angle)])
    far = np.linalg.norm(to_foot)
    inside = np.arccos((0.5**2 + far**2 - 0.6**2) / (2 * 0.5 * far))
    turned = np.arctan2(to_foot[1], to_foot[0]) + inside * np.array([1.0, -1.0]) - angle
    return np.remainder(turned + np.pi, 2 * np.pi) - np.pi


@pytest.mark.parametrize("angle", [0.5, 0.9, 1.1])
def test_both_closed_poses_are_found_the_nearest_first(angle):
    for B in (-2.0, 2.0):
        _, look = search([angle, B, 1.5])
        found = look.closures(np.array([False, True, True]))
        assert len(found) == 2 and all(pose.q[0] == angle for pose in found)
        turned = [np.remainder(pose.q[1] + np.pi, 2 * np.pi) - np.pi for pose in found]
        np.testing.assert_allclose(sorted(turned), sorted(both(angle)), rtol=0, atol=1e-9)
        assert all(abs(pose.q[1] - B) <= np.pi for pose in found)
        assert look.distance(found[0].q) <= look.distance(found[1].q)
        again = search([angle, B, 1.5])[1].closures(np.array([False, True, True]))
        assert all(np.array_equal(a.q, b.q) for a, b in zip(found, again, strict=True))


def test_of_infinitely_many_the_one_next_to_the_start():
    _, look = search([0.9, -1.0, 1.5])
    (pose,) = look.closures(np.ones(3, bool))
    assert pose.closed and look.distance(pose.q) < 0.6


def test_what_cannot_close_is_not_found():
    model, look = search([1.0, -1.0, 0.3])
    assert not look.closures(np.array([False, True, False]))
    pose = close_from(model, model.q0, np.zeros(3, bool), np.ones(3), 0.0)
    assert not pose.closed and np.array_equal(pose.q, model.q0)
