"""All forces of a machine together: elements, subsystems, vehicles, the user. Elements are in `sim/test_forces.py`."""

import numpy as np
import pytest

import gori
from gori.kernels.accelerations import accelerations
from gori.kernels.codes import NOT_FINITE, OK, USER_ERROR
from gori.kernels.forces.apply import acts_on_bodies, advance_subsystems, apply_forces
from gori.kernels.machine import ADD_WRENCHES, ADVANCE
from gori.kernels.tree.columns import FORCE
from gori.kernels.tree.kinematics import place
from gori.model.machine import machine_of
from tests.checks import arm, close
from tests.plain import plain, records
from tests.reference import dynamics as dyn
from tests.reference.tree import Tree


def made(spec=None, coupled=(), **changes):
    model = gori.compile(arm() if spec is None else spec)
    machine, data = machine_of(model, coupled=coupled)
    return model, records(machine).replace(**changes), records(data)


def applied(machine, data, q, v, t=0.0):
    """After `place`, with bodies free of forces."""
    plain(place)(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)
    data.body_w[:, FORCE : FORCE + 6] = 0.0
    data.tau[:] = 99.0  # what was there counts no more
    return plain(apply_forces)(machine, data, t, q, v, np.zeros(0), np.zeros(0))


Q, V = np.array([0.3, -0.7]), np.array([1.0, 2.0])


def test_forces_on_joints_add_up():
    """A spring, a torque of time, and a function of the user."""

    def user(t, q, v, tau):
        tau += 100.0 * q
        return 0

    spec = arm(joints__elbow__stiffness=10.0).set("forces", {"t": {"type": "torque", "joint": "elbow", "value": "3*t"}})
    _, machine, data = made(spec, user=user)
    assert applied(machine, data, Q, V, t=2.0) == OK
    close(data.tau, [30.0, -70.0 + 7.0 + 6.0], 1e-12)
    assert not plain(acts_on_bodies)(machine) and not data.body_w[:, FORCE : FORCE + 6].any()


def test_power_of_what_has_no_potential():
    """A damper, not the spring beside it, a torque of time, a wrench held by a subsystem, a vehicle and the user."""

    def user(t, q, v, tau):
        tau += [1.0, 2.0]
        return 0

    def vehicle(machine, data, t, q, v, what):
        data.body_w[1, FORCE : FORCE + 6] -= [0.0, 7.0, 0.0, 0.0, 0.0, 0.0]
        data.tau[1] += 5.0
        return OK

    spec = arm(joints__elbow__stiffness=10.0, joints__elbow__damping=0.5)
    spec = spec.set("forces", {"t": {"type": "torque", "joint": "elbow", "value": "3*t"}})
    _, machine, data = made(spec, coupled=[2], user=user, vehicle=vehicle)
    data.wrench[0] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert applied(machine, data, Q, V, t=2.0) == OK
    twist = dyn.jacobian(Tree(spec), Q, "lower") @ V
    parts = [-0.5 * V[1] ** 2, 6.0 * V[1], data.wrench[0] @ twist, 7.0 * V[0] + 5.0 * V[1], 1.0 * V[0] + 2.0 * V[1]]
    close(data.power[0], sum(parts), 1e-12)


def test_a_wrench_that_a_subsystem_holds():
    """World axes, moment about the origin of the body; forces of bodies are stored as what is needed."""
    model, machine, data = made(coupled=[2])
    data.wrench[0] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert plain(acts_on_bodies)(machine) and applied(machine, data, Q, V) == OK
    assert data.body_w[2, FORCE : FORCE + 6].tolist() == [-1.0, -2.0, -3.0, -4.0, -5.0, -6.0]
    assert not data.body_w[1, FORCE : FORCE + 6].any() and not data.tau.any()
    tree, none = Tree(model.spec), np.zeros(2)
    q, v = Q, np.zeros(2)
    qdd = dyn.aba(tree, q, v, none, {"lower": data.wrench[0]})
    assert not np.allclose(qdd, dyn.aba(tree, q, v, none))
    found = np.empty(2)
    assert plain(accelerations)(machine, 0.0, q, v, np.zeros(0), found, np.zeros(0), data) == OK
    close(found, qdd, 1e-11)


def test_vehicles_act_and_are_advanced():
    asked = []

    def vehicle(machine, data, t, q, v, what):
        asked.append((what, t))
        data.tau[0] += 5.0
        return OK

    _, machine, data = made(vehicle=vehicle)
    assert plain(acts_on_bodies)(machine) and applied(machine, data, Q, V, t=1.0) == OK and data.tau[0] == 5.0
    assert plain(advance_subsystems)(machine, data, 2.0, Q, V) == OK
    assert asked == [(ADD_WRENCHES, 1.0), (ADVANCE, 2.0)]
    assert plain(advance_subsystems)(machine.replace(vehicle=0), data, 3.0, Q, V) == OK and len(asked) == 2


@pytest.mark.parametrize(
    "changes, code", [({"user": lambda *_: 1}, USER_ERROR), ({"vehicle": lambda *_: 2}, NOT_FINITE)]
)
def test_what_fails_is_named(changes, code):
    _, machine, data = made(**changes)
    assert applied(machine, data, Q, V) == code
