"""The solver `multipliers`. All solvers on random machines are in `test_solvers.py`."""

import numpy as np
import pytest

import gori
from gori.kernels.codes import NEAR_SINGULAR, NOT_CLOSED, OK, USER_ERROR
from gori.kernels.loops.multipliers import evaluate, multipliers, prepare_near
from gori.kernels.machine import ACCELERATIONS, PROJECT, PROJECT_AND_EVALUATE, RATES
from gori.kernels.tree.columns import P_PJ
from gori.sim import Simulation
from tests.checks import close
from tests.integrate.closed_machines import rockers, slider_crank
from tests.integrate.machines import q_rate
from tests.kernels.loops.closed import case
from tests.plain import plain
from tests.reference import loops

NONE = np.zeros(0)


def state(made):
    return np.concatenate([made.q, made.v])


@pytest.mark.parametrize("make", [rockers, slider_crank])
def test_rates_and_accelerations(make):
    made = case(make())
    y, nq = state(made), len(made.q)
    k, qdd = np.full(len(y), np.nan), np.full(len(made.v), np.nan)
    expected, lam = loops.constrained(made.spec, made.q, made.v, np.zeros(len(made.v)))
    assert plain(multipliers)(made.machine, made.data, 0.0, y, k, RATES) == OK
    close(k[:nq], q_rate(loops.open_tree(made.spec), made.q, made.v), 1e-12)
    close(k[nq:], expected, 1e-10)
    if len(made.kept) == len(lam):
        close(made.m.state.multipliers, lam, 1e-9)
    assert plain(multipliers)(made.machine, made.data, 0.0, y, qdd, ACCELERATIONS) == OK
    close(qdd, expected, 1e-10)


def test_projected_and_evaluated_at_once():
    """Factors that are made for the projection serve the evaluation."""
    made = case(slider_crank())
    y, nq, k = state(made), len(made.q), np.empty(len(made.q) + len(made.v))
    y[0] += 1e-3
    before = made.m.head[0].factorisations
    assert plain(multipliers)(made.machine, made.data, 0.0, y, k, PROJECT_AND_EVALUATE) == OK
    assert made.m.head[0].factorisations <= before + 2  # for the positions, and where they end
    assert np.abs(loops.residual(made.spec, y[:nq])).max() < 1e-9
    close(k[nq:], loops.constrained(made.spec, y[:nq], y[nq:], np.zeros(len(made.v)))[0], 1e-9)


def test_compiled_and_plain_are_the_same():
    made, simulation = case(slider_crank()), Simulation(gori.compile(slider_crank()))
    rates = np.empty((2, len(made.q) + len(made.v)))
    assert plain(multipliers)(made.machine, made.data, 0.0, state(made), rates[0], RATES) == OK
    stepper = simulation.stepper
    assert multipliers(stepper.machine, stepper.data, 0.0, state(made), rates[1], RATES) == OK
    close(rates[0], rates[1], 1e-12)


def test_a_singular_pose_is_reported_to_adaptive_methods():
    made = case(rockers())
    made.m.head[0].singular_pivot = 2.0
    made.m.head[0].best_pivot_mass = 1e6  # so that the pivot here looks tiny
    assert plain(multipliers)(made.machine, made.data, 0.0, state(made), np.empty(6), RATES) == NEAR_SINGULAR


def test_a_state_next_to_the_loops_is_evaluated_on_them():
    """As stages of a step are near singular poses: with the independent coordinate held."""
    made = case(rockers())
    y = state(made)
    y[1] += 1e-4
    assert plain(prepare_near)(made.machine, made.data, 0.0, y[:3], y[3:], NONE, NONE) == OK
    assert made.m.work.q[0] == y[0] and np.abs(loops.residual(made.spec, made.m.work.q)).max() < 1e-11
    assert np.array_equal(y[:1], made.q[:1]) and y[1] == made.q[1] + 1e-4  # the state itself stays


def test_what_fails():
    made = case(slider_crank())
    broken = made.machine.replace(user=lambda *_: 1)
    args = made.data, made.m, 0.0, made.q, made.v, NONE, NONE, np.empty(len(made.v))
    assert plain(evaluate)(broken, *args) == USER_ERROR
    far = made.machine.body_f.copy()
    far[:, P_PJ : P_PJ + 3] *= 9.0
    machine = made.machine.replace(body_f=far)
    assert plain(multipliers)(machine, made.data, 0.0, state(made), NONE, PROJECT) == NOT_CLOSED
