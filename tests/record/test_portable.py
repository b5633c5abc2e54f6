"""What can go to another process."""

import pickle

import numpy as np

from gori.record.portable import AddedChannels, KeptChannel, can_be_pickled


def add(recording, *_):
    pass


def test_what_can_be_pickled():
    assert can_be_pickled(add) and can_be_pickled(np.zeros(3)) and not can_be_pickled(lambda: 0)


def test_arguments_that_cannot_are_left_behind():
    group = AddedChannels(add, (5, lambda: 0), ("a",))
    assert group.portable() == AddedChannels(add, (5, None), ("a",))


def test_numbers_in_place_of_a_function():
    kept = pickle.loads(pickle.dumps(KeptChannel(np.arange(3.0))))
    assert np.array_equal(kept("recording", "name"), [0.0, 1.0, 2.0])
