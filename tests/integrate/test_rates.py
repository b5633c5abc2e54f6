"""Rates of a state, and the end of a step."""

import numpy as np
import pytest

from gori.integrate import RK4
from gori.integrate.rates import finish_and_evaluate, finish_step, project, rhs, rhs_apart
from gori.kernels.codes import NOT_CLOSED, OK, USER_ERROR
from gori.kernels.machine import PROJECT, PROJECT_AND_EVALUATE, RATES
from tests.checks import close
from tests.integrate.machines import q_rate
from tests.integrate.steps import random_bundle
from tests.plain import plain


@pytest.mark.parametrize("function", [rhs, rhs_apart])
@pytest.mark.parametrize("seed", range(3))
def test_rates_of_a_random_tree(function, seed):
    (machine, data, _, y), step = random_bundle(seed, RK4(), floating=seed == 2)
    k = np.full(len(y), np.nan)
    assert plain(function)(machine, data, 0.0, y, k) == OK
    step.cv = step.cq = 0.0
    step.base_m = np.zeros(step.tree.nv)
    close(k[: step.tree.nq], q_rate(step.tree, step.q, step.v), 1e-14)
    close(k[step.tree.nq : -1], step.f(np.zeros(step.tree.nv)), 1e-9)
    assert k[-1] == 0.0  # nothing does work


def test_the_last_rate_is_the_power_of_what_has_no_potential():
    def user(t, q, v, tau):
        tau += 2.0 * v
        return 0

    (machine, data, _, y), step = random_bundle(1, RK4(), user=user)
    k = np.empty(len(y))
    for function in (rhs, finish_and_evaluate):
        assert plain(function)(machine, data, 0.0, y, k) == OK
        close(k[-1], 2.0 * step.v @ step.v, 1e-12)


def test_what_the_user_reports_comes_back():
    (machine, data, _, y), _ = random_bundle(0, RK4(), user=lambda *_: 1)
    assert plain(rhs)(machine, data, 0.0, y, np.empty(len(y))) == USER_ERROR


def test_quaternions_are_projected():
    (machine, data, _, y), step = random_bundle(1, RK4(), floating=True)
    long = y.copy()
    for link in step.tree.links:
        if link.joint.type in ("spherical", "free"):
            long[link.q.start : link.q.start + 4] *= 1.3
    assert not np.allclose(long, y)
    for end in (project, finish_step):
        moved = long.copy()
        assert plain(end)(machine, data, 0.0, moved) == OK
        close(moved, y, 1e-14)
    rates, expected = np.empty(len(y)), np.empty(len(y))
    assert plain(finish_and_evaluate)(machine, data, 0.0, long, rates) == OK
    plain(rhs)(machine, data, 0.0, y, expected)
    close(rates, expected, 1e-11)


def test_loops_and_vehicles_are_asked_in_their_turn():
    """The solver of the loops first; where it fails, vehicles stay where they are."""
    asked, code = [], OK

    def closed(machine, data, t, y, k, what):
        asked.append((what, t))
        return code

    def vehicle(machine, data, t, q, v, what):
        asked.append(("vehicle", t))
        return OK

    (machine, data, _, y), _ = random_bundle(0, RK4(), closed=closed, vehicle=vehicle)
    k = np.empty(len(y))
    assert plain(rhs)(machine, data, 1.0, y, k) == OK
    assert plain(finish_step)(machine, data, 2.0, y) == OK
    assert plain(finish_and_evaluate)(machine, data, 3.0, y, k) == OK
    assert asked == [(RATES, 1.0), (PROJECT, 2.0), ("vehicle", 2.0), (PROJECT_AND_EVALUATE, 3.0)]
    asked.clear()
    code = NOT_CLOSED
    assert plain(finish_step)(machine, data, 4.0, y) == NOT_CLOSED and asked == [(PROJECT, 4.0)]
