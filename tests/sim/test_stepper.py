"""The compiled side of a run: plans of steps and samples, what is kept, and what is refused."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.integrate import RK4, Adams, Dopri5
from gori.integrate.clock import KEPT_OF_CLOCK
from gori.kernels import codes
from gori.model.state import State
from gori.sim.loops.closure import without_counts
from gori.sim.stepper import BLOCK_SAMPLES, MOST_STEPS, entry_point
from tests.sim.machines import busy, falling
from tests.sim.test_simulation import simulate


def stepper(spec=None, method=None, **options):
    return simulate(falling() if spec is None else spec, method or RK4(step=1e-3), **options).stepper


def test_a_planned_run_is_taken_in_blocks():
    s = stepper()
    s.plan_run(0.1, 0.01)
    assert (s.steps_left(), s.end_time, s.sample_period) == (100, pytest.approx(0.1), pytest.approx(0.01))
    result = s.take_steps(35)
    assert result.code == codes.OK and s.steps_done == s.steps_of_run == 35 and s.time == 35 * 1e-3
    np.testing.assert_allclose(result.samples[:, 0], [0.01, 0.02, 0.03], atol=1e-15)
    time, q, v, z, extra = s.columns(result.samples)
    np.testing.assert_allclose(v[:, 0], -9.81 * time, atol=1e-12)
    np.testing.assert_allclose(q[:, 0], 1.0 - 0.5 * 9.81 * time**2, atol=1e-12)
    assert z.shape == (3, 0) and set(extra) == {"energy.work"} and not extra["energy.work"].any()
    assert len(s.take_steps(s.steps_left()).samples) == 7 and s.steps_left() == 0


def test_views_cannot_be_written():
    s = stepper(busy())
    assert (s.q.shape, s.v.shape, s.z.shape) == ((6,), (5,), (1,))
    assert np.array_equal(s.sample(), [s.time, *s.q, *s.v, *s.z, s.work])
    with pytest.raises(ValueError, match="read-only"):
        s.q[0] = 1.0


def test_the_grid_of_times_goes_on():
    s = stepper()
    for count in (3, 4):
        s.plan_steps(count)
        s.take_steps(count)
    assert s.steps_done == 7 and s.start_time == 0.0 and s.time == 7 * 1e-3
    s.plan_run(0.01, None)
    assert s.run_start == s.time and s.steps_of_run == 0 and s.sample_period == pytest.approx(1e-3)
    s.count_from_here()
    assert s.start_time == s.time and s.steps_done == 0


def test_adaptive_methods_have_no_number_of_steps():
    s = stepper(method=Dopri5(largest_step=0.01))
    s.plan_run(0.5, 0.1)
    assert s.steps_left() == np.iinfo(np.int64).max and s.most_steps() == MOST_STEPS
    s.take_steps(10**6)
    assert s.time == 0.5 and s.steps_left() == 0


def test_samples_of_a_block_fit():
    s = stepper()
    s.plan_run(100.0, 2e-3)
    assert s.most_steps() == 2 * BLOCK_SAMPLES


@pytest.mark.parametrize(
    ("duration", "sample", "words"),
    [(0.0, None, "duration"), (np.nan, None, "duration"), (True, None, "duration"), (1.0, -1.0, "sample"),
     (1.0, np.inf, "sample"), ("1", None, "duration"), (1e-4, None, "less than one step"),
     (10**400, None, "duration"), (1e308, None, "duration"), (1e299, None, "more than 9e.15 steps"),
     (1.0, 10**400, "sample")],
)  # fmt: skip
def test_plans_that_are_none(duration, sample, words):
    with pytest.raises(InputError, match=words):
        stepper().plan_run(duration, sample)


def test_what_is_saved_goes_on_in_another():
    spring, low = falling(stiffness=50.0), {"low": "rail.q - 0.5"}
    simulation = simulate(spring, Adams(step=1e-3, order=3), events=low)
    one = simulation.stepper
    one.plan_steps(200)
    one.take_steps(150)
    parts = one.save()
    assert set(parts) == {"clock", "method", "events", "energy"} and set(parts["clock"]) == set(KEPT_OF_CLOCK)
    state = simulation.state
    assert all(np.array_equal(state.parts[name][key], parts[name][key]) for name in parts for key in parts[name])
    same = stepper(spring, Adams(step=1e-3, order=3), events=low)
    other = stepper(spring, Adams(step=1e-3, order=4), events=low)
    fewer = stepper(spring, Adams(step=1e-3, order=3))
    assert same.check(state) and not other.check(state) and not fewer.check(state)
    same.load(state, fits=True)
    assert same.tag() == one.tag() != other.tag() and not fewer.events_fit(state)
    for s in (one, same):
        s.plan_steps(50)
        s.take_steps(50)
    assert np.array_equal(one.y, same.y) and one.time == same.time


def test_states_that_do_not_fit():
    s = stepper()
    for state, words in (
        (State(0.0, np.zeros(2), np.zeros(1)), "state.q must be 1 finite numbers"),
        (State(0.0, np.zeros(1), np.array([np.nan])), "state.v must be 1 finite numbers"),
        (State(np.inf, np.zeros(1), np.zeros(1)), "state.time must be a finite number"),
    ):
        with pytest.raises(InputError, match=words):
            s.checked(state)
    assert s.checked(State(0.0, np.ones(1), np.zeros(1))).tolist() == [1.0, 0.0, 0.0]
    with_work = State(0.0, np.ones(1), np.zeros(1), parts={"energy": {"work": np.array(7.0)}})
    assert s.checked(with_work).tolist() == [1.0, 0.0, 7.0]


def test_statistics_of_loops_are_not_kept():
    model = gori.compile(gori.load("examples/four_bar.yaml"))
    s = gori.Simulation(model, RK4(step=1e-3)).stepper
    s.plan_steps(5)
    s.take_steps(5)
    head = without_counts(s.data.loops.head)
    assert s.data.loops.head["evaluations"] > 0 and head["evaluations"] == 0 and head["factorisations"] == 0


def test_samples_are_a_copy():
    own = stepper()
    own.plan_run(0.01, 1e-3)
    first = own.take_steps(5).samples
    before = first.copy()
    own.take_steps(5)
    assert (first == before).all() and len(first) == 5


@pytest.mark.parametrize("method", [gori.RK4(step=1e-3), gori.GeneralizedAlpha(step=1e-3)], ids=["rk4", "alpha"])
def test_the_entry_point_is_what_the_dispatcher_calls(method):
    """Numba's look at the types of all arguments is left out after the first call of a Stepper."""
    model = gori.compile(busy())
    one, other = (gori.Simulation(model, method) for _ in range(2))
    for _ in range(20):
        one.advance()
        other.stepper._compiled = None  # through the dispatcher again
        other.advance()
    assert one.stepper._compiled is not None and one.stepper._compiled is entry_point(one.method)
    assert one.state == other.state
