"""Steps and loops solved together: the matrix, and loops that are closed at the end of each step."""

import numpy as np
import pytest

import gori
from gori.integrate import GeneralizedAlpha, ImplicitEuler
from gori.integrate.closed import closed_core, fill_matrix
from gori.integrate.euler_steps import euler_steps
from gori.kernels.codes import OK, USER_ERROR
from gori.kernels.loops.cuts import fill_jacobian
from gori.kernels.loops.system import place_all
from gori.sim import Simulation
from tests.checks import close
from tests.integrate.closed_machines import rockers, slider_crank
from tests.kernels.loops.closed import case, dense_jacobian
from tests.plain import plain, records
from tests.reference import dynamics as dyn
from tests.reference import loops


def in_plain(simulation, **changes):
    """Machine, Data, memory and state of a Simulation, its core in plain Python."""
    stepper = simulation.stepper
    machine = records(stepper.machine).replace(core=plain(closed_core), **changes)
    return machine, records(stepper.data), records(stepper.memory), stepper.y.copy()


@pytest.mark.parametrize("make", [rockers, slider_crank])
def test_a_step_is_the_solution_of_all_equations(make):
    """M x + bias + J' lambda = 0 at the end of the step, with Phi = 0 there, by the reference."""
    h, model = 2e-3, gori.compile(make())
    machine, data, memory, y = in_plain(Simulation(model, ImplicitEuler(h)))
    v = y[model.nq : -1].copy()
    assert plain(euler_steps)(machine, data, memory, 0.0, h, y) == OK
    q_end, v_end = y[: model.nq], y[model.nq : -1]
    assert np.abs(loops.residual(model.spec, q_end)).max() < 1e-12
    tree, x, lam = loops.open_tree(model.spec), (v_end - v) / h, data.loops.state.multipliers
    names = loops.names(model.spec)
    J = loops.jacobian(model.spec, q_end)[[names.index(name) for name in model.loop_system.kept.names]]
    close(dyn.rnea(tree, q_end, v_end, x) + J.T @ lam, np.zeros(model.nv), 1e-7)


def test_a_matrix_serves_for_more_than_one_step():
    model = gori.compile(slider_crank())
    machine, data, memory, y = in_plain(Simulation(model, ImplicitEuler(1e-4)))
    for k in range(5):
        assert plain(euler_steps)(machine, data, memory, 1e-4 * k, 1e-4, y) == OK
    head = memory.head[0]
    assert head.steps == 5 and head.whole < 5 <= head.iterations


def test_the_matrix_has_the_jacobian_of_the_loops_at_its_side():
    made = case(rockers())
    machine, data, m, nv, ne = made.machine, made.data, made.m, len(made.v), len(made.kept)
    plain(place_all)(machine, data, m, 0.0, made.q, made.v)
    plain(fill_jacobian)(machine, m.work, made.v, data.values, data.body_w, data.dof_w)
    N, eps, A = np.random.default_rng(0).normal(size=(nv, nv)), np.full(ne, 0.5), np.full((nv + ne, nv + ne), np.nan)
    fill_matrix.py_func(machine, m.work.jac, eps, N, A)
    J = dense_jacobian(made)
    close(A.T, np.block([[N.T, J.T], [J, -np.diag(eps)]]), 1e-12)


def test_a_force_that_fails():
    model = gori.compile(slider_crank())
    machine, data, memory, y = in_plain(Simulation(model, ImplicitEuler(1e-3)), user=lambda *_: 1)
    before = y.copy()
    assert plain(euler_steps)(machine, data, memory, 0.0, 1e-3, y) == USER_ERROR
    assert np.array_equal(y, before)


def test_both_methods_take_it_for_machines_with_loops():
    assert ImplicitEuler.core_of_loops is GeneralizedAlpha.core_of_loops is closed_core
