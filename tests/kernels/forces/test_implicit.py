"""Springs, motors and limits taken implicitly."""

import numpy as np
import pytest

import gori
from gori.integrate import TimeStepping
from gori.kernels.forces.implicit import stiffness_of
from tests.plain import plain


def model(**joint):
    rail = {"type": "prismatic", "parent": "ground", "child": "cart", "axis": [1, 0, 0], **joint}
    drive = {"type": "motor", "joint": "rail", "target": 0.0, "kp": 7.0, "kd": 3.0, "limit": 1.0}
    bodies = {"cart": {"mass": 2.0, "inertia": [1, 1, 1]}}
    spec = {"gori": 1, "gravity": [0, 0, 0], "bodies": bodies, "joints": {"rail": rail}, "forces": {"drive": drive}}
    return gori.compile(gori.Spec.model_validate(spec))


def test_stiffness_of_springs_and_motors():
    e = model(stiffness=5.0, damping=2.0).forces
    found = [plain(stiffness_of)(i, f, np.array([0.01]), np.zeros(1), np.zeros(1), np.zeros(9))
             for i, f in zip(e.element_i, e.element_f)]  # fmt: skip
    assert sorted(found) == [(5.0, 2.0), (7.0, 3.0)]


def test_a_motor_at_its_limit_has_none():
    e = model().forces
    far, none = np.array([1.0]), np.zeros(1)
    assert plain(stiffness_of)(e.element_i[0], e.element_f[0], far, none, none, np.zeros(9)) == (0.0, 0.0)


def test_one_step_is_that_of_implicit_euler():
    """(m + h d + h^2 k) (v' - v) = -h (k q + d v + h k v)."""
    h, m, k, d, q, v = 0.1, 2.0, 5.0, 2.0, 0.3, 0.4
    simulation = gori.Simulation(model(stiffness=k, damping=d, q=[q], v=[v]), TimeStepping(step=h))
    simulation.step()
    k, d = k + 7.0, d + 3.0
    if abs(7.0 * q + 3.0 * v) >= 1.0:  # the motor is at its limit
        k, d, extra = k - 7.0, d - 3.0, -1.0
    else:
        extra = 0.0
    expected = v + h * (extra - k * q - d * v - h * k * v) / (m + h * d + h * h * k)
    assert simulation.v[0] == pytest.approx(expected, rel=1e-12)
