"""The stages of a step and its error, against the twin in NumPy."""

import numpy as np
import pytest

from gori.integrate import Radau5
from gori.integrate.radau.stages import (
    along_axes,
    estimate_error,
    evaluate_stages,
    has_matrix,
    improve,
    prepare,
    solve_stages,
    start,
    tolerances,
)
from gori.kernels.accelerations import q_rate
from gori.kernels.codes import NO_CONVERGENCE, OK, USER_ERROR
from tests.checks import close
from tests.integrate.radau.steps import PRECISE, begun, random_step, sprung, sticking
from tests.integrate.steps import bundle, slider
from tests.plain import plain
from tests.reference import radau

H = 0.001
CASES = {
    "tree": lambda way: random_step(2, way, types=("revolute", "prismatic")),
    "all joints": lambda way: random_step(3, way),
    "friction": sticking,
    "stiff": lambda way: sprung(way, 1e10),
}


@pytest.mark.parametrize("on_axes", [True, False], ids=["in O(n)", "with a matrix"])
@pytest.mark.parametrize("case", CASES)
def test_stages(case, on_axes):
    made, f = CASES[case](on_axes)
    assert plain(has_matrix)(made.memory) != on_axes
    assert plain(prepare)(*made[:3], 0.0, H, made.y) == OK
    assert plain(solve_stages)(*made[:3], 0.0, H, made.y) == OK
    Z, twin = made.memory.work.Z, radau.stages(f, 0.0, H, made.y)
    close(Z[:, :-1], twin[:, :-1], 1e-9)
    close(Z[:, -1], twin[:, -1], 1e-7)  # the work is one iteration behind
    assert 1 <= made.memory.step[0].iterations <= 7


@pytest.mark.parametrize("on_axes", [True, False], ids=["in O(n)", "with a matrix"])
@pytest.mark.parametrize("case", CASES)
def test_errors(case, on_axes):
    """Without a matrix, gravity and centrifugal forces are left out of one term: it is still the same estimate."""
    made, f = CASES[case](on_axes)
    assert plain(prepare)(*made[:3], 0.0, H, made.y) == OK
    assert plain(solve_stages)(*made[:3], 0.0, H, made.y) == OK
    size = plain(estimate_error)(*made[:3], 0.0, H, made.y, False)
    expected = radau.error(f, 0.0, H, made.y, made.memory.work.Z)
    found, expected = made.memory.work.error[:-1], expected[:-1]  # without the work
    close(found / np.abs(expected).max(), expected / np.abs(expected).max(), 0.05)
    assert size > 0.0


def test_the_error_is_looked_at_again_where_it_seems_too_large():
    made, _ = sprung(True, 1e10)
    plain(prepare)(*made[:3], 0.0, H, made.y)
    plain(solve_stages)(*made[:3], 0.0, H, made.y)
    first = plain(estimate_error)(*made[:3], 0.0, H, made.y, False)
    second = plain(estimate_error)(*made[:3], 0.0, H, made.y, True)
    assert 1.0 < second < 0.5 * first


def test_the_next_step_starts_from_the_polynomial_of_the_last():
    """Of a motion that is a polynomial of degree 3 the start is the solution."""
    model = slider(forces={"push": {"type": "force", "joint": "rail", "value": "6*t"}})
    made = bundle(model, PRECISE, on_axes=True)
    begun(made)
    memory, h = made.memory, 0.2
    assert plain(prepare)(*made[:3], 0.0, h, made.y) == OK
    assert plain(solve_stages)(*made[:3], 0.0, h, made.y) == OK
    memory.state.last[:] = memory.work.Z
    memory.head[0].known, memory.head[0].last_step = 1, h
    made.y[:] += memory.work.Z[2]
    plain(start)(*made[:3], 0.5 * h, made.y)
    times = h + 0.5 * h * radau.NODES
    close((memory.work.Z + made.y)[:, :2], np.array([times**3, 3.0 * times**2]).T, 1e-13)
    assert plain(evaluate_stages)(*made[:3], h, 0.5 * h, made.y) == OK
    plain(prepare)(*made[:3], h, 0.5 * h, made.y)
    assert plain(improve)(*made[:3], 0.5 * h, made.y) < 1e-5


def test_stages_that_cannot_be_found():
    """A force that grows faster than any step can follow; and one of the user that fails."""
    made = bundle(slider(v=1.0), PRECISE, user=lambda t, q, v, tau: tau.fill(1e6 * v[0] ** 9) or 0)
    begun(made)
    assert plain(prepare)(*made[:3], 0.0, 1.0, made.y) == OK
    with np.errstate(all="ignore"):
        assert plain(solve_stages)(*made[:3], 0.0, 1.0, made.y) == NO_CONVERGENCE
    assert 0.0 < made.memory.step[0].slow < 1.0
    made = bundle(slider(v=1.0), PRECISE, user=lambda *_: 1)
    assert plain(solve_stages)(*made[:3], 0.0, 1.0, made.y) == USER_ERROR


@pytest.mark.parametrize("seed", range(3))
def test_velocities_along_the_axes(seed):
    """The inverse of `q_rate`, for quaternions of any length too."""
    made, _ = random_step(seed, False, floating=seed == 2)
    body_i, nv = made.machine.body_i, made.data.tau.shape[0]
    q, v = 1.1 * made.y[: -nv - 1], made.y[-nv - 1 : -1]
    rate, found = np.empty(len(q)), np.empty(nv)
    plain(q_rate)(body_i, q, v, rate)
    plain(along_axes)(body_i, q, rate, found)
    close(found, v, 1e-13)


def test_tolerances_follow_the_order_of_the_estimate():
    """The estimate is of O(h^4), the error of a run of O(h^5); they can be loosened for one step."""
    loose, tight = (bundle(slider(), Radau5(rtol=tol, atol=0.1 * tol)).memory for tol in (1e-3, 1e-6))
    ratio = plain(tolerances)(loose)[0] / plain(tolerances)(tight)[0]
    assert ratio == pytest.approx(1e3**0.8)
    assert plain(tolerances)(loose)[1] == pytest.approx(0.1 * plain(tolerances)(loose)[0])
    before = plain(tolerances)(tight)[0]
    tight.head[0].loosened = 1e3
    assert plain(tolerances)(tight)[0] == pytest.approx(1e3 * before)
