"""The share of a change of Newton's method that does not overshoot."""

import numpy as np
import pytest

from gori.integrate import ImplicitEuler
from gori.integrate.line_search import LOOSE, along_change, next_share, share_of_change
from gori.integrate.step_equations import residual
from gori.kernels.codes import OK, USER_ERROR
from tests.integrate.steps import bundle, slider
from tests.integrate.test_step_equations import begun
from tests.plain import plain


def wall(t, q, v, tau):
    """A stiff one-sided spring at q = 0: no force outside of it."""
    tau[0] += 1e6 * max(0.0, -q[0]) ** 1.5
    return 0


def test_a_change_that_overshoots_is_taken_by_a_share():
    """Out of contact at x, the change would lead far into the wall: g is negative there, and small where it ends."""
    made = bundle(slider(q=1e-3, v=-1.0), ImplicitEuler(0.01), user=wall)
    work = begun(made)
    work.base_velocity[0], work.base_increment[0] = -1.0, -0.01
    work.x[0], work.dx[0] = 200.0, 300.0  # q_end = 1e-3 - 0.01 + 1e-4 x
    assert plain(residual)(*made, work.x, work.x, work.residual) == OK
    start = along_change.py_func(work.dx, work.residual)
    code, share = plain(share_of_change)(*made)
    assert code == OK and 0.0 < share < 1.0 and start > 0.0
    trial = work.x - share * work.dx
    assert plain(residual)(*made, trial, trial, work.score) == OK
    assert abs(along_change.py_func(work.dx, work.score)) <= LOOSE * start


def test_a_change_that_does_not_overshoot_is_taken_whole():
    made = bundle(slider(q=1.0, stiffness=100.0), ImplicitEuler(0.01))
    work = begun(made)
    assert plain(residual)(*made, work.x, work.x, work.residual) == OK
    work.dx[0] = work.residual[0] / (1.0 + 0.01)
    assert plain(share_of_change)(*made) == (OK, 1.0)
    work.dx[0] *= -1.0  # up: nothing is known of where to stop
    assert plain(share_of_change)(*made) == (OK, 1.0)


def test_errors_of_forces_are_passed_on():
    made = bundle(slider(), ImplicitEuler(0.01), user=lambda t, q, v, tau: 1)
    work = begun(made)
    work.dx[0] = work.residual[0] = 1.0
    assert plain(share_of_change)(*made)[0] == USER_ERROR


def test_the_next_share_stays_inside():
    assert next_share.py_func(0.0, 1.0, 1.0, -1.0) == 0.5
    assert next_share.py_func(0.0, 1.0, 1.0, -1e9) == pytest.approx(0.1)
    assert next_share.py_func(0.2, 0.4, 1e9, -1.0) == pytest.approx(0.38)
    assert next_share.py_func(0.0, 0.5, 1.0, np.nan) == 0.25
