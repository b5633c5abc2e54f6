"""Inlets: what they let in, and that they go on as if they had not been saved."""

from types import SimpleNamespace

import numpy as np
import pytest

import gori
from gori.model.particles.tables import OutletTable
from gori.sim.particles.inlets import InletFlow, drains, in_box
from gori.spec import Region
from tests.spec.particles.tray import BOX, tray

INLET = {"material": "grain", "radius": [0.01, 0.02], "box": BOX, "rate": 50.0, "seed": 4, "count": 6}


@pytest.fixture
def simulation():
    model = gori.compile(tray(particles={}, inlets={"feeder": INLET}))
    return gori.Simulation(model, gori.RK4(step=1e-3))


def test_which_points_are_in_a_box():
    box = Region(size=(2.0, 1.0, 1.0), at=(1.0, 0.0, 0.0))
    R, p = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), np.array([5.0, 0.0, 0.0])
    points = np.array([[5.0, 1.9, 0.0], [5.0, 2.1, 0.0], [5.6, 1.0, 0.0]])
    assert in_box(box, points, (R, p)).tolist() == [True, False, False]
    assert in_box(box, points, (R, p), margin=0.2).all()


def test_they_come_at_their_rate_and_number(simulation):
    particles = simulation.particles
    flow = InletFlow(simulation.model.particles.inlets[0])
    flow.let_in(particles, 0.05)
    assert flow.made == len(particles) == 2
    flow.let_in(particles, 10.0)
    assert flow.made == 6 and flow.waiting == 0
    assert in_box(flow.table.box, particles.position, (np.eye(3), np.zeros(3))).all()
    assert ((particles.radius >= 0.01) & (particles.radius <= 0.02)).all()


def test_memory_holds_the_random_generator(simulation):
    one, other = (InletFlow(simulation.model.particles.inlets[0]) for _ in range(2))
    one.let_in(simulation.particles, 0.05)
    other.recall(one.memory())
    assert other.made == 2 and np.array_equal(other.memory(), one.memory())
    assert one._rng.uniform() == other._rng.uniform()


def test_whether_an_outlet_has_something_to_take():
    box = Region(size=(1.0, 1.0, 1.0), at=(2.0, 0.0, 0.0))
    R, p = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]), np.array([0.0, 0.0, 1.0])
    for outlet, inside, outside in (
        (OutletTable(box, None, "ground"), [2.4, 0.4, 1.4], [2.0, 0.6, 1.0]),
        (OutletTable(None, 0.5, "tray"), [9.0, -0.4, 9.0], [9.0, -0.6, -9.0]),  # z of the tray is -y
    ):
        for point, expected in ((inside, True), (outside, False)):
            seen = SimpleNamespace(position=np.array([[50.0, -50.0, 50.0], point]), pose_of=lambda body: (R, p))
            assert drains((outlet,), seen) is expected
        assert drains((), seen) is False
