"""Cotangents of forces on axes, in plain Python, against differences; springs between bodies: `test_backward.py`."""

import numpy as np
import pytest

from gori.kernels.forces import elements as el
from gori.kernels.forces import parameters as par
from gori.kernels.forces.adjoint import ball_cotangent, joint_cotangents
from tests.checks import close
from tests.plain import plain

D = 1e-6
KINDS = {
    "spring": (el.JOINT_SPRING, par.SPRING_F, {"stiffness": 3.0, "rest": 0.1, "damping": 0.4, "preload": 0.2}),
    "limit": (el.JOINT_LIMIT, par.LIMIT_F, {"lower": -1.0, "upper": 0.2, "stiffness": 30.0, "damping": 0.4}),
    "lower": (el.JOINT_LIMIT, par.LIMIT_F, {"lower": 0.5, "upper": 1.2, "stiffness": 30.0, "damping": 0.4}),
    "motor": (el.MOTOR, par.MOTOR_F, {"kp": 3.0, "kd": 0.7, "limit": 50.0}),
    "weak": (el.MOTOR, par.MOTOR_F, {"kp": 3.0, "kd": 0.7, "limit": 0.3}),
    "force": (el.JOINT_FORCE, par.MOTOR_F, {"kp": 0.0, "kd": 0.0, "limit": 0.0}),
}


def torque(element, p, q, v, values, nv=1):
    tau = np.zeros(nv)
    plain(el.joint_force)(element, p, q, v, np.zeros(0), values, np.zeros(0), tau)
    return tau


def difference(f, x):
    """Derivatives of f(x) (outputs,) by x: (inputs, outputs)."""
    return np.array([(f(x + D * e) - f(x - D * e)) / (2.0 * D) for e in np.eye(len(x))])


@pytest.mark.parametrize("name", KINDS)
def test_elements_on_axes(name):
    kind, columns, values_of = KINDS[name]
    element, p = np.array([kind, 0, 0, 0, 0, 0, 0]), par.row(columns, **values_of)
    q, v, values, x = np.array([0.4]), np.array([-0.3]), np.array([0.9, 0.1]), np.array([1.7])
    by_q, by_v, of_values, of_row = np.zeros(1), np.zeros(1), np.zeros(2), np.zeros(len(p))
    plain(joint_cotangents)(element, p, q, v, values, x, by_q, by_v, of_values, of_row)
    assert torque(element, p, q, v, values)[0] != 0.0
    close(by_q, difference(lambda q: torque(element, p, q, v, values), q) @ x, 1e-8)
    close(by_v, difference(lambda v: torque(element, p, q, v, values), v) @ x, 1e-8)
    close(of_values, difference(lambda values: torque(element, p, q, v, values), values) @ x, 1e-8)
    if name == "force":  # its row holds the gains of a servo, whose machines have no derivatives
        assert not of_row.any()
    else:
        close(of_row, difference(lambda p: torque(element, p, q, v, values), p) @ x, 1e-8)


@pytest.mark.parametrize("angle", [0.001, 0.5, 2.5])
def test_springs_of_balls(angle):
    rng = np.random.default_rng(0)
    element = np.array([el.BALL_SPRING, 0, 0, 0, 0, 0, 0])
    p = par.row(par.BALL_SPRING_F, stiffness=3.0, rest=[1, 0, 0, 0], damping=0.4)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    q = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])
    v, x = rng.normal(size=(2, 3))
    by_q, by_v, of_row = np.zeros(3), np.zeros(3), np.zeros(len(p))
    plain(joint_cotangents)(element, p, q, v, np.zeros(0), x, by_q, by_v, np.zeros(0), of_row)

    def turned(w):
        half = np.concatenate([[1.0], 0.5 * w]) / np.linalg.norm([1.0, *(0.5 * w)])
        return torque(element, p, np.array(plain(el.quaternion_times)(*q, *half)), v, np.zeros(0), 3)

    close(by_q, difference(turned, np.zeros(3)) @ x, 1e-8)
    close(by_v, -0.4 * x, 1e-14)
    chosen = [par.BALL_SPRING_F.stiffness, par.BALL_SPRING_F.damping]
    by_row = difference(lambda p: torque(element, p, q, v, np.zeros(0), 3), p) @ x
    close(of_row[chosen], by_row[chosen], 1e-8)
    close(plain(ball_cotangent)(np.zeros(3), 2.0, x), -2.0 * x, 1e-14)
