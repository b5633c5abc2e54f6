"""Impulses of unilateral contact with Coulomb friction."""

import numpy as np

import gori
from gori.integrate import TimeStepping
from gori.kernels.contact.impulses.cone import against_slip, stick_or_slip
from tests.integrate.test_time_stepping import BLOCK, STILL, at, scene
from tests.plain import Plain, plain


def row_of(normal, p=(0.0, 0.0)):
    return Plain(
        tangential=np.array([2.0, 0.5, 1.0]), impulse=np.array([normal, *p]), friction=0.5, soft_tangent=0.0,
        drift=np.zeros(2), over_largest=1.0 / (1.5 + np.hypot(0.5, 0.5)),
    )  # fmt: skip


def test_a_point_sticks_if_friction_is_enough():
    W, u = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([0.3, -0.2])
    np.testing.assert_allclose(plain(stick_or_slip)(row_of(10.0), 5.0, *u), -np.linalg.solve(W, u))


def test_a_point_slides_against_its_speed():
    """Where nothing changes any more, the impulse is at its limit and opposite to the speed."""
    W, free, p = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([3.0, -2.0]), np.zeros(2)
    for _ in range(500):
        p = np.array(plain(stick_or_slip)(row_of(1.0, p), 0.5, *(free + W @ p)))
    u = free + W @ p
    assert np.linalg.norm(p) == 0.5 or abs(np.linalg.norm(p) - 0.5) < 1e-12
    np.testing.assert_allclose(p / 0.5, -u / np.linalg.norm(u), atol=1e-9)


def test_a_slip_that_nothing_changes_is_opposed():
    np.testing.assert_allclose(plain(against_slip)(2.0, 3.0, -4.0), (-1.2, 1.6))
    assert plain(against_slip)(2.0, 0.0, 0.0) == (0.0, 0.0)


def test_the_law_holds_at_every_point_of_a_heap():
    boxes = {f"box_{k}": (BLOCK, at(x=0.05 * (k % 2), z=0.06 + 0.11 * k, turn=0.3 * k), STILL) for k in range(5)}
    simulation = gori.Simulation(gori.compile(scene(friction=0.4, **boxes)), TimeStepping(1e-3, 1e-9, 2000))
    for _ in range(40):
        simulation.step(10)
        memory = simulation.stepper.data.contact_memory
        rows = memory.rows[: int(memory.head["points"][0])]
        n, t = rows["impulse"][:, 0], np.linalg.norm(rows["impulse"][:, 1:], axis=1)
        assert (n >= 0.0).all() and (t <= 0.4 * n * (1.0 + 1e-9)).all()
    assert 400 <= memory.head["solves"][0] <= 800 and memory.head["work"][0] < 0.0
