"""Motion of frames by array operations, compared with the kernels."""

import numpy as np
import pytest

import gori
from gori.errors import UnsupportedError
from gori.learn.arrays import Arrays
from gori.learn.frames import JointChain, in_axes, rotation
from tests.learn.machines import EXAMPLES, H, balancer, cart_pole, chain, flyer


@pytest.mark.parametrize("make", [cart_pole, flyer, chain, lambda: gori.compile(gori.load(EXAMPLES / "arm.yaml"))])
def test_frames_are_where_the_kernels_have_them(make):
    model, count = make(), 6
    arrays = Arrays(gori.batch(model, count))
    q, v = model.random(1, count), np.random.default_rng(2).normal(size=(count, model.nv))
    q[:, [k for info in model.joints if info.nq > info.nv for k in range(info.q.start, info.q.start + 4)]] *= 1.7
    poses = model.forward_kinematics(q)
    for name in model.frame_names:
        moved = JointChain(model, name, arrays).motion(q, v)
        twist = np.einsum("bij,bj->bi", model.jacobian(q, name), v)
        assert np.abs(np.moveaxis(moved.axes, 0, 2) - poses[name][:, :3, :3]).max() < 1e-13
        assert np.abs(moved.position - poses[name][:, :3, 3]).max() < 1e-13
        assert np.abs(np.concatenate([moved.angular, moved.linear], axis=1) - twist).max() < 1e-12


def test_lengths_that_differ_are_refused():
    at = np.column_stack([np.zeros((3, 2)), [0.1, 0.2, 0.3]])
    for parameters, refused in (({"joints.hinge.at": at}, True), ({"bodies.pole.mass": [0.1, 0.2, 0.3]}, False)):
        env = balancer(batch=gori.batch(cart_pole(), 3, gori.SemiImplicit(step=H), parameters=parameters))
        assert env.motion("cart").position.shape == (3, 3)
        if refused:
            with pytest.raises(UnsupportedError, match="'tip' is behind joints whose places differ"):
                env.motion("tip")
        else:
            assert env.motion("tip").position.shape == (3, 3)


def test_vectors():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(4, 3))
    R = np.array(rotation(*rng.normal(size=(4, 1)))).reshape(3, 3)
    assert np.allclose(R @ R.T, np.eye(3), atol=1e-15) and np.linalg.det(R) == pytest.approx(1.0)
    axes = tuple(np.repeat(R[None, :, k], 4, axis=0) for k in range(3))
    assert np.allclose(in_axes(np, axes, a), a @ R, atol=1e-15)
