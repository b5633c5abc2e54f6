"""Angles between two frames: within half a turn, about the axis that they name, and full turns next to a guess."""

import math

import numpy as np
import pytest

from gori.kernels.loops.angles import angle_of, axis_of, nearest_turn, screw_turns, turning_axis, turning_row
from gori.kernels.loops.tables import CUT, FIRST, SECOND, TURN
from gori.kernels.tree.columns import N_BODY_W, R_WB
from tests.checks import close
from tests.plain import plain, rows
from tests.reference.spatial import so3_exp

X, Y, Z = np.eye(3)


def placed(R_A, R_B):
    """A row of two frames whose bodies have turned."""
    cut, body_w = rows(CUT.zeros(1))[0], np.zeros((3, N_BODY_W))
    cut.row_a, cut.row_b = 1, 2
    cut.R_A[:], cut.R_B[:] = R_A.ravel(), R_B.ravel()
    turned = so3_exp(np.array([0.3, -1.2, 0.7]))
    body_w[1, R_WB : R_WB + 9] = body_w[2, R_WB : R_WB + 9] = turned.ravel()
    return cut, body_w, turned


@pytest.mark.parametrize("q", [-3.1, -0.4, 0.0, 1.0, 2.5, 3.1])
def test_a_hinge(q):
    cut, body_w, turned = placed(np.eye(3), so3_exp(q * Z))
    assert plain(angle_of)(cut, TURN, body_w) == pytest.approx(q, abs=1e-14)
    close(plain(turning_axis)(cut, TURN, body_w), turned @ Z, 1e-14)
    close(plain(axis_of)(cut.R_B, 0, 2, body_w), turned @ so3_exp(q * Z) @ X, 1e-14)
    assert plain(turning_row)(cut, TURN) == 1 and plain(turning_row)(cut, SECOND) == 2


@pytest.mark.parametrize("q, q2", [(0.3, -1.1), (2.8, 3.0), (-3.0, 0.0)])
def test_a_universal_joint(q, q2):
    """First about z of A, then about z of B, which was x of A; from there both count."""
    C = np.column_stack([Z, -Y, X])  # z of B along x of A, x of B along z of A
    cut, body_w, turned = placed(np.eye(3), so3_exp(q * Z) @ C @ so3_exp(q2 * Z))
    assert plain(angle_of)(cut, FIRST, body_w) == pytest.approx(q, abs=1e-14)
    assert plain(angle_of)(cut, SECOND, body_w) == pytest.approx(q2, abs=1e-14)
    close(plain(turning_axis)(cut, SECOND, body_w), turned @ so3_exp(q * Z) @ X, 1e-14)


def test_full_turns():
    assert plain(nearest_turn)(3.0, 3.2) == 0.0 and plain(nearest_turn)(-3.0, 3.2) == 1.0
    assert plain(nearest_turn)(0.5, 0.5 - 20.0 * math.pi) == -10.0
    assert plain(screw_turns)(0.5, 0.01 * (0.5 + 6.0 * math.pi), 0.01) == 3.0
    assert (
        plain(screw_turns)(0.5, 0.01 * (0.5 - 6.0 * math.pi), 0.01) == -3.0 and plain(screw_turns)(1.0, 5.0, 0.0) == 0.0
    )
