"""Forces of resting contacts, against their conditions."""

import numpy as np
import pytest

from gori.kernels.codes import CONTACT_JAMMED, CONTACT_UNSOLVED, OK
from gori.kernels.impacts.hold import slide, solve_held, solve_one, stick
from gori.kernels.impacts.memory import rest_memory
from tests.plain import plain, records
from tests.reference.resting import amiss, by_projection

RNG = np.random.default_rng(3)


def solved(W, b, mu, rate=0.0, speed=None):
    count = len(b) // 3
    rest = records(rest_memory(pairs=np.zeros((1, 2), np.int64)))
    rest.mobility[: len(b), : len(b)], rest.free[: len(b)] = W, b
    rest.held["friction"][:count] = mu
    rest.head["rate"], rest.speed[: len(b)] = rate, 0.0 if speed is None else speed
    return plain(solve_held)(rest, count), rest.force[: len(b)]


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


@pytest.mark.parametrize("slip", [1e-5, 1e-3, 1e-1])
def test_a_box_that_slides_to_rest_on_four_points(slip):
    # one point more than it needs, so that forces are not unique; turning and sliding at different speeds
    half, J = np.array([0.1, 0.075, 0.05]), []
    for x, y in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        cross = np.cross(np.eye(3), half * [x, y, -1])  # rows: w -> w x r
        J.append(np.hstack([cross.T, np.eye(3)])[[2, 0, 1]])
    J = np.vstack(J)
    moments = (np.sum(half**2) - half**2) / 3.0
    W = J / np.concatenate([moments, np.ones(3)]) @ J.T
    b = J @ [0, 0, 300.0 * slip, 1.5 + 1000.0 * slip, 2e2 * slip, -9.6] * 1.0
    code, f = solved(W, b, 0.4)
    assert code == OK and (f[::3] >= 0.0).all() and f[::3].sum() == pytest.approx(9.6, rel=1e-9)
    a = b + W @ f
    for i in range(0, 12, 3):
        push, speed = f[i + 1 : i + 3], a[i + 1 : i + 3]
        assert np.hypot(*push) <= 0.4 * f[i] * (1.0 + 1e-9)
        np.testing.assert_allclose(0.4 * f[i] * speed, -push * np.hypot(*speed), atol=1e-8 * np.abs(b).max())


@pytest.mark.parametrize("ratio", [1.0, 100.0, 1e4])
def test_a_heavy_box_on_a_light_one(ratio):
    # eight points: the lower four carry both, the upper four the heavy one; sweeps alone need thousands
    half, J = np.array([0.1, 0.1, 0.05]), []
    for lower in (True, False):
        for x, y in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            down, up = (np.hstack([np.cross(np.eye(3), half * [x, y, z]).T, np.eye(3)])[[2, 0, 1]] for z in (-1, 1))
            J.append(np.hstack([down, 0 * down]) if lower else np.hstack([-up, down]))
    J = np.vstack(J)
    moments = (np.sum(half**2) - half**2) / 3.0
    light = np.concatenate([moments, np.ones(3)])
    W = J / np.concatenate([light, ratio * light]) @ J.T
    code, f = solved(W, J @ np.tile([0, 0, 0, 0, 0, -9.81], 2), 0.5)
    assert code == OK and (f[::3] >= 0.0).all()
    assert f[:12:3].sum() == pytest.approx(9.81 * (1.0 + ratio)) and f[12::3].sum() == pytest.approx(9.81 * ratio)


def test_where_nothing_moves_along_a_tangent():
    W = np.diag([1.0, 3.5, 0.0])
    fn, fs, ft = plain(stick)(W, 0, -9.81, 1.0, 0.0)
    np.testing.assert_allclose([fn, fs, ft], [9.81, -1.0 / 3.5, 0.0], rtol=1e-8)
    assert plain(solve_one)(W, 0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 1e3, np.zeros(3)) == (True, 0.0, 0.0, 0.0)


