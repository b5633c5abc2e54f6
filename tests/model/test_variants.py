"""Other Models of the same machine."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.kernels.forces.parameters import MOTOR_F, N_ELEMENT_F
from gori.model.machine import machine_of
from gori.model.variants import (
    SHARED_BY_RUNS,
    servo_words,
    with_axes_in_fixed_joints,
    with_force_values,
    with_own_tables,
    with_rigid_loads,
    with_signals,
    without_limit_forces,
)
from tests.checks import arm, close
from tests.sim.contact.impact_machines import stopped_pendulum
from tests.spec.particles.tray import tray
from tests.vehicle.trucks import level

FORCES = {
    "drive": {"type": "motor", "joint": "shoulder", "target": 0.0, "kp": 10.0},
    "push": {"type": "torque", "joint": "elbow", "value": 1.0},
    "line": {"type": "spring", "parent": "ground", "child": "lower", "at": [0, 0, 3], "stiffness": 5.0},
}


def test_other_values_of_forces():
    model = gori.compile(arm().set("forces", FORCES))
    other = with_force_values(model, {"drive": "sin(t)", "push": 7.0})
    assert other.spec.forces["drive"].target == "sin(t)" and other.spec.forces["push"].value == 7.0
    assert model.spec.forces["push"].value == 1.0 and with_force_values(model, {}) is model


def test_forces_without_a_value():
    model = gori.compile(arm().set("forces", FORCES))
    with pytest.raises(InputError, match="'pull' is not a force of the Spec; there are drive, push, line"):
        with_force_values(model, {"pull": 1.0})
    with pytest.raises(InputError, match="'line' is a spring: only motors, torques and forces can be overridden"):
        with_force_values(model, {"line": 1.0})
    with pytest.raises(InputError, match="there are none"):
        with_force_values(gori.compile(arm()), {"push": 1.0})


def test_fixed_joints_get_an_axis():
    weld = {"type": "fixed", "parent": "upper", "child": "lower", "at": [0, 0, 1]}
    model = gori.compile(arm(joints__elbow=weld))
    opened = with_axes_in_fixed_joints(model)
    assert (model.nv, opened.nv) == (1, 2) and opened.joint("elbow").type == "revolute"
    q = np.array([0.3])
    close(opened.forward_kinematics(np.array([0.3, 0.0]))["tool"], model.forward_kinematics(q)["tool"], 1e-14)
    assert with_axes_in_fixed_joints(opened) is opened


def test_rigid_loads_are_added_to_their_bodies():
    """Mass, centre and inertia about the common centre, by the theorem of parallel axes."""
    model = gori.compile(tray())
    mass, com, J = 5.0, np.array([0.1, 0.0, 0.2]), np.diag([0.3, 0.2, 0.1])
    laden = with_rigid_loads(model, {"tray": (mass, com, J)})
    assert laden.particles is None and not laden.spec.particles and not laden.spec.materials
    body = laden.spec.bodies["tray"].inertial()
    own_mass, own_com, own_J = model.spec.bodies["tray"].inertial()
    total = own_mass + mass
    center = (own_mass * own_com + mass * com) / total

    def about_center(m, c, inertia):
        d = c - center
        return inertia + m * (d @ d * np.eye(3) - np.outer(d, d))

    assert body[0] == pytest.approx(total)
    close(body[1], center, 1e-14)
    close(body[2], about_center(own_mass, own_com, own_J) + about_center(mass, com, J), 1e-12)
    empty = with_rigid_loads(model, {})
    assert empty.mass == pytest.approx(model.mass)


def test_without_limit_forces():
    model = stopped_pendulum()
    other = without_limit_forces(model)
    assert model.elastic_energy([-0.4, 0.0]) == pytest.approx(0.5 * 1e4 * 0.1**2)
    assert other.elastic_energy([-0.4, 0.0]) == 0.0 and other.fingerprint == model.fingerprint
    assert without_limit_forces(model.tree) is not model and other.with_compiled(model.compiled).forces is model.forces


def test_signals_are_added():
    """Numbers are held, expressions may read bodies that no signal has read so far, and what was there stays."""
    spec = arm().set("forces", FORCES | {"turn": {"type": "torque", "joint": "elbow", "value": "lower.x"}})
    before = gori.compile(spec)
    model = with_signals(before, {"a": 2.5, "b": "sin(t) + 2*tool.vx", "c": ((0.0, 1.0), (1.0, 3.0))})
    forces, old = model.forces, before.forces
    assert forces.signal_names == (*old.signal_names, "a", "b", "c") and model.fingerprint == before.fingerprint
    assert np.array_equal(forces.signal_i[: len(old.signal_i)], old.signal_i)
    run = gori.Simulation(model, gori.RK4(step=1e-3))
    first = len(old.signal_i)
    assert run.stepper.data.values[first] == 2.5
    run.state = run.state.replace(v=np.array([1.0, 0.5]))
    run.step(1)
    values = run.stepper.data.values
    assert values[first] == 2.5 and values[first + 2] == pytest.approx(1.002, abs=1e-12)
    same = gori.compile(spec.set("forces.turn.value", "sin(t) + 2*tool.vx"))
    found = []
    for one in (model, same):  # at the start of the step, where forces have not moved anything
        other = gori.Simulation(one, gori.SemiImplicit(step=1e-3), state=one.state().replace(v=[1.0, 0.5]))
        other.step(1)
        found.append(other.stepper.data.values)
    assert found[0][first + 1] == pytest.approx(found[1][-1], abs=1e-9) and found[1][-1] != 0.0


def test_tables_of_its_own():
    """They hold the same numbers elsewhere, for cuts with coordinates and for vehicles alike."""
    for model, tables in ((gori.compile(arm()), []), (level(), ["curve", "coordinate"])):
        other = with_own_tables(model)
        assert other.fingerprint == model.fingerprint and other.spec is model.spec
        one, two = (machine_of(x, live=True)[0] for x in (model, other))
        for name in SHARED_BY_RUNS:
            assert np.array_equal(getattr(one, name), getattr(two, name))
            assert bool(getattr(one, name).size) == (name in tables)
            assert not np.shares_memory(getattr(one, name), getattr(two, name))


def test_gains_of_a_torque():
    """Behind elements of the joints themselves."""
    joints = {"hinge": {"type": "revolute", "parent": "ground", "child": "bar", "damping": 1.0}}
    forces = {"twist": {"type": "torque", "joint": "hinge", "value": 1.0},
              "hold": {"type": "motor", "joint": "hinge", "kd": 1.0}}  # fmt: skip
    bodies = {"bar": {"mass": 1.0, "inertia": [1.0, 1.0, 1.0]}}
    model = gori.compile(gori.Spec.model_validate({"bodies": bodies, "joints": joints, "forces": forces}))
    assert servo_words(model, "twist").tolist() == [N_ELEMENT_F + k for k in (MOTOR_F.kp, MOTOR_F.kd, MOTOR_F.limit)]
    assert servo_words(model, "hold").size == 0
