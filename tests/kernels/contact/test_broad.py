"""The broad phase against all pairs tried one by one."""

import math

import numpy as np
import pytest

from gori.kernels.contact.broad import broad_pairs, broad_work, is_excluded
from gori.kernels.contact.poses import shapes_in_world
from gori.kernels.contact.tables import PLANE
from tests.kernels.contact.tables import random_tables
from tests.kernels.contact.test_poses import moving_rows
from tests.plain import plain
from tests.reference import contact_pairs as twin


def placed(tables, body_w, reach=0.01):
    n = len(tables.shape)
    pose, box = np.empty((n, 12)), np.empty((n, 6))
    shapes_in_world(tables, body_w, reach, 0.0, pose, box)
    return pose, box


def found(tables, pose, box, room=20000):
    pair = np.full((room, 2), -1)
    count = broad_pairs(tables, pose, box, broad_work(len(box), room), pair)
    return pair[:count]


@pytest.mark.parametrize("seed", range(20))
def test_all_pairs_of_random_shapes(seed):
    rng = np.random.default_rng(seed)
    n, spread = int(rng.integers(2, 200)), [1.2, 10.0, 1e3, 1e5][seed % 4]
    tables = random_tables(rng, n, 60, planes=seed % 3, low=0.2 / spread, high=0.2)
    pose, box = placed(tables, moving_rows(rng, 60))
    R, p = pose[:, :9].reshape(-1, 3, 3), pose[:, 9:]
    assert np.array_equal(found(tables, pose, box), twin.pairs(tables, R, p, box))


def test_far_from_the_origin_and_both_sides_of_it():
    rng = np.random.default_rng(1)
    tables, rows = random_tables(rng, 100, 40, planes=0), moving_rows(rng, 40)
    at_origin = found(tables, *placed(tables, rows))
    assert len(at_origin) > 20
    for away in (-3e4, 3e4):
        moved = rows.copy()
        moved[:, 9:12] += away
        assert np.array_equal(found(tables, *placed(tables, moved)), at_origin)


def test_too_little_room_says_how_much_is_needed():
    rng = np.random.default_rng(2)
    tables, rows = random_tables(rng, 100, 40), moving_rows(rng, 40)
    pose, box = placed(tables, rows)
    pair = np.full((3, 2), -1)
    needed = broad_pairs(tables, pose, box, broad_work(100, 3), pair)
    assert needed == len(found(tables, pose, box)) > 3
    assert (pair == -1).all()


def test_order_does_not_depend_on_what_was_in_the_arrays():
    rng = np.random.default_rng(3)
    tables, work, pair = random_tables(rng, 80, 30), broad_work(80, 5000), np.full((5000, 2), 1)
    for _ in range(5):
        pose, box = placed(tables, moving_rows(rng, 30))
        count = broad_pairs(tables, pose, box, work, pair)
        assert np.array_equal(pair[:count], found(tables, pose, box))


def test_numbers_that_are_none_end_the_search():
    rng = np.random.default_rng(4)
    tables, rows = random_tables(rng, 50, 20), moving_rows(rng, 20)
    for bad in (math.nan, math.inf, 1e300):
        wrong = rows.copy()
        wrong[5, 9] = bad
        broken = np.flatnonzero(tables.shape["row"] == 5)
        pairs = found(tables, *placed(tables, wrong))
        right = [pair for pair in found(tables, *placed(tables, rows)).tolist() if not set(pair) & set(broken)]
        assert [pair for pair in pairs.tolist() if not set(pair) & set(broken)] == right


def test_a_plane_that_rests_skips_what_is_in_front_of_it():
    rng = np.random.default_rng(5)
    tables, rows = random_tables(rng, 40, 41, materials=1), moving_rows(rng, 41)
    shape = tables.shape
    shape["row"][1:], shape["position"], shape["rotation"][0] = np.arange(1, 40), 0.0, np.eye(3).ravel()
    rows[1:, 11] = np.linspace(-0.2, 20.0, 40)
    on_plane = [b for a, b in found(tables.replace(excluded=np.zeros(0, np.int64)), *placed(tables, rows)) if a == 0]
    assert shape["kind"][0] == PLANE and 0 < len(on_plane) < 5
    assert on_plane == list(range(1, len(on_plane) + 1))


def test_excluded_pairs_are_found_in_a_sorted_array():
    numbers = np.array([3, 7, 8, 20])
    held = [key for key in range(25) if plain(is_excluded)(numbers, key)]
    assert held == [3, 7, 8, 20] and not plain(is_excluded)(numbers[:0], 3)
