"""The engine of a batch on the CPU: threads, rows, difficult poses, Ctrl-C."""

import multiprocessing
import os
import signal
import threading

import numpy as np
import pytest

import gori
from gori.errors import InputError, SimulationError
from gori.kernels.codes import NOT_FINITE, OK, POOR_CHOICE, SINGULAR
from gori.sim.batch.cpu import TOGETHER, CpuMachines
from tests.model.loops.singular import parallelogram
from tests.sim.batch.machines import H, arm, four_bar, pendulum, sand, speeds

STEP = gori.SemiImplicit(step=H)


def engine(model: gori.Model, count: int, workers: int = 1, method=STEP, state=None, **options) -> CpuMachines:
    def make():
        run = gori.Simulation(model, method, state=state, **options)
        run.stepper.plan_steps(1)
        return run

    machines = CpuMachines(make, count, workers)
    machines.store(np.ones(count, bool))
    return machines


def velocities(model: gori.Model, machines: CpuMachines) -> np.ndarray:
    return machines.array("y")[:, model.nq : model.nq + model.nv]


def test_any_number_of_threads_gives_the_same_bits():
    model, count = arm(), 5 * TOGETHER + 3
    v, found = speeds(model, count), []
    for workers in (1, 2, 50):
        machines = engine(model, count, workers)
        velocities(model, machines)[:] = v
        for steps in (1, 7):
            machines.step(steps)
        found.append(machines.array("y").copy())
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])
    assert len({y.tobytes() for y in found[0]}) == count


def test_members_of_all_machines_are_views():
    machines = engine(pendulum(), 4)
    clock = machines.array("clock")
    assert clock.shape == (4, 1) and (machines.array("data.values") == machines.simulation.stepper.data.values).all()
    clock["start_time"][2] = 5.0
    machines.fetch(2)
    assert machines.simulation.stepper.start_time == 5.0
    machines.fetch(1)
    assert machines.simulation.stepper.start_time == 0.0


def test_times_are_those_of_now():
    machines = engine(arm(), 2)
    before = machines.times()
    machines.step(1)
    assert before.tolist() == [0.0, 0.0] and machines.times().tolist() == [H, H]


def test_what_is_fetched_is_stored_in_others():
    model = arm()
    machines = engine(model, 3)
    velocities(model, machines)[:] = speeds(model, 3)
    machines.codes[0] = NOT_FINITE
    machines.step(5)
    machines.fetch(1)
    machines.store(np.array([True, False, False]))
    y = machines.array("y")
    assert np.array_equal(y[0], y[1]) and not np.array_equal(y[1], y[2])
    assert machines.codes.tolist() == [OK] * 3 and machines.times().tolist() == [5 * H] * 3


def test_vehicles_leave_ruts_of_their_own():
    """Machines on soft soil take turns in the same arrays: each finds its own ground, wheels and inputs again."""
    model, state = sand()
    method = gori.Adams(step=H, order=2)
    machines = engine(model, 3, method=method, state=state)
    throttles = [0.0, 0.5, 0.5]
    machines.array("data.driver")["selector"][:] = 10
    machines.array("data.driver")["throttle"][:, 0] = throttles
    for steps in (10, 390):
        machines.step(steps)
    for k in (0, 1, 2):
        alone = gori.Simulation(model, method, state=state)
        alone.inputs["truck.selector"], alone.inputs["truck.throttle"] = "D", throttles[k]
        alone.step(400)
        machines.fetch(k)
        assert machines.simulation.state == alone.state
    assert np.array_equal(machines.array("y")[1], machines.array("y")[2])
    assert not np.array_equal(machines.array("y")[0], machines.array("y")[1])


def test_nothing_is_left_of_the_machine_before():
    """Which stood in the same pose, with factors of its own."""
    model = four_bar()
    machines, other = engine(model, 2), engine(model, 2)
    velocities(model, machines)[:] = speeds(model, 2)
    machines.step(20)
    machines.array("y")[0] = machines.array("y")[1]
    other.keep({name: array.copy() for name, array in machines.kept().items()})
    for one in (machines, other):
        one.step(1)
    assert np.array_equal(machines.array("y"), other.array("y"))


@pytest.mark.parametrize("method", [gori.RK4(step=H), STEP], ids=lambda method: method.kind)
def test_a_start_in_a_singular_pose_is_that_of_each_machine(method):
    model = gori.compile(parallelogram(gravity=9.81, A=6.0, C=6.0))
    alone = gori.Simulation(model, method)
    alone.step(400)
    later = alone.state
    machines = engine(model, 2, method=method)
    machines.simulation.state = later
    machines.simulation.stepper.plan_steps(1)
    machines.store(np.array([False, True]))
    machines.step(400)
    assert np.array_equal(machines.array("y")[0], alone.stepper.y)
    alone.step(400)
    assert np.array_equal(machines.array("y")[1], alone.stepper.y)


