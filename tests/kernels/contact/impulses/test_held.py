"""Loops in a step of impulses: responses against the dense equations, work of given motions, positions on the loops."""

import numpy as np
import pytest

import gori
from gori.integrate import TimeStepping
from gori.kernels.contact.impulses.held import add_load, holds
from tests.integrate.closed_contact import four_bar, ring
from tests.kernels.contact.impulses.test_rows import rows_of
from tests.plain import Plain, plain
from tests.reference.impulses import held


@pytest.mark.parametrize("spec, until", [(ring(), 250), (four_bar(stop=0.4), 500)])
def test_responses_are_those_of_the_dense_equations(spec, until):
    model = gori.compile(spec)
    simulation = gori.Simulation(model, TimeStepping(step=1e-3))
    simulation.step(until)
    q = simulation.q.copy()
    simulation.step()
    M, J_loops = model.tree_mass_matrix(q), model.loop_system.terms(q).J
    found = rows_of(simulation)
    assert found
    for J, Y in found:
        for row, response in zip(J, Y):
            expected, _ = held(M, J_loops, row)
            np.testing.assert_allclose(response, expected, atol=1e-7 * max(np.abs(expected).max(), 1e-3))


def test_loads_are_rows_of_the_jacobian():
    """A piece of a block that holds the velocities 2 and 0, and one of a tree that no loop holds."""
    velocity_at = np.full(16, -1)
    velocity_at[[0, 1, 8]] = 2, 0, 1
    memory = Plain(w=np.arange(48.0).reshape(2, 3, 8), block=np.array([0, 1]), velocity_at=velocity_at)
    force = np.zeros(3)
    plain(add_load)(Plain(at=0, to=1, count=2), memory, 1, 2.0, force)
    assert force.tolist() == [18.0, 0.0, 16.0]


def test_a_machine_without_equations_is_not_held():
    assert not plain(holds)(Plain(equation=np.zeros(0))) and plain(holds)(Plain(equation=np.zeros(2)))


def test_the_work_of_a_given_motion():
    """A crank at constant speed: energy and work balance to the order of the method."""
    errors = []
    for step in (2e-3, 1e-3):
        model = gori.compile(four_bar(motion={"joint": "A", "speed": 2.0 * np.pi}))
        rec = gori.Simulation(model, TimeStepping(step=step)).run(1.0, sample=0.01, progress=False)
        errors.append(np.abs(rec["energy.balance"]).max())
        assert np.ptp(rec["energy.work"]) > 15.0
    assert errors[0] < 0.3 and errors[1] < 0.6 * errors[0]
