"""Newton's method for impulses, against one contact after the other."""

import numpy as np
import pytest

from gori.kernels.contact.impulses.newton import (
    MOST_REST,
    NEWTON_STEPS,
    STUCK,
    UNYIELDING,
    may_try,
    note_outcome,
    of_axis,
    of_point,
    of_turn,
    solve_by_newton,
)
from gori.kernels.contact.memory import ROWS
from tests.plain import Plain, plain, rows
from tests.reference.impulses import bounded, compliant

SOFT = 1e-3


def row_of(**values):
    start = {
        "over_normal": 1.0,
        "over_largest": 1.0,
        "soft_normal": 0.1,
        "soft_tangent": 0.2,
        "least": 0.3,
        "load": 2.0,
    }
    start |= {"drift": np.array([0.1, -0.2, 0.3]), "friction": 0.5, "torsion": 0.25, "last": np.zeros(3)}
    return Plain(**start | values)


@pytest.mark.parametrize("law, speeds", [
    (of_point, (-0.8, -0.2, 0.3)),  # sticks
    (of_point, (-0.8, -2.0, 1.0)),  # slides
    (of_point, (0.5, -2.0, 1.0)),  # is apart, and friction is bound by the load of the step before
    (of_turn, (-0.3, -0.15, 0.22)),
    (of_turn, (1.0, -2.0, 1.0)),
])  # fmt: skip
def test_stiffness_is_the_derivative_of_impulses(law, speeds):
    """Normal, and 11, 12, 22 of the tangents, by differences."""
    row, (_, _, _, dn, ss, st, tt) = row_of(), plain(law)(row_of(), *speeds)
    unit = 1e-6 * np.eye(3)
    found = [
        (np.array(plain(law)(row, *(speeds - one))[:3]) - plain(law)(row, *(speeds + one))[:3]) / 2e-6 for one in unit
    ]
    np.testing.assert_allclose(found, [[dn, 0, 0], [0, ss, st], [0, st, tt]], atol=1e-6)


def test_impulses_at_given_speeds():
    n, s, t, *_ = plain(of_point)(row_of(), -0.8, -0.2, 0.3)
    np.testing.assert_allclose([n, s, t], [0.5 / 0.1, 0.1 / 0.2, -0.1 / 0.2])
    n, s, t, *_ = plain(of_point)(row_of(), -0.8, -2.0, 1.0)
    np.testing.assert_allclose([s, t], np.array([1.9, -0.8]) / np.hypot(1.9, 0.8))  # 0.5 of a load of 2
    n, _, _, *_ = plain(of_point)(row_of(soft_normal=0.0, last=np.array([3.0, 0, 0])), -0.3, 0.0, 0.0)
    assert n == 3.0  # what is hard keeps its impulse where it has the speed that is asked for
    assert plain(of_point)(row_of(over_normal=0.0), -0.8, 0.0, 0.0)[0] == 0.0  # nothing moves
    axis = Plain(mobility=2.0, last=0.1, bound=0.5)
    assert plain(of_axis)(axis, 1.0) == (-0.5, 0.0)
    np.testing.assert_allclose(plain(of_axis)(axis, 1e-8), (0.1 - 1e-8 / (2 * UNYIELDING), 1.0 / (2 * UNYIELDING)))
    assert plain(of_axis)(Plain(mobility=0.0), 1.0) == (0.0, 0.0)


def memory_of(J, blocks, friction, rng):
    """Points with rows J (n, 3, 8 count), each of two blocks, and room for the Hessian."""
    count, n = J.shape[2] // 8, len(J)
    table = ROWS.zeros(n)
    table["at"] = table["to"] = 2 * np.arange(n)
    table["count"] = table["to_count"] = 2
    W = J @ J.transpose(0, 2, 1)
    largest = np.linalg.eigvalsh(W[:, 1:, 1:])[:, -1]
    table["soft_normal"], table["soft_tangent"] = SOFT * W[:, 0, 0], SOFT * largest
    table["over_normal"], table["over_largest"] = 1 / (1 + SOFT) / W[:, 0, 0], 1 / (1 + SOFT) / largest
    table["friction"], table["least"] = friction, rng.uniform(0.0, 0.1, n)
    table["drift"] = rng.uniform(-0.1, 0.1, (n, 3))
    w = np.concatenate([J[k].reshape(3, count, 8)[:, pair].transpose(1, 0, 2) for k, pair in enumerate(blocks)])
    size = count * (count + 1) // 2
    return Plain(
        head=[Plain(points=n, newton=0, rest=0, resting=0)], rows=rows(table), turns=np.zeros(0), axes=np.zeros(0),
        w=w, block=np.concatenate(blocks), hessian=np.zeros((size, 8, 8)), filled=np.zeros((count, count), np.int64),
        corner=np.zeros((count, 8, 8)), turned=np.zeros((count, 8, 8)), direction=np.zeros(8 * count),
    ), table  # fmt: skip