# ---- poses that compiled steps alone do not pass


def test_difficult_poses_are_passed_as_a_simulation_does():
    """Other independent coordinates are chosen: three times, or four."""
    model, method = four_bar(), gori.Adams(step=H)
    v = np.array([model.state().v * factor for factor in (1.0, 1.3)])
    machines = engine(model, 2, method=method, loops="partition")
    velocities(model, machines)[:] = v
    for _ in range(3):
        machines.step(700)
    assert not machines.failures().any()
    for k in range(2):
        alone = gori.Simulation(model, method, state=model.state().replace(v=v[k]), loops="partition")
        alone.step(2100)
        assert alone.stepper.closure.changes > 2 and np.array_equal(machines.array("y")[k], alone.stepper.y)


def test_one_that_has_failed_at_a_pose_is_not_tried_again():
    machines = engine(four_bar(), 3)
    machines.codes[1] = POOR_CHOICE
    machines.step(10)
    assert machines.codes.tolist() == [OK, POOR_CHOICE, OK] and machines.times().tolist() == [10 * H, 0.0, 10 * H]


def test_a_pose_that_is_not_passed_is_a_failure(monkeypatch):
    model = four_bar()
    machines = engine(model, 2, method=gori.Adams(step=H), loops="partition")

    def fail(count):
        raise SimulationError("no way", 0.0)

    monkeypatch.setattr(machines.simulation, "advance", fail)
    machines.step(700)
    assert (machines.codes == SINGULAR).all() and (machines.times() < 700 * H).all()
    assert machines.words == {0: "no way", 1: "no way"}
    assert np.isfinite(machines.array("y")).all()
    machines.store(np.array([True, False]))
    assert machines.words == {1: "no way"}


# ---- what is kept in files


def test_kept_is_taken_over_whole_or_not_at_all():
    model = arm()
    machines, other = engine(model, 3), engine(model, 3)
    velocities(model, machines)[:] = speeds(model, 3)
    machines.codes[2] = NOT_FINITE
    machines.step(4)
    kept = {name: array.copy() for name, array in machines.kept().items()}
    before = other.array("y").copy()
    wrong = [{"rows": kept["rows"]}, {"codes": kept["codes"]}, kept | {"codes": kept["codes"][:2]}]
    wrong += [kept | {"codes": kept["codes"].astype(float)}]
    for some in wrong:
        with pytest.raises(InputError, match=r"holds no (rows|codes) of such a batch"):
            other.keep(some)
        assert np.array_equal(other.array("y"), before) and not other.codes.any()
    other.keep(kept)
    for one in (machines, other):
        one.step(3)
    assert np.array_equal(other.array("y"), machines.array("y")) and other.codes.tolist() == [OK, OK, NOT_FINITE]


# ---- memory and signals


def test_memory_is_estimated_before_it_is_taken(monkeypatch):
    monkeypatch.setattr("gori.model.memory.free_memory", lambda: 1_000_000)
    with pytest.raises(InputError, match=r"100000 machines of \d+ bytes would take .* \d+ machines would fit"):
        engine(arm(), 100_000)
    machines = engine(arm(), 3)
    assert machines.bytes_per_machine >= machines.array("y").strides[0]


@pytest.mark.parametrize("workers", [1, 3])
def test_ctrl_c_waits_until_all_machines_have_taken_their_steps(workers):
    machines = engine(arm(), 4 * TOGETHER, workers)
    machines.step(1)
    timer = threading.Timer(0.02, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        machines.step(20_000)
    timer.join()
    assert (machines.times() == machines.times()[0]).all() and machines.times()[0] == pytest.approx(20_001 * H)


def in_child(machines: CpuMachines, queue: multiprocessing.Queue) -> None:
    machines.step(3)
    queue.put(machines.array("y").copy())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own():
    machines = engine(arm(), 3 * TOGETHER, 3)
    machines.step(2)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_child, args=(machines, queue))
    child.start()
    found = queue.get(timeout=60)
    child.join()
    machines.step(3)
    assert np.array_equal(found, machines.array("y"))


def test_machines_that_no_memory_holds(monkeypatch):
    """Told with the number that fits, before anything of their number is made."""
    arange = np.arange
    monkeypatch.setattr(
        np, "arange", lambda *x, **options: pytest.fail("made") if x[0] > 1e6 else arange(*x, **options)
    )
    monkeypatch.setattr("gori.model.memory.free_memory", lambda: 10**9)
    with pytest.raises(InputError, match=r"2147483647 machines of \d+ bytes would take .* 1 GB are free: \d+ machines"):
        gori.batch(arm(), 2**31 - 1, STEP)
