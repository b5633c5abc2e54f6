"""Contact points in States."""

from pathlib import Path

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.integrate import RK4, Dopri5, TimeStepping
from gori.kernels.contact.memory import POINT
from gori.model.machine import machine_of
from gori.sim import Simulation
from gori.sim.contact.points import ContactPoints, refuse_deep_start, thrown
from tests.sim.contact.machines import RADIUS, G, ball, box


def changed(state, **fields):
    """A State with other numbers in its part of contact."""
    return state.replace(**{part: dict(values) for part, values in state.parts.items() if part != "contact"}).replace(
        **{part: dict(values) for part, values in state.parts.items() if part != "contact"},
        contact={**state.parts["contact"], **fields},
    )


@pytest.fixture(scope="module")
def resting():
    model = gori.compile(box())
    simulation = Simulation(model, RK4(step=1e-4))
    simulation.step(2000)
    return model, simulation


def test_a_state_holds_points_and_what_was_recorded(resting):
    _, simulation = resting
    part = simulation.state.parts["contact"]
    assert len(part["points"]) == part["head"]["points"][0] == 4
    assert np.allclose(part["points"]["force"].sum(axis=0), [0, 0, G], atol=1e-3)
    assert np.allclose(part["wrench"][:, 3:], [[0, 0, -G], [0, 0, G]], atol=1e-3)
    assert part["measured"][0] == 4


def test_how_fast_a_deep_start_throws():
    """By the energy of the law: as fast as a ball without damping leaves in a run."""
    model = gori.compile(ball(restitution=1.0, friction=0.0))
    point = np.zeros(1, POINT.dtype)[0]
    point["b"], point["gap"] = 1, -2e-3
    speed = thrown(model.contact, point)
    start = model.state(q=[1, 0, 0, 0, 0, 0, RADIUS - 2e-3])
    record = Simulation(model, Dopri5(), state=start).run(0.01, sample=1e-4)
    assert record["ball.vz"].max() == pytest.approx(speed, rel=0.03)  # less what gravity takes on the way
    refuse_deep_start(model.contact, np.array([point]))
    point["gap"] = -0.05
    with pytest.raises(InputError, match=r"ground\.floor and ball\.s are inside each other by 0\.05 m at the start"):
        refuse_deep_start(model.contact, np.array([point]))


def test_damaged_parts_are_refused(resting):
    _, simulation = resting
    state = simulation.state
    points = state.parts["contact"]["points"]
    far, long = points.copy(), points.copy()
    far["anchor_a"][0, 0] = np.inf
    long["normal"][0] *= 2
    wrench = state.parts["contact"]["wrench"]
    for fields, words in (
        ({"points": far}, "anchor_a"), ({"points": long}, "unit vectors"), ({"points": points[:2]}, "as many rows"),
        ({"wrench": wrench[:1]}, "wrench"), ({"wrench": wrench * np.nan}, "finite"),
        ({"measured": np.zeros(3)}, "measured"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            simulation.state = changed(state, **fields)


def test_a_state_without_points_starts_with_those_that_touch(resting):
    model, simulation = resting
    fresh = Simulation(model, RK4(step=1e-4), state=model.state(q=simulation.q))
    part = fresh.state.parts["contact"]
    assert len(part["points"]) == 4 and part["points"]["sticking"].all()
    assert np.allclose(part["wrench"][:, 3:], simulation.state.parts["contact"]["wrench"][:, 3:], atol=1e-6)
    assert fresh.channel("contact.points") == 4


def test_an_event_that_moves_a_body_lets_go_of_its_points():
    def lift(simulation_state):
        q = np.array(simulation_state.q)
        q[6] += 1.0
        return simulation_state.replace(q=q)

    model = gori.compile(ball())
    simulation = Simulation(model, RK4(step=1e-4), events={"lift": gori.Event("t - 0.05", action=lift)})
    record = simulation.run(0.06, sample=0.01)
    assert record["ball.z"][-1] > 1.0
    assert len(simulation.state.parts["contact"]["points"]) == 0
    assert np.isnan(record["contact.gap"][-1]) and record["contact.points"][-1] == 0


def test_impulses_record_mean_forces():
    model = gori.compile(box())
    record = Simulation(model, TimeStepping(step=1e-3)).run(0.5, sample=0.1)
    assert np.allclose(record["box.contact"][-1], [0, 0, G], atol=1e-4)
    assert np.allclose(record["ground.contact"][-1], [0, 0, -G], atol=1e-4)
    assert np.abs(record["box.wrench_from.contact"][-1, :3]).max() < 1e-4
    assert record["contact.points"][-1] == 4
    assert np.abs(record["a"][-1]).max() < 1e-4  # accelerations know of them


def test_other_methods_start_afresh(resting):
    model, simulation = resting
    with pytest.warns(gori.errors.RestartWarning):
        other = Simulation(model, TimeStepping(step=1e-3), state=simulation.state)
    assert len(other.state.parts["contact"]["points"]) == 0


def test_where_nothing_collides_there_is_no_part():
    model = gori.compile(gori.load(Path(__file__).parents[3] / "examples" / "pendulum.yaml"))
    machine, data = machine_of(model)
    points = ContactPoints(model, machine, data)
    points.check(None)
    points.load(None, 0.0, np.zeros(model.nq + model.nv + 1))
    assert points.state() == {}
    with pytest.raises(InputError, match="nothing in the Model collides"):
        points.check({"head": np.zeros(1)})
