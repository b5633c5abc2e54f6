"""Numbers of tables that differ from machine to machine, against Specs compiled with them."""

import numpy as np
import pytest

import gori
from gori.errors import FileError
from gori.kernels.batch.members import leaves, tree_of
from gori.kernels.tree.columns import MASS
from gori.model.variants import SHARED_BY_RUNS
from gori.sim.batch.batch import Batch
from gori.sim.batch.cpu import TOGETHER, CpuMachines
from gori.sim.batch.varied import Numbers, digest_of, numbers_of
from tests.sim.batch.machines import H, four_bar, pendulum
from tests.vehicle.trucks import level

MASSES = np.array([0.5, 1.0, 2.0, 4.0])
METHOD = gori.SemiImplicit(step=H)


def heavier(model: gori.Model, mass: float) -> gori.Model:
    """With other masses of all bodies."""
    spec = model.spec
    for name in spec.bodies:
        spec = spec.set(f"bodies.{name}.mass", mass)
    return gori.compile(spec)


def masses(model: gori.Model, values: np.ndarray) -> list[Numbers]:
    """As Specs with these masses have them: friction too depends on inertia."""
    found, models = [], {mass: heavier(model, mass) for mass in MASSES}
    for name in ("body_f", "element_f"):
        machines = {mass: gori.Simulation(other, METHOD).stepper.machine for mass, other in models.items()}
        tables = {mass: getattr(machine, name).reshape(-1) for mass, machine in machines.items()}
        words = np.flatnonzero([len({*row}) > 1 for row in zip(*tables.values())])
        found.append(Numbers(f"machine.{name}", words, np.array([tables[mass][words] for mass in values]).T.copy()))
    return found


def engine(model: gori.Model, count: int, workers: int, numbers: list[Numbers]) -> CpuMachines:
    def make():
        run = gori.Simulation(model, METHOD)
        run.stepper.plan_steps(1)
        return run

    machines = CpuMachines(make, count, workers, numbers)
    machines.store(np.ones(count, bool))
    return machines


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("make", [pendulum, four_bar])
def test_machines_with_masses_of_their_own(make, workers):
    """Machines of all threads go on with their own masses, and the Model stays as it is."""
    model, count = make(), 3 * TOGETHER
    before = model.kernel_tables.body_f.copy()
    machines = engine(model, count, workers, masses(model, np.resize(MASSES, count)))
    for steps in (1, 20, 29):
        machines.step(steps)
    y = machines.array("y")
    for k, mass in enumerate(MASSES):
        alone = gori.Simulation(heavier(model, mass), METHOD)
        alone.step(50)
        assert np.abs(y[k] - alone.stepper.y).max() < 1e-9
        assert (y[k :: len(MASSES)] == y[k]).all()
    assert not np.array_equal(y[0], y[1])
    assert np.array_equal(model.kernel_tables.body_f, before)


def test_what_is_fetched_has_its_numbers():
    model = pendulum()
    machines = engine(model, 4, 1, masses(model, MASSES))
    for k in (3, 1):
        machines.fetch(k)
        table = machines.simulation.stepper.machine.body_f
        assert (table[table[:, MASS] > 0.0, MASS] == MASSES[k]).all()


def test_addresses_are_those_of_the_words():
    stepper = gori.Simulation(four_bar(), METHOD).stepper
    first = stepper.machine.body_f.ctypes.data
    numbers = Numbers("machine.body_f", np.array([0, 25]), np.zeros((2, 1)))
    assert numbers.of_tables and numbers.addresses(stepper) == [first, first + 200]
    start = Numbers("y", np.array([1]), np.zeros((1, 1)))
    assert not start.of_tables and start.addresses(stepper) == [stepper.y[1:].ctypes.data]


def test_numbers_of_parameters():
    model, numbers = numbers_of(pendulum(), {"bodies.lower.mass": MASSES, "joints.elbow.q": [0.0, 0.1, 0.2, 0.3]})
    found = {one.path: one for one in numbers}
    assert found.keys() == {"machine.body_f", "machine.element_f", "y"} and model is pendulum()
    assert np.array_equal(found["y"].values, [[0.0, 0.1, 0.2, 0.3]])
    assert (found["machine.body_f"].values == MASSES).all(axis=1).any()


@pytest.mark.parametrize("make", [pendulum, four_bar, level])
def test_runs_share_no_other_tables_of_numbers(make):
    """Or numbers of one thread would be those of another, and of the Model."""
    one, other = (gori.Simulation(make(), METHOD).stepper.machine for _ in range(2))
    functions = dict.fromkeys(("user", "core", "closed", "vehicle", "penalty"))
    tables = [dict(leaves(tree_of(machine, True, functions))) for machine in (one, other)]
    shared = {
        path
        for path, laid in tables[0].items()
        if laid.array.dtype.kind != "i" and np.shares_memory(laid.array, tables[1][path].array)
    }
    assert shared <= set(SHARED_BY_RUNS)


@pytest.mark.parametrize("workers", [1, 3])
def test_gear_ratios_of_their_own(workers):
    """They stand in a table that runs share with the Model: here each thread has its own."""
    model, ratios = level(), np.resize([-2.1, -4.2, -3.0], 3 * TOGETHER)
    before, path = model.vehicle.records.curve.copy(), "drivetrains.truck.drivetrain.gearbox.reverse"
    method, state = gori.Adams(step=H, order=2), gori.at_rest(model)
    batch = Batch(model, len(ratios), method, state=state, parameters={path: ratios}, workers=workers)
    batch.inputs["truck.selector"], batch.inputs["truck.throttle"] = "R", 0.8
    batch.step(300)
    for k, ratio in enumerate(ratios[:3]):
        other = gori.compile(model.spec.set(path, ratio))
        alone = gori.Simulation(other, method, state=state.replace(model=other.fingerprint))
        alone.inputs["truck.selector"], alone.inputs["truck.throttle"] = "R", 0.8
        alone.step(300)
        assert (batch.q[k::3] == alone.q).all()
    assert np.array_equal(model.vehicle.records.curve, before)


def test_files_are_of_the_same_parameters(tmp_path):
    def batch(values):
        return Batch(pendulum(), 4, METHOD, parameters={"bodies.lower.mass": values})

    batches = [batch(MASSES), batch(MASSES[::-1])]
    batches[0].step(3)
    batches[0].save(tmp_path / "batch.npz")
    with pytest.raises(FileError, match="parameters differ"):
        batches[1].load(tmp_path / "batch.npz")
    with pytest.raises(FileError, match="parameters differ"):
        Batch(pendulum(), 4, METHOD).load(tmp_path / "batch.npz")
    again = batch(MASSES)
    again.load(tmp_path / "batch.npz")
    for one in (again, batches[0]):
        one.step(5)
    assert np.array_equal(again.q, batches[0].q) and len({q.tobytes() for q in again.q}) == 4


def test_digest_of_numbers():
    words, values = np.array([1, 2]), np.ones((2, 3))
    numbers = Numbers("y", words, values)
    others = [numbers._replace(path="z"), numbers._replace(words=words + 1), numbers._replace(values=2 * values)]
    assert digest_of([]) == "" and digest_of([numbers]) == digest_of([Numbers("y", words.copy(), values.copy())])
    assert len({digest_of([one]) for one in (numbers, *others)}) == 4
