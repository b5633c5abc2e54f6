"""Streams of random numbers: known answers of Philox, and what a machine draws depends on itself alone."""

import numpy as np
import pytest

import gori
from gori.learn.arrays import Arrays
from gori.learn.random import Streams, philox, seeds_of
from tests.learn.machines import cart_pole

ANSWERS = [  # counter, key and result, of the authors' tests of philox4x32-10
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def streams(count: int, seed: int = 5) -> Streams:
    made = Streams(Arrays(gori.batch(cart_pole(), count)))
    everyone = np.ones(count, bool)
    made.seed(seeds_of(seed, count), everyone)
    made.begin(everyone)
    return made


@pytest.mark.parametrize(("counter", "key", "answer"), ANSWERS)
def test_philox_gives_known_answers(counter, key, answer):
    words = philox(tuple(np.array([c]) for c in counter), tuple(np.array([k]) for k in key))
    assert [int(word[0]) for word in words] == list(answer)


def test_numbers_depend_on_the_machine_alone():
    few, many = streams(3), streams(40)
    assert np.array_equal(few.uniform("a", 5), many.uniform("a", 5)[:3])
    assert np.array_equal(many.uniform("a", 5)[7], streams(1, 12).uniform("a", 5)[0])  # machine 7 has seed 5 + 7
    assert np.array_equal(many.uniform("a", 7)[:, :5], many.uniform("a", 5))
    chosen = np.arange(40) % 3 == 0
    assert np.array_equal(many.uniform("a", 5, chosen)[chosen], many.uniform("a", 5)[chosen])
    assert not np.array_equal(many.uniform("a", 5), many.uniform("b", 5))


def test_each_episode_and_step_draws_anew():
    made = streams(4)
    first = made.uniform("a", 3)
    assert np.array_equal(made.uniform("a", 3), first)
    made.advance()
    second = made.uniform("a", 3)
    made.begin(np.array([True, False, False, True]))
    third = made.uniform("a", 3)
    assert made.steps.tolist() == [0, 1, 1, 0] and made.episodes.tolist() == [1, 0, 0, 1]
    assert np.array_equal(third[1:3], second[1:3])
    assert len({*first.ravel(), *second.ravel(), *third[[0, 3]].ravel()}) == 12 + 12 + 6


def test_distribution():
    drawn = streams(4000).uniform("a", 25)
    assert drawn.min() >= 0.0 and drawn.max() < 1.0
    assert abs(drawn.mean() - 0.5) < 5 / np.sqrt(12 * drawn.size) and abs(drawn.var() - 1 / 12) < 2e-3
    assert abs(np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1]) < 0.08
    chosen = streams(4000).choice("b", 3)
    assert np.bincount(chosen, minlength=3) == pytest.approx([4000 / 3] * 3, rel=0.1)
    between = streams(100).between("c", np.array([-1.0, 2.0]), np.array([1.0, 2.0]))
    assert (between[:, 1] == 2.0).all() and between[:, 0].min() < -0.8 and between[:, 0].max() > 0.8


def test_seeds():
    assert seeds_of(7, 3).tolist() == [7, 8, 9] and seeds_of([4, 4, 1], 3).tolist() == [4, 4, 1]
