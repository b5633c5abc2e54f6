"""Jacobians that are refreshed by columns: rank-one updates, choice of columns, rebuilds, and going on from files."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

import gori
from gori.integrate.columns import replace_column
from gori.integrate.strategy import refreshed
from gori.model.state import State
from gori.sim import Event, Simulation
from gori.spec import GROUND, Spec
from tests.checks import close
from tests.integrate.test_claims import chain
from tests.reference.implicit import Step
from tests.reference.tree import Tree
from tests.sim.machines import EVENTS, busy
from tests.sim.test_simulation import same
from tests.sim.test_survival import reached

PARTIAL = [
    gori.jacobian.Frozen(),
    gori.jacobian.RoundRobin(),
    gori.jacobian.RoundRobin(3),
    gori.jacobian.Fastest(2),
    gori.jacobian.ErrorDriven(),
]
BAR = {"mass": 1.0, "com": [0.1, 0.05, -0.3], "inertia": [0.09, 0.08, 0.02]}


def mixed(**first) -> Spec:
    """A floating body that carries a ball joint, a slider and a hinge, all with dampers, none with weight."""
    soft = {"damping": 3.0, "stiffness": 5.0}
    joints = {
        "base": {"type": "free", "parent": GROUND, "child": "a", "damping": 3.0, **first},
        "ball": {"type": "spherical", "parent": "a", "child": "b", "at": [0.3, 0, -0.5], "v": [1.0, 2.0, -1.0], **soft},
        "rail": {"type": "prismatic", "parent": "b", "child": "c", "at": [0, 0.2, -0.5], "v": 1.5, **soft},
        "pin": {"type": "revolute", "parent": "b", "child": "d", "at": [0, 0, -1], "axis": [1, 0, 0], "v": 4.0, **soft},
    }
    return Spec(gravity=[0, 0, 0], bodies=dict.fromkeys("abcd", BAR), joints=joints)


def simulate(spec, strategy, step=2e-3, **options):
    return Simulation(gori.compile(spec), gori.ImplicitEuler(step, jacobian=strategy), **options)


def counts(simulation):
    return simulation.report["jacobian"]


def columns(simulation):
    return list(refreshed(simulation.stepper.memory))


def inverse(simulation):
    return simulation.stepper.memory.state.inverse.T


def test_another_column_of_a_matrix_in_its_inverse():
    """By columns: B[c, r]."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(5, 5))
    B = np.linalg.inv(A).T.copy()
    A[:, 3] = rng.normal(size=5)
    replace_column.py_func(B, 3, B.T @ A[:, 3])
    close(B.T, np.linalg.inv(A), 1e-12)


@pytest.mark.parametrize("strategy", [gori.jacobian.RoundRobin(), gori.jacobian.RoundRobin(4)], ids=str)
def test_the_inverse_follows_to_where_the_machine_comes_to_rest(strategy):
    """It is made once and then updated a thousand times, while the machine moves somewhere else."""
    spec = mixed(v=[1, -1, 2, 1, 0, 0.5])
    simulation = simulate(spec, strategy, step=0.02)
    simulation.step()
    start = inverse(simulation).copy()
    state = simulation.step(3000)
    assert counts(simulation)["whole"] == 1 and np.abs(state.v).max() < 1e-6
    A = Step(Tree(spec), simulation.model.q0, 0.0, 0.02, state.q, state.v).A(np.zeros(simulation.model.nv))
    error, moved = (np.abs(B @ A - np.eye(len(A))).max() for B in (inverse(simulation), start))
    print(f"\n{strategy}: |B A - I| {error:.1e} after {counts(simulation)['columns_per_step'] * 3001:.0f} updates, "
          f"with the first B {moved:.1e}")  # fmt: skip
    assert error < 1e-7 < 1e-2 < moved


def test_updates_do_not_lose_digits():
    """Standing still, the inverse is the same after 20000 updates as when it was made."""
    spec = mixed()
    model = gori.compile(spec)
    simulation = simulate(spec, gori.jacobian.RoundRobin(), state=State(0.0, model.q0, np.zeros(model.nv)))
    simulation.step()
    first = inverse(simulation).copy()
    simulation.step(20_000)
    assert counts(simulation)["whole"] == 1
    close(inverse(simulation), first, 1e-7)


def test_columns_of_a_joint_go_together():
    free, ball, rail, pin = [0, 1, 2, 3, 4, 5], [6, 7, 8], [9], [10]
    for count, expected in {
        1: [free, ball, rail, pin, free],
        2: [free, ball, rail + pin, free],
        4: [free, ball + rail, free + pin, ball + rail],
        7: [free + ball, free + rail + pin, free + ball + rail + pin],
        11: [free + ball + rail + pin] * 2,
        99: [free + ball + rail + pin] * 2,
    }.items():
        simulation = simulate(mixed(), gori.jacobian.RoundRobin(count))
        simulation.step()
        for some in expected:
            simulation.step()
            assert columns(simulation) == sorted(some), count
        assert counts(simulation)["whole"] == 1