def test_jam():
    # pressing accelerates the sliding point inwards: it cannot slide on, and jams
    W = np.array([[1.0, 2.9, 0.0], [2.9, 10.0, 0.0], [0.0, 0.0, 1.0]])
    there, *_ = plain(slide)(W, 0, -1.0, 100.0, 0.0, 0.0, 0.0, 0.5, np.array([1.0, -0.5, 0.0]))
    assert not there
    code, f = solved(W, np.array([-1.0, 3.0, 0.0]), 0.35)
    assert code == OK
    np.testing.assert_allclose(W @ f, [1.0, -3.0, 0.0], atol=1e-9)
    # mobilities that no machine has, not positive definite. Sweeps diverge: there are forces with slip on both points
    against = np.array([[1.0, -1.5], [-1.5, 1.0]])
    both, b = np.kron(against, W), np.tile([-1.0, 3.0, 0.0], 2)
    with np.errstate(over="ignore", invalid="ignore"):
        code, f = solved(both, b, 0.35)
    assert code == OK and amiss(both, b, 0.35, f) < 1e-8
    np.testing.assert_allclose(f, np.tile([400 / 3, -140 / 3, 0.0], 2), rtol=1e-9, atol=1e-9)
    # each pushes the other down by more than it lifts itself: there are no forces, and that is said
    with np.errstate(over="ignore", invalid="ignore"):
        code, _ = solved(np.kron(against, np.eye(3)), np.tile([-1.0, 0.0, 0.0], 2), 0.35)
    assert code in (CONTACT_JAMMED, CONTACT_UNSOLVED)


def test_fast_slip_is_opposed_along_itself_and_slow_slip_sticks():
    # the free acceleration is across the slip: at 1 m/s it must not turn the force, at 0.1 mm/s the point sticks
    W, mu, rate = np.diag([1.0, 3.5, 3.5]), 0.3, 1000.0
    forces = {}
    for slip in (1.0, 1e-1, 1.5e-2, 1e-4):
        speed = np.array([0.0, slip, 0.0])
        b = np.array([-9.81, 0.0, 2.0]) + rate * speed
        code, forces[slip] = solved(W, b, mu, rate, speed)
        assert code == OK and forces[slip][0] == pytest.approx(9.81)
    np.testing.assert_allclose(forces[1.0][1:], [-0.3 * 9.81, 0.0], atol=1e-12)
    np.testing.assert_allclose(forces[1e-1][1:], [-0.3 * 9.81, 0.0], atol=1e-12)
    assert np.hypot(*forces[1.5e-2][1:]) == pytest.approx(0.3 * 9.81) and forces[1.5e-2][2] < 0.0
    np.testing.assert_allclose(W @ forces[1e-4] + [0.0, 0.1, 2.0], [9.81, 0.0, 0.0], atol=1e-9)


def legs(points, half):
    """Rows of J of points of one free body, normal first."""
    return np.vstack(
        [np.hstack([np.cross(np.eye(3), half * p).T, np.eye(3)])[[2, 0, 1]] for p in np.asarray(points, float)]
    )


def settling(seed, count):
    """A box on two or four of its points, whose slip is about to end; forces are not unique."""
    rng = np.random.default_rng(seed)
    half = rng.uniform(0.04, 0.15, 3)
    corners = [[1, 1, -1], [1, -1, -1], [-1, 1, -1], [-1, -1, -1]][:count]
    J = legs(corners, half)
    W = J / np.concatenate([(half @ half - half**2) / 3.0, np.ones(3)]) @ J.T
    pull = np.concatenate([rng.normal(size=3) * 0.3, rng.normal(size=2) * 3.9, [-9.81]])
    return W, J @ pull


@pytest.mark.parametrize("count", [2, 4])
def test_boxes_about_to_stick(count):
    """Near the limit of friction, where sweeps creep: against the conditions, and projections by the textbook."""
    for seed in range(12):
        W, b = settling(seed, count)
        code, f = solved(W, b, 0.4)
        assert code == OK and amiss(W, b, 0.4, f) < 1e-5 * np.abs(b).max()
        if seed < 2:
            other = by_projection(W, b, 0.4, 4000)
            np.testing.assert_allclose(b + W @ f, b + W @ other, atol=2e-3 * np.abs(b).max())


def test_two_points_that_jam():
    """A body between the floor and a heavy one, at 0.771: forces are those of points that both stick."""
    upper = [
        [29.31079, -16.38716, -4.844128, -12.58452, -14.92741, 2.378855],
        [28.83345, -8.402427, 6.357578, 3.149718, -3.792496],
        [54.77415, -4.608857, -7.584164, 5.438897],
        [11.33974, 2.307239, 0.582155],
        [20.56929, -3.015932],
        [31.97792],
    ]  # fmt: skip
    W = np.zeros((6, 6))
    for i, row in enumerate(upper):
        W[i, i:] = W[i:, i] = row
    b, speed = np.array([128.9134, 170.0053, 155.0792, -469.3059, -2215.447, 105.9543]), np.zeros(6)
    speed[[1, 2, 4, 5]] = [6.924477e-05, -3.635743e-05, -2.187684, 0.1342247]
    code, f = solved(W, b, 0.7711432, 1000, speed)
    assert code == OK and amiss(W, b, 0.7711432, f) < 1e-6 * np.abs(b).max()
    np.testing.assert_allclose(b + W @ f, 0.0, atol=1e-6 * np.abs(b).max())
