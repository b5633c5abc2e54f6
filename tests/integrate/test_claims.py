"""The 16 claims of the patent KR 10-1310276 (seed 000), one test each.

Claims 1 to 7 are a method, 8 to 16 a system that does the same; its first module is the first step of a Simulation, its
second module all later ones. What is claimed of the Jacobian is read from A = I - h f_v - h^2 f_x in the memory.
"""

from itertools import pairwise

import numpy as np
import pytest

import gori
from gori.integrate.strategy import refreshed
from gori.model.state import State
from gori.sim import Simulation
from gori.spec import GROUND, Spec
from tests.checks import close
from tests.reference.implicit import Step, column_step, newton_step
from tests.reference.tree import Tree

H, N = 5e-3, 5


def chain() -> Spec:
    """Bars on hinges with axes in turn about y and z, springs and dampers, all of them moving."""
    bar = {"mass": 0.5, "com": [0.1, 0.0, 0.02], "inertia": [0.001, 0.002, 0.002]}
    joints = {
        f"j{k}": {
            "type": "revolute", "parent": f"b{k - 1}" if k else GROUND, "child": f"b{k}", "axis": [0, k % 2, 1 - k % 2],
            "at": [0.2 if k else 0.0, 0.0, 0.0], "stiffness": 20.0, "damping": 0.05, "q": 0.2 * k, "v": 3.0 - k,
        }
        for k in range(N)
    }  # fmt: skip
    return Spec(bodies={f"b{k}": bar for k in range(N)}, joints=joints)


SPEC = chain()
MODEL, TREE = gori.compile(SPEC), Tree(SPEC)


def method(strategy=None):
    """A Simulation with the method as an object."""
    return Simulation(MODEL, gori.ImplicitEuler(H, jacobian=strategy or gori.jacobian.RoundRobin()))


def system(strategy=None):
    """A Simulation from settings, as a run file has them."""
    jacobian = (strategy or gori.jacobian.RoundRobin()).settings()
    return Simulation(MODEL, {"type": "implicit_euler", "step": H, "jacobian": jacobian})


def jacobian(simulation):
    """A, out of its inverse B, which is kept by columns."""
    return np.linalg.inv(simulation.stepper.memory.state.inverse.T)


def whole(simulation):
    return simulation.report["jacobian"]["whole"]


def columns(simulation):
    return list(refreshed(simulation.stepper.memory))


def step_of(state):
    """The twin of the step that begins at a state."""
    return Step(TREE, MODEL.q0, state.time, H, state.q, state.v)


def three_time_steps(simulation):
    """Claims 1 and 8: all of A at the first state gives the second; with it a part of A, and that gives the third."""
    first = simulation.state
    second = simulation.step()
    twin = step_of(first)
    A = twin.A(np.zeros(N))
    close(jacobian(simulation), A, 1e-6)
    x = newton_step(twin, np.zeros(N))
    close(second.v, twin.end(x)[2], 1e-9)
    close(second.q, twin.end(x)[1], 1e-9)

    third = simulation.step()
    before, twin = A.copy(), step_of(second)
    x = column_step(twin, A, [0])
    assert columns(simulation) == [0] and np.abs(A - before).max() > 1e-4
    close(jacobian(simulation), A, 1e-6)
    close(third.v, twin.end(x)[2], 1e-7)
    close(third.q, twin.end(x)[1], 1e-7)


def whole_only_at_the_start(simulation):
    """Claims 2 and 11."""
    simulation.step()
    assert whole(simulation) == 1 and columns(simulation) == list(range(N))
    simulation.step(100)
    assert whole(simulation) == 1


def again_and_again(simulation, count=40):
    """Claims 3 and 12: the twin refreshes its columns in turn, and goes the same way."""
    state = simulation.step()
    A = jacobian(simulation)
    for k in range(count):
        twin = step_of(state)
        _, q, v, _ = twin.end(column_step(twin, A, [k % N]))
        state = State(state.time + H, q, v)
    final = simulation.step(count)
    assert np.abs(final.q - MODEL.q0).max() > 0.1
    close(final.q, state.q, 1e-6)
    close(final.v, state.v, 1e-6)
    assert simulation.report["jacobian"]["columns_per_step"] == (N + count) / (count + 1)


