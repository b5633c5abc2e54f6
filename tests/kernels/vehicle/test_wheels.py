"""One wheel between its carrier and hard ground, against the twin: pose, contact, hub force and moment."""

from types import SimpleNamespace

import numpy as np
import pytest

from gori.kernels.tree.columns import N_BODY_W, OMEGA, P_WB, R_WB, VEL
from gori.kernels.vehicle import wheels as kernel
from gori.kernels.vehicle.state import CONTACT, WHEEL_OUTPUT, WHEEL_STATE
from gori.kernels.vehicle.tables import TRAIN, WHEEL
from gori.model.vehicle.terrain import terrain_tables
from gori.model.vehicle.tyre import tyre_row
from gori.spec.base import rotation
from tests.kernels.vehicle.grounds import terrain
from tests.kernels.vehicle.tyres import FIALA
from tests.plain import plain, rows
from tests.reference import vehicle as twin

TERRAIN = terrain(grade=[0.1, -0.05], friction=0.7)
GROUND = terrain_tables(TERRAIN)
GROUND = GROUND._replace(terrain=rows(GROUND.terrain), feature=rows(GROUND.feature), area=rows(GROUND.area))


class Case:
    """A wheel on a carrier that moves anyhow, just in the ground; and as the twin has it."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.R = rotation((rng.uniform(-8, 8), rng.uniform(-20, 20), rng.uniform(-180, 180)), None)
        self.hub, self.axis = np.array([0.1, 0.2, -0.05]), np.array([0.1, 1.0, 0.05]) / np.linalg.norm([0.1, 1.0, 0.05])
        self.w, self.v = rng.normal(0.0, 0.3, 3), self.R @ [rng.uniform(5.0, 15.0), *rng.normal(0.0, 0.5, 2)]
        at = rng.uniform(-3.0, 3.0, 2)
        self.p = np.array([*at, TERRAIN.height(*at) + FIALA.radius - 0.02]) - self.R @ self.hub
        self.body_w = np.zeros((1, N_BODY_W))
        self.body_w[0, R_WB : R_WB + 9], self.body_w[0, P_WB : P_WB + 3] = self.R.ravel(), self.p
        self.body_w[0, OMEGA : OMEGA + 3], self.body_w[0, VEL : VEL + 3] = self.w, self.v
        wheel = WHEEL.zeros(1)
        wheel["hub"], wheel["axis"], wheel["inertia"] = self.hub, self.axis, 6.0
        state = WHEEL_STATE.zeros(1)
        state["drive_torque"], state["shaft_torque"], state["brake_torque"] = rng.normal(0.0, 300.0, 3)
        self.wheel, self.tyre, self.state = rows(wheel)[0], rows(tyre_row(FIALA))[0], rows(state)[0]
        self.contact, self.out = rows(CONTACT.zeros(1))[0], rows(WHEEL_OUTPUT.zeros(1))[0]
        plain(kernel.wheel_pose)(self.wheel, self.body_w, self.contact)

    def twin(self):
        """A Contact of the twin, whose model has this one body."""
        part = SimpleNamespace(body="a", at=self.hub, axis=self.axis, tyre=FIALA, inertia=6.0)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = self.R, self.p
        model = SimpleNamespace(
            spec=SimpleNamespace(wheels={"w": part}, terrain=TERRAIN),
            forward_kinematics=lambda q: {"a": pose},
            jacobian=lambda q, body: np.eye(6),
        )
        return twin.Contact(model, None, np.concatenate([self.w, self.v]), "w")


@pytest.mark.parametrize("seed", range(6))
def test_pose_and_contact(seed):
    case = Case(seed)
    plain(kernel.touch)(GROUND, case.tyre, case.contact)
    c, expected = case.contact, case.twin()
    for name, value in {
        "centre": expected.centre, "velocity": expected.speed, "axis": expected.axis, "angular_velocity": case.w,
        "normal": expected.n, "ahead": expected.x, "left": expected.y, "arm": expected.point - expected.centre,
    }.items():  # fmt: skip
        np.testing.assert_allclose(c[name], value, atol=1e-12, err_msg=name)
    assert c.load == pytest.approx(expected.load) and c.load > 0.0
    assert (c.forward, c.lateral) == (pytest.approx(expected.forward), pytest.approx(expected.lateral))
    assert (c.camber, c.friction) == (pytest.approx(expected.gamma), 0.7)
    assert c.rolling_radius == pytest.approx(expected.radius)


@pytest.mark.parametrize("seed", range(6))
def test_hub_force_and_moment(seed):
    case = Case(seed)
    plain(kernel.touch)(GROUND, case.tyre, case.contact)
    s, moving = case.state, (25.0, 0.004, -0.006)
    plain(kernel.press)(case.wheel, case.tyre, s, moving, case.contact, case.out)
    force, moment, axes = twin.hub(case.twin(), *moving, s.drive_torque, s.shaft_torque, s.brake_torque)
    np.testing.assert_allclose(case.out.hub_force, force, rtol=1e-9)
    np.testing.assert_allclose(case.out.hub_moment, moment, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose([case.out.fx, case.out.fy, case.out.mz], axes, rtol=1e-9)
    assert case.contact.power == pytest.approx(force @ case.contact.velocity + moment @ case.w)
    assert case.out.sinkage == 0.0


def test_slips_given_out():
    out = rows(WHEEL_OUTPUT.zeros(1))[0]
    slip = plain(kernel.give_slip)
    slip(out, 10.0, -2.0, 1.0)  # the tread runs at 12 m/s
    assert (out.slip, out.slip_angle) == (pytest.approx(2.0 / 12.0), pytest.approx(np.arctan(0.1)))
    slip(out, 10.0, 10.0, 0.0)
    assert out.slip == -1.0  # locked
    slip(out, 0.0, -0.1, 0.0)
    assert out.slip == pytest.approx(0.1 / kernel.STANDING)  # nearly at rest


def test_the_chassis_gets_what_the_half_shafts_give():
    rng = np.random.default_rng(4)
    body_w, wheel, state, train = np.zeros((5, N_BODY_W)), WHEEL.zeros(5), WHEEL_STATE.zeros(5), TRAIN.zeros(1)
    turns = [rotation(rng.uniform(-90, 90, 3), None) for _ in range(5)]
    body_w[:, R_WB : R_WB + 9] = [turn.ravel() for turn in turns]
    wheel["carrier"], wheel["axis"], state["shaft_torque"] = (
        [4, 3, 2, 1, 0],
        rng.normal(size=(5, 3)),
        rng.normal(size=5),
    )
    train["first_wheel"], train["wheels"] = 1, 4
    machine = SimpleNamespace(wheel=rows(wheel), train=rows(train))
    found = plain(kernel.shaft_reaction)(machine, SimpleNamespace(body_w=body_w, wheel=rows(state)), 0)
    expected = -sum(state["shaft_torque"][w] * turns[4 - w] @ wheel["axis"][w] for w in range(1, 5))
    np.testing.assert_allclose(found, expected, atol=1e-12)
