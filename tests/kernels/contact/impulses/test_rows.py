"""Mobility of contact points, and which of them have rolling friction."""

import numpy as np
import pytest

import gori
from gori.integrate import TimeStepping
from gori.kernels.contact.impulses.rows import lay_mobility, shared_axes
from gori.kernels.contact.impulses.starts import SOFT_NORMAL, SOFT_TANGENT
from gori.kernels.contact.memory import ROWS
from tests.integrate.test_time_stepping import BALL, BLOCK, STILL, at, scene
from tests.plain import Plain, plain, rows


def test_mobility_is_that_of_the_rows():
    rng = np.random.default_rng(2)
    J, inverse = rng.normal(size=(3, 4)), np.diag([1.0, 2.0, 0.5, 3.0])
    memory = Plain(jac=J.ravel(), response=(J @ inverse).ravel(), path=np.arange(4))
    row = ROWS.zeros(1)
    row["count_b"], row["width_b"] = 4, 4
    row = rows(row)[0]
    plain(lay_mobility)(row, memory)
    W = J @ inverse @ J.T
    largest = np.linalg.eigvalsh(W[1:, 1:])[-1]
    assert 1.0 / row.over_normal == pytest.approx((1.0 + SOFT_NORMAL) * W[0, 0])
    assert 1.0 / row.over_largest == pytest.approx((1.0 + SOFT_TANGENT) * largest)
    np.testing.assert_allclose(row.coupling, W[0, 1:])
    np.testing.assert_allclose(row.tangential - np.array([1, 0, 1]) * row.soft_tangent, W[[1, 1, 2], [1, 2, 2]])


def test_mobility_of_diagonal_velocities_is_that_of_their_rows():
    """A's side flies, with M^-1 J' beside J; B's has one row for both."""
    rng = np.random.default_rng(3)
    J, inverse = rng.normal(size=(3, 6)), np.diag([2.0, 0.5, 3.0])
    memory = Plain(jac=J.ravel(), response=(J[:, :3] @ inverse).ravel(), path=np.arange(3))
    row = ROWS.zeros(1)
    row["count_a"], row["width_a"], row["count_b"], row["along_b"] = 3, 3, 3, 3
    row = rows(row)[0]
    plain(lay_mobility)(row, memory)
    W = J[:, :3] @ inverse @ J[:, :3].T + J[:, 3:] @ J[:, 3:].T
    assert 1.0 / row.over_normal == pytest.approx((1.0 + SOFT_NORMAL) * W[0, 0])
    np.testing.assert_allclose(row.coupling, W[0, 1:])
    np.testing.assert_allclose(row.tangential - np.array([1, 0, 1]) * row.soft_tangent, W[[1, 1, 2], [1, 2, 2]])


def test_axes_that_both_bodies_share_are_counted_once():
    memory = Plain(path=np.array([5, 4, 1, 0, 7, 6, 3, 1, 0]))
    assert plain(shared_axes)(Plain(path_a=0, count_a=4, path_b=4, count_b=5), memory) == 2
    assert plain(shared_axes)(Plain(path_a=2, count_a=2, path_b=4, count_b=5), memory) == 2  # A is an ancestor of B


def test_a_face_has_no_rolling_friction_but_a_ball_has():
    spec = scene(law={"rolling_friction": 0.1}, ball=(BALL, at(z=0.1), STILL), b=(BLOCK, at(x=1.0, z=0.05), STILL))
    simulation = gori.Simulation(gori.compile(spec), TimeStepping(step=1e-3))
    simulation.step()
    memory = simulation.stepper.data.contact_memory
    points = int(memory.head["points"][0])
    friction, face = memory.turns["friction"][:points], memory.point["on_face"][:points]
    assert sorted(face) == [0, 1, 1, 1, 1]
    assert friction[face == 0] == pytest.approx(0.1 * 0.1) and not friction[face == 1].any()
