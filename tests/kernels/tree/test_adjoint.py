"""x' tau of inverse dynamics by q, v and the numbers of body_f, in plain Python, against differences."""

import numpy as np
import pytest

from gori.kernels.tree import columns as col
from gori.kernels.tree.adjoint import (
    N_SUMS,
    gather_sums,
    inertial_cotangents,
    momenta,
    motions_of,
    place_cotangents,
    without_gravity,
)
from gori.kernels.tree.derivatives import N_BODY_D, N_DOF_D, motion, rigid_terms
from gori.kernels.tree.inverse_mass import axes_at_root
from gori.kernels.tree.kinematics import place, rates
from gori.kernels.tree.rnea import add_armature, inertia_forces, propagate_forces
from tests.checks import close
from tests.kernels.tree.trees import case
from tests.plain import plain

D = 1e-6
INERTIAL = [col.MASS, *range(col.COM, col.COM + 3), *range(col.INERTIA, col.INERTIA + 6), col.ARMATURE]


def torques(made, body_f, q, v, a) -> np.ndarray:
    (body_i, _), (body_w, dof_w), tau = made.tables, made.work, np.zeros(len(v))
    plain(place)(body_i, body_f, q, body_w, dof_w)
    plain(rates)(body_i, v, body_w, dof_w)
    plain(inertia_forces)(body_i, body_f, a, body_w, dof_w)
    plain(propagate_forces)(body_i, tau, body_w, dof_w)
    plain(add_armature)(body_i, body_f, a, tau)
    return tau


def gathered(made, body_f, q, v, a, x, at_rest=False):
    """by_q, by_v and by body_f."""
    body_i, (body_w, dof_w), nv = made.tables[0], made.work, len(v)
    body_d, body_t, dof_d = (
        np.zeros((len(body_i), N_BODY_D)),
        np.zeros((len(body_i), N_SUMS)),
        np.zeros((nv, N_DOF_D)),
    )
    by_q, by_v, by_table = np.zeros(nv), np.zeros(nv), np.zeros(body_f.shape)
    plain(place)(body_i, body_f, q, body_w, dof_w)
    plain(axes_at_root)(body_i, body_w, dof_w, body_d, dof_d)
    plain(motion)(body_i, body_f, v, a, body_d, dof_d)
    if at_rest:
        plain(without_gravity)(body_i, body_f, body_d, dof_d)
    plain(motions_of)(body_i, x, body_t, dof_d)
    plain(rigid_terms)(body_i, body_f, body_w, body_d)
    plain(momenta)(body_i, body_d, body_t)
    plain(inertial_cotangents)(body_i, body_f, body_w, body_d, body_t, x, a, by_table)
    plain(gather_sums)(body_i, body_d, body_t, dof_d, by_q, by_v)
    plain(place_cotangents)(body_i, body_f, body_w, body_d, body_t, by_table)
    return -by_q, -by_v, -by_table


def difference(f):
    return (f(D) - f(-D)) / (2.0 * D)


@pytest.mark.parametrize("seed", range(3))
def test_against_differences(seed):
    made, rng = case(seed), np.random.default_rng(seed)
    model, q, v, a = made.model, made.state["q"], made.state["v"], made.state["a"]
    body_f, x = made.tables[1].copy(), rng.normal(size=made.model.nv)
    made.work[1][:] = 0.0
    by_q, by_v, by_table = gathered(made, body_f, q, v, a, x)
    for k, e in enumerate(np.eye(model.nv)):
        close(by_q[k], difference(lambda d, e=e: x @ torques(made, body_f, model.integrate(q, d * e), v, a)), 1e-7)
        close(by_v[k], difference(lambda d, e=e: x @ torques(made, body_f, q, v + d * e, a)), 1e-7)

    def changed(row, column):
        def value(d):
            table = body_f.copy()
            table[row, column] += d
            return x @ torques(made, table, q, v, a)

        return difference(value)

    for row in range(1, len(body_f)):
        for column in [*INERTIAL, *range(col.P_PJ, col.P_PJ + 3)]:
            close(by_table[row, column], changed(row, column), 1e-6)
    for k in range(3):
        close(by_table[0, col.GRAVITY + k], changed(0, col.GRAVITY + k), 1e-6)


def test_rotations_of_joints():
    made, rng = case(1), np.random.default_rng(1)
    q, v, a = made.state["q"], made.state["v"], made.state["a"]
    body_f, x = made.tables[1].copy(), rng.normal(size=made.model.nv)
    made.work[1][:] = 0.0
    by_table = gathered(made, body_f, q, v, a, x)[2]
    for row in range(1, len(body_f)):
        turn = np.cross(np.eye(3), rng.normal(size=3))
        R = body_f[row, :9].reshape(3, 3)

        def value(d, row=row, turn=turn, R=R):
            table, W = body_f.copy(), d * turn
            table[row, :9] = ((np.eye(3) + W + 0.5 * W @ W) @ R).ravel()
            return x @ torques(made, table, q, v, a)

        close(by_table[row, :9] @ (turn @ R).ravel(), difference(value), 1e-6)


def test_the_mass_matrix_alone():
    """Without velocities and gravity: x' M a."""
    made, rng = case(2), np.random.default_rng(2)
    model, q, a, rest = made.model, made.state["q"], made.state["a"], np.zeros(made.model.nv)
    body_f, x = made.tables[1].copy(), rng.normal(size=made.model.nv)
    made.work[1][:] = 0.0
    by_q, by_v, _ = gathered(made, body_f, q, rest, a, x, at_rest=True)
    free = body_f.copy()
    free[0, col.GRAVITY : col.GRAVITY + 3] = 0.0
    for k, e in enumerate(np.eye(model.nv)):
        close(by_q[k], difference(lambda d, e=e: x @ torques(made, free, model.integrate(q, d * e), rest, a)), 1e-7)
    assert np.abs(by_v).max() < 1e-12
