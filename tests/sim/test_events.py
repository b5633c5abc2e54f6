"""Events: found where they are, in their order, once; and what they do."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, SimulationError
from gori.integrate import METHODS, RK4, Dopri5, Radau5
from gori.model.state import State
from gori.sim import Event, Simulation
from tests.sim.machines import falling, hinge, with_forces

PRECISE = {
    "dopri5": Dopri5(rtol=1e-10, atol=1e-12),
    "radau5": Radau5(rtol=1e-10, atol=1e-12),
    "rk4": RK4(step=1e-3),
    "rk4 coarse": RK4(step=0.02),
}
G = 9.81


def bounce(state):
    return State(state.time, state.q, -0.9 * state.v, state.z)


def bounce_times(count, restitution=0.9):
    """Of a ball dropped from 1 m."""
    first = np.sqrt(2.0 / G)
    flights = 2.0 * first * restitution ** np.arange(1, count)
    return first + np.concatenate([[0.0], np.cumsum(flights)])


@pytest.mark.parametrize("method", PRECISE)
def test_bouncing_ball(method, tmp_path):
    events = {"floor": Event("rail.q", when="falling", action=bounce)}
    simulation = Simulation(gori.compile(falling()), PRECISE[method], events=events)
    rec = simulation.run(6.0, sample=0.02, path=tmp_path / "run.h5")
    times = np.array([time for _, time in rec.info["events"]])
    expected = bounce_times(40)
    expected = expected[expected < 6.0]
    assert len(expected) == 11
    assert len(times) == len(expected)
    print(f"\n{method}: {len(times)} bounces to {np.abs(times - expected).max():.1e} s")
    np.testing.assert_allclose(times, expected, rtol=0, atol=1e-9)
    assert rec["rail.q"].min() > -1e-9
    # two rows at each bounce, before and after; the samples between them stay where they were
    at = np.isin(rec.time, times)
    assert at.sum() == 2 * len(times)
    np.testing.assert_allclose(rec.time[~at], np.arange(301) * 0.02, rtol=0, atol=1e-14)
    before, after = rec["rail.v"][at][0::2], rec["rail.v"][at][1::2]
    np.testing.assert_allclose(after, -0.9 * before, rtol=1e-14)
    loaded = gori.Recording.load(tmp_path / "run.h5")
    np.testing.assert_array_equal(loaded.q, rec.q)
    assert [tuple(event) for event in loaded.info["events"]] == rec.info["events"]


@pytest.mark.parametrize("kind", METHODS)
def test_actions_of_events(kind):
    seen = []
    events = {
        "noted": Event("rail.q - 0.9"),
        "told": Event("rail.q - 0.8", action=seen.append),
        "stop": Event("rail.q - 0.5", action="stop"),
        "never": Event("rail.q - 0.4"),
    }
    simulation = Simulation(gori.compile(falling()), kind, events=events)
    rec = simulation.run(5.0, sample=0.01)
    tolerance = 1e-6 if kind in ("rk4", "dopri5", "radau5", "generalized_alpha") else 1e-3
    assert [name for name, _ in rec.info["events"]] == ["noted", "told", "stop"]
    for (_, time), fall in zip(rec.info["events"], (0.1, 0.2, 0.5)):
        assert time == pytest.approx(np.sqrt(2 * fall / G), abs=tolerance)
    assert len(seen) == 1 and seen[0].q[0] == pytest.approx(0.8, abs=1e-9)
    assert rec.time[-1] == simulation.time == rec.info["events"][-1][1]
    assert rec["rail.q"][-1] == pytest.approx(0.5, abs=1e-9)
    again = simulation.run(0.1)  # goes on from there: what has been met is not met again
    assert [name for name, _ in again.info["events"]] == ["never"]


@pytest.mark.parametrize("kind", METHODS)
def test_directions(kind):
    """q = sin t, driven by a spring of stiffness 1."""
    events = {when: Event("axle.q - 0.5", when=when) for when in ("rising", "falling", "both")}
    spec = hinge(stiffness=1.0, v=1.0)
    method = {"type": kind, **({"rtol": 1e-10, "atol": 1e-12} if METHODS[kind].adaptive else {"step": 1e-3})}
    met = Simulation(gori.compile(spec), method, events=events).run(10.0).info["events"]
    up, down = np.pi / 6 + 2 * np.pi * np.arange(2), np.pi * 5 / 6 + 2 * np.pi * np.arange(2)
    tolerance = 1e-9 if kind in ("rk4", "dopri5", "radau5") else 2e-2
    for when, expected in (("rising", up), ("falling", down), ("both", np.sort([*up, *down]))):
        np.testing.assert_allclose([time for name, time in met if name == when], expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("kind", METHODS)
def test_events_in_one_step_come_in_order(kind):
    """Ten in one step of 0.2 s, listed in another order."""
    heights = np.linspace(0.95, 0.9, 10)
    order = np.random.default_rng(0).permutation(10)
    events = {f"at{k}": Event(f"rail.q - {heights[k]!r}".replace("np.float64(", "").replace(")", "")) for k in order}
    step = {} if METHODS[kind].adaptive else {"step": 0.2}
    rec = Simulation(gori.compile(falling()), {"type": kind, **step}, events=events).run(1.0, sample=0.2)
    assert [name for name, _ in rec.info["events"]] == [f"at{k}" for k in range(10)]
    assert (np.diff([time for _, time in rec.info["events"]]) > 0.0).all()
    if kind in ("rk4", "dopri5", "radau5"):
        expected = np.sqrt(2.0 * (1.0 - heights) / G)
        np.testing.assert_allclose([time for _, time in rec.info["events"]], expected, rtol=0, atol=1e-9)
    assert rec.time[-1] == 1.0


@pytest.mark.parametrize("method", PRECISE)
def test_events_at_the_same_time_are_all_met(method):
    events = {
        "one": Event("rail.q", when="falling"),
        "two": Event("rail.q", when="falling", action=bounce),
        "three": Event("2*rail.q", when="falling"),
        "other": Event("rail.q", when="rising"),
    }
    rec = Simulation(gori.compile(falling()), PRECISE[method], events=events).run(2.0)
    names = [name for name, _ in rec.info["events"]]
    bounces = int((bounce_times(9) < 2.0).sum())
    assert bounces == 3 and names == ["one", "two", "three"] * bounces
    times = np.array([time for _, time in rec.info["events"]])
    np.testing.assert_allclose(times, np.repeat(bounce_times(bounces), 3), rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", PRECISE)
def test_no_event_is_met_twice(method):
    """After each bounce the ball stands at the floor to rounding, on one side of it or the other."""
    events = {"floor": Event("rail.q", when="both", action=bounce)}
    rec = Simulation(gori.compile(falling()), PRECISE[method], events=events).run(5.0)
    expected = bounce_times(30)
    expected = expected[expected < 5.0]
    np.testing.assert_allclose([time for _, time in rec.info["events"]], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", METHODS)
def test_an_event_that_starts_at_zero(kind):
    """Thrown up from the floor: only the way down counts."""
    step = {} if METHODS[kind].adaptive else {"step": 1e-3}
    rec = Simulation(gori.compile(falling(q=0.0, v=1.0)), {"type": kind, **step}, events={"floor": "rail.q"}).run(1.0)
    assert len(rec.info["events"]) == 1
    assert rec.info["events"][0][1] == pytest.approx(2.0 / G, abs=2e-3)


@pytest.mark.parametrize("kind", METHODS)
def test_noting_an_event_does_not_change_the_motion(kind):
    spec = with_forces(falling(stiffness=50.0, rest=0.2), f={"type": "force", "joint": "rail", "value": "3*sin(5*t)"})
    settings = {"type": kind, **({"rtol": 1e-10, "atol": 1e-12} if METHODS[kind].adaptive else {"step": 1e-3})}
    alone = Simulation(gori.compile(spec), settings).run(2.0, sample=0.5)
    watched = Simulation(gori.compile(spec), settings, events={"e": "rail.q - 0.1"}).run(2.0, sample=0.5)
    assert len(watched.info["events"]) >= 4
    tolerance = {"rk4": 1e-8, "dopri5": 1e-8, "radau5": 1e-8, "generalized_alpha": 1e-4}.get(kind, 2e-2)
    at = np.isin(watched.time, alone.time)
    np.testing.assert_allclose(watched.q[at], alone.q, rtol=0, atol=tolerance)


def test_events_of_each_run_are_its_own():
    simulation = Simulation(gori.compile(hinge(v=1.0)), events={"tick": "t - 0.1", "tock": "t - 0.3"})
    assert simulation.run(0.2).info["events"] == [("tick", pytest.approx(0.1))]
    assert simulation.run(0.2).info["events"] == [("tock", pytest.approx(0.3))]


def test_actions_that_fail():
    def trips(state):
        raise RuntimeError("the valve is stuck")

    for action, words in ((trips, "the valve is stuck"), (lambda state: 3.0, "State or None, not float"),
                          (lambda state: State(0.0, np.zeros(2), np.zeros(1)), "state.q must be 1")):  # fmt: skip
        simulation = Simulation(gori.compile(falling()), events={"half": Event("rail.q - 0.5", action=action)})
        with pytest.raises(SimulationError, match=f"'half'.*{words}") as caught:
            simulation.run(1.0)
        assert caught.value.time == pytest.approx(np.sqrt(1.0 / G)) and len(caught.value.recording) > 100
        assert caught.value.__cause__ is not None


def test_events_that_are_refused():
    with pytest.raises(InputError, match="falling"):
        Event("t - 1", when="up")
    with pytest.raises(InputError, match="action"):
        Event("t - 1", action="halt")
    with pytest.raises(InputError, match="must be an expression or an Event"):
        Simulation(gori.compile(falling()), events={"e": 3.0})
