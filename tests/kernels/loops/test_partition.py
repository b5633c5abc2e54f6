"""The solver `partition`: the reduced equation in independent coordinates."""

import numpy as np
import pytest

from gori.kernels.codes import NEAR_SINGULAR, OK, POOR_CHOICE
from gori.kernels.loops.follow import factor_dependent
from gori.kernels.loops.partition import mass_times, partition, project_dependent, solve_dependent
from gori.kernels.loops.system import place_all
from gori.kernels.machine import PROJECT, RATES
from gori.kernels.tree.crba import mass_entries
from tests.checks import close
from tests.integrate.closed_machines import rockers, slider_crank
from tests.kernels.loops.closed import case, dense_jacobian
from tests.plain import plain
from tests.reference import dynamics as dyn
from tests.reference import loops
from tests.reference.random_loops import random_closed


def state(made):
    return np.concatenate([made.q, made.v])


@pytest.mark.parametrize("seed", range(3))
def test_the_reduced_equation_of_the_reference(seed):
    spec, q, v = random_closed(np.random.default_rng(seed))
    made = case(spec, q, v, solver="partition")
    chosen = np.flatnonzero(made.m.state.dependent == 0.0)
    k = np.full(len(q) + len(v), np.nan)
    assert plain(partition)(made.machine, made.data, 0.0, state(made), k, RATES) == OK
    close(k[len(q) :], loops.partition(spec, made.q, made.v, np.zeros(len(v)), chosen)[0], 1e-9)


def test_the_rates_depend_on_independent_coordinates_alone():
    made = case(slider_crank(), solver="partition")
    y = state(made)
    moved = y.copy()
    moved[1:5] += 1e-5  # the ball joint
    moved[-1] += 1e-4
    rates = np.empty((2, len(y)))
    for start, k in zip((y, moved), rates):
        before = start.copy()
        assert plain(partition)(made.machine, made.data, 0.0, start, k, RATES) == OK
        assert np.array_equal(start, before)
    close(rates[1], rates[0], 1e-7)


def test_products_with_sparse_masses():
    made = case(*random_closed(np.random.default_rng(2)), solver="partition")
    machine, data, m = made.machine, made.data, made.m
    x, out = np.cos(np.arange(len(made.v))), np.empty(len(made.v))
    plain(place_all)(machine, data, m, 0.0, made.q, made.v)
    plain(mass_entries)(machine.body_i, machine.body_f, m.work.mass, data.body_w, data.dof_w)
    plain(mass_times)(machine, m, x, out)
    close(out, dyn.crba(loops.open_tree(made.spec), made.q) @ x, 1e-11)


def test_dependent_changes_close_what_is_open():
    made = case(rockers(), solver="partition")
    machine, data, m = made.machine, made.data, made.m
    plain(place_all)(machine, data, m, 0.0, made.q, made.v)
    plain(factor_dependent)(machine, data, m, made.v)
    g, x = np.array([0.3, -0.2]), np.empty(3)
    plain(solve_dependent)(machine, m, g, x)
    assert x[0] == 0.0
    close(dense_jacobian(made) @ x, -g, 1e-9)


def test_a_state_is_projected_with_the_independent_ones_held():
    made = case(slider_crank(), solver="partition")
    y = state(made)
    y[0] += 0.02
    assert plain(partition)(made.machine, made.data, 0.0, y, np.zeros(0), PROJECT) == OK
    assert y[0] == made.q[0] + 0.02 and np.abs(loops.residual(made.spec, y[: len(made.q)])).max() < 1e-11
    assert plain(project_dependent)(made.machine, made.data, 0.0, y[: len(made.q)], y[len(made.q) :]) == OK


@pytest.mark.parametrize("field, code", [("poor_pivot", POOR_CHOICE), ("singular_pivot", NEAR_SINGULAR)])
def test_a_choice_that_has_become_poor(field, code):
    made = case(rockers(), solver="partition")
    head = made.m.head[0]
    head.poor_pivot = head.singular_pivot = 0.0
    setattr(head, field, 2.0)
    assert plain(partition)(made.machine, made.data, 0.0, state(made), np.empty(6), RATES) == code
