"""Derivatives of equations of loops against differences along the loops; solutions with two Jacobians."""

import numpy as np
import pytest

import gori
from gori.kernels.loops.adjoint import (
    add_wrench6,
    crossed_force,
    cut_cotangents,
    solve_anew,
    solve_between,
    subtract_transposed_of,
    times_of,
)
from gori.kernels.loops.cuts import fill_jacobian
from gori.kernels.loops.system import factor_mass, place_all
from gori.kernels.tree.adjoint import N_SUMS, gather_sums, motions_of, no_inertia
from gori.kernels.tree.derivatives import N_BODY_D, N_DOF_D, motion
from gori.kernels.tree.inverse_mass import axes_at_root
from tests.checks import close
from tests.kernels.loops.closed import case, dense_jacobian
from tests.plain import plain
from tests.reference import loops
from tests.reference.random_loops import CUT_TYPES, random_closed
from tests.sim.batch.differences import D, on_loops


def derivatives(made, nu, kappa, a, x):
    """Of nu (J a + gamma) + kappa J x by q and v."""
    machine, data, nv = made.machine, made.data, len(made.v)
    plain(place_all)(machine, data, made.m, 0.0, made.q, made.v)
    plain(fill_jacobian)(machine, made.m.work, made.v, data.values, data.body_w, data.dof_w)
    rows = len(machine.body_i)
    body_d, body_t, dof_d = np.zeros((rows, N_BODY_D)), np.zeros((rows, N_SUMS)), np.zeros((nv, N_DOF_D))
    plain(axes_at_root)(machine.body_i, data.body_w, data.dof_w, body_d, dof_d)
    plain(motion)(machine.body_i, machine.body_f, made.v, a, body_d, dof_d)
    plain(motions_of)(machine.body_i, x, body_t, dof_d)
    plain(no_inertia)(machine.body_i, body_d, body_t)
    plain(cut_cotangents)(machine, made.m.work, nu, kappa, data.body_w, body_d, body_t)
    by_q, by_v = np.zeros((2, nv))
    plain(gather_sums)(machine.body_i, body_d, body_t, dof_d, by_q, by_v)
    return -by_q, -by_v


@pytest.mark.parametrize("kind", CUT_TYPES)
def test_along_the_loops(kind):
    rng = np.random.default_rng(0)
    made = case(*random_closed(rng, cut_types=(kind,), n_mimic=1))
    nu, kappa = rng.normal(size=(2, len(made.kept)))
    a, x = rng.normal(size=(2, len(made.v)))
    model = gori.compile(made.spec)
    by_q, by_v = derivatives(made, nu, kappa, a, x)
    J = loops.jacobian(made.spec, made.q)
    along = np.eye(len(a)) - np.linalg.pinv(J) @ J

    def value(q, v):
        J, gamma = loops.jacobian(made.spec, q)[made.kept], loops.gamma(made.spec, q, v)[made.kept]
        return nu @ (J @ a + gamma) + kappa @ J @ x

    for dq, dv in rng.normal(size=(3, 2, len(a))):
        up, down = (
            on_loops(model, made.spec, model.integrate(made.q, d * along @ dq), made.v + d * dv) for d in (D, -D)
        )
        step = model.difference(down[0], up[0]) / (2.0 * D), (up[1] - down[1]) / (2.0 * D)
        close(by_q @ step[0] + by_v @ step[1], (value(*up) - value(*down)) / (2.0 * D), 2e-7)


def test_solutions_with_two_jacobians():
    made = case(*random_closed(np.random.default_rng(3)))
    machine, data, m = made.machine, made.data, made.m
    plain(place_all)(machine, data, m, 0.0, made.q, made.v)
    plain(fill_jacobian)(machine, m.work, made.v, data.values, data.body_w, data.dof_w)
    plain(factor_mass)(machine, data, m)
    rng, nv, ne = np.random.default_rng(0), len(made.v), len(made.kept)
    J, M = dense_jacobian(made), np.asarray(gori.compile(made.spec).tree.mass_matrix(made.q))
    change = 1e-3 * rng.normal(size=len(m.work.jac))
    dJ = np.array([dense_times(machine, change, e, ne) for e in np.eye(nv)]).T
    of, x, lam, other, f = rng.normal(size=nv), np.empty(nv), np.empty(ne), np.empty(ne), np.empty(nv)
    plain(solve_anew)(machine, m, of, np.zeros(ne), lam, x)
    close(np.concatenate([M @ x + J.T @ lam - of, J @ x]), np.zeros(nv + ne), 1e-10)
    plain(solve_between)(machine, m, change, of, np.zeros(ne), x, lam, other, f)
    close(np.concatenate([M @ x + (J + dJ).T @ lam - of, J @ x]), np.zeros(nv + ne), 1e-9)


def dense_times(machine, jac, x, ne):
    out = np.empty(ne)
    plain(times_of)(machine, jac, x, out)
    back = np.zeros(len(x))
    plain(subtract_transposed_of)(machine, jac, out, back)
    close(-back @ x, out @ out, 1e-12)
    return out


def test_wrenches():
    rng = np.random.default_rng(0)
    w, v, r, f = rng.normal(size=3), rng.normal(size=3), rng.normal(size=3), rng.normal(size=6)
    table = np.zeros((1, 6))
    plain(add_wrench6)(table, 0, 0, r, 2.0, f)
    close(table[0], 2.0 * np.concatenate([f[:3] + np.cross(r, f[3:]), f[3:]]), 1e-14)
    expected = np.concatenate([np.cross(w, f[:3]) + np.cross(v, f[3:]), np.cross(w, f[3:])])
    close(plain(crossed_force)(w, v, f), expected, 1e-14)
