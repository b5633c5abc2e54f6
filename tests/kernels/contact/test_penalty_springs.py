"""Springs between anchors: elongation, rotation since they were relaxed, and how that is taken along."""

import numpy as np
import pytest

from gori.kernels.contact.memory import POINT
from gori.kernels.contact.penalty_springs import elongation, relax, rotation_since
from gori.kernels.contact.turning import put_anchor
from gori.kernels.layout import row
from gori.kernels.tree.columns import N_BODY_W, P_WB, R_WB
from tests.kernels.contact.turns import random_rotation
from tests.plain import Plain, plain


def two_bodies(seed):
    rng, body_w = np.random.default_rng(seed), np.zeros((3, N_BODY_W))
    for i in (1, 2):
        body_w[i, R_WB : R_WB + 9], body_w[i, P_WB : P_WB + 3] = random_rotation(rng).ravel(), rng.normal(size=3)
    point = row(POINT.zeros(1))
    point.normal[:] = random_rotation(rng)[0]
    return rng, body_w, point


def test_elongation_is_across_the_normal_between_both_anchors():
    rng, body_w, point = two_bodies(0)
    ends = rng.normal(size=(2, 3))
    data, A, B = Plain(body_w=body_w), Plain(row=1, wheel=0), Plain(row=2, wheel=0)
    plain(put_anchor)(None, data, A, point.anchor_a, 0.0, *ends[0])
    plain(put_anchor)(None, data, B, point.anchor_b, 0.0, *ends[1])
    assert plain(elongation)(None, data, point, A, B, 0.0) == (0.0, 0.0, 0.0)  # it does not stick yet
    point.sticking = 1
    way, n = ends[1] - ends[0], np.array(point.normal)
    assert plain(elongation)(None, data, point, A, B, 0.0) == pytest.approx(way - (way @ n) * n)


def test_springs_of_rotation_are_relaxed_to_the_turn_that_is_left():
    _, body_w, point = two_bodies(1)
    left = np.array([1e-3, -2e-3, 1.5e-3])
    plain(relax)(point, 1, 2, body_w, *left)
    point.sticking = 1
    assert plain(rotation_since)(point, 1, 2, body_w) == pytest.approx(left, rel=1e-5)
    small = np.eye(3) + 1e-4 * np.array([[0, -1, 2], [1, 0, -3], [-2, 3, 0]])  # about (3, 2, 1)
    body_w[2, R_WB : R_WB + 9] = (small @ body_w[2, R_WB : R_WB + 9].reshape(3, 3)).ravel()
    assert plain(rotation_since)(point, 1, 2, body_w) == pytest.approx(left + 1e-4 * np.array([3, 2, 1]), abs=2e-6)