def a_column_for_each_body(simulation):
    """Claims 4 and 13: the column of a body says how all accelerations change with the motion of its hinge."""
    state = simulation.state
    simulation.step()
    A, twin = jacobian(simulation), step_of(state)
    assert A.shape == (len(SPEC.bodies), len(SPEC.bodies))
    for k, name in enumerate(TREE.body_names):
        assert MODEL.joints[k].v == slice(k, k + 1) and TREE.links[k].name == name
        change = 1e-3 / H * np.eye(N)[k]
        difference = (twin.f(change) - twin.f(-change)) / (2e-3 / H)
        close(A[:, k], np.eye(N)[k] - difference, 1e-5)


def some_columns_alone(simulation):
    """Claims 5 and 14: those that are not refreshed stay as they were."""
    simulation.step()
    for _ in range(2 * N):
        before, state = jacobian(simulation), simulation.state
        simulation.step()
        now, some = columns(simulation), jacobian(simulation)
        assert 0 < len(now) < N
        others = np.setdiff1d(np.arange(N), now)
        close(some[:, others], before[:, others], 1e-10)
        close(some[:, now], step_of(state).A(np.zeros(N), now), 1e-6)
        assert (np.abs(some[:, now] - before[:, now]).max(axis=0) > 1e-9).all()


def sets_differ(make, count):
    """Claims 6 and 15: no step refreshes just what the last one did, and all columns have their turn."""
    simulation = make(gori.jacobian.RoundRobin(count))
    simulation.step()
    sets = []
    for _ in range(4 * N):
        simulation.step()
        sets.append(set(columns(simulation)))
    assert all(len(one) == count for one in sets)
    assert all(one != other for one, other in pairwise(sets))
    assert set().union(*sets[:N]) == set(range(N))
    overlaps = [len(one & other) for one, other in pairwise(sets)]
    assert max(overlaps) == max(0, 2 * count - N)  # they overlap in part where they cannot do otherwise


def largest_speed(simulation):
    """Claims 7 and 16."""
    simulation.step()
    chosen = set()
    for _ in range(200):
        v = simulation.state.v
        simulation.step()
        assert columns(simulation) == [np.argmax(np.abs(v))]
        chosen |= set(columns(simulation))
    assert len(chosen) >= 3  # it does change in the course of the motion


def test_claim_01():
    three_time_steps(method())


def test_claim_02():
    whole_only_at_the_start(method())


def test_claim_03():
    again_and_again(method())


def test_claim_04():
    a_column_for_each_body(method())


@pytest.mark.parametrize(
    "strategy", [gori.jacobian.RoundRobin(), gori.jacobian.RoundRobin(3), gori.jacobian.Fastest(2)], ids=str
)
def test_claim_05(strategy):
    some_columns_alone(method(strategy))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_claim_06(count):
    sets_differ(method, count)


def test_claim_07():
    largest_speed(method(gori.jacobian.Fastest()))


def test_claim_08():
    three_time_steps(system())


def test_claim_09():
    """The first module has a part that makes the Jacobian, and one that solves the equations of the step with it."""
    simulation = system()
    first, second = simulation.state, simulation.step()
    twin = step_of(first)
    close(jacobian(simulation), twin.A(np.zeros(N)), 1e-6)
    x = (second.v - first.v) / H
    close(x, twin.f(x), 1e-8)


def test_claim_10():
    """The second module has a part that refreshes some of the Jacobian, and one that makes the step with it."""
    simulation = system()
    second = simulation.step()
    A = jacobian(simulation)
    third, twin = simulation.step(), step_of(second)
    A[:, columns(simulation)] = twin.A(np.zeros(N), columns(simulation))
    close(A @ (third.v - second.v) / H, twin.f(np.zeros(N)), 1e-6)


def test_claim_11():
    whole_only_at_the_start(system())


def test_claim_12():
    again_and_again(system())


def test_claim_13():
    a_column_for_each_body(system())


@pytest.mark.parametrize(
    "strategy", [gori.jacobian.RoundRobin(), gori.jacobian.RoundRobin(3), gori.jacobian.Fastest(2)], ids=str
)
def test_claim_14(strategy):
    some_columns_alone(system(strategy))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_claim_15(count):
    sets_differ(system, count)


def test_claim_16():
    largest_speed(system(gori.jacobian.Fastest()))
