"""The loop of methods with a fixed step: the grid of times, samples, events, and states that are kept on failure."""

import numpy as np
import pytest

from gori.integrate import RK4
from gori.integrate.clock import CLOCK
from gori.integrate.fixed_step import fixed_steps, write_sample
from gori.kernels.codes import EVENT, NOT_FINITE, OK
from tests.integrate.steps import bundle, slider
from tests.integrate.test_events import watched
from tests.plain import plain


def along(machine, data, memory, t, h, y):
    """Constant velocity."""
    y[0] += h * y[1]
    return OK


def clock(step=0.1, count=5, every=1, time=0.0):
    made = CLOCK.zeros(1).view(np.recarray)
    made.step, made.steps_to_do, made.sample_every, made.time, made.start_time = step, count, every, time, time
    return made


def run(make, clock, step=along):
    machine, data, watch, y = make
    samples = np.full((clock.steps_to_do[0], 4), np.nan)
    code = plain(fixed_steps(step))(machine, data, None, clock, y, samples, watch)
    return code, samples[: clock.samples_written[0]], y


def test_times_are_multiples_of_the_step():
    """However many calls the run is made of, bit for bit."""
    whole, parts, make = clock(count=30), clock(count=3), watched(v=1.0)
    code, samples, _ = run(watched(v=1.0), whole)
    assert code == OK and np.array_equal(samples[:, 0], 0.1 * np.arange(1, 31))
    pieces = [run(make, parts)[1] for _ in range(10)]
    assert np.array_equal(np.concatenate(pieces), samples)


def test_samples_are_counted_from_the_first_step():
    every = clock(count=7, every=3)
    every.steps_done = every.first_step = 2
    _, samples, _ = run(watched(v=2.0), every)
    assert samples[:, 0] == pytest.approx([0.5, 0.8]) and every.time[0] == pytest.approx(0.9)


def test_a_step_that_fails_gives_the_last_good_state():
    def fails(machine, data, memory, t, h, y):
        along(machine, data, memory, t, h, y)
        return NOT_FINITE if t > 0.25 else OK

    time = clock()
    code, samples, y = run(watched(v=1.0), time, fails)
    assert code == NOT_FINITE and y[0] == pytest.approx(0.3) and time.time[0] == pytest.approx(0.3)
    assert len(samples) == time.steps_done[0] == 3


def test_coordinates_that_overflow_end_the_run_at_the_last_good_state():
    def overflows(machine, data, memory, t, h, y):
        along(machine, data, memory, t, h, y)
        y[0] = np.inf if t > 0.25 else y[0]
        return OK

    code, samples, y = run(watched(v=1.0), clock(), overflows)
    assert code == NOT_FINITE and y[0] == pytest.approx(0.3) and len(samples) == 3


def test_an_event_leaves_the_rest_of_its_step_to_do():
    lengths = []

    def noted(machine, data, memory, t, h, y):
        lengths.append(h)
        return along(machine, data, memory, t, h, y)

    time, make = clock(), watched("rail.q - 0.125", v=1.0)
    code, samples, y = run(make, time, noted)
    assert code == EVENT and time.event_index[0] == 0 and time.inside_step[0] == 1 and len(samples) == 1
    assert [time.time[0], y[0]] == pytest.approx([0.125, 0.125], abs=1e-15)
    time.steps_to_do = 2
    code, samples, y = run(make, time, noted)
    assert code == OK and np.array_equal(samples[:, 0], [0.2, 0.1 * 3]) and y[0] == pytest.approx(0.3)
    assert lengths == pytest.approx([0.1, 0.1, 0.075, 0.1])


def test_a_row_is_time_state_and_what_is_recorded():
    _, data, _, y = bundle(slider(q=1.0, v=2.0), RK4())
    y[2], row = 3.0, np.zeros(6)
    write_sample.py_func(data.replace(recorded=np.array([7.0, 8.0])), 0.5, y, row)
    assert row.tolist() == [0.5, 1.0, 2.0, 3.0, 7.0, 8.0]
