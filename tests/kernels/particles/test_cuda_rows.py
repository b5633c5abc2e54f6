"""Sorting on a GPU, piece by piece and by one thread of several: orders, rows, and histories that go on."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from gori.kernels.particles import cuda_rows as kernel
from gori.kernels.particles.cuda_flags import N_FLAGS, STOP, TOTAL
from tests.kernels.particles.device import on_host, settings


def by_threads(function, count, *arguments):
    """A piece of work by so many threads, one after the other."""
    for thread in range(count):
        on_host(function)(*arguments, thread, count)


@pytest.mark.parametrize("threads", [1, 3])
def test_cells_are_sorted_by_id(threads):
    rng = np.random.default_rng(1)
    ids, order = rng.permutation(20), rng.permutation(20)
    cells = np.array([0, 0, 5, 6, 6, 13, 20])
    expected = np.concatenate([sorted(order[a:b], key=lambda row: ids[row]) for a, b in pairwise(cells) if a < b])
    g = SimpleNamespace(cell_start=cells, order=order.copy())
    by_threads(kernel.sort_cells, threads, g, ids)
    assert np.array_equal(g.order, expected)


@pytest.mark.parametrize("threads", [1, 3])
def test_buckets_are_sorted_by_row(threads):
    bucket, start = np.random.default_rng(3).permutation(20), np.array([0, 0, 5, 6, 6, 13, 20])
    expected = np.concatenate([np.sort(bucket[a:b]) for a, b in pairwise(start)])
    g = SimpleNamespace(bucket_start=start, bucket=bucket.copy())
    by_threads(kernel.sort_buckets, threads, g)
    assert np.array_equal(g.bucket, expected)


@pytest.mark.parametrize("threads", [1, 3])
def test_rows_move_with_all_that_belongs_to_them(threads):
    n, rng = 7, np.random.default_rng(2)
    order, sphere = rng.permutation(n), rng.uniform(0.0, 0.5, (2, n, 4))
    motion, low = rng.normal(size=(2, n, 8)).astype(np.float32), rng.normal(size=(2, n, 4)).astype(np.float32)
    g = SimpleNamespace(
        settings=settings(count=n, per_unit=1e6), order=order, sphere=sphere.ravel().copy(),
        motion=motion.ravel().copy(), velocity_low=low.ravel().copy(), listed_position=np.zeros(4 * n),
        fixed_point=np.zeros(8 * n, np.int32), listed_point=np.full(4 * n, 9, np.int32),
        id=np.stack([np.arange(n) + 100, np.zeros(n, int)]), rank=np.zeros(n, int), cell_start=np.array([0, n]),
    )  # fmt: skip
    by_threads(kernel.move_rows, threads, g, 0, 0)
    assert np.array_equal(g.sphere.reshape(2, n, 4)[1], sphere[0, order])
    assert np.array_equal(g.motion.reshape(2, n, 8)[1], motion[0, order])
    assert np.array_equal(g.velocity_low.reshape(2, n, 4)[1], low[0, order])
    assert np.array_equal(g.listed_position.reshape(n, 4), sphere[0, order])
    assert np.array_equal(g.id[1], order + 100) and np.array_equal(order[g.rank], np.arange(n))
    units = np.floor(sphere[0, order, :3] * 1e6)
    assert np.array_equal(g.fixed_point.reshape(2, n, 4)[1, :, :3], units)
    assert np.array_equal(g.listed_point.reshape(n, 4)[:, :3], units) and not g.listed_point[3::4].any()
    assert np.array_equal(g.sphere[: 4 * n], sphere[0].ravel())  # the old ones are still there


def test_near_positions_have_true_differences():
    g = SimpleNamespace(settings=settings(unit=1e-9), sphere=np.array([0.0, 0.0, 0.0, 1e-3, 1.0, 1.0, 1.0, 1e-3]))
    is_near = on_host(kernel.is_near)
    assert is_near(g, 1, 1.0, 1.0, -1.1) and not is_near(g, 1, 1.0, 1.0, -1.2) and not is_near(g, 0, 0.0, 3.0, 0.0)


def test_histories_of_contacts_go_on():
    """Particle 0 touched rows 1 and 2 of before, which are rows 2 and 0 now; particle 1 of now was row 0."""
    n, slots, numbers = 3, 2, 4
    g = SimpleNamespace(
        settings=settings(count=n, history=numbers, neighbours=slots), order=np.array([2, 0, 1]),
        rank=np.array([1, 2, 0]), count=np.zeros(2 * n, np.int32), other=np.zeros(2 * slots * n + 8 * n, np.int32),
        history=np.zeros(2 * slots * n * numbers, np.float32),
    )  # fmt: skip
    plane = slots * n
    g.count[n] = 2  # lists 1 are those of before
    g.other[plane : plane + 2 * n : n] = [~1, 2]  # it touched the first alone
    g.history[numbers * plane : numbers * plane + 4] = [1.0, 2.0, 3.0, 4.0]
    g.other[1], g.other[1 + n] = 0, 2  # now it may touch rows 0 and 2
    on_host(kernel.keep_history)(g, 0, 1, 2)
    assert g.other[1] == 0 and g.other[1 + n] == ~2
    assert g.history[numbers * (1 + n) : numbers * (1 + n) + 4].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert np.count_nonzero(g.history[: numbers * plane]) == 4


def test_slots_of_walls():
    """Wall 5 was touched by row 1 of before, wall 6 was only near."""
    g = SimpleNamespace(
        order=np.array([1]), wall_at=np.zeros((2, 2, 2), np.int32), wall=np.zeros((2, 4), np.int32),
        wall_owner=np.zeros(4, np.int32), wall_history=np.zeros((2, 4, 4), np.float32), wall_wrench=np.ones((4, 6)),
    )  # fmt: skip
    g.wall_at[1, :, 1] = 1, 2
    g.wall[1, 1:3], g.wall_history[1, 1] = [~5, 6], 7.0
    put_wall = on_host(kernel.put_wall)
    assert put_wall(g, 0, 6, 0, 0, 0) == 0 and g.wall[0, 0] == 6
    assert put_wall(g, 0, 5, 0, 3, 2) == 4 and g.wall[0, 3] == ~5
    assert (g.wall_history[0, 3] == 7.0).all() and not g.wall_history[0, 0].any()
    assert not g.wall_wrench[[0, 3]].any() and g.wall_wrench[[1, 2]].all()


def test_wrenches_start_at_zero():
    g = SimpleNamespace(wrench=np.ones((3, 6)), primitive_wrench=np.ones((2, 5, 6)))
    by_threads(kernel.reset_wrenches, 4, g)
    assert not g.wrench.any() and not g.primitive_wrench.any()


def test_when_a_graph_is_over():
    g, over = SimpleNamespace(flags=np.zeros(N_FLAGS, np.int32)), on_host(kernel.over)
    g.flags[TOTAL] = 10
    assert not over(g, 9) and over(g, 10)
    g.flags[STOP] = 4  # after sub-step 3
    assert not over(g, 3) and over(g, 4)
    g.flags[STOP] = -1
    assert over(g, 0)
