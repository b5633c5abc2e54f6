"""`model.state()` is whole: a Simulation that is given it runs as one that makes its own start."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.model.start import start_state
from tests.sim.particles.shaken import shaken
from tests.vehicle.trucks import soft, truck

MACHINES = {
    "arm": (lambda: gori.compile(gori.load("examples/arm.yaml")), gori.RK4(step=1e-3), 200),
    "four-bar": (lambda: gori.compile(gori.load("examples/four_bar.yaml")), gori.RK4(step=1e-3), 200),
    "vehicle on sand": (lambda: truck(soft()), gori.Adams(step=1e-3, order=2), 150),
    "tray with an inlet": (lambda: gori.compile(shaken()), gori.RK4(step=1e-3), 60),
}
PARTS = {"vehicle on sand": {"vehicle"}, "tray with an inlet": {"particles"}}


@pytest.mark.parametrize("name", MACHINES)
def test_a_simulation_starts_from_it(name):
    make, method, steps = MACHINES[name]
    model = make()
    state = model.state()
    assert state.parts.keys() == PARTS.get(name, set()) and state.model == model.fingerprint
    assert model.state() == state  # the same bits each time
    digests = []
    for options in ({}, {"state": state}, {"state": gori.State.from_bytes(state.to_bytes())}):
        simulation = gori.Simulation(model, method, **options)
        begun = simulation.state.digest()
        simulation.advance(steps)
        digests.append((begun, simulation.state.digest()))
    assert digests[0] == digests[1] == digests[2]
    assert digests[0][0] != digests[0][1]


def test_a_state_at_another_pose_has_its_particles_there():
    model = gori.compile(shaken())
    here, there = model.state(), model.state(q=[0.03], v=[0.5])
    moved = there.particles["sphere"][:, :3] - here.particles["sphere"][:, :3]
    np.testing.assert_allclose(moved, np.tile([0.03, 0.0, 0.0], (len(moved), 1)), atol=1e-15)
    np.testing.assert_allclose(there.particles["motion"][:, 0], 0.5, rtol=1e-15)
    by_hand = gori.Simulation(model, state=gori.State(0.0, [0.03], [0.5])).state  # particles are packed as well
    assert by_hand == gori.Simulation(model, state=there).state


def test_what_is_no_pose_is_refused():
    model = gori.compile(shaken())
    for q, v in (([np.nan], [0.0]), ([0.0], [np.inf]), ([0.0, 0.0], [0.0]), ([[0.0]], [0.0])):
        with pytest.raises(InputError, match=r"finite|shape"):
            start_state(model, q, v)
