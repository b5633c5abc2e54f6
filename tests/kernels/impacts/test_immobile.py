"""Friction where no force can change the slip, against Coulomb's law."""

import numpy as np
import pytest

from gori.kernels.codes import OK
from gori.kernels.impacts.hold import solve_held
from gori.kernels.impacts.immobile import FLAT, against_given_slip, is_immobile
from gori.kernels.impacts.memory import rest_memory
from tests.plain import plain, records

RATE = 1000.0


def test_what_counts_as_immobile():
    assert plain(is_immobile)(np.diag([1.0, 0.0, 0.0]), 0)
    assert plain(is_immobile)(np.diag([1.0, -0.1 * FLAT, 0.5 * FLAT]), 0)
    assert not plain(is_immobile)(np.diag([1.0, 0.0, 1e-6]), 0)


def test_against_the_slip():
    slip = RATE * np.array([0.3, -0.4])
    np.testing.assert_allclose(plain(against_given_slip)(*slip, *slip, RATE), [-0.6, 0.8])
    assert plain(against_given_slip)(1.0, 2.0, 0.0, 0.0, RATE) == (0.0, 0.0)  # undetermined
    # slip that turns is opposed in full; slip that is about to reverse on a ramp of 1/c
    across = slip + 5.0 * slip[::-1] * [-1.0, 1.0]
    np.testing.assert_allclose(plain(against_given_slip)(*across, *slip, RATE), [-0.6, 0.8])
    np.testing.assert_allclose(plain(against_given_slip)(2.0 - 10.0, 0.0, 2.0, 0.0, RATE), [-0.2, 0.0])


@pytest.mark.parametrize("slip", [[0.5, 0.0], [-0.3, 0.4], [1e-6, -1e-6]])
def test_a_pad_on_guides(slip):
    rest = records(rest_memory(pairs=np.zeros((1, 2), np.int64)))
    W, speed = np.diag([2.0, 0.0, 0.0]), np.array([0.0, *slip])
    rest.mobility[:3, :3], rest.free[:3], rest.speed[:3] = W, np.array([-9.81, 0, 0]) + RATE * speed, speed
    rest.held["friction"][0], rest.head["rate"] = 0.3, RATE
    assert plain(solve_held)(rest, 1) == OK
    normal = 9.81 / 2.0
    np.testing.assert_allclose(rest.force[:3], [normal, *(-0.3 * normal * np.array(slip) / np.hypot(*slip))])
