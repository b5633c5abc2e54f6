import numba
import numpy as np

from gori.kernels.accelerations import finite, q_rate, unit_quaternions
from gori.kernels.codes import NOT_FINITE, OK
from tests.checks import close, machine, states


@numba.njit(_nrt=False)
def _q_rate(body_i, q, v, out):
    q_rate(body_i, q, v, out)


@numba.njit(_nrt=False)
def _unit_quaternions(body_i, q):
    unit_quaternions(body_i, q)


@numba.njit(_nrt=False)
def _finite(v):
    return finite(v)


def test_rate_of_q_is_the_slope_of_integrate():
    model, tree = machine(2)
    x = states(tree, 4, 2)
    for q, v in zip(x["q"], x["v"]):
        rate = np.empty(model.nq)
        _q_rate(model.kernel_tables.body_i, q, v, rate)
        h = 1e-6
        close((model.integrate(q, h * v) - model.integrate(q, -h * v)) / (2.0 * h), rate, 1e-8)


def test_quaternions_get_length_one_and_nothing_else_changes():
    model, tree = machine(2)
    q = states(tree, 1, 2)["q"][0]
    scaled = q.copy()
    for info in model.joints:
        if info.type in ("spherical", "free"):
            scaled[info.q.start : info.q.start + 4] *= 1.7
    assert not np.allclose(q, scaled)
    _unit_quaternions(model.kernel_tables.body_i, scaled)
    close(scaled, q, 1e-14)


def test_finite():
    assert _finite(np.ones(3)) == OK
    assert _finite(np.array([1.0, np.inf])) == _finite(np.array([np.nan, 1.0])) == NOT_FINITE
