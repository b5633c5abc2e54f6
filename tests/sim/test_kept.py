"""What a Simulation keeps: which parts there are, and what a State that does not belong to it comes to."""

import warnings

import numpy as np
import pytest

import gori
from gori.errors import InputError, RestartWarning
from gori.sim.kept import KeptParts, Remembering
from tests.sim.damage import MACHINES, machine
from tests.sim.machines import falling

RUN = {"clock", "method", "events", "energy"}
PARTS = {
    "vehicle on sand": RUN | {"loops", "cuts", "vehicle", "drivers"},
    "tray with an inlet": RUN | {"particles", "exchange"},
}


@pytest.mark.parametrize("name", MACHINES)
def test_parts_of_a_state(name):
    make, state = machine(name)
    kept = make(state=state)._kept
    assert isinstance(kept, KeptParts) and kept.save() == state
    loops = {"loops", "cuts"} if name.startswith("four-bar") else set()
    assert state.parts.keys() == PARTS.get(name, RUN | loops)
    fits, particles = kept.check(state)
    assert fits and (particles is not None) == ("particles" in state.parts)
    kept.counted = kept.counted + 1.0
    assert not kept.check(state.replace(v=state.v))[0]


def test_another_model_is_refused_and_a_snapshot_too():
    light, heavy = (gori.compile(falling()), gori.compile(falling().set("bodies.mass.mass", 2.0)))
    simulation = gori.Simulation(light)
    with pytest.raises(InputError, match="belongs to another Model"):
        simulation.state = heavy.state()
    with pytest.raises(InputError, match=r"not a Snapshot: take simulation\.state"):
        simulation.state = simulation.snapshot
    with pytest.raises(InputError, match=r"must be a State, not a list$"):
        simulation.state = [0.0]


def test_the_warning_points_at_the_caller():
    model = gori.compile(falling())
    first = gori.Simulation(model, gori.RK4(step=1e-3))
    first.advance(3)
    other = gori.Simulation(model, gori.Adams(step=1e-3))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        other.state = first.state
    assert [(w.category, w.filename) for w in found] == [(RestartWarning, __file__)]


def test_an_action_changes_what_is_moved():
    """A ball that is thrown back at the floor: the change is taken over, and the event is not met again at once."""
    bounce = gori.Event("rail.q", when="falling", action=lambda state: state.replace(v=-state.v))
    simulation = gori.Simulation(gori.compile(falling()), gori.Dopri5(rtol=1e-10), events={"floor": bounce})
    rec = simulation.run(1.2, progress=False)
    fall = np.sqrt(2.0 / 9.81)
    assert simulation.event_log == rec.info["events"] and len(simulation.event_log) == 1
    assert simulation.event_log[0] == ("floor", pytest.approx(fall, rel=1e-6))
    assert simulation.q[0] == pytest.approx(9.81 * fall * (1.2 - fall) - 0.5 * 9.81 * (1.2 - fall) ** 2, abs=1e-6)


def test_which_drivers_remember():
    from gori.manoeuvre.drivers import HoldSpeed

    assert isinstance(HoldSpeed(3.0), Remembering) and not isinstance(lambda simulation: None, Remembering)
