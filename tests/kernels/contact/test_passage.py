"""Shapes on their way through each other: where they first touch, and on which side they come out."""

import numpy as np
import pytest

import gori
from gori.integrate import RK4
from gori.kernels.codes import CONTACT_PASSED, OK
from gori.kernels.contact.passage import look_for_passages, pose_between, stand, way_of
from gori.kernels.contact.penalty import penalty_at
from gori.kernels.contact.penalty_memory import FAR, PASSED
from gori.kernels.layout import row
from gori.kernels.machine import ADVANCE, PASSES, STAND, START
from gori.sim import Simulation
from tests.kernels.contact.turns import random_rotation
from tests.plain import plain, records
from tests.sim.contact.passages import bullet


class Flight:
    """A bullet that is put from one place to another, in a step of 1 ms."""

    def __init__(self, shape="sphere", speed=0.0, plate=0.002):
        self.model = gori.compile(bullet(speed, plate, shape))
        stepper = Simulation(self.model, RK4(step=1e-3)).stepper
        self.machine, self.data, self.y = stepper.machine, stepper.data, stepper.y
        self.memory = stepper.data.penalty_memory

    def put(self, at, what, time):
        self.y[4:7] = at
        return penalty_at(self.machine, self.data, time, self.y, what)

    def passed(self, start, end):
        """Whether PASSES says so, and what is noted by ADVANCE."""
        assert self.put(start, START, 0.0) == OK
        code = self.put(end, PASSES, 1e-3)
        assert self.put(end, ADVANCE, 1e-3) == OK
        return code == CONTACT_PASSED, self.memory.worst["value"][PASSED] > 0.0


@pytest.mark.parametrize("shape", ["sphere", "box"])
@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ([0, 0, 0.2], [0, 0, -0.2], True),
        ([0, 0, -0.2], [0.1, 0.1, 0.3], True),  # from below, aslant
        ([0, 0, 0.02], [0, 0, -0.0005], True),  # so deep that it comes out below
        ([0, 0, 0.2], [0, 0, 0.0055], False),  # inside by half a millimetre
        ([0, 0, 0.2], [0.3, 0, 0.2], False),  # along the plate
        ([0.6, 0, 0.2], [0.6, 0, -0.2], False),  # beside it
        ([0.4, 0, 0.2], [0.8, 0, 0.0], False),  # over its edge
    ],
)
def test_a_bullet_on_its_way(shape, start, end, expected):
    assert Flight(shape).passed(start, end) == (expected, expected)


def test_one_that_was_put_there_has_not_passed():
    flight = Flight()
    assert flight.put([0, 0, 0.2], START, 0.0) == OK
    assert flight.put([0, 0, -0.2], STAND, 1e-3) == OK
    assert flight.put([0, 0, -0.21], ADVANCE, 2e-3) == OK
    assert not flight.memory.worst["value"].any()


def test_the_speed_of_a_passage_and_of_one_to_come_are_noted():
    flight = Flight(speed=300.0)
    flight.put([0, 0, 0.2], START, 0.0)
    flight.put([0, 0, -0.1], ADVANCE, 1e-3)
    passed = flight.memory.worst[PASSED]
    assert passed["speed"] == pytest.approx(300.0) and passed["time"] == 1e-3
    flight = Flight(speed=300.0)
    flight.put([0, 0, 0.5], START, 0.0)
    flight.put([0, 0, 0.2], ADVANCE, 1e-3)
    far = flight.memory.worst[FAR]
    assert far["value"] == pytest.approx(300.0) and far["speed"] == pytest.approx(300.0)  # by half of 2 mm


def test_slow_bodies_are_not_looked_at():
    flight = Flight(speed=1.0)
    assert flight.passed([0, 0, 0.006], [0, 0, 0.0057]) == (False, False)
    machine, data = records(flight.machine), records(flight.data)
    plain(stand)(data, 0.0)
    assert not plain(look_for_passages)(machine, data, 1e-3, False)


def test_poses_between_two_are_rotations():
    rng, out = np.random.default_rng(1), np.zeros(12)
    R = random_rotation(rng)
    small = np.linalg.qr(R + 0.1 * rng.normal(size=(3, 3)))[0]
    small *= np.sign(np.diag(small.T @ R))  # near to R
    before, now = np.r_[R.ravel(), 1.0, 2.0, 3.0], np.r_[small.ravel(), 2.0, 2.0, 3.0]
    for share in (0.0, 0.3, 1.0):
        plain(pose_between)(before, now, share, out)
        between = out[:9].reshape(3, 3)
        assert np.allclose(between @ between.T, np.eye(3)) and out[9] == pytest.approx(1.0 + share)
    assert np.allclose(between, small)
    shape = row(gori.compile(bullet()).contact.tables.shape[:1].copy())
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-1e-3, 1e-3)])
    ways = corners @ (small - R).T + [1.0, 0.0, 0.0]
    assert np.linalg.norm(ways, axis=1).max() <= plain(way_of)(shape, before, now)
