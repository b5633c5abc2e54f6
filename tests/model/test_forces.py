import numpy as np
import pytest

import gori
from gori.errors import UnsupportedError
from gori.kernels.forces import elements as el
from gori.kernels.forces import parameters as par
from gori.model.forces import STICK, compile_forces, stick_of, stick_rate
from tests.checks import arm


def rows(model, kind):
    return model.forces.element_f[model.forces.element_i[:, el.E_KIND] == kind]


def test_joint_fields_become_rows():
    spec = arm(elbow__stiffness=3.0, elbow__rest=0.2, elbow__damping=0.5, shoulder__friction=2.0)
    spec = spec.set("shoulder.stick_stiffness", 40.0)
    model = gori.compile(spec)
    (spring,) = rows(model, el.JOINT_SPRING)
    assert spring[par.SPRING_F.stiffness] == 3.0 and spring[par.SPRING_F.rest] == 0.2
    assert spring[par.SPRING_F.damping] == 0.5 and spring[par.SPRING_F.preload] == 0.0
    (friction,) = rows(model, el.JOINT_FRICTION)
    assert friction[par.FRICTION_F.coulomb] == 2.0 and friction[par.FRICTION_F.stiffness] == 40.0
    inertia = 1.0 / np.linalg.inv(model.mass_matrix(model.q0))[0, 0]  # the elbow is free
    assert friction[par.FRICTION_F.damping] == pytest.approx(2.0 * np.sqrt(40.0 * inertia))
    assert model.forces.states == 1 and model.forces.names == ("shoulder", "elbow")


def test_a_spring_without_length_is_free_at_the_start():
    force = {"type": "spring", "parent": "ground", "child": "lower", "at": [1.0, 0, 0], "stiffness": 5.0}
    model = gori.compile(gori.Spec(**arm().model_dump(exclude_unset=True), forces={"s": force}))
    (line,) = rows(model, el.LINE)
    assert line[par.LINE_F.stiffness] == 5.0
    assert line[par.LINE_F.free_length] == pytest.approx(np.sqrt(2.0))  # from (1, 0, 0) to the elbow at (0, 0, 1)


def test_a_free_joint_takes_no_stiffness():
    joint = {"type": "free", "parent": "ground", "child": "a", "stiffness": [1.0] * 6}
    with pytest.raises((UnsupportedError, gori.errors.SpecError), match="stiffness"):
        gori.compile(gori.Spec(bodies={"a": {"mass": 1.0, "inertia": [1, 1, 1]}}, joints={"j": joint}))


def test_tables_of_a_model_are_made_from_its_spec_alone():
    model = gori.compile(arm(elbow__stiffness=3.0, shoulder__friction=2.0))
    again = compile_forces(model)
    for one, other in zip(again, model.forces):
        assert np.array_equal(one, other)
    (friction,) = rows(model, el.JOINT_FRICTION)
    assert friction[par.FRICTION_F.stiffness] == pytest.approx(2.0 / STICK)  # it slips after this angle


def test_how_friction_sticks():
    assert stick_of(2.0, None, 1.0, False) == pytest.approx((2000.0, 2.0 * np.sqrt(2000.0)))  # it slides after 1e-3
    assert stick_of(2.0, None, 4e-3, False) == pytest.approx((1000.0, 4.0))  # after 2e-3: with 500 rad/s
    assert stick_of(2.0, None, 1e-5, False) == pytest.approx((200.0, 2.0 * np.sqrt(2e-3)))  # after 1e-2, and faster
    assert stick_of(2.0, 1e6, 1.0, False) == pytest.approx((1e6, 2e3))  # as given
    assert stick_of(2.0, None, 0.0, True) == pytest.approx((200.0, 2.0 * 200.0 / 500.0))  # a massless part of a loop
    for inertia in (1.0, 4e-3, 1e-5):
        stick, damping = stick_of(2.0, None, inertia, False)
        p = par.row(par.FRICTION_F, coulomb=2.0, stiffness=stick, damping=damping)
        assert stick_rate(p) == pytest.approx(np.sqrt(stick / inertia))


def test_joints_that_stick_against_each_other():
    """Their inertia as a diagonal matrix is nowhere above the mass matrix, and touches it."""
    model = gori.compile(arm(elbow__friction=1.0, shoulder__friction=2.0, elbow__stick_stiffness=50.0).set(
        "shoulder.stick_stiffness", 40.0))  # fmt: skip
    damping = rows(model, el.JOINT_FRICTION)[:, par.FRICTION_F.damping]
    J = damping**2 / (4.0 * np.array([40.0, 50.0]))
    left = np.linalg.eigvalsh(model.mass_matrix(model.q0) - np.diag(J))
    assert left[0] == pytest.approx(0.0, abs=1e-12) and left[1] > 0.0


def test_values_of_forces_are_signals():
    forces = {
        "m": {"type": "motor", "joint": "elbow", "target": "t", "kp": 1.0, "limit": 9.0},
        "w": {"type": "wrench", "body": "lower", "force": [1, "2*t", 3]},
    }
    tables = gori.compile(arm().set("forces", forces)).forces
    kinds = tables.element_i[:, el.E_KIND].tolist()
    assert kinds == [el.MOTOR, el.WRENCH] and tables.names == ("m", "w") and tables.states == 0
    first = tables.element_i[:, el.E_SIGNAL]
    assert first[0] == 0 and first[1] == 2 and len(tables.signal_i) == 2 + 6  # target and rate; moment and force
