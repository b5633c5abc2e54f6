"""What the solvers of loops share: balance of forces, corrections, states moved onto the loops."""

import math

import numpy as np
import pytest

from gori.kernels.codes import OK
from gori.kernels.loops.cuts import fill_jacobian
from gori.kernels.loops.memory import JUST_PLACED, WITH_FACTORS
from gori.kernels.loops.system import (
    balance,
    close,
    correct,
    factor_mass,
    largest,
    place_all,
    remember,
    sharpness,
    solve,
    split,
    stands,
)
from gori.kernels.tree.columns import P_PJ
from tests.checks import close as same
from tests.integrate.closed_machines import rockers, slider_crank
from tests.kernels.loops.closed import case, dense_jacobian
from tests.kernels.loops.test_cuts import placed
from tests.plain import plain
from tests.reference import dynamics as dyn
from tests.reference import loops


def test_largest_keeps_what_is_not_finite():
    assert largest.py_func(np.array([1.0, -3.0, 2.0])) == 3.0 and largest.py_func(np.zeros(0)) == 0.0
    assert largest.py_func(np.array([1.0, -np.inf])) == np.inf
    assert math.isnan(largest.py_func(np.array([1.0, np.nan])))


@pytest.mark.parametrize("seed", range(3))
def test_forces_less_what_accelerations_need(seed):
    made = placed(seed)
    a, out = np.random.default_rng(seed).normal(size=len(made.v)), np.empty(len(made.v))
    none = np.zeros(0)
    assert plain(balance)(made.machine, made.data, 0.0, made.q, made.v, none, none, a, out) == OK
    same(out, -dyn.rnea(loops.open_tree(made.spec), made.q, made.v, a), 1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_the_solution_is_that_of_the_reference(seed):
    """Accelerations and multipliers: eps is made good by the second solve, from the first one's answer."""
    made = placed(seed)
    machine, data, m, nv = made.machine, made.data, made.m, len(made.v)
    tau = np.random.default_rng(seed).normal(size=nv)
    expected, _ = loops.constrained(made.spec, made.q, made.v, tau)
    plain(factor_mass)(machine, data, m)
    bias = dyn.rnea(loops.open_tree(made.spec), made.q, made.v, np.zeros(nv))
    gamma = loops.gamma(made.spec, made.q, made.v)[made.kept]
    x, lam = np.zeros(nv), np.zeros(len(made.kept))
    for _ in range(3):
        plain(solve)(machine, m, tau - bias, gamma, lam, m.state.eps_mass, m.state.extra_inertia, x)
    same(x, expected, 1e-9)
    same(dense_jacobian(made) @ x, -gamma, 1e-9)
    assert m.head[0].mass_factors == 1 and 0.0 < m.head[0].pivot <= 1.0


def test_a_correction_is_the_smallest_as_the_masses_measure_it():
    made = placed(1)
    machine, data, m, nv = made.machine, made.data, made.m, len(made.v)
    plain(factor_mass)(machine, data, m)
    before = m.head[0].corrections
    g, x = np.random.default_rng(0).normal(size=len(made.kept)), np.empty(nv)
    plain(correct)(machine, m, g, x)
    J, M = dense_jacobian(made), dyn.crba(loops.open_tree(made.spec), made.q) + np.diag(m.state.extra_inertia)
    same(J @ x, -g, 1e-4)
    same(loops.null_space(J).T @ M @ x, np.zeros(nv - loops.rank(J)), 1e-9)
    assert m.head[0].corrections == before + 1


@pytest.mark.parametrize("make", [rockers, slider_crank])
@pytest.mark.parametrize("anew", [False, True])
def test_a_state_off_the_loops_is_moved_onto_them(make, anew):
    made = case(make())
    q = dyn.integrate(loops.open_tree(made.spec), made.q, 0.02 * np.cos(np.arange(len(made.v))))
    v = made.v + 0.1
    assert np.abs(loops.residual(made.spec, q)).max() > 1e-4
    off = np.abs(loops.jacobian(made.spec, q) @ v).max()
    assert plain(close)(made.machine, made.data, made.m, 0.0, q, v, anew)
    assert np.abs(loops.residual(made.spec, q)).max() < 1e-9
    assert np.abs(loops.jacobian(made.spec, q) @ v).max() < (1e-9 if anew else 1e-6 * off)  # five corrections at most
    assert plain(stands)(made.m, q, v) and made.m.work.standing[0] == (WITH_FACTORS if anew else JUST_PLACED)


def test_what_cannot_be_closed():
    """Feet farther apart than the bars are long."""
    made = case(rockers())
    far = made.machine.body_f.copy()
    foot = far[:, P_PJ] == 1.0
    assert foot.sum() == 1
    far[foot, P_PJ] = 5.0
    machine = made.machine.replace(body_f=far)
    assert not plain(close)(machine, made.data, made.m, 0.0, made.q.copy(), made.v.copy(), False)


def test_which_state_bodies_stand_at():
    made = case(rockers())
    q, v, m = made.q, made.v, made.m
    remember.py_func(m, q, v, WITH_FACTORS)
    assert stands.py_func(m, q, v)
    assert not stands.py_func(m, q + 1e-16 * (q == 0.0) + 1e-15, v) and not stands.py_func(m, q, -v)
    m.work.standing[0] = 0.0
    assert not stands.py_func(m, q, v)


def test_tolerances_are_sharper_near_singular_poses():
    m = case(rockers()).m
    head = m.head[0]
    for factors, pivot, share in ((1, 0.5, 1.0), (1, 1e-3, 1e-3), (0, 1e-3, 1.0)):
        head.mass_factors, head.pivot = factors, pivot
        assert sharpness.py_func(m) == share


def test_a_state_is_split():
    made = case(slider_crank())
    y = np.arange(len(made.q) + len(made.v) + 2.0)
    q, v, z = split.py_func(made.machine, made.data, y)
    assert (len(q), len(v), len(z)) == (len(made.q), len(made.v), 2) and v[0] == len(q) and z[-1] == y[-1]
    plain(place_all)(made.machine, made.data, made.m, 0.0, made.q, made.v)
    plain(fill_jacobian)(made.machine, made.m.work, made.v, made.data.values, made.data.body_w, made.data.dof_w)
    same(made.m.work.gap, np.zeros(len(made.kept)), 1e-9)
