"""Forces of resting contacts, against their conditions."""

import numpy as np
import pytest

from gori.kernels.codes import CONTACT_JAMMED, OK
from gori.kernels.impacts.hold import slide, solve_held, solve_one, stick
from gori.kernels.impacts.memory import HELD
from tests.plain import plain, rows

RNG = np.random.default_rng(3)


def solved(W, b, mu):
    count = len(b) // 3
    held = HELD.zeros(count)
    held["friction"] = mu
    f = np.zeros(len(b))
    return plain(solve_held)(W, b, rows(held), count, f), f


@pytest.mark.parametrize("count", [1, 2, 4])
def test_conditions(count):
    for _ in range(5):
        J = RNG.normal(size=(3 * count, 3 * count + 2)) * np.tile([1.0, 0.6, 0.6], count)[:, None]
        W, b = J @ J.T, RNG.normal(size=3 * count)
        code, f = solved(W, b, 0.3)
        if code != OK:
            continue
        a = b + W @ f
        assert (f[::3] >= 0.0).all() and a[::3].min() > -1e-6
        np.testing.assert_allclose(f[::3] * a[::3], 0.0, atol=1e-6)
        for i in range(0, 3 * count, 3):
            push, slip = f[i + 1 : i + 3], a[i + 1 : i + 3]
            assert np.hypot(*push) <= 0.3 * f[i] * (1.0 + 1e-9)
            np.testing.assert_allclose(0.3 * f[i] * slip, -push * np.hypot(*slip), atol=1e-5)


def test_a_block_on_four_points():
    # normal forces alone, redundant: they carry the weight
    points = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]], float)
    J = np.zeros((12, 3))
    J[::3] = np.column_stack([np.ones(4), points])
    code, f = solved(J @ J.T, J @ [-9.81, 0.0, 0.0], 0.0)
    assert code == OK and f[::3].sum() == pytest.approx(9.81) and abs(points.T @ f[::3]).max() < 1e-9


def test_where_nothing_moves_along_a_tangent():
    W = np.diag([1.0, 3.5, 0.0])
    fn, fs, ft = plain(stick)(W, 0, -9.81, 1.0, 0.0)
    np.testing.assert_allclose([fn, fs, ft], [9.81, -1.0 / 3.5, 0.0], rtol=1e-8)
    assert plain(solve_one)(W, 0, 1.0, 0.0, 0.0, 0.5, np.zeros(3)) == (True, 0.0, 0.0, 0.0)


def test_jam():
    # pressing accelerates the sliding point inwards: it cannot slide on, and jams
    W = np.array([[1.0, 2.9, 0.0], [2.9, 10.0, 0.0], [0.0, 0.0, 1.0]])
    there, *_ = plain(slide)(W, 0, -1.0, 100.0, 0.0, 0.5, np.array([1.0, -0.5, 0.0]))
    assert not there
    code, f = solved(W, np.array([-1.0, 3.0, 0.0]), 0.35)
    assert code == OK
    np.testing.assert_allclose(W @ f, [1.0, -3.0, 0.0], atol=1e-9)
    # a mobility that no machine has, not positive definite: forces grow without end, and that is said
    both = np.kron(np.array([[1.0, -1.5], [-1.5, 1.0]]), W)
    with np.errstate(over="ignore", invalid="ignore"):
        assert solved(both, np.tile([-1.0, 3.0, 0.0], 2), 0.35)[0] == CONTACT_JAMMED
