"""The laws of single elements, evaluated row by row."""

import math

import numba
import numpy as np
import pytest

from gori.kernels.forces import elements as el
from gori.kernels.forces import parameters as par


@numba.njit(_nrt=False)
def _joint_force(element, p, q, v, z, values, zdot, tau):
    el.joint_force(element, p, q, v, z, values, zdot, tau)


@numba.njit(_nrt=False)
def _strut_tension(p, length, rate):
    return el.strut_tension(p, length, rate)


def torque(kind, p, q=0.0, v=0.0, z=0.0, values=(0.0, 0.0)):
    """Joint torque and z' of one element on one axis."""
    tau, zdot = np.zeros(1), np.zeros(1)
    element = np.array([kind, 0, 0, 0, 0, 0, 0])
    _joint_force(element, p, np.array([q]), np.array([v]), np.array([z]), np.array(values), zdot, tau)
    return tau[0], zdot[0]


def test_spring():
    p = par.row(par.SPRING_F, stiffness=10.0, rest=0.5, damping=2.0, preload=1.0)
    assert torque(el.JOINT_SPRING, p, q=0.7, v=-1.0)[0] == pytest.approx(1.0 - 10.0 * 0.2 + 2.0)


def test_friction():
    p = par.row(par.FRICTION_F, coulomb=3.0, stiffness=100.0, damping=4.0)
    for v, z, expected in (
        (0.5, 0.03, (-3.0, 0.0)),  # fully slipping: 100 * 0.03 is the Coulomb force
        (0.5, 0.0, (-2.0, 0.5)),  # sticking
        (0.0, 0.02, (-2.0, 0.0)),  # held
        (9.0, 0.01, (-3.0, 0.5)),  # slipping: (3 - 100 * 0.01) / 4
        (-0.1, 0.03, (-2.6, -0.1)),  # reversed: it sticks again
        (-9.0, 0.03, (3.0, -1.5)),
        (0.01, 0.05, (-3.0, -0.01)),  # beyond F/s, where an explicit step may lead: back, no faster than v
    ):
        assert torque(el.JOINT_FRICTION, p, v=v, z=z) == pytest.approx(expected)


def test_friction_never_exceeds_its_force_and_never_makes_energy():
    p = par.row(par.FRICTION_F, coulomb=3.0, stiffness=100.0, damping=4.0)
    for v in np.linspace(-40.0, 40.0, 81):
        for z in np.linspace(-0.03, 0.03, 13):
            tau, zdot = torque(el.JOINT_FRICTION, p, v=v, z=z)
            assert abs(tau) <= 3.0 and abs(zdot) <= abs(v)
            assert -tau * v - 100.0 * z * zdot >= -1e-12  # what is put in, less what the bristle stores


@pytest.mark.parametrize(
    ("q", "v", "expected"), [(0.0, 9.0, 0.0), (1.2, 0.0, -20.0), (1.2, -50.0, 0.0), (-1.5, -1.0, 55.0)]
)
def test_limit_never_pulls(q, v, expected):
    p = par.row(par.LIMIT_F, lower=-1.0, upper=1.0, stiffness=100.0, damping=5.0)
    assert torque(el.JOINT_LIMIT, p, q, v)[0] == pytest.approx(expected)


def test_motor_and_force():
    p = par.row(par.MOTOR_F, kp=10.0, kd=1.0, limit=4.0)
    assert torque(el.MOTOR, p, q=0.1, values=(0.4, 0.5))[0] == pytest.approx(3.5)
    assert torque(el.MOTOR, p, q=0.1, values=(9.0, 0.0))[0] == 4.0
    assert torque(el.MOTOR, p, q=0.1, values=(-9.0, 0.0))[0] == -4.0
    assert torque(el.JOINT_FORCE, np.zeros(par.N_ELEMENT_F), values=(2.5, 0.0))[0] == 2.5
    assert torque(el.JOINT_FORCE, p, q=0.1, v=0.5, values=(0.4, 7.0))[0] == pytest.approx(2.5)
    assert torque(el.JOINT_FORCE, p, q=0.1, v=0.5, values=(-0.4, 7.0))[0] == -4.0


def test_strut():
    p = par.row(
        par.STRUT_F, point_a=np.zeros(3), point_b=np.zeros(3), stiffness=100.0, free_length=1.0, shortest=0.8,
        longest=math.inf, midstroke_from=0.9, midstroke_to=1.1, blend=0.1, compression=10.0, rebound=20.0,
        end_compression=30.0, end_rebound=40.0, stop_rows=2, stop_table=[0.1, 50.0, 0.2, 250.0],
    )  # fmt: skip
    assert _strut_tension(p, 1.05, 0.0) == pytest.approx(5.0)
    assert _strut_tension(p, 1.0, -2.0) == pytest.approx(-20.0) and _strut_tension(p, 1.0, 2.0) == pytest.approx(40.0)
    assert _strut_tension(p, 1.15, 2.0) == pytest.approx(15.0 + 2.0 * 30.0)  # half way to the damping at the end
    assert _strut_tension(p, 0.75, 0.0) == pytest.approx(-25.0 - 25.0)  # the stop is pressed by 0.05
    assert _strut_tension(p, 0.5, 0.0) == pytest.approx(-50.0 - 450.0)  # beyond its table, the last slope going on
