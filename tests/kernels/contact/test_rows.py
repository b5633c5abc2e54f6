"""Mobility of contact points, and which of them have rolling friction."""

import numpy as np
import pytest

import gori
from gori.integrate import TimeStepping
from gori.kernels.contact.memory import ROWS
from gori.kernels.contact.rows import lay_mobility
from gori.kernels.contact.starts import SOFT_NORMAL, SOFT_TANGENT
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


def test_a_face_has_no_rolling_friction_but_a_ball_has():
    spec = scene(law={"rolling_friction": 0.1}, ball=(BALL, at(z=0.1), STILL), b=(BLOCK, at(x=1.0, z=0.05), STILL))
    simulation = gori.Simulation(gori.compile(spec), TimeStepping(step=1e-3))
    simulation.step()
    memory = simulation.stepper.data.contact_memory
    points = int(memory.head["points"][0])
    friction, face = memory.turns["friction"][:points], memory.point["on_face"][:points]
    assert sorted(face) == [0, 1, 1, 1, 1]
    assert friction[face == 0] == pytest.approx(0.1 * 0.1) and not friction[face == 1].any()
