"""The penalty kernel at single states: against its twin, and what of it is kept."""

import numpy as np
import pytest

import gori
from gori.integrate import RK4
from gori.kernels.contact.penalty import penalty_at
from gori.kernels.machine import ADD_WRENCHES, ADVANCE, LOOK_AHEAD, MEASURE, START
from gori.sim import Simulation
from tests.kernels.contact.turns import random_rotation
from tests.reference import contact_law as twin
from tests.sim.contact.machines import solid

E, MU, K = 0.4, 0.3, 1e6


def two_balls(**contact):
    """Free balls of 0.1 and 0.2 m, 1 and 3 kg."""
    return gori.Spec(
        gravity=[0, 0, 0],
        materials={"a": {"rigid": True}},
        contacts={"a/a": {"friction": MU, "restitution": E, "stiffness": K} | contact},
        bodies={
            "a": {"mass": 1.0, "inertia": [4e-3] * 3, "shapes": {"s": solid("sphere", radius=0.1)}},
            "b": {"mass": 3.0, "inertia": [5e-2] * 3, "shapes": {"s": solid("sphere", radius=0.2)}},
        },
        joints={f"free_{name}": {"type": "free", "parent": "ground", "child": name} for name in "ab"},
    )


def quaternion(R):
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_quat()[[3, 0, 1, 2]]


class Pair:
    """Two balls with a depth, and random velocities."""

    def __init__(self, seed, depth=1e-3, speed=0.1, **contact):
        rng = np.random.default_rng(seed)
        self.R = [random_rotation(rng), random_rotation(rng)]
        self.n = random_rotation(rng)[0]
        self.p = [np.array([0.3, -0.2, 0.5]), np.array([0.3, -0.2, 0.5]) + (0.3 - depth) * self.n]
        self.w, self.u = speed * rng.normal(size=(2, 3)), speed * rng.normal(size=(2, 3))
        self.model = gori.compile(two_balls(**contact))
        q = [*quaternion(self.R[0]), *self.p[0], *quaternion(self.R[1]), *self.p[1]]
        v = [x for R, w, u in zip(self.R, self.w, self.u) for x in (*(R.T @ w), *(R.T @ u))]
        self.simulation = Simulation(self.model, RK4(step=1e-5), state=self.model.state(q=q, v=v))
        stepper = self.simulation.stepper
        self.machine, self.data, self.y = stepper.machine, stepper.data, stepper.y
        self.memory = stepper.data.contact_memory
        self.point = self.p[0] + (0.1 - depth / 2) * self.n

    def call(self, what):
        assert penalty_at(self.machine, self.data, 0.0, self.y, what) == 0

    def velocity(self):
        """Of b against a at the point."""
        a, b = (u + np.cross(w, self.point - p) for u, w, p in zip(self.u, self.w, self.p))
        return b - a


@pytest.mark.parametrize("seed", range(5))
def test_forces_of_a_new_contact_are_those_of_the_twin(seed):
    depth, pair = 1e-3, Pair(seed)
    pair.call(START)
    mass, a, u = 0.75, twin.collision_damping(E), pair.velocity()
    rate = -u @ pair.n
    speed = twin.first_speed(K, mass, depth, rate, a)
    normal = twin.normal_force(K, mass, depth, rate, speed, a)
    tangential, _ = twin.tangential(K, mass, depth, np.zeros(3), u + rate * pair.n, MU * normal)
    force = normal * pair.n + tangential
    wrench = pair.memory.wrench
    assert np.allclose(wrench[1, 3:], force, rtol=1e-9)
    assert np.allclose(wrench[0, 3:], -force, rtol=1e-9)
    for k in range(2):
        assert np.allclose(wrench[k, :3], np.cross(pair.point - pair.p[k], wrench[k, 3:]), rtol=1e-9)
    assert np.allclose(pair.memory.measured, [1, -depth], rtol=1e-9)
    assert pair.memory.point[0]["speed"] == pytest.approx(speed, rel=1e-9)


