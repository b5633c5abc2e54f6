import numpy as np
import pytest

import gori
from gori.errors import InputError
from tests.checks import arm, close, machine


def test_names_lead_to_coordinates():
    model = gori.compile(arm(elbow__q=0.3))
    assert model.q0[model.joint("elbow").q] == pytest.approx([0.3])
    assert model.frame_names[model.frame("tool")] == "tool"
    assert [model.joint_of_dof(k) for k in range(2)] == ["shoulder", "elbow"]
    with pytest.raises(InputError, match="did you mean 'elbow'"):
        model.joint("elbw")
    with pytest.raises(InputError, match="did you mean 'tool'"):
        model.frame("tol")


def test_start_values_are_copies():
    model = gori.compile(arm())
    model.q0[:] = 9.0
    assert not model.q0.any()


def test_random_states_are_within_limits_and_repeatable():
    model = gori.compile(arm(elbow__limits=[-0.2, 0.1]))
    q = model.random(1, 500)
    assert np.array_equal(q, model.random(1, 500)) and q.shape == (500, 2)
    assert -0.2 <= q[:, 1].min() < -0.15 and 0.05 < q[:, 1].max() <= 0.1
    assert np.abs(q[:, 0]).max() <= np.pi and np.abs(q[:, 0]).max() > 3.0


def test_neutral_is_zero_with_unit_quaternions():
    model, _ = machine(2)
    close(model.difference(model.neutral(), model.neutral()), np.zeros(model.nv), 1e-15)
    for info in model.joints:
        expected = np.zeros(info.nq)
        if info.type in ("spherical", "free"):
            expected[0] = 1.0
        assert np.array_equal(model.neutral()[info.q], expected)
