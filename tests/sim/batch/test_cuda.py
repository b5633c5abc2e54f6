"""The engine of a batch on a GPU, run on the host: the same program and memory, with a loop in place of the threads."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.sim.batch.cuda import CudaMachines
from gori.sim.batch.devices import Host
from gori.sim.batch.varied import numbers_of
from tests.sim.batch.machines import H, arm, four_bar, pendulum, speeds


def engine(model: gori.Model, count: int, method=None) -> CudaMachines:
    def make():
        run = gori.Simulation(model, method or gori.SemiImplicit(step=H))
        run.stepper.plan_steps(1)
        return run

    machines = CudaMachines(make, count, 1, (), Host)
    machines.store(np.ones(count, bool))
    return machines


def velocities(model: gori.Model, machines: CudaMachines) -> np.ndarray:
    return machines.array("y")[:, model.nq : model.nq + model.nv]


@pytest.mark.parametrize("make", [arm, pendulum, four_bar])
def test_a_thread_does_what_a_simulation_does(make):
    model, count = make(), 5
    machines, v = engine(model, count), speeds(model, count)
    velocities(model, machines)[:] = v
    machines.step(3)
    machines.step(60)
    assert not machines.failures().any() and machines.times() == pytest.approx([63 * H] * count)
    for k in range(count):
        run = gori.Simulation(model, gori.SemiImplicit(step=H), state=model.state().replace(v=v[k]))
        run.step(63)
        assert np.abs(machines.array("y")[k] - run.stepper.y).max() < 1e-12
        machines.fetch(k)
        state = machines.simulation.state
        assert state.time == pytest.approx(run.time) and np.abs(state.q - run.q).max() < 1e-12


def test_what_is_fetched_goes_on_in_another_machine():
    model = four_bar()
    machines = engine(model, 3)
    velocities(model, machines)[:] = speeds(model, 3)
    machines.step(20)
    machines.fetch(1)
    machines.store(np.array([True, False, False]))
    machines.step(20)
    y = machines.array("y")
    assert np.array_equal(y[0], y[1]) and not np.array_equal(y[1], y[2])
    assert machines.times()[0] == machines.times()[1]


def test_not_a_number_stays_where_it_was_put():
    model = arm()
    machines, v = engine(model, 4), speeds(model, 4)
    velocities(model, machines)[:] = v
    velocities(model, machines)[2] = np.nan
    machines.step(10)
    assert machines.failures().tolist() == [0, 0, 2, 0] and machines.times().tolist() == [0.01, 0.01, 0.0, 0.01]
    assert np.isfinite(machines.array("y")[[0, 1, 3]]).all()


def test_codes_are_live():
    machines = engine(arm(), 3)
    codes = machines.live_codes()
    velocities(arm(), machines)[1] = np.nan
    machines.step(1)
    assert (codes != 0).tolist() == [False, True, False]
    machines.store(np.array([False, True, False]))
    assert not codes.any()


def test_kept_members_are_all_that_matters():
    model = four_bar()
    machines, other = engine(model, 3), engine(model, 3)
    velocities(model, machines)[:] = speeds(model, 3)
    machines.step(20)
    other.keep(machines.kept())
    machines.step(20)
    other.step(20)
    assert np.array_equal(other.array("y"), machines.array("y"))
    with pytest.raises(InputError, match="no y of such a batch"):
        other.keep({})


def test_more_than_the_memory_holds(monkeypatch):
    monkeypatch.setattr(Host, "free", lambda self: 1_000_000)
    with pytest.raises(InputError, match=r"1000000 machines take .* GB \(\d+ bytes each\).* (\d+) machines would fit"):
        engine(arm(), 1_000_000)


def test_masses_that_differ_are_tables_of_their_own():
    model, masses = arm(), np.linspace(1000.0, 3000.0, 5)
    model, varied = numbers_of(model, {"bodies.upper_arm.shapes.tube.density": masses})

    def make():
        run = gori.Simulation(model, gori.SemiImplicit(step=H))
        run.stepper.plan_steps(1)
        return run

    machines = CudaMachines(make, 5, 1, varied, Host)
    machines.store(np.ones(5, bool))
    machines.step(40)
    machines.store(np.array([True, False, False, False, False]))  # the masses stay
    machines.step(40)
    for k, steps in ((0, 40), (4, 80)):
        spec = model.spec.set("bodies.upper_arm.shapes.tube.density", float(masses[k]))
        run = gori.Simulation(gori.compile(spec), gori.SemiImplicit(step=H))
        run.step(steps)
        assert np.abs(machines.array("y")[k] - run.stepper.y).max() < 1e-12


def test_slopes_are_forgotten_by_the_chosen():
    model, method, v = arm(), gori.Adams(step=H), speeds(arm(), 3)
    machines = engine(model, 3, method)
    velocities(model, machines)[:] = v
    machines.step(20)
    velocities(model, machines)[1] = v[0]
    machines.forget(np.array([False, True, False]))
    machines.step(20)
    for k in range(3):
        run = gori.Simulation(model, method, state=model.state().replace(v=v[k]))
        run.step(20)
        if k == 1:
            run.state = gori.State(run.time, run.q, v[0], parts={})
        run.step(20)
        assert np.abs(machines.array("y")[k, :-1] - run.stepper.y[:-1]).max() < 1e-12
    engine(model, 3).forget(np.ones(3, bool))  # nothing to forget
