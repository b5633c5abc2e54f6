"""Contacts between particles, eight at a time: against the textbook twin, equal and opposite, and none left out."""

from types import SimpleNamespace

import numpy as np
import pytest

from gori.kernels.particles import columns as t
from gori.kernels.particles import contacts
from gori.kernels.particles.arrays import rows_of_chunk
from tests.plain import plain, rows
from tests.reference import particles as twin
from tests.sim.particles.heaps import CASES, ONE, RADIUS, STEP, bed_of, heap, pile, setup_of
from tests.sim.particles.poses import still


def put_row8(a, i, x):
    a[i] = x


def of_pairs(first, last, combine):
    """Columns of the rows of eight particles, combined with those of eight others."""
    return lambda a, i, j: tuple(combine(a[list(i), first:last], a[list(j), first:last]).T)


IN_NUMPY = {
    "math": SimpleNamespace(sqrt=np.sqrt),
    "where_less": lambda a, b, x, y: np.where(a < b, x, y),
    "larger": np.maximum,
    "smaller": np.minimum,
    "power": np.power,
    "spread": lambda x: np.full(8, x),
    "lanes_below": lambda x, limit: int(np.packbits(x < limit, bitorder="little")[0]),
    "transpose8": lambda x: tuple(np.array(x).T),
    "row8": lambda a, i: a[i].copy(),
    "put_row8": put_row8,
    "eight": lambda a, s: tuple(int(k) for k in a[s : s + 8]),
    "eight_of": lambda *numbers: np.array(numbers),
    "fetch4": lambda a, i: None,
    "fetch8": lambda a, i: None,
    "difference": of_pairs(0, 4, np.subtract),
    "relative_velocity": of_pairs(0, 4, np.subtract),
    "relative_spin": of_pairs(4, 8, np.subtract),
    "sum_of_spins": of_pairs(4, 8, np.add),
}
"""what compiled code does with eight numbers in a register, with arrays of eight"""


@pytest.mark.parametrize("case", CASES)
def test_forces_of_two_chunks(case):
    """After three sub-steps: loads and new histories of all contacts are those of the twin."""
    pairs, materials, law, rolling, spread = CASES[case]
    place, motion = heap(30, 1, spread, materials)
    bed = bed_of(setup_of(pairs, materials, law, (), rolling)._replace(gravity=np.zeros(3)), place, motion)
    assert bed.march(still(3), STEP) is None
    state = bed.state()
    book = twin.Grains(
        state.sphere, state.motion[:, 3], pairs, "hertz" if law == t.HERTZ else "voigt", v=state.motion[:, :3],
        w=state.motion[:, 4:7], material=state.motion[:, t.MATERIAL].astype(int),
    )  # fmt: skip
    full = [np.array([h[:3], h[4:7] if len(h) > 4 else np.zeros(3)]) for h in state.history]
    book.history = dict(zip(map(tuple, state.pairs.tolist()), full, strict=True))
    F, M = book.forces(STEP)
    assert len(book.history) > 15

    g, now = bed._g._replace(settings=rows(bed._g.settings), progress=rows(bed._g.progress)), int(bed._progress["now"])
    load = np.zeros((2, rows_of_chunk(30), 8))
    for chunk in range(2):
        assert not plain(contacts.pair_forces, IN_NUMPY)(g, g.sphere[now], g.motion[now], load[chunk], chunk, 2)
    load = load.reshape(-1, 8)
    order = np.argsort(g.id[int(bed._progress["ids"])])
    np.testing.assert_allclose(load[order, :3], F, rtol=0, atol=1e-11 * np.abs(F).max())
    np.testing.assert_allclose(load[order, 4:7], M, rtol=0, atol=1e-11 * np.abs(M).max())
    assert not load[:, [3, 7]].any() and np.abs(load.sum(axis=0)[:3]).max() < 1e-13 * np.abs(F).sum()


@pytest.mark.parametrize("spread", [0.0, 0.4])
def test_both_grains_of_a_pair_find_the_same(spread):
    """Pairs of two chunks are computed twice, and have the same history to the last bit, with the other sign."""
    bed = pile(2, spread=spread)
    bed.march(still(60), STEP)
    g, slots, rows = bed._g, bed._touching(), rows_of_chunk(6000)
    owner, other = g.owner[slots], g.other[slots]
    across = owner // rows != other // rows
    history = g.history.reshape(-1, 3, 8)[slots // 8, :, slots % 8]
    seen = {(i, j): h for i, j, h in zip(owner[across], other[across], history[across])}
    assert len(seen) > 200
    assert all(np.array_equal(h, -seen[j, i]) for (i, j), h in seen.items())
    assert np.abs(history[across]).max() > 0.0


def test_momentum_stays():
    """Without walls and gravity the sum of all momenta stays, to rounding: forces are equal and opposite."""
    place, motion = heap(3000, 3, 0.3)
    setup = setup_of(ONE, workers=2)._replace(gravity=np.zeros(3))
    bed = bed_of(setup, place, motion)
    assert bed.march(still(100), STEP) is None
    _, _, after = bed.snapshot()
    momentum = [(m[:, 3:4] * m[:, :3]).sum(axis=0) for m in (motion, after)]
    np.testing.assert_allclose(*momentum, rtol=0, atol=1e-14 * (motion[:, 3:4] * np.abs(motion[:, :3])).sum())


def test_gaps_that_cannot_close_may_be_skipped():
    """Pairs that nobody has moved far enough to touch are not looked at; to look at all of them changes no bit."""
    some, every = pile(1, 2000, skin=0.5 * RADIUS), pile(1, 2000, skin=0.5 * RADIUS)
    levels = set()
    for _ in range(300):
        assert some.march(still(1), STEP) is None
        levels.add(int(some._progress["level"]))
        every._progress["level"] = 2
        assert every.march(still(1), STEP) is None
    assert levels == {0, 1, 2} and some.counts() == every.counts()
    for a, b in zip(some.snapshot(), every.snapshot()):
        np.testing.assert_array_equal(a, b)
