"""Phi, J, J v and gamma of cuts, and products with J, against the reference."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gori.kernels.loops.cuts import (
    climb,
    cut_accelerations,
    fill_jacobian,
    jacobian_times,
    slide,
    subtract_transposed,
    turned,
)
from gori.kernels.loops.system import balance, place_all
from gori.kernels.loops.tables import CUT
from gori.kernels.tree.columns import ARM, N_BODY_I, N_BODY_W, PARENT, R_WB
from tests.checks import close
from tests.integrate.closed_machines import rockers
from tests.kernels.loops.closed import case, dense_jacobian
from tests.plain import plain, rows
from tests.reference import loops
from tests.reference.random_loops import random_closed


def placed(seed, n_mimic=0):
    """A random machine with bodies, cuts and J at its state."""
    made = case(*random_closed(np.random.default_rng(seed), n_mimic=n_mimic))
    plain(place_all)(made.machine, made.data, made.m, 0.0, made.q, made.v)
    data = made.data
    plain(fill_jacobian)(made.machine, made.m.work, made.v, data.values, data.body_w, data.dof_w)
    return made


@pytest.mark.parametrize("seed", range(5))
def test_products_with_the_jacobian(seed):
    made = placed(seed, n_mimic=seed % 2)
    rng, J, work = np.random.default_rng(seed), dense_jacobian(made), made.m.work
    x, lam, out = rng.normal(size=len(made.v)), rng.normal(size=len(made.kept)), np.empty(len(made.kept))
    plain(jacobian_times)(made.machine, work, x, out)
    close(out, J @ x, 1e-12)
    force = np.ones(len(made.v))
    plain(subtract_transposed)(made.machine, work, lam, force)
    close(force, 1.0 - J.T @ lam, 1e-12)
    plain(slide)(made.machine, work, x, made.data.values, made.data.body_w, made.data.dof_w)
    close(work.slip, J @ x, 1e-12)
    close(work.gap, loops.residual(made.spec, made.q)[made.kept], 1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_accelerations_of_the_cuts(seed):
    """J a + gamma for given accelerations, gamma itself for none."""
    made = placed(seed, n_mimic=1)
    machine, data, J = made.machine, made.data, dense_jacobian(made)
    expected = loops.gamma(made.spec, made.q, made.v)[made.kept]
    for a in (np.zeros(len(made.v)), np.random.default_rng(seed).normal(size=len(made.v))):
        plain(balance)(machine, data, 0.0, made.q, made.v, np.zeros(0), np.zeros(0), a, np.empty(len(a)))
        out = np.empty(len(made.kept))
        plain(cut_accelerations)(machine, made.m.work, a, data.values, data.body_w, out)
        close(out, J @ a + expected, 1e-11)


@pytest.mark.parametrize("angle", [0.0, 0.3, 2.0, 3.0, math.pi - 1e-7, math.pi])
def test_twice_the_vector_part_of_a_quaternion(angle):
    """2 sin(angle/2) along the axis, for all axes, up to half a turn, where its sign is not determined."""
    rng = np.random.default_rng(1)
    cut, body_w = rows(CUT.zeros(1))[0], np.zeros((2, N_BODY_W))
    cut.row_b = 1
    for axis in [*np.eye(3), *rng.normal(size=(9, 3))]:
        axis = axis / np.linalg.norm(axis)
        A, B = Rotation.random(random_state=rng), Rotation.from_rotvec(angle * axis)
        cut.R_A[:] = cut.R_B[:] = np.eye(3).ravel()
        body_w[0, R_WB : R_WB + 9], body_w[1, R_WB : R_WB + 9] = A.as_matrix().ravel(), (A * B).as_matrix().ravel()
        found = np.array([plain(turned)(cut, k, body_w) for k in range(3)])
        expected = 2.0 * math.sin(0.5 * angle) * axis
        close(found if angle < 3.14 or found @ expected > 0.0 else -found, expected, 1e-7)


def test_points_are_taken_from_where_the_ways_meet():
    body_i, body_w = np.zeros((4, N_BODY_I), np.int64), np.zeros((4, N_BODY_W))
    body_i[:, PARENT] = [0, 0, 1, 2]
    body_w[:, ARM] = [0.0, 1e9, 2.0, 3.0]
    assert plain(climb)(body_i, body_w, 3, 1, 0.5, 0.0, 1.0) == (5.5, 0.0, 1.0)
    assert plain(climb)(body_i, body_w, 1, 1, 0.5, 0.0, 1.0) == (0.5, 0.0, 1.0)


def test_a_motion_takes_off_its_own_velocity_and_acceleration():
    """A driven axis: gap q - s, slip v - s', J a + gamma = a - s''."""
    made = case(rockers(speed=2.0, driven=True).set("motions.drive", {"joint": "A", "value": "1+2*t+3*t**2"}))
    machine, data, work = made.machine, made.data, made.m.work
    t, a = 0.5, np.array([7.0, 0.0, 0.0])
    plain(place_all)(machine, data, made.m, t, made.q, made.v)
    plain(fill_jacobian)(machine, work, made.v, data.values, data.body_w, data.dof_w)
    plain(balance)(machine, data, t, made.q, made.v, np.zeros(0), np.zeros(0), a, np.empty(3))
    plain(cut_accelerations)(machine, work, a, data.values, data.body_w, work.gamma)
    assert work.gap[-1] == pytest.approx(made.q[0] - 2.75) and work.slip[-1] == pytest.approx(made.v[0] - 5.0)
    assert work.gamma[-1] == pytest.approx(7.0 - 6.0)
