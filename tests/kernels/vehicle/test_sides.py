"""Balls on the ground and at walls: depths by hand, gradients by differences, nothing that jumps."""

import numpy as np
import pytest

from gori.kernels.vehicle import sides as kernel
from tests.kernels.vehicle.leaners import ALONG, WALL, ground
from tests.plain import plain

RHO = 0.15
BLOCK = ground(features={"a": {"type": "step", "height": 0.5, "length": 2.0, "width": 1.0, "at": [0.0, 0.0]}})
FLANK = ground(features={"a": {"type": "trapezoid", "height": 0.5, "length": 0.8, "top": 0.4, "at": [-0.4, 0.0]}})
RAMP = ground(features={"a": {"type": "ramp", "height": -0.4, "length": 1.0, "top": 1.0, "width": 1.0}})


def ball(here, *position):
    """Depth [m] and its gradient."""
    S, *gradient = plain(kernel.ball_strength)(here, 1.0, RHO, *position)
    depth = S**0.125
    return depth, 0.125 * depth / S * np.array(gradient) if S > 0.0 else np.zeros(3)


def test_opposite_walls_of_a_hole_add_up():
    ditch = ALONG.feature[0]  # 0.9 m from wall to wall; they slope over 1 mm
    for at, up in ((0.06, -0.3), (0.1, 0.05), (0.45, 0.1), (0.8, -0.2)):
        S, *_, there = plain(kernel.pair_strength)(ditch, 0, at, up, RHO)
        outs = np.array([at, 0.9 - at])
        expected = sum(max(0.0, RHO - (out if up < 0.0 else np.hypot(out, up))) ** 8 for out in outs)
        assert there and expected**0.125 == pytest.approx(S**0.125, abs=2.5e-3)
    assert not plain(kernel.pair_strength)(ditch, 2, 0.0, 0.0, RHO)[3]


def test_the_ground_fades_under_a_block():
    low = ground(features={"a": {"type": "step", "height": 0.02, "length": 2.0, "width": 1.0}})
    assert ball(low, 1.0, 0.0, 0.12)[0] == pytest.approx(0.05)  # on top: not on the ground below it, too


def test_depths_by_hand():
    assert ball(WALL, 0.0, -1.0, 0.1)[0] == pytest.approx(0.05)  # on the floor
    assert ball(WALL, 0.0, 1.0, 0.7)[0] == pytest.approx(0.05)  # on top
    assert ball(WALL, 0.0, 0.15, 0.3)[0] == pytest.approx(0.05, abs=1e-3)  # at the face, 0.25 m ahead
    assert ball(BLOCK, 1.0, 0.6, 0.3)[0] == pytest.approx(0.05, abs=1e-3)  # at the side of a block
    assert ball(ALONG, 0.0, 0.0, -0.3)[0] == pytest.approx(0.05)  # on the floor of a ditch
    assert ball(ALONG, 0.0, 0.0, 0.1)[0] == 0.0 and ball(ALONG, 0.0, 1.0, 0.1)[0] == pytest.approx(0.05)
    assert ball(RAMP, -1.0, 0.0, 0.1)[0] == pytest.approx(0.05)  # in front of a hole that one can drive into
    assert ball(RAMP, 1.5, 0.0, -0.3)[0] == pytest.approx(0.05)


@pytest.mark.parametrize("here", [WALL, BLOCK, FLANK, ALONG, RAMP], ids=["wall", "block", "flank", "ditch", "ramp"])
def test_depths_are_continuous_and_have_their_gradient(here):
    rng = np.random.default_rng(1)
    wrong = touched = 0
    for _ in range(60):
        start, end = (np.append(rng.uniform(-0.9, 0.9, 2), rng.uniform(-0.4, 0.7)) for _ in range(2))
        path = start + np.linspace(0.0, 1.0, 101)[:, None] * (end - start)
        depths = np.array([ball(here, *point)[0] for point in path])
        assert np.abs(np.diff(depths)).max() < 3.0 * np.linalg.norm(end - start) / 100.0
        depth, gradient = ball(here, *start)
        if depth > 1e-3:
            ends = [[ball(here, *(start + s * e))[0] for s in (1.0, -1.0)] for e in 1e-7 * np.eye(3)]
            slope = np.array([(a - b) / 2e-7 for a, b in ends])
            touched, wrong = touched + 1, wrong + (np.abs(slope - gradient).max() > 1e-4)
    assert touched > 10 and wrong == 0
