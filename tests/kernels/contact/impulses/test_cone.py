"""Impulses of unilateral contact with Coulomb friction."""

import numpy as np
import pytest

import gori
from gori.integrate import TimeStepping
from gori.kernels.contact.impulses.cone import against_slip, has_settled, start_impulses, stick_or_slip
from tests.integrate.test_time_stepping import BLOCK, STILL, at, scene
from tests.plain import Plain, plain


def row_of(normal, p=(0.0, 0.0)):
    return Plain(
        inverse=np.array([1.0, -0.5, 2.0]) / 1.75, impulse=np.array([normal, *p]), friction=0.5, soft_tangent=0.0,
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


def test_velocities_have_settled_where_only_impulses_go_on():
    """One block, whose first number is the normal speed of a point; rolling and friction of axes there are none."""
    memory = Plain(
        rows=[Plain(at=0, count=1)], turns=np.zeros(0), axes=np.zeros(0), w=np.eye(3, 8)[None],
        block=np.zeros(1, int), x_last=np.zeros(8),
    )  # fmt: skip
    assert plain(has_settled)(memory, np.full(8, 1e-7), 1e-6, 1)
    memory.x_last[:] = 0.0
    assert not plain(has_settled)(memory, np.array([1e-7, -2e-6, 0, 0, 0, 0, 0, 0]), 1e-6, 1)


@pytest.mark.parametrize("normal", [2.0, 0.0, -0.5])
def test_velocities_hold_every_impulse(normal):
    """Also a pull, which mixing may leave: or impulses and velocities would no longer belong together."""
    row = Plain(to=0, to_count=1, impulse=np.array([normal, 0.3, -0.1]))
    memory = Plain(
        head=[Plain(points=1)], rows=[row], turns=np.zeros(0), axes=np.zeros(0), w=np.eye(3, 8)[None],
        block=np.zeros(1, int),
    )  # fmt: skip
    x = np.ones(8)
    plain(start_impulses)(memory, x)
    np.testing.assert_allclose(x[:4], [1.0 + normal, 1.3, 0.9, 1.0])


def test_the_law_holds_at_every_point_of_a_heap():
    boxes = {f"box_{k}": (BLOCK, at(x=0.05 * (k % 2), z=0.06 + 0.11 * k, turn=0.3 * k), STILL) for k in range(5)}
    simulation = gori.Simulation(gori.compile(scene(friction=0.4, **boxes)), TimeStepping(1e-3, 1e-9, 2000))
    for _ in range(40):
        simulation.step(10)
        memory = simulation.stepper.data.contact_memory
        rows = memory.rows[: int(memory.head["points"][0])]
        n, t = rows["impulse"][:, 0], np.linalg.norm(rows["impulse"][:, 1:], axis=1)
        assert (n >= 0.0).all() and (t <= 0.4 * n * (1.0 + 1e-9)).all()
        assert memory.head["work"][0] < 0.0
    assert simulation.report["impulses"]["unconverged"] == 0
