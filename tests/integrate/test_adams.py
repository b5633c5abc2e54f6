"""Adams methods: settings, cost, and what happens to the past after events, stops and new states."""

import time

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.integrate import Adams, AdamsMoulton, Dopri5, method_of
from gori.model.state import State
from gori.record import read_checkpoint
from gori.sim import Event, Simulation
from gori.spec import Spec
from tests.integrate.machines import MACHINES, double_pendulum, pendulum, pendulum_angle
from tests.sim.test_simulation import same

ORDERS = (2, 3, 4)
both = pytest.mark.parametrize("method", [Adams, AdamsMoulton])


def test_settings():
    assert Adams() == Adams(step=1e-3, order=3)
    assert method_of({"type": "adams", "step": 0.01, "order": 4}) == Adams(step=0.01, order=4)
    assert Adams(order=2).settings() == {"type": "adams", "step": 1e-3, "order": 2}
    with pytest.raises(InputError, match="adams: step must be a positive number"):
        Adams(step=0.0)


@both
@pytest.mark.parametrize("order", ORDERS)
def test_one_evaluation_a_step(order, method):
    """Beside the first steps, which are taken by a method of four."""
    calls = 0

    def count(t, q, v):
        nonlocal calls
        calls += 1
        return 0.0 * v

    simulation = Simulation(gori.compile(double_pendulum()), method(order=order), forces=count)
    simulation.step(100)
    first = calls
    simulation.step(1000)
    assert calls - first == 1000
    assert first <= 100 + 5 * (order - 1)


@both
@pytest.mark.parametrize("order", ORDERS)
def test_a_polynomial_is_exact(order, method):
    """A force t^(order - 1) on a free mass: v is a polynomial that the formula integrates exactly."""
    spec = Spec(
        gravity=[0, 0, 0],
        bodies={"mass": {"mass": 1.0}},
        joints={"rail": {"type": "prismatic", "parent": "ground", "child": "mass"}},
        forces={"push": {"type": "force", "joint": "rail", "value": f"{order}*t**{order - 1}"}},
    )
    rec = Simulation(gori.compile(spec), method(step=0.1, order=order)).run(2.0, sample=0.1, progress=False)
    np.testing.assert_allclose(rec["rail.v"], rec.time**order, rtol=0, atol=1e-13)


def crossing_errors(method, order, step, events, duration=2.0):
    rec = Simulation(gori.compile(pendulum()), method(step=step, order=order), events=events).run(
        duration, sample=duration / 20, progress=False
    )
    on_grid = ~np.isin(rec.time, [when for _, when in rec.info["events"]])
    np.testing.assert_allclose(rec.time[on_grid], np.linspace(0.0, duration, 21), rtol=0, atol=1e-14)
    return rec, np.abs(rec["pin.q"] - pendulum_angle(rec.time)[0]).max()


@both
@pytest.mark.parametrize("order", ORDERS)
def test_the_order_survives_events(order, method):
    """An event interrupts a step; the rest of it is taken by the starting method, and the grid of times stays."""
    events = {f"e{k}": Event(f"pin.q - {x}") for k, x in enumerate((1.0, 0.3, -0.2, -0.9))}
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        rec, error = crossing_errors(method, order, step, events)
        errors.append(error)
        assert len(rec.info["events"]) >= 6
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    print(f"\n{method.kind} {order} with events:", *(f"{found:.2f}" for found in orders), f"error {errors[-1]:.1e}")
    assert (np.abs(orders - order) < 0.35).all()


def test_a_state_that_an_event_changes():
    """A pendulum thrown back at the bottom retraces its way: what is past is forgotten."""
    events = {"wall": Event("pin.q", when="falling", action=lambda s: State(s.time, s.q, -s.v, s.z))}
    simulation = Simulation(gori.compile(pendulum()), Adams(step=1e-3, order=4), events=events)
    rec = simulation.run(3.0, sample=0.01, progress=False)
    q, _ = pendulum_angle(rec.time)
    np.testing.assert_allclose(rec["pin.q"], np.abs(q), rtol=0, atol=1e-8)
    assert len(rec.info["events"]) >= 2


@both
@pytest.mark.parametrize("order", ORDERS)
def test_a_new_state_forgets_the_past(order, method):
    model = gori.compile(double_pendulum())
    fresh, used = (Simulation(model, method(order=order)) for _ in range(2))
    start = fresh.state
    used.step(50)
    used.state = start
    np.testing.assert_array_equal(used.step(80).q, fresh.step(80).q)


@both
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", MACHINES)
def test_a_stopped_run_goes_on_bit_for_bit(name, order, method, tmp_path):
    path, model = tmp_path / "run.h5", gori.compile(MACHINES[name]())
    first, stopping = True, True

    def force(t, q, v):
        nonlocal first
        if first:
            time.sleep(0.55)
            first = False
        if stopping and t > 0.6:
            raise KeyboardInterrupt
        return 0.0 * v

    def simulation():
        return Simulation(model, method(order=order), forces=force, events=events)

    # an event shortly before the checkpoint, at 64 steps, so that it falls into the start after it
    events = {"now": Event("t - 0.0625")}
    assert simulation().run(1.0, sample=0.01, path=path).info["interrupted"]
    assert read_checkpoint(path).time < 0.6
    stopping = False
    whole = simulation().run(1.0, sample=0.01)
    same(Simulation.resume(path, forces=force, events=events), whole)
    fine = Simulation(model, Dopri5(rtol=1e-10, atol=1e-10)).run(1.0, sample=1.0)
    assert np.abs(model.difference(fine.q[-1], whole.q[-1])).max() < 0.05
