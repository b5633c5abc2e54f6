"""Machines that touch, on the engine of a GPU run on the host: a loop takes the place of the threads."""

import numpy as np
import pytest

import gori
from gori.kernels.codes import CONTACTS_FULL, NOT_FINITE, OK
from gori.model.variants import with_contact_room
from gori.sim.batch.channels import BatchOutputs
from gori.sim.batch.cuda import CudaMachines
from tests.sim.batch.machines import balls, heap
from tests.sim.batch.test_cuda import engine, velocities

ROOM = 64
"""contact points of a machine"""


def thrown(model: gori.Model, count: int, method: gori.integrate.Method) -> tuple[CudaMachines, np.ndarray]:
    """Machines with velocities of their own, which are given too."""
    machines, v = engine(with_contact_room(model, ROOM), count, method), np.zeros((count, model.nv))
    v[:] = 0.3 * np.random.default_rng(1).normal(size=v.shape)
    velocities(model, machines)[:] = v
    return machines, v


def compare(model: gori.Model, method: gori.integrate.Method, steps: int, bound: float) -> CudaMachines:
    """Three machines against Simulations: state, points, wrenches, and what goes on from there."""
    machines, v = thrown(model, 3, method)
    machines.step(3)
    machines.step(steps)
    assert (machines.failures() == OK).all()
    for k in range(3):
        run = gori.Simulation(model, method, state=model.state().replace(v=v[k]))
        run.step(3 + steps)
        assert np.abs(machines.array("y")[k] - run.stepper.y).max() < bound
        machines.fetch(k)
        state, kept = machines.simulation.state, run.state.parts["contact"]
        assert kept["head"]["points"][0] == state.parts["contact"]["head"]["points"][0] > 0
        assert np.abs(kept["wrench"] - state.parts["contact"]["wrench"]).max() < 1e4 * bound
        # it goes on in a Simulation, and in the place of another machine
        other = gori.Simulation(model, method, state=state)
        other.step(10)
        run.step(10)
        assert np.abs(run.stepper.y - other.stepper.y).max() < 10.0 * bound
    machines.fetch(0)
    machines.store(np.array([False, False, True]))
    machines.step(10)
    assert np.array_equal(machines.array("y")[0], machines.array("y")[2])
    return machines


METHOD = gori.TimeStepping(step=2e-3)


@pytest.mark.parametrize("make, steps", [(balls, 250), (heap, 60)])
def test_impulses(make, steps):
    """Until rounding has grown to what the solver tells apart, 1e-6 m/s, in a heap that is chaotic."""
    machines = compare(make(), METHOD, steps, 1e-8)
    assert machines.bytes_per_machine < 350_000


def test_points_and_heights_are_those_of_simulations_in_the_mean():
    """Long after single machines have gone ways of their own."""
    model, count, found = heap(), 6, []
    machines, v = thrown(model, count, METHOD)
    outputs = BatchOutputs(machines.simulation.model, machines)
    runs = [gori.Simulation(model, METHOD, state=model.state().replace(v=v[k])) for k in range(count)]
    for _ in range(10):
        machines.step(100)
        y = machines.array("y")
        of_simulations = []
        for run in runs:
            run.step(100)
            of_simulations.append((run.stepper.data.contact_memory.measured[0], run.q[6]))
        found.append(((outputs["contact.points"].mean(), y[:, 6].mean()), np.mean(of_simulations, axis=0)))
    assert (machines.failures() == OK).all()
    (points, height), (points_alone, height_alone) = np.mean(found[3:], axis=0)
    assert points > 10.0 and points == pytest.approx(points_alone, rel=0.1)
    assert height == pytest.approx(height_alone, abs=0.02)


def test_faults_stay_where_they_are():
    model = balls()
    machines, _ = thrown(model, 4, METHOD)
    machines.step(200)
    velocities(model, machines)[2] = np.nan
    machines.step(50)
    assert machines.failures().tolist() == [OK, OK, NOT_FINITE, OK]
    assert np.isfinite(machines.array("y")[[0, 1, 3]]).all()
    machines.fetch(0)
    machines.store(np.array([False, False, True, False]))
    machines.step(50)
    assert (machines.failures() == OK).all() and np.array_equal(*machines.array("y")[[0, 2]])


def test_machines_without_room_say_so():
    """A box on a floor has four points."""
    model = balls()
    box = np.flatnonzero([name == "free_box" for name in (joint.name for joint in model.joints)])[0]
    for room, code in ((4, OK), (3, CONTACTS_FULL)):
        machines = engine(with_contact_room(model, room), 2, METHOD)
        q = machines.array("y")[:, : model.nq]
        for k, joint in enumerate(model.joints):
            q[:, joint.q] = [1, 0, 0, 0, 3.0 * k, 0, 0.0999 if k == box else 5.0 + k]
        machines.step(20)
        assert machines.failures().tolist() == [code, code]


def test_what_is_kept_is_all_that_matters():
    model = heap()
    machines, _ = thrown(model, 2, METHOD)
    other, _ = thrown(model, 2, METHOD)
    machines.step(150)
    other.keep(machines.kept())
    machines.step(50)
    other.step(50)
    assert np.array_equal(other.array("y"), machines.array("y"))
