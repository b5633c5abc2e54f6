"""Adams-Moulton: weights, accuracy beside Adams-Bashforth. What both have in common is in `test_adams.py`."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.integrate import Adams, AdamsMoulton
from gori.integrate.adams_moulton import adams_moulton_step, weights
from gori.kernels.codes import NOT_FINITE, USER_ERROR
from gori.sim import Simulation
from tests.integrate.machines import pendulum, pendulum_angle
from tests.integrate.steps import bundle
from tests.plain import plain


@pytest.mark.parametrize("order", [2, 3, 4])
def test_the_corrector_integrates_polynomials_of_its_order(order):
    """c_0 f(h) + c_1 f(0) + c_2 f(-h) + ... is the mean of f over the step for degrees below the order, not above."""
    for degree in range(order + 1):
        mean = sum(c * (1.0 - j) ** degree for j, c in enumerate(weights.py_func(order)))
        assert (abs(mean - 1.0 / (degree + 1)) < 1e-15) == (degree < order)


def test_the_error_is_a_tenth_of_that_without_the_corrector():
    errors = {}
    for method in (Adams, AdamsMoulton):
        rec = Simulation(gori.compile(pendulum()), method(step=4e-3, order=4)).run(2.0, sample=0.1, progress=False)
        errors[method] = np.abs(rec["pin.q"] - pendulum_angle(rec.time)[0]).max()
    assert errors[AdamsMoulton] < 0.2 * errors[Adams] < 1e-5


def test_a_step_that_fails_forgets_the_past():
    """So that the step after it begins anew, whatever the slopes hold."""
    fails = False
    machine, data, memory, y = bundle(
        gori.compile(pendulum()), AdamsMoulton(step=0.01, order=3), user=lambda *_: int(fails)
    )
    for k in range(4):
        assert plain(adams_moulton_step)(machine, data, memory, 0.01 * k, 0.01, y) == 0
    assert memory.head[0].slopes == 3
    fails = True
    assert plain(adams_moulton_step)(machine, data, memory, 0.04, 0.01, y) == USER_ERROR
    assert memory.head[0].slopes == 0
    fails, y[1] = False, np.nan
    assert plain(adams_moulton_step)(machine, data, memory, 0.04, 0.01, y) == NOT_FINITE


def test_settings():
    assert AdamsMoulton() == AdamsMoulton(step=1e-3, order=4)
    with pytest.raises(InputError, match="adams_moulton: step must be a positive number"):
        AdamsMoulton(step=0.0)
