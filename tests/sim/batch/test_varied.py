"""Numbers of tables that differ from machine to machine, against Specs compiled with them."""

import numpy as np
import pytest

import gori
from gori.kernels.batch.members import leaves, tree_of
from gori.kernels.tree.columns import MASS, N_BODY_F
from gori.sim.batch.cpu import TOGETHER, CpuMachines
from gori.sim.batch.varied import Numbers
from tests.sim.batch.machines import H, four_bar, pendulum, sand

MASSES = np.array([0.5, 1.0, 2.0, 4.0])
METHOD = gori.SemiImplicit(step=H)


def heavier(model: gori.Model, mass: float) -> gori.Model:
    """With other masses of all bodies, and the same inertias about their centres."""
    spec = model.spec
    for name in spec.bodies:
        spec = spec.set(f"bodies.{name}.mass", mass)
    return gori.compile(spec)


def masses(model: gori.Model, values: np.ndarray) -> Numbers:
    """The same mass for all bodies of a machine."""
    bodies = [model.body_names.index(name) for name in model.spec.bodies]
    rows = model.kernel_tables.body_f[:, MASS].nonzero()[0]
    assert len(rows) == len(bodies)
    return Numbers("body_f", rows * N_BODY_F + MASS, np.tile(values, (len(rows), 1)))


def engine(model: gori.Model, count: int, workers: int, numbers: Numbers) -> CpuMachines:
    def make():
        run = gori.Simulation(model, METHOD)
        run.stepper.plan_steps(1)
        return run

    machines = CpuMachines(make, count, workers, [numbers])
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
    machine = gori.Simulation(four_bar(), METHOD).stepper.machine
    first = machine.body_f.ctypes.data
    assert Numbers("body_f", np.array([0, 25]), np.zeros((2, 1))).addresses(machine) == [first, first + 200]
    inner = Numbers("pattern.row", np.array([1]), np.zeros((1, 1))).addresses(machine)
    assert inner == [machine.pattern.row[1:].ctypes.data]


@pytest.mark.parametrize("make", [pendulum, four_bar, lambda: sand()[0]])
def test_tables_of_numbers_are_copies_of_each_run(make):
    """Or numbers of one thread would be those of another, and of the Model."""
    model = make()
    one, other = (gori.Simulation(model, METHOD).stepper.machine for _ in range(2))
    functions = dict.fromkeys(("user", "core", "closed", "vehicle", "penalty"))
    tables = [dict(leaves(tree_of(machine, True, functions))) for machine in (one, other)]
    checked = 0
    for path, laid in tables[0].items():
        whole = laid.array.dtype.kind == "i" or path.startswith(("pattern.", "contact.")) or not laid.array.size
        if not whole and path not in ("probe", "coordinate"):
            assert not np.shares_memory(laid.array, tables[1][path].array), path
            checked += 1
    assert checked >= 2
