"""Blocks with which contact resists changes of motion: against differences of the forces of the kernel."""

import numpy as np
import pytest

from gori.kernels.contact.linear import add_block, lay_tensor
from gori.kernels.machine import ADD_WRENCHES, ADVANCE, LINEARISE, START
from gori.kernels.tree.columns import FORCE
from tests.kernels.contact.test_penalty import Pair
from tests.plain import plain


def wrench(pair, q, v, row):
    """Moment about the origin of the row's root, and force, of contact on it."""
    y = pair.y.copy()
    pair.y[: len(q)], pair.y[len(q) : len(q) + len(v)] = q, v
    pair.data.body_w[:, FORCE : FORCE + 6] = 0.0
    pair.call(ADD_WRENCHES)
    pair.y[:] = y
    return -pair.data.body_w[row, FORCE : FORCE + 6].copy()


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("sliding", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_block_is_the_derivative_by_the_motion_of_its_body(seed, sliding, kept):
    """Of small balls, whose weight and curvature matter little: by position and by velocity, along six axes."""
    friction = {"friction": 0.05 if sliding else 50.0, "rolling_friction": 0.0}
    pair = Pair(seed, depth=1e-5, speed=0.02, **friction)
    pair.call(START)
    if kept:
        pair.y[11:14] += 1e-6 * np.array([1.0, 2.0, -1.0])
        pair.call(ADVANCE)
    model, memory, row, tiny = pair.model, pair.data.penalty_memory, 2, 1e-9
    q, v = pair.y[: model.nq].copy(), pair.y[model.nq : model.nq + model.nv].copy()
    for weight in ((1.0, 0.0), (0.0, 1.0), (1e-3, 1e-6)):
        memory.weight[:] = weight
        pair.call(ADD_WRENCHES)
        pair.call(LINEARISE)
        block = memory.apparent[row].reshape(6, 8)[:, :6].T
        columns = []
        for k in range(6):
            e = np.zeros(6)
            e[k] = tiny if weight[1] else 1e-7
            own = np.concatenate([pair.R[1].T @ e[:3], pair.R[1].T @ e[3:]])
            step = np.concatenate([np.zeros(6), own])
            size = e[k]
            at = []
            for sign in (1.0, -1.0):
                q_end = model.integrate(q, sign * step * (weight[1] / max(weight[1], weight[0])))
                v_end = v + sign * step * (weight[0] / max(weight[0], weight[1]))
                at.append(wrench(pair, q_end, v_end, row))
            columns.append(-(at[0] - at[1]) / (2.0 * size) * max(weight))
        expected = np.column_stack(columns)
        scale = np.abs(expected[3:, 3:]).max()
        assert np.abs(block[3:, 3:] - expected[3:, 3:]).max() < 2e-2 * scale
        assert np.abs(block[:3, 3:] - expected[:3, 3:]).max() < 2e-2 * scale * 0.2


def test_blocks_are_those_of_arms():
    """X' E X for a random E and point, by matrices."""
    rng = np.random.default_rng(0)
    E, turning, p = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=3)
    block = np.zeros(48)
    plain(add_block)(block, p, E, turning)
    cross = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    X = np.hstack([-cross, np.eye(3)])
    expected = X.T @ E @ X
    expected[:3, :3] += turning
    assert np.allclose(block.reshape(6, 8)[:, :6].T, expected) and not block.reshape(6, 8)[:, 6:].any()


def test_a_tensor_along_and_around_an_axis():
    n, axes = np.array([0.6, 0.0, 0.8]), np.zeros((3, 3))
    plain(lay_tensor)(axes, n, 5.0, 2.0)
    assert np.allclose(axes @ n, 5.0 * n) and np.allclose(axes @ [0.8, 0.0, -0.6], 2.0 * np.array([0.8, 0.0, -0.6]))
