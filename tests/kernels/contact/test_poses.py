"""Poses and boxes of shapes against NumPy, and against the motion of their points."""

import numpy as np
import pytest

from gori.kernels.contact.poses import shapes_in_world
from gori.kernels.tree.columns import N_BODY_W, OMEGA, P_WB, R_WB, VEL
from tests.kernels.contact.tables import random_tables
from tests.kernels.contact.turns import random_rotation
from tests.reference import contact_pairs as twin


def moving_rows(rng, rows):
    """Work of a tree whose rows stand and move at random; row 0 is the ground."""
    body_w = np.zeros((rows, N_BODY_W))
    for i in range(rows):
        body_w[i, R_WB : R_WB + 9] = (random_rotation(rng) if i else np.eye(3)).ravel()
    body_w[1:, P_WB : P_WB + 3] = rng.normal(size=(rows - 1, 3))
    body_w[1:, VEL : VEL + 3] = rng.normal(size=(rows - 1, 3))
    body_w[1:, OMEGA : OMEGA + 3] = 3.0 * rng.normal(size=(rows - 1, 3))
    return body_w


@pytest.mark.parametrize("seed", range(5))
def test_poses_and_boxes(seed):
    rng = np.random.default_rng(seed)
    tables, body_w = random_tables(rng, 30, 8), moving_rows(rng, 8)
    pose, box = np.empty((30, 12)), np.empty((30, 6))
    shapes_in_world(tables, body_w, 0.01, 0.0, pose, box)
    R, p = twin.poses(tables.shape, body_w[:, R_WB : R_WB + 9].reshape(-1, 3, 3), body_w[:, P_WB : P_WB + 3])
    assert np.allclose(pose[:, :9], R.reshape(-1, 9), rtol=0, atol=1e-14)
    assert np.allclose(pose[:, 9:], p, rtol=0, atol=1e-14)
    assert np.allclose(box[1:], twin.boxes(tables.shape, R, p, 0.01)[1:], rtol=0, atol=1e-14)
    assert np.isinf(box[0]).all() and (box[0, :3] < 0).all()


@pytest.mark.parametrize("span", [1e-3, 0.1, 1.0])
def test_swept_boxes_hold_the_motion(span):
    """Rows that turn about a fixed axis while they move, seen at many moments of the step."""
    rng = np.random.default_rng(int(1e3 * span))
    tables, body_w = random_tables(rng, 30, 8), moving_rows(rng, 8)
    pose, box = np.empty((30, 12)), np.empty((30, 6))
    shapes_in_world(tables, body_w, 0.0, span, pose, box)
    for h in np.linspace(0.0, span, 21):
        R_W, p_W = body_w[:, R_WB : R_WB + 9].reshape(-1, 3, 3), body_w[:, P_WB : P_WB + 3]
        turned = np.array([_turn(h * w) for w in body_w[:, OMEGA : OMEGA + 3]])
        then = twin.boxes(
            tables.shape, *twin.poses(tables.shape, turned @ R_W, p_W + h * body_w[:, VEL : VEL + 3]), 0.0
        )
        # a ball is smaller than the box about it, which turns with it
        ball = tables.shape["radius"] > 0
        middle = 0.5 * (then[ball, :3] + then[ball, 3:])
        radius = tables.shape["radius"][ball][:, None]
        then[ball] = np.hstack([middle - radius, middle + radius])
        assert (box[1:, :3] <= then[1:, :3] + 1e-12).all() and (box[1:, 3:] >= then[1:, 3:] - 1e-12).all()


def _turn(vector):
    """Rotation by a vector (3,) [rad] (Rodrigues)."""
    x, y, z = vector
    K, angle = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]), np.linalg.norm(vector)
    return np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * K @ K