def test_the_fastest_axis_of_a_ball_takes_the_others_along():
    state = State(0.0, gori.compile(mixed()).q0, np.array([0, 0, 0, 0, 0, 0, 0.1, 5.0, 0.1, 0.0, 4.0]))
    simulation = simulate(mixed(), gori.jacobian.Fastest(), step=1e-5, state=state)
    simulation.step(2)
    assert columns(simulation) == [6, 7, 8]
    simulation = simulate(mixed(), gori.jacobian.Fastest(4), step=1e-5, state=state)
    simulation.step(2)
    assert columns(simulation) == [6, 7, 8, 10]


@pytest.mark.parametrize(("distance", "slow"), [(0.1, 1.5), (0.1, 4.5), (1.0, 0.1), (1.0, 2.0)])
def test_speeds_of_sliders_are_compared_by_the_distance_between_joints(distance, slow):
    """A slider with 0.4 m/s is faster than a hinge with 1.5 rad/s where links are 0.1 m long, not for 1 m."""
    body = {"mass": 1.0, "inertia": [1, 1, 1]}
    spec = Spec(
        gravity=[0, 0, 0],
        bodies={"a": body, "b": body, "c": body},
        joints={
            "hinge": {"type": "revolute", "parent": GROUND, "child": "a", "v": slow},
            "slider": {"type": "prismatic", "parent": "a", "child": "b", "at": [distance, 0, 0], "v": 0.4},
            "last": {"type": "revolute", "parent": "b", "child": "c", "at": [0, distance, 0]},
        },
    )
    simulation = simulate(spec, gori.jacobian.Fastest(), step=1e-6)
    simulation.step(2)
    assert columns(simulation) == [1 if 0.4 / distance > slow else 0]


def test_error_driven_refreshes_when_it_moves_and_not_when_it_rests():
    spec = chain()
    simulation = simulate(spec, gori.jacobian.ErrorDriven(), step=1e-2)
    simulation.step(100)
    moving = counts(simulation)
    simulation.step(4900)
    resting = counts(simulation)["columns_per_step"] * 5000 - moving["columns_per_step"] * 100
    single = moving["columns_per_step"] * 100 - moving["whole"] * simulation.model.nv
    assert single > 3 and resting < 1e-9
    tight = simulate(spec, gori.jacobian.ErrorDriven(1e-3), step=1e-2)
    tight.step(100)
    assert counts(tight)["iterations_per_step"] > moving["iterations_per_step"]


@pytest.mark.parametrize("strategy", PARTIAL, ids=str)
def test_another_state_makes_all_anew(strategy):
    """What was known before leaves no trace: the run goes on as one that starts there."""
    simulation = simulate(mixed(), strategy)
    simulation.step(50)
    assert counts(simulation)["whole"] == 1
    q = simulation.model.integrate(simulation.state.q, np.linspace(1.0, 2.0, simulation.model.nv))
    jump = State(0.0, q, -simulation.state.v)
    simulation.state = jump
    after = simulation.step()
    assert counts(simulation)["whole"] == 2 and columns(simulation) == list(range(simulation.model.nv))
    fresh = simulate(mixed(), strategy, state=jump).step()
    np.testing.assert_array_equal(after.v, fresh.v)
    np.testing.assert_array_equal(after.q, fresh.q)


@pytest.mark.parametrize("strategy", PARTIAL, ids=str)
def test_events_within_a_step_make_all_anew(strategy):
    """The rest of the step has another length, and so has the step after it: two rebuilds, and no more."""
    simulation = simulate(mixed(), strategy, events={"now": Event("t - 0.0333", action=lambda state: state)})
    rec = simulation.run(0.1, sample=2e-3, progress=False)
    assert rec.info["events"] == [("now", pytest.approx(0.0333, abs=1e-9))]
    assert rec.info["jacobian"]["whole"] == 3
    whole = simulate(mixed(), gori.jacobian.Full()).run(0.1, sample=2e-3, progress=False)
    close(rec.q[-1], whole.q[-1], 1e-3)


@pytest.mark.parametrize("kind", [gori.ImplicitEuler, gori.GeneralizedAlpha])
@pytest.mark.parametrize("strategy", PARTIAL, ids=str)
def test_a_run_that_was_stopped_goes_on_bit_for_bit(kind, strategy, tmp_path, monkeypatch):
    """Every block ends with a checkpoint here, as if a second had passed; the memory is in it."""
    path, model, pressed = tmp_path / "run.h5", gori.compile(busy()), True

    def force(t, q, v):
        if t > 0.8 and pressed:
            raise KeyboardInterrupt
        return -0.01 * v

    def make():
        return Simulation(model, kind(0.01, jacobian=strategy), forces=force, events=EVENTS)

    with monkeypatch.context() as clock:
        clock.setattr("gori.sim.run.wall", SimpleNamespace(perf_counter=itertools.count().__next__))
        make().run(1.0, sample=0.01, path=path, progress=False)
    assert 0.6 < reached(path) < 0.81
    pressed = False
    rec = Simulation.resume(path, progress=False, forces=force, events=EVENTS)
    whole = make().run(1.0, sample=0.01, progress=False)
    assert len(whole.info["events"]) > 0
    same(rec, whole)
    assert rec.info["jacobian"] == whole.info["jacobian"]
