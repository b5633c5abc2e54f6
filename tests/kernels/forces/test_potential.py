"""Energies of elements. All kinds on random trees, and their gradients: `sim/test_forces.py`."""

import math

import numpy as np
import pytest

import gori
from gori.kernels.forces import elements as el
from gori.kernels.forces import parameters as par
from gori.kernels.forces.potential import potential, potentials, stop_energy
from gori.model.machine import machine_of
from tests.checks import arm, close
from tests.plain import plain

STRUT = par.row(
    par.STRUT_F, point_a=np.zeros(3), point_b=np.zeros(3), stiffness=100.0, free_length=1.0, shortest=0.8,
    longest=math.inf, midstroke_from=0.9, midstroke_to=1.1, blend=0.1, compression=10.0, rebound=20.0,
    end_compression=30.0, end_rebound=40.0, stop_rows=2, stop_table=[0.1, 50.0, 0.2, 250.0],
)  # fmt: skip


def energy(kind, p, q):
    return plain(potential)(np.array([kind, 0, 0, 0, 0, 0, 0]), p, np.array(q), None)


def test_springs_and_limits_of_joints():
    spring = par.row(par.SPRING_F, stiffness=10.0, rest=0.5, damping=2.0, preload=1.0)
    assert energy(el.JOINT_SPRING, spring, [0.7]) == pytest.approx(0.5 * 10.0 * 0.04 - 0.2)
    limit = par.row(par.LIMIT_F, lower=-1.0, upper=1.0, stiffness=100.0, damping=5.0)
    assert [energy(el.JOINT_LIMIT, limit, [q]) for q in (-1.2, 0.3, 1.1)] == pytest.approx([2.0, 0.0, 0.5])
    ball = par.row(par.BALL_SPRING_F, stiffness=3.0, rest=[1.0, 0.0, 0.0, 0.0], damping=1.0)
    turned = [math.cos(0.4), 0.0, math.sin(0.4), 0.0]
    assert energy(el.BALL_SPRING, ball, turned) == pytest.approx(0.5 * 3.0 * 0.8**2)


def test_what_stores_nothing():
    nothing = np.zeros(par.N_ELEMENT_F)
    assert energy(el.JOINT_FORCE, nothing, [1.0]) == energy(el.MOTOR, nothing + 1.0, [1.0]) == 0.0
    assert energy(el.JOINT_FRICTION, nothing + 1.0, [1.0]) == 0.0


def test_a_stop_stores_the_area_under_its_force():
    assert plain(stop_energy)(STRUT, -0.1) == 0.0
    for pressed in (0.03, 0.1, 0.15, 0.2, 0.4):
        x = np.linspace(0.0, pressed, 20001)
        area = np.trapezoid([plain(el.stop_force)(STRUT, s) for s in x], x)
        assert plain(stop_energy)(STRUT, pressed) == pytest.approx(area, rel=1e-7)


def test_rows_of_states():
    spring = {"type": "spring", "parent": "ground", "at": [0, 0, 3], "child": "tool", "stiffness": 7.0, "length": 0.5}
    mount = {"type": "bushing", "parent": "ground", "child": "upper", "stiffness": [1, 2, 3, 4, 5, 6]}
    model = gori.compile(arm(joints__elbow__stiffness=2.0).set("forces", {"s": spring, "m": mount}))
    machine, data = machine_of(model)
    q = np.array([[0.3, -0.7], [1.2, 0.4]])
    out = np.zeros((2, len(machine.element_i)))
    potentials(machine.body_i, machine.body_f, machine.element_i, machine.element_f, q, out, data.body_w, data.dof_w)
    away = [np.linalg.norm(model.forward_kinematics(row)["tool"][:3, 3] - [0, 0, 3]) for row in q]
    columns = {name: out[:, k] for k, name in enumerate(model.forces.names)}
    close(columns["elbow"], 0.5 * 2.0 * q[:, 1] ** 2, 1e-14)
    close(columns["s"], 3.5 * (np.array(away) - 0.5) ** 2, 1e-13)
    close(columns["m"], 0.5 * 2.0 * q[:, 0] ** 2, 1e-14)  # turned about y, at its place
