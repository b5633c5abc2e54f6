"""Sums over episodes."""

import numpy as np

import gori
from gori.learn.arrays import Arrays
from gori.learn.sums import Sums
from tests.learn.machines import cart_pole


def test_sums_of_episodes():
    sums = Sums(Arrays(gori.batch(cart_pole(), 2)), ["a", "b"])
    one, two = np.array([1.0, 2.0]), np.array([10.0, 20.0])
    for _ in range(3):
        sums.add({"a": one, "b": two}, one + two)
    sums.begin(np.array([True, False]))
    sums.add({"a": one, "b": two}, one + two)
    done = np.array([False, True])
    info = sums.info(np.array([1, 4]), done)
    assert info["return"].tolist() == [11.0, 88.0] and info["rewards"]["a"].tolist() == [1.0, 8.0]
    assert info["rewards"]["_b"] is done and info["_return"] is done and info["length"].tolist() == [1, 4]