def wedged(rng):
    """Three bodies, one of them light, and five points between them, of which some stick, slide, or are apart."""
    blocks = [np.array(pair) for pair in ((0, 1), (0, 1), (1, 2), (1, 2), (0, 2))]
    J = np.zeros((5, 3, 24))
    for k, pair in enumerate(blocks):
        for b in pair:
            J[k, :, 8 * b : 8 * b + 6] = rng.normal(size=(3, 6)) * (10.0 if b == 1 else 1.0)  # one is light
    return J, *memory_of(J, blocks, 0.3, rng), rng.normal(size=24)


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_impulses_are_those_of_one_after_the_other(seed):
    J, memory, table, free = wedged(np.random.default_rng(seed))
    expected, x = compliant(
        J, free, table["soft_normal"], table["soft_tangent"], table["least"], table["drift"][:, :2], table["friction"]
    )
    found = free.copy()
    plain(solve_by_newton)(memory, free, found, 1e-9)
    p = np.array([row.impulse for row in memory.rows])
    assert 0 < memory.head[0].newton <= 16 and (p[:, 0] > 0.0).any()
    np.testing.assert_allclose(p, expected, atol=1e-6 * np.abs(expected).max())
    np.testing.assert_allclose(found, x, atol=1e-6)


def test_what_is_not_found_stays():
    """Here limits of friction and impulses chase each other."""
    _, memory, _, free = wedged(np.random.default_rng(4))
    for row in memory.rows:
        row.impulse[:] = 0.1, 0.0, 0.0
    plain(solve_by_newton)(memory, free, free.copy(), 1e-9)
    assert STUCK < memory.head[0].newton < NEWTON_STEPS and memory.head[0].resting == 1
    np.testing.assert_array_equal([row.impulse for row in memory.rows], [[0.1, 0.0, 0.0]] * 5)


def test_axes_with_friction():
    """Two axes of one block whose friction is bound, one of them at its bound."""
    w = np.array([[1.0, 0.5, 0, 0, 0, 0, 0, 0], [0.0, 2.0, 0, 0, 0, 0, 0, 0]])
    free, bound = np.array([0.3, -4.0, 0, 0, 0, 0, 0, 0]), [1.0, 0.5]
    axes = [
        Plain(along=1, at=k, count=1, impulse=0.0, bound=bound[k], mobility=w[k] @ w[k], rate=0.0) for k in range(2)
    ]
    memory = Plain(
        head=[Plain(points=0, newton=0, rest=0, resting=0)], rows=[], turns=np.zeros(0), axes=np.array(axes),
        axis_w=w, axis_block=np.zeros(2, int), hessian=np.zeros((1, 8, 8)), filled=np.zeros((1, 1), np.int64),
        corner=np.zeros((1, 8, 8)), turned=np.zeros((1, 8, 8)), direction=np.zeros(8),
    )  # fmt: skip
    plain(solve_by_newton)(memory, free, free.copy(), 1e-6)
    expected = bounded(w @ w.T, w @ free, bound)
    assert abs(expected[1]) == 0.5
    np.testing.assert_allclose([axis.impulse for axis in axes], expected, atol=1e-5)


def test_it_rests_longer_each_time_it_does_not_arrive():
    head = Plain(rest=0, resting=0)
    memory, tried = Plain(head=[head], filled=np.zeros((1, 1))), []
    for solve in range(200):
        if plain(may_try)(memory):
            tried.append(solve)
            plain(note_outcome)(head, False)
    assert tried == [0, 2, 6, 14, 30, 62, 126, 191] and head.rest == MOST_REST
    plain(note_outcome)(head, True)
    assert plain(may_try)(memory) and not plain(may_try)(Plain(head=[head], filled=np.zeros((0, 0))))
