"""Shapes that turn with a wheel: their surface, their anchors, and what turns the wheel."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gori.kernels.contact import turning as kernel
from gori.kernels.tree.columns import N_BODY_W, OMEGA, P_WB, R_WB, VEL
from gori.kernels.vehicle.state import CLOCK, SETTING, WHEEL_STATE
from gori.kernels.vehicle.tables import WHEEL
from tests.kernels.contact.turns import random_rotation
from tests.plain import plain, rows

SPEED, ANGLE, GAIN = 12.0, 0.7, 3.0
ARM = np.array([0.1, 0.3, -0.2])


@pytest.fixture
def turning():
    """A body in row 1 with a wheel, both in any pose and motion; a shape that turns with it, and one that does not."""
    rng = np.random.default_rng(2)
    body_w, wheel, state = np.zeros((2, N_BODY_W)), rows(WHEEL.zeros(1)), rows(WHEEL_STATE.zeros(1))
    R = random_rotation(rng)
    body_w[1, R_WB : R_WB + 9], body_w[1, P_WB : P_WB + 3] = R.ravel(), rng.normal(size=3)
    body_w[1, OMEGA : OMEGA + 3], body_w[1, VEL : VEL + 3] = rng.normal(size=3), rng.normal(size=3)
    wheel[0].carrier, wheel[0].hub, wheel[0].axis = 1, rng.normal(size=3), random_rotation(rng)[0]
    state[0].angular_velocity, state[0].angle, state[0].acceleration = SPEED, ANGLE, GAIN
    data = SimpleNamespace(
        body_w=body_w, wheel=state, vehicle_setting=rows(SETTING.zeros(1)), vehicle_clock=rows(CLOCK.zeros(1))
    )
    shape, other = (SimpleNamespace(row=1, wheel=k) for k in (1, 0))
    centre, axis = R @ wheel[0].hub + body_w[1, P_WB : P_WB + 3], R @ wheel[0].axis
    return SimpleNamespace(
        machine=SimpleNamespace(wheel=wheel), data=data, shape=shape, other=other, centre=centre, axis=axis, R=R
    )


def test_angle_and_speed_against_the_carrier(turning):
    own = turning.data.body_w[1, OMEGA : OMEGA + 3] @ turning.axis
    here = turning.machine, turning.data, turning.shape
    assert plain(kernel.turned)(*here, 0.0) == pytest.approx((ANGLE, SPEED - own))
    angle, speed = plain(kernel.turned)(*here, 0.1)
    assert speed == pytest.approx(SPEED - own + 0.1 * GAIN)
    assert angle == pytest.approx(ANGLE + 0.1 * (SPEED - own) + 0.005 * GAIN)
    turning.data.vehicle_setting["mode"] = 1  # as it was recorded
    assert plain(kernel.turned)(*here, 0.1)[0] == ANGLE


def test_the_surface_moves_about_the_axle(turning):
    point = turning.centre + ARM
    found = plain(kernel.surface_speed)(turning.machine, turning.data, turning.shape, 0.0, *point)
    own = turning.data.body_w[1, OMEGA : OMEGA + 3] @ turning.axis
    np.testing.assert_allclose(found, np.cross((SPEED - own) * turning.axis, point - turning.centre))


def test_rotation_about_an_axis():
    rng = np.random.default_rng(3)
    for _ in range(10):
        axis, vector, angle = random_rotation(rng)[0], rng.normal(size=3), rng.uniform(-5.0, 5.0)
        expected = Rotation.from_rotvec(angle * axis).apply(vector)
        np.testing.assert_allclose(plain(kernel.about)(angle, *axis, *vector), expected, atol=1e-14)


def test_anchors_turn_with_the_wheel(turning):
    anchor, point = np.zeros(3), turning.centre + ARM
    origin = turning.data.body_w[1, P_WB : P_WB + 3]
    for shape in (turning.shape, turning.other):
        plain(kernel.put_anchor)(turning.machine, turning.data, shape, anchor, 0.0, *point)
        found = plain(kernel.anchor_at)(turning.machine, turning.data, shape, anchor, 0.0)
        np.testing.assert_allclose(found + origin, point, atol=1e-14)
        turning.data.wheel["angle"] += 0.4
        found = plain(kernel.anchor_at)(turning.machine, turning.data, shape, anchor, 0.0)
        way = point - turning.centre
        moved = turning.centre + Rotation.from_rotvec(0.4 * turning.axis).apply(way) if shape.wheel else point
        np.testing.assert_allclose(found + origin, moved, atol=1e-14)


def test_what_turns_the_wheel(turning):
    point, force = turning.centre + ARM, np.array([100.0, -50.0, 20.0])
    here = turning.machine, turning.data
    torque, *axis = plain(kernel.moment_about_axle)(*here, turning.shape, point, *force)
    assert torque == pytest.approx(np.cross(point - turning.centre, force) @ turning.axis)
    np.testing.assert_allclose(axis, turning.axis)
    normal = np.array([0.0, 0.0, 1.0])
    for _ in range(2):
        plain(kernel.note_torque)(*here, turning.shape, point, normal, torque, 1e4, 30.0)
    state, lever = turning.data.wheel[0], np.cross(turning.axis, point - turning.centre)
    square = lever @ lever - lever[2] ** 2
    assert state.touch_torque == pytest.approx(2.0 * torque)
    assert state.touch_stiffness == pytest.approx(2e4 * square)
    assert state.touch_damping == pytest.approx(60.0 * square)
    plain(kernel.forget_torques)(*here)
    assert state.touch_torque == state.touch_stiffness == state.touch_damping == 0.0
