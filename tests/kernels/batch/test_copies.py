"""Copies between the memory of all machines and the image of one, on the host."""

import numba
import numpy as np
import pytest

from gori.kernels.batch.copies import ROW, choose_set, place_of, put_image, put_numbers, take_image
from gori.kernels.batch.members import TILE

COUNT, WORDS = 40, 3  # more than a tile of machines


@numba.njit
def put_all(table, arrays, mask, machines, threads):
    for t in range(machines):
        for thread in range(threads):
            put_image(table, arrays, mask, machines, t, thread, threads)


@numba.njit
def put_numbers_of_all(table, numbers, values, sets, mask, machines):
    for t in range(machines):
        put_numbers(table, numbers, values, sets, mask, t)


@numba.njit
def choose_all(sets, given, many, mask, machines):
    for t in range(machines):
        choose_set(sets, given, many, mask, t)


@numba.njit
def take(table, arrays, machines, t, thread, threads):
    take_image(table, arrays, machines, t, thread, threads)


@numba.njit
def place(row, i, t):
    return place_of(row, i, t)


@pytest.fixture
def memory():
    """Side by side (words, machines), apart (machines, words), an image of both, and the table of them."""
    rng = np.random.default_rng(0)
    side, apart, image = rng.random((WORDS, COUNT)), rng.random((COUNT, WORDS + 1)), rng.random(2 * WORDS + 1)
    first = image.ctypes.data
    near, far = apart.strides[0], side.strides[0]
    table = [
        (side.ctypes.data, first, WORDS, TILE * 8, 8, far),
        (apart.ctypes.data, first + 8 * WORDS, WORDS + 1, TILE * near, near, 8),
    ]
    return side, apart, image, np.array(table, np.int64)


@pytest.mark.parametrize("threads", [1, 2, 100])
def test_image_goes_to_the_machines_of_the_mask(memory, threads):
    side, apart, image, table = memory
    before, mask = (side.copy(), apart.copy()), np.zeros(COUNT, np.uint8)
    mask[[2, 36]] = 1
    put_all(table.ctypes.data, 2, mask.ctypes.data, COUNT, threads)
    for t in range(COUNT):
        expected = (image[:WORDS], image[WORDS:]) if mask[t] else (before[0][:, t], before[1][t])
        assert np.array_equal(side[:, t], expected[0]) and np.array_equal(apart[t], expected[1])


@pytest.mark.parametrize("threads", [1, 2, 100])
def test_image_is_taken_by_many_threads(memory, threads):
    side, apart, image, table = memory
    before = image.copy()
    for thread in range(threads):
        assert thread > 0 or np.array_equal(image, before)
        take(table.ctypes.data, 2, COUNT, 4, thread, threads)
    assert np.array_equal(image[:WORDS], side[:, 4]) and np.array_equal(image[WORDS:], apart[4])


def test_one_array_alone(memory):
    side, _, image, table = memory
    before = image.copy()
    take(table.ctypes.data, 1, COUNT, 0, 0, 1)
    assert np.array_equal(image[:WORDS], side[:, 0]) and np.array_equal(image[WORDS:], before[WORDS:])


def test_places(memory):
    side, apart, _, table = memory
    row = table.ctypes.data
    assert place(row, 2, 5) == side.ctypes.data + side.strides[0] * 2 + side.strides[1] * 5
    assert place(row + 8 * ROW, 2, 5) == apart.ctypes.data + apart.strides[0] * 5 + apart.strides[1] * 2


def test_numbers_of_their_own(memory):
    side, apart, _, _ = memory
    before, values = (side.copy(), apart.copy()), np.arange(2.0 * COUNT).reshape(2, COUNT)
    sets, of_sets = np.arange(COUNT)[::-1].copy(), values[:, ::-1].T.copy()  # machine t has set COUNT - 1 - t
    table = np.array(
        [(side[1].ctypes.data, 8 * TILE, 8), (apart[:, 3:].ctypes.data, apart.strides[0] * TILE, apart.strides[0])],
        np.int64,
    )
    mask = np.ones(COUNT, np.uint8)
    mask[3] = 0
    addresses = (array.ctypes.data for array in (of_sets, sets, mask))
    put_numbers_of_all(table.ctypes.data, 2, *addresses, COUNT)
    chosen = mask == 1
    assert np.array_equal(side[1, chosen], values[0, chosen]) and np.array_equal(apart[chosen, 3], values[1, chosen])
    assert side[1, 3] == before[0][1, 3] and apart[3, 3] == before[1][3, 3]
    assert np.array_equal(side[[0, 2]], before[0][[0, 2]]) and np.array_equal(apart[:, :3], before[1][:, :3])


def test_tiles_of_machines():
    rng = np.random.default_rng(1)
    tiles, image = rng.random((2, 5, TILE)), np.zeros(WORDS)
    table = np.array([(tiles[0, 1:].ctypes.data, image.ctypes.data, WORDS, tiles[0].nbytes, 8, 8 * TILE)], np.int64)
    for t in (0, 31, 32, 39):
        take(table.ctypes.data, 1, COUNT, t, 0, 1)
        assert np.array_equal(image, tiles[t // TILE, 1 : 1 + WORDS, t % TILE])
    before, mask = tiles.copy(), (np.arange(COUNT) == 35).astype(np.uint8)
    image[:] = 1.0, 2.0, 3.0
    put_all(table.ctypes.data, 1, mask.ctypes.data, COUNT, 1)
    before[1, 1:4, 3] = image
    assert np.array_equal(tiles, before)


def test_sets_that_are_there_are_chosen():
    sets, given = np.array([4, 4, 4, 4, 4]), np.array([0, 1, 2, -1, 5])
    mask = np.array([1, 0, 1, 1, 1], np.uint8)
    choose_all(sets.ctypes.data, given.ctypes.data, 5, mask.ctypes.data, 5)
    assert sets.tolist() == [0, 4, 2, 4, 4]
