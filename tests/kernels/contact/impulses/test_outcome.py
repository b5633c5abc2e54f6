"""What impulses did: ways of points that stick, and of those that slide."""

import numpy as np
import pytest

from gori.kernels.contact.impulses.outcome import contact_work, elastic, note_forces, within
from gori.kernels.contact.impulses.starts import SHARE
from gori.kernels.contact.memory import HEAD, POINT, ROWS
from tests.plain import Plain, plain, rows

H, SOFT, FRICTION = 1e-2, 1e-3, 0.5


def one_point(impulse):
    """A point over the floor, of a body with three velocities along its directions."""
    point, row, head = POINT.zeros(1), ROWS.zeros(1), HEAD.zeros(1)
    point["normal"], head["points"] = [0, 0, 1], 1
    row["tangent_1"], row["tangent_2"], row["impulse"] = [1, 0, 0], [0, 1, 0], impulse
    row["friction"], row["soft_tangent"], row["count"] = FRICTION, SOFT, 1
    return Plain(
        head=rows(head), point=rows(point), rows=rows(row), turns=rows(ROWS.zeros(0)), w=np.eye(3, 8)[None],
        block=np.zeros(1, int),
    )  # fmt: skip


def three(*speeds):
    """Velocities of the solver: one block, of which three are there."""
    return np.array([*speeds, 0.0, 0.0, 0.0, 0.0, 0.0])


def test_a_way_is_no_longer_than_its_limit():
    assert plain(within)(3.0, 4.0, 5.0) == (3.0, 4.0)
    assert plain(within)(6.0, 8.0, 5.0) == pytest.approx((3.0, 4.0))
    assert plain(elastic)(SOFT, 2.0, H) == SOFT * 2.0 * H / SHARE


def test_a_point_that_sticks_keeps_its_way():
    memory = one_point([1.0, 0.3, 0.0])
    plain(note_forces)(memory, three(0.0, 1e-4, -2e-4), H)
    np.testing.assert_allclose(memory.point[0].slip, [1e-6, -2e-6, 0.0], rtol=1e-12)
    np.testing.assert_allclose(memory.point[0].force, [30.0, 0.0, 100.0], rtol=1e-12)


def test_a_point_that_slides_keeps_the_way_of_its_friction():
    """So one that stops at the limit of friction stands there at once: with the drift that belongs to this way, its
    friction is mu p_n at no speed.
    """
    memory = one_point([1.0, -0.5, 0.0])
    plain(note_forces)(memory, three(0.0, 2.0, 0.0), H)
    slip = memory.point[0].slip[0]
    assert slip == pytest.approx(SOFT * FRICTION * 1.0 * H / SHARE)
    assert SHARE / H * slip == pytest.approx(SOFT * FRICTION * 1.0)  # drift + soft p = 0, p = -mu p_n


def test_a_point_without_load_forgets():
    memory = one_point([0.0, 0.0, 0.0])
    memory.point[0].slip[:] = 1e-6
    plain(note_forces)(memory, np.zeros(8), H)
    assert not memory.point[0].slip.any()


def test_work_of_an_impulse():
    """A body of 1 kg that comes with 2 m/s and is stopped loses 2 J."""
    memory = one_point([2.0, 0.0, 0.0])
    assert plain(contact_work)(memory, three(-2.0, 0.0, 0.0), np.zeros(8)) == pytest.approx(-2.0)
    assert memory.head[0].work == pytest.approx(-2.0)
