"""One caller at a time: nested calls and other threads are refused, and nothing is changed."""

import threading

import numpy as np
import pytest

import gori
from gori.errors import InputError, SimulationError
from gori.sim.callers.turn import Turn
from tests.sim.machines import falling

MODEL, METHOD = gori.compile(falling()), gori.RK4(step=1e-3)


@pytest.mark.parametrize(
    "call",
    [
        lambda simulation: simulation.step(),
        lambda simulation: simulation.run(0.1, progress=False),
        lambda simulation: setattr(simulation, "state", simulation.model.state()),
    ],
    ids=["step", "run", "state"],
)
def test_a_driver_does_not_step_its_simulation(call):
    simulation = gori.Simulation(MODEL, METHOD, driver=call)
    for move in (lambda: simulation.step(3), lambda: simulation.run(0.1, progress=False)):
        with pytest.raises(SimulationError, match="must not step or run it or set its state"):
            move()
    assert simulation.time == 0.0


def test_a_force_does_not_step_its_simulation():
    def force(t, q, v):
        simulation.step()
        return np.zeros(1)

    simulation = gori.Simulation(MODEL, METHOD, forces=force)
    with pytest.raises(SimulationError, match="in the middle of a step"):
        simulation.step()


def test_a_driver_may_look():
    seen = []
    simulation = gori.Simulation(MODEL, METHOD, driver=lambda s: seen.append(s.state.time), driver_period=1e-2)
    simulation.step(30)
    assert np.allclose(seen, [0.0, 0.01, 0.02])
    simulation.run(0.01, progress=False)  # the turn was given back
    assert simulation.time == pytest.approx(0.04)


def test_a_turn_is_given_back_after_an_error():
    simulation = gori.Simulation(MODEL, METHOD, forces=lambda t, q, v: 1 / 0)
    for _ in range(2):
        with pytest.raises(SimulationError, match="division by zero"):
            simulation.step()


def test_threads_do_not_share_a_simulation():
    """While one steps, others are refused; the one ends where it would have alone."""
    inside, done, refused = threading.Event(), threading.Event(), []

    def slow(t, q, v):
        inside.set()
        done.wait(20.0)
        return np.zeros(1)

    simulation = gori.Simulation(MODEL, METHOD, forces=slow)

    def other():
        inside.wait(20.0)
        for call in (
            lambda: simulation.step(),
            lambda: simulation.run(0.1),
            lambda: simulation.state,
            lambda: setattr(simulation, "state", MODEL.state()),
        ):
            try:
                call()
            except InputError as error:
                refused.append(str(error))
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    simulation.step(5)
    thread.join()
    assert len(refused) == 4 and all("another thread is stepping this Simulation" in words for words in refused)
    alone = gori.Simulation(MODEL, METHOD)
    np.testing.assert_array_equal(alone.step(5).q, simulation.q)


def test_the_owner_is_known():
    turn = Turn()
    with turn:
        turn.refuse_others()
        assert "in the middle" in str(turn.refusal())
    with turn:
        assert turn.owner == threading.get_ident()
