"""A step and the exchange at its end belong together: Ctrl-C waits for both, and after a failure nothing goes on."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import gori
from gori.errors import SimulationError
from gori.sim.exchange_stage import ExchangeStage
from gori.sim.run import Block
from tests.sim.coupled import Spring, simulate


class Pressed(Spring):
    """Somebody presses Ctrl-C while it is busy, as often as said."""

    def __init__(self, when=0.02, times=1, **options):
        super().__init__(**options)
        self.when, self.times, self.late = when, times, False

    def advance(self, motion, step, now):
        if now > self.when:
            for _ in range(self.times):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.002)
            self.times = 0
        return super().advance(motion, step, now)


def test_ctrl_c_waits_for_the_exchange():
    whole = simulate(Spring())
    whole.run(0.05)
    stopped = simulate(Pressed())
    rec = stopped.run(0.05, sample=1e-3)
    assert rec.info["interrupted"] and rec.time[-1] == stopped.time == stopped.state.time
    assert stopped.exchanges["spring"].time == stopped.time == pytest.approx(0.021)
    stopped.run(0.05 - stopped.time)
    np.testing.assert_array_equal(stopped.q, whole.q)
    np.testing.assert_array_equal(stopped.v, whole.v)
    assert stopped.subsystems[0].state() == whole.subsystems[0].state()


def test_ctrl_c_at_any_moment():
    """Pressed by another thread, wherever the run is: bodies, subsystem and recording stand at the same time."""
    for k in range(5):
        simulation = simulate(Spring())
        presses = threading.Timer(0.05 + 0.013 * k, lambda: os.kill(os.getpid(), signal.SIGINT))
        presses.start()
        try:
            rec = simulation.run(1e3, sample=1e-3, progress=False)
        finally:
            presses.join()
        assert rec.info["interrupted"] and rec.time[-1] == simulation.time
        state = simulation.state
        assert state.parts["spring"]["calls"] == round(simulation.time / 1e-3)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_twice_does_not_wait():
    simulation = simulate(Pressed(times=2))
    rec = simulation.run(0.05, sample=1e-3)
    assert rec.info["interrupted"] and rec.time[-1] == pytest.approx(0.020)
    with pytest.raises(SimulationError, match=r"cannot go on.*'spring'.*0.021 s"):
        simulation.run(0.01)


def test_values_go_into_the_last_sample():
    block = Block(samples=np.zeros((2, 5)))
    ExchangeStage._rewrite(block, np.array([1.0, 2.0]), 1)
    assert block.samples.tolist() == [[0, 0, 0, 0, 0], [0, 0, 1, 2, 0]]
    ExchangeStage._rewrite(Block(), np.array([1.0]), 0)  # there is none


@pytest.mark.parametrize("error", [ValueError("valve stuck"), SimulationError("valve stuck at 0.051 s")], ids=repr)
def test_a_failure_names_the_subsystem_and_the_time_and_keeps_what_was_recorded(error, tmp_path):
    spring = Spring(fail_at=0.05)
    spring.error = error
    simulation = simulate(spring)
    start = simulation.state
    with pytest.raises(SimulationError, match="valve stuck") as caught:
        simulation.run(0.1, sample=1e-3, path=tmp_path / "run.h5")
    if isinstance(error, ValueError):
        assert str(caught.value) == "subsystem 'spring' failed at t = 0.051 s: ValueError: valve stuck"
        assert caught.value.cause is error
    assert caught.value.time == pytest.approx(0.051)
    rec = caught.value.recording
    assert rec.time[-1] == pytest.approx(0.051) and np.isnan(rec["spring.travel"][-1])
    assert not np.isnan(rec["spring.travel"][:-1]).any()
    # nothing goes on from there ...
    for attempt in (lambda: simulation.state, lambda: simulation.run(0.1), lambda: simulation.step()):
        with pytest.raises(SimulationError, match=r"cannot go on, and has no State: subsystem 'spring' failed"):
            attempt()
    # ... but from before
    simulation.state = start
    spring.fail_at = np.inf
    whole = simulate(Spring()).run(0.1, sample=1e-3)
    np.testing.assert_array_equal(simulation.run(0.1, sample=1e-3).q, whole.q)
    resumed = gori.Simulation.resume(tmp_path / "run.h5", subsystems=[Spring()], progress=False)
    np.testing.assert_array_equal(resumed.q, whole.q)


@pytest.mark.parametrize(
    ("wrench", "words"),
    [
        (np.zeros(6), r"advance must return wrenches of shape \(1, 6\), not \(6,\)"),
        ([[0, 0, 0, 0, 0, "1"]], "advance must return wrenches"),
        ([[1, 2], [3]], "ValueError"),
        (np.full((1, 6), 1j), "complex128"),
        (None, "advance must return wrenches"),
        (np.full((1, 6), np.nan), "the wrench on 'block' is not finite: nan"),
        (np.full((1, 6), -np.inf), "the wrench on 'block' is not finite: -inf"),
    ],
)
def test_a_wrench_that_is_none(wrench, words):
    spring, good = Spring(), Spring.advance
    spring.advance = lambda motion, step, time: good(spring, motion, step, time) if time < 0.01 else wrench
    with pytest.raises(SimulationError, match=rf"subsystem 'spring' failed at t = 0\.01 s: .*{words}") as caught:
        simulate(spring).run(0.02, sample=1e-3)
    assert len(caught.value.recording) == 11


def test_one_of_two_fails():
    with pytest.raises(SimulationError, match="'b' failed") as caught:
        simulate(Spring(name="a"), Spring(name="b", fail_at=0.01), Spring(name="c")).run(0.02, sample=1e-3)
    last = {name: caught.value.recording[f"{name}.travel"][-1] for name in "abc"}
    assert np.isfinite(last["a"]) and np.isnan(last["b"]) and np.isnan(last["c"])


def test_an_event_that_moves_the_body_moves_it_for_the_subsystem():
    """The next motion begins where the action of the event has left the body."""
    seen = []

    class Seen(Spring):
        def advance(self, motion, step, time):
            seen.append((motion.position[[0, -1], 0, 0], motion.velocity[[0, -1], 0, 0]))
            return super().advance(motion, step, time)

    jump = gori.Event("rail.q - 0.05", action=lambda state: state.replace(q=state.q + 1e-3, v=-state.v))
    simulate(Seen(), events={"jump": jump}).run(0.12)
    breaks = [k for k in range(1, len(seen)) if seen[k][0][0] != seen[k - 1][0][1]]
    assert len(breaks) == 1
    (_, end), (_, begin) = seen[breaks[0] - 1], seen[breaks[0]]
    np.testing.assert_allclose(seen[breaks[0]][0][0] - seen[breaks[0] - 1][0][1], 1e-3, rtol=1e-9)
    np.testing.assert_allclose(begin[0], -end[1], rtol=1e-9)


def test_the_last_sample_takes_what_acted():
    """Wrenches stand before the outputs of subsystems."""
    block = Block(samples=np.arange(12.0).reshape(2, 6))
    ExchangeStage._rewrite(block, np.array([-1.0, -2.0]), after=1)
    assert block.samples.tolist() == [[0, 1, 2, 3, 4, 5], [6, 7, 8, -1, -2, 11]]
