"""The compiled side of a Simulation: steps that are planned, taken and counted."""

import pytest

import gori
from gori.kernels.codes import OK
from gori.sim.stepper import entry_point
from tests.sim.machines import busy, falling


@pytest.fixture
def stepper():
    return gori.Simulation(gori.compile(falling()), gori.RK4(step=1e-3)).stepper


def test_planned_steps_are_counted_down(stepper):
    stepper.plan_steps(5)
    assert stepper.steps_left() == 5 and stepper.end_time == 5e-3
    code, samples = stepper.take_steps(2)
    assert code == OK and samples.shape == (0, 1 + len(stepper.y))
    assert stepper.steps_left() == 3 and stepper.time == 2e-3
    stepper.plan_run(0.01, 2e-3)
    assert stepper.steps_left() == 10 and stepper.steps_of_run == 0
    _, samples = stepper.take_steps(10)
    assert samples[:, 0].tolist() == pytest.approx([0.004, 0.006, 0.008, 0.01, 0.012])
    assert stepper.steps_left() == 0 and stepper.steps_of_run == 10


def test_samples_are_a_copy(stepper):
    stepper.plan_run(0.01, 1e-3)
    first = stepper.take_steps(5).samples
    before = first.copy()
    stepper.take_steps(5)
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
