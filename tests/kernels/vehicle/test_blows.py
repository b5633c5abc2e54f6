"""Blows: what is due, the equations they are solved with, and that they leave a rim its gap and take energy."""

from types import SimpleNamespace

import numpy as np
import pytest

import gori
from gori.kernels.vehicle import blows as kernel
from gori.kernels.vehicle.state import CONTACT
from tests.kernels.vehicle.tyres import FIALA
from tests.plain import plain, rows


def test_the_most_pressing_of_each_kind_is_noted():
    contact = rows(CONTACT.zeros(1))[0]
    note = plain(kernel.note_gap)
    note(contact, 0, 0.1, 1.0, 0, 0, 1, 0, 0, -0.4)
    note(contact, 1, 0.1, -1.0, 1, 0, 0, 0.3, 0, 0)  # it goes away
    assert contact.haste[0] == pytest.approx(1.0 / (0.1 - kernel.RUBBER)) and contact.haste[1] == 0.0
    note(contact, 1, 0.2, 1.0, 1, 0, 0, 0.3, 0, 0)
    note(contact, 1, 0.1, 1.0, 0, 1, 0, 0, 0.3, 0)
    note(contact, 1, 0.3, 1.0, 1, 0, 0, 0.3, 0, 0)
    assert contact.gap[1] == pytest.approx(0.1 - kernel.RUBBER) and list(contact.gap_normal) == [0, 0, 1, 0, 1, 0]
    note(contact, 1, -0.1, 0.1, 1, 0, 0, 0.3, 0, 0)  # too near already: that is most pressing
    assert contact.gap[1] < 0.0


def test_steering_stops_on_both_sides():
    steer = SimpleNamespace(coordinate=1, dof=0, travel=0.05)
    for q, v, side in ((0.03, 2.0, 1.0), (-0.03, -2.0, -1.0)):
        gap, rate, found = plain(kernel.steering_gap)(steer, np.array([0.0, q]), np.array([v]))
        assert (gap, rate, found) == (pytest.approx(kernel.STOP * 0.05 - 0.03), 2.0, side)


@pytest.mark.parametrize("seed", range(5))
def test_elimination_against_numpy(seed):
    """Saddle-point equations, with a row that says the same as another: solutions agree where they are unique."""
    rng = np.random.default_rng(seed)
    n, m, k = 6, 3, 2
    M = rng.normal(size=(n, n))
    M = M @ M.T + n * np.eye(n)
    J = rng.normal(size=(m, n))
    J[2] = J[0] + J[1]
    A = np.zeros((n + m + k, n + m + k))
    A[:n, :n], A[n : n + m, :n], A[:n, n : n + m] = M, J, J.T
    G = rng.normal(size=(k, n))
    A[:n, n + m :] = G.T
    K, b = A[: n + m, : n + m].copy(), A[: n + m, n + m :].copy()
    plain(kernel.eliminate)(A, n + m)
    expected = np.linalg.lstsq(K, b, rcond=1e-10)[0]
    np.testing.assert_allclose(A[:n, n + m :], expected[:n], atol=1e-9)


@pytest.mark.parametrize("speed", [3.0, 10.0, 30.0])
@pytest.mark.parametrize("step", [1e-3, 2.5e-4])
def test_a_drop_that_no_tyre_can_take(speed, step):
    """A wheel with 400 kg on a slide: its rim comes down to the ground and no further, and energy goes one way."""
    tyre = FIALA.model_dump(exclude_unset=True) | {"rim_radius": 0.2}
    spec = gori.Spec(
        bodies={"hub": {"mass": 400.0, "inertia": [10.0, 10.0, 10.0]}},
        joints={
            "slide": {"type": "prismatic", "parent": "ground", "child": "hub", "axis": [0, 0, 1], "q": 0.6, "v": -speed}
        },
        wheels={"w": {"body": "hub", "inertia": 5.0, "tyre": tyre}},
        terrain={},
    )
    rec = gori.Simulation(gori.compile(spec), gori.Adams(step=step, order=2)).run(0.4, sample=step, progress=False)
    total = rec["energy.total"] + rec["w.elastic"]
    lowest, struck = rec["hub.z"].min(), rec["w.wall_load"].max() > 0.0
    assert struck == (speed > 5.0) and lowest > 0.2
    assert lowest < 0.2 + 2.0 * kernel.RUBBER or not struck, "it comes near, or this tests nothing"
    assert total.max() <= total[0] * (1.0 + 1e-3)
    assert rec["w.load"].min() >= 0.0
    # the work of a blow is in the books: without it, all of the energy would be missing
    assert np.abs(rec["energy.balance"]).max() < 0.05 * total[0]
