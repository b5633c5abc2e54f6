"""Events within a step: which way a value passes zero, the cubic, and where it is found."""

import numpy as np
import pytest

import gori
from gori.integrate import RK4, Dopri5
from gori.integrate.clock import MET_AND_CHANGED, watch_of
from gori.integrate.events import LATE, begin_watch, crossing, hermite, locate, mark_met
from gori.sim import Event, Simulation
from gori.spec import Spec
from tests.checks import close
from tests.integrate.steps import bundle, slider
from tests.plain import plain, records


def test_directions():
    for before, after, rises, falls in [
        (-1.0, 1.0, True, False), (-1.0, 0.0, True, False), (1.0, -1.0, False, True), (1.0, 0.0, False, True),
        (0.0, 1.0, False, False), (0.0, -1.0, False, False), (1.0, 2.0, False, False), (-1.0, -2.0, False, False),
    ]:  # fmt: skip
        assert crossing.py_func(before, after, 1) == rises and crossing.py_func(before, after, -1) == falls
        assert crossing.py_func(before, after, 0) == (rises or falls)


def test_the_cubic_is_exact_for_cubics():
    cubics = [np.polynomial.Polynomial(row) for row in np.random.default_rng(0).normal(size=(3, 4))]
    h = 0.4
    ends = [np.array([f(t) for f in cubics]) for t in (0.0, h)]
    rates = [np.array([f.deriv()(t) for f in cubics]) for t in (0.0, h)]
    for s in (0.0, 0.3, 1.0):
        out = np.empty(3)
        hermite.py_func(s, h, ends[0], rates[0], ends[1], rates[1], out)
        close(out, [f(s * h) for f in cubics], 1e-14)


def watched(*signals, directions=None, **start):
    """The machine of a slider without forces, and a Watch for signals of it."""
    model = slider(**start)
    simulation = Simulation(model, RK4(), events={f"e{k}": Event(text) for k, text in enumerate(signals)})
    own = simulation.stepper._watch
    machine, data, _, y = bundle(model, RK4())
    wanted = np.zeros(len(signals), np.int64) if directions is None else np.array(directions)
    watch = watch_of(own.signal_i, own.signal_f, wanted, len(y), own.probe)
    watch = records(watch)
    return machine, data.replace(stack=np.zeros(8)), watch, y


def step(machine, data, watch, y, h):
    """Where the slider is after h, and what `locate` finds on the way."""
    plain(begin_watch)(machine, data, watch, 0.0, y)
    watch.work.start[:] = y
    y[0] += h * y[1]
    return plain(locate)(machine, data, watch, 0.0, h, h, y)


def test_the_earliest_of_several_is_found():
    machine, data, watch, y = watched("rail.q - 3", "1.25 - rail.q", "rail.q - 9", v=2.0)
    which, reached = step(machine, data, watch, y, 2.0)
    assert which == 1 and reached == pytest.approx(1.25 / 4.0, abs=1e-15)
    close(y, [1.25, 2.0, 0.0], 1e-14)
    assert watch.met.tolist() == [0.0, -1.0, 0.0]


def test_events_of_the_other_direction_do_not_count():
    machine, data, watch, y = watched("1 - rail.q", "rail.q - 3", directions=[1, 1], v=2.0)
    which, reached = step(machine, data, watch, y, 2.0)
    assert which == 1 and reached == pytest.approx(0.75)
    assert step(*watched("rail.q - 9", v=2.0), 1.0)[0] == -1


def test_what_starts_at_zero_is_met_when_it_comes_back():
    """t (t - 1/2) leaves zero downwards, and is back in the middle of the step."""
    machine, data, watch, y = watched("t * (t - 0.5)", v=1.0)
    which, reached = step(machine, data, watch, y, 1.0)
    assert which == 0 and reached == pytest.approx(0.5, abs=1e-12) and watch.met[0] == 1.0
    assert step(*watched("rail.q", v=1.0), 1.0)[0] == -1


def test_next_to_the_end_is_the_end():
    machine, data, watch, y = watched("rail.q - 2", v=2.0 / (1.0 - 1e-12))
    assert step(machine, data, watch, y, 1.0) == (0, 1.0) and LATE < 1.0 - 1e-12


def test_two_at_once_are_marked_with_their_direction():
    """The second passes zero against the wanted direction at the same place: half a mark."""
    machine, data, watch, y = watched("rail.q - 1", "1 - rail.q", directions=[0, 1], v=2.0)
    assert step(machine, data, watch, y, 1.0)[0] == 0
    assert watch.met.tolist() == [1.0, -0.5]


def test_sides_after_an_event():
    """An event that was met is on its other side, however the value is rounded; one that changed the state, at zero."""
    machine, data, watch, y = watched("rail.q", "rail.q", "rail.q - 1", v=1.0)
    watch.met[:] = [1.0, MET_AND_CHANGED, 0.0]
    plain(begin_watch)(machine, data, watch, 0.0, y)
    assert watch.before[0] > 0.0 and watch.before[1] == 0.0 and watch.before[2] == -1.0
    assert not watch.met.any()
    watch.work.after[:] = [1.0, 1.0, 1.0]
    plain(mark_met)(machine, data, watch, 0.0, np.array([1.0, 1.0, 0.0]), 2)
    assert watch.met.tolist() == [0.0, 0.0, 1.0]


def test_values_of_where_bodies_are():
    """Bodies are placed at the trial state, and what loops know of another one is dropped."""
    machine, data, watch, y = watched("mass.x - 1.5", "mass.vx - 9", q=1.0, v=2.0)
    data.loops.work.standing[0] = 1.0
    which, reached = step(machine, data, watch, y, 1.0)
    assert which == 0 and reached == pytest.approx(0.25, abs=1e-15) and data.loops.work.standing[0] == 0.0
    assert watch.work.here[1] == pytest.approx(-7.0)


@pytest.mark.parametrize("method", [RK4(step=0.01), Dopri5()])
def test_events_of_bodies(method):
    """A pendulum's tip passes below a height where its angle says so."""
    bar = {"mass": 1.0, "com": [0, 0, -1], "inertia": [0.1, 0.1, 0.1]}
    pivot = {"type": "revolute", "parent": "ground", "child": "bar", "axis": [0, 1, 0], "q": 1.0}
    spec = Spec(bodies={"bar": bar}, joints={"pivot": pivot}, frames={"tip": {"body": "bar", "at": [0, 0, -2]}})
    events = {"angle": "cos(pivot.q) - cos(0.5)", "height": "tip.z + 2*cos(0.5)", "turn": "tip.vx", "still": "bar.wy"}
    met = Simulation(gori.compile(spec), method, events=events).run(2.0, sample=0.1, progress=False).info["events"]
    times = {name: [time for event, time in met if event == name] for name in events}
    assert len(times["angle"]) >= 2 and len(times["turn"]) >= 1
    close(times["height"], times["angle"], 1e-9)
    close(times["still"], times["turn"], 1e-9)
