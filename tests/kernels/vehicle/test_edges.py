"""Where a wheel next to walls is a disc: the twin, gradients by differences, and no share of walls that lie across."""

import numpy as np
import pytest

from gori.kernels.vehicle import edges as kernel
from tests.kernels.vehicle.leaners import R, ground
from tests.plain import plain
from tests.reference import wheel_edges as twin

YAW = np.radians(30.0)
BLOCK = {"type": "step", "height": 0.3, "length": 0.8, "width": 0.5, "at": [0.1, -0.2], "yaw_deg": 30.0}


def walls():
    """The four sides of the block; those across rise over 1 mm, from foot to head."""
    along, aside = np.array([np.cos(YAW), np.sin(YAW)]), np.array([-np.sin(YAW), np.cos(YAW)])

    def segment(s, w, to_s, to_w):
        return tuple(np.array([0.1, -0.2]) + a * along + b * aside for a, b in ((s, w), (to_s, to_w)))

    across = [[segment(s, -0.25, s, 0.25) for s in wall] for wall in ((0.0, 1e-3), (0.801, 0.802))]
    return [*across, [segment(0.0, -0.25, 0.802, -0.25)], [segment(0.0, 0.25, 0.802, 0.25)]]


def share(here, *centre):
    return plain(kernel.disc_share)(here, centre, R)


@pytest.mark.parametrize("height", [0.3, -0.3])
def test_share_next_to_a_block_and_a_hole_is_the_twins(height):
    rng, here, seen = np.random.default_rng(3), ground(features={"a": BLOCK | {"height": height}}), set()
    for _ in range(200):
        centre = np.append(rng.uniform(-1.2, 1.6, 2), 0.5)
        found, *_ = share(here, *centre)
        assert found == pytest.approx(twin.disc_share(centre, R, walls()), abs=1e-6)
        seen.add(round(found, 1))
    assert {0.0, 1.0} < seen and len(seen) > 5


def test_gradient_of_the_share():
    rng, here, graded = np.random.default_rng(4), ground(features={"a": BLOCK}), 0
    for _ in range(120):
        centre = np.append(rng.uniform(-1.2, 1.6, 2), 0.5)
        _, *gradient = share(here, *centre)
        for k, slope in enumerate(gradient):
            e = 1e-7 * np.eye(3)[k]
            assert slope == pytest.approx(
                (share(here, *(centre + e))[0] - share(here, *(centre - e))[0]) / 2e-7, abs=1e-5
            )
        graded += any(np.abs(gradient) > 0.1)
    assert graded > 8


def test_far_away_and_on_bumps_it_is_a_disc():
    step = ground(features={"a": {"type": "step", "height": 0.2}})
    assert share(step, -0.99 * R, 0.0, 0.6)[0] == 0.0 and share(step, -1.26 * R, 0.0, 0.6)[0] == 1.0
    # without walls and without ends at its sides
    bump = ground(features={"a": {"type": "trapezoid", "height": 0.08}})
    assert share(bump, 0.1, 0.0, 0.6)[0] == 1.0
