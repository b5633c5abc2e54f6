"""What the Adams methods share: the predictor, the past, and the first steps."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.integrate import RK4, Adams, AdamsMoulton
from gori.integrate.clock import Sizes
from gori.integrate.multistep import HIGHEST, past_slopes, predict, shift, starting_step
from gori.integrate.rates import rhs
from gori.integrate.rk4 import rk4_step_with
from gori.kernels.codes import OK
from tests.integrate.machines import MACHINES
from tests.integrate.steps import bundle
from tests.plain import plain, records


@pytest.mark.parametrize("order", [2, 3, 4])
def test_the_predictor_integrates_polynomials_of_its_order(order):
    h, polynomial = 0.3, np.polynomial.Polynomial(np.random.default_rng(1).normal(size=order + 1))
    slopes = np.array([[polynomial.deriv()(-h * j)] for j in range(HIGHEST)])
    y = np.array([polynomial(0.0)])
    predict.py_func(slopes, order, h, y)
    assert y[0] == pytest.approx(polynomial(h), abs=1e-14)


def test_older_slopes_move_back():
    slopes = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]])
    shift.py_func(slopes, 2, 2)
    assert slopes[:, 0].tolist() == [1.0, 1.0, 2.0, 4.0]  # the first is to be written


def test_another_length_of_the_step_drops_the_past():
    memory = records(Adams().memory(Sizes(2, 1, 1, 0)))
    memory.head[0].slopes, memory.head[0].step = 3, 0.1
    assert past_slopes.py_func(memory, 0.1) == 3
    assert past_slopes.py_func(memory, 0.2) == 0 and memory.head[0].step == 0.2
    memory.head[0].slopes = 2
    Adams().forget(memory)
    assert past_slopes.py_func(memory, 0.2) == 0


def test_the_first_steps_are_of_order_four():
    """They are those of the classical Runge-Kutta method, in the work of the Adams methods."""
    model = gori.compile(MACHINES["double pendulum"]())
    machine, data, memory, y = bundle(model, Adams())
    assert plain(starting_step)(machine, data, memory, 0.0, 0.01, y) == OK
    machine, data, memory, again = bundle(model, RK4())
    assert plain(rk4_step_with(rhs))(machine, data, memory, 0.0, 0.01, again) == OK
    assert np.array_equal(y, again)


@pytest.mark.parametrize("method", [Adams, AdamsMoulton])
@pytest.mark.parametrize("order", [1, 5, True, 2.5, "3"])
def test_orders(method, order):
    with pytest.raises(InputError, match=f"{method.kind}: order must be 2, 3 or 4, not"):
        method(order=order)