def test_springs_pull_back_and_slide_at_their_limit():
    pair = Pair(1, speed=0.0)
    slide = np.cross(pair.n, [1.0, 2.0, 3.0])
    slide /= np.linalg.norm(slide)
    pair.call(START)
    normal = K * 1e-3**1.5
    stiffness = twin.SHARE * 1.5 * K * 1e-3**0.5
    kept = pair.memory.point[:1].copy()
    for way in (1e-5, 1e-2):  # B is moved across the normal: turned about the centre of A, its depth stays
        angle = way / 0.3
        turned = pair.p[0] + 0.299 * (np.cos(angle) * pair.n + np.sin(angle) * slide)
        pair.y[11:14] = turned
        pair.call(MEASURE)
        force = pair.memory.wrench[1, 3:]
        n = (turned - pair.p[0]) / 0.299
        across = force - (force @ n) * n
        assert force @ n == pytest.approx(normal, rel=1e-9)
        expected = min(stiffness * 0.299 * np.sin(angle), MU * normal)
        assert -across @ slide == pytest.approx(expected, rel=1e-3)
        assert np.array_equal(pair.memory.point[:1], kept)  # nothing is kept by MEASURE
    pair.call(ADVANCE)  # the spring is cut to its limit
    pair.call(MEASURE)
    assert np.linalg.norm(np.cross(pair.memory.wrench[1, 3:], n)) == pytest.approx(MU * normal, rel=1e-9)
    point = pair.memory.point[0]
    ends = [p + R @ point[name] for p, R, name in zip((pair.p[0], turned), pair.R, ("anchor_a", "anchor_b"))]
    assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(MU * normal / stiffness, rel=1e-9)
    assert np.allclose((ends[0] + ends[1]) / 2, point["position"], atol=1e-12)


def test_evaluations_change_nothing_that_is_kept():
    pair = Pair(2)
    pair.call(START)
    before = pair.simulation.state
    pair.y[11:14] += 1e-4
    pair.y[14:] += 0.3
    pair.call(ADD_WRENCHES)
    pair.y[11:14] -= 1e-4
    pair.y[14:] -= 0.3
    pair.y[:] = np.concatenate([before.q, before.v, before.z, [0.0]])
    assert pair.simulation.state == before


def test_rolling_and_torsional_springs():
    pair = Pair(3, speed=0.0, rolling_friction=0.1, torsional_friction=0.2)
    pair.call(START)
    normal, radius, depth = K * 1e-3**1.5, 1 / (1 / 0.1 + 1 / 0.2), 1e-3
    k = twin.SHARE * 1.5 * K * depth**0.5 * radius**2
    across = np.cross(pair.n, [1.0, 2.0, 3.0])
    across /= np.linalg.norm(across)
    from scipy.spatial.transform import Rotation

    for axis, limit in ((pair.n, 0.2 * radius * normal), (across, 0.1 * radius * normal)):
        for angle in (0.3 * limit / k, 1e-2):
            turned = Rotation.from_rotvec(angle * axis).as_matrix() @ pair.R[1]
            pair.y[7:11] = quaternion(turned)
            pair.call(MEASURE)
            w = pair.memory.wrench[1]
            arm = pair.point - pair.p[1]
            torque = w[:3] - np.cross(arm, w[3:])
            assert -torque @ axis == pytest.approx(min(k * angle, limit), rel=2e-3)
            assert np.allclose(pair.memory.wrench.sum(axis=0)[3:], 0.0, atol=1e-12)
        kept = pair.memory.point[:1].copy()
        pair.call(ADVANCE)
        R_AB = pair.R[0].T @ turned
        relaxed = pair.memory.point[0]["orientation"].reshape(3, 3)
        assert np.allclose(relaxed @ relaxed.T, np.eye(3), atol=1e-10)
        left = pair.R[0] @ Rotation.from_matrix(R_AB @ relaxed.T).as_rotvec()
        assert np.allclose(left, limit / k * axis, atol=1e-3 * limit / k)
        # back to where it was
        pair.y[7:11] = quaternion(pair.R[1])
        pair.memory.point[:1] = kept


def test_looking_ahead():
    """A step ends where bodies would enter each other by a tenth of the smaller radius."""
    pair = Pair(4, depth=-1.0, speed=0.0)
    back = pair.R[1].T @ pair.n
    pair.y[14 + 9 : 14 + 12] = -2.0 * back
    for given, found in ((0.1, 0.1), (10.0, (1.0 + 0.1 * 0.1) / 2.0)):
        pair.memory.ahead[0] = given
        pair.call(LOOK_AHEAD)
        assert pair.memory.ahead[0] == pytest.approx(found, rel=1e-6)
    pair.y[14 + 9 : 14 + 12] = 2.0 * back  # apart
    pair.memory.ahead[0] = 10.0
    pair.call(LOOK_AHEAD)
    assert pair.memory.ahead[0] == 10.0
