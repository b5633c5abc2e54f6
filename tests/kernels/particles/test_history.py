"""The history of contacts: kept from old neighbour lists, found again in new ones."""

from types import SimpleNamespace

import numpy as np

from gori.kernels.particles import columns as c
from gori.kernels.particles import history
from gori.kernels.particles.arrays import ACROSS, CLASSES, PROGRESS
from tests.plain import plain, rows

COLUMNS = 4
PAIRS = [(0, 1), (0, 2), (1, 2), (2, 3)]
"""one chunk of four particles; the last pair is of a class whose partner keeps a slot of its own"""
TOUCHING = 0b1101


def arrays(space=8):
    progress = PROGRESS.zeros(1)
    progress["rows"] = progress["count"] = 4
    begin, end = np.full((1, CLASSES), 3), np.full((1, CLASSES), 3)
    begin[0, 0], begin[0, ACROSS], end[0, ACROSS] = 0, 3, 4
    owner, other = np.array(PAIRS).T
    return SimpleNamespace(
        progress=rows(progress), class_begin=begin, class_end=end, owner=owner, other=other, order=np.arange(4),
        touching=np.array([TOUCHING], np.uint8), history=np.random.default_rng(0).normal(size=(COLUMNS, 8)),
        kept=np.full(space, -1), kept_history=np.zeros((space, COLUMNS)), kept_begin=np.zeros(4, int),
        kept_end=np.zeros(4, int),
    )  # fmt: skip


def kept(g, i):
    return {int(g.kept[a]): g.kept_history[a] for a in range(g.kept_begin[i], g.kept_end[i])}


def test_touching_contacts_are_kept_for_both_particles():
    g = arrays()
    assert plain(history.keep_contacts)(g, 0) == c.OK
    assert [sorted(kept(g, i)) for i in range(4)] == [[1], [0, 2], [1, 3], []]  # 0 and 2 do not touch
    assert np.array_equal(kept(g, 0)[1], g.history[:, 0]) and np.array_equal(kept(g, 1)[0], -g.history[:, 0])
    assert np.array_equal(kept(g, 2)[3], g.history[:, 3])


def test_too_many_contacts_are_told():
    assert plain(history.keep_contacts)(arrays(space=3), 0) == c.TOUCH_FULL


def test_a_new_slot_recalls_what_touched_before_in_its_own_sense():
    g = arrays()
    plain(history.keep_contacts)(g, 0)
    before = g.history.copy()
    g.history[:], g.touching[:] = 0.0, 0
    g.order = np.array([2, 1, 0, 3])  # particles are sorted anew: row 0 holds what was row 2
    plain(history.recall)(g, 5, 0, 1)  # old pair (2, 1), that was kept as (1, 2)
    plain(history.recall)(g, 6, 0, 2)  # old pair (2, 0), that did not touch
    assert g.touching[0] == 1 << 5
    assert np.array_equal(g.history[:, 5], -before[:, 2]) and not g.history[:, 6].any()


def test_touching_walls_are_kept_in_order():
    progress = PROGRESS.zeros(1)
    progress["rows"] = progress["count"] = 2
    g = SimpleNamespace(
        progress=rows(progress), wall_begin=np.array([0, 3]), wall_end=np.array([3, 5]), wall=np.array([7, 8, 9, 7, 8]),
        wall_touching=np.array([1, 0, 1, 0, 1]), wall_history=np.arange(20.0).reshape(5, 4), kept_wall=np.zeros(5, int),
        kept_wall_history=np.zeros((5, 4)), kept_wall_begin=np.zeros(2, int), kept_wall_end=np.zeros(2, int),
    )  # fmt: skip
    plain(history.keep_walls)(g, 0)
    assert [g.kept_wall[a:b].tolist() for a, b in zip(g.kept_wall_begin, g.kept_wall_end, strict=True)] == [[7, 9], [8]]
    assert np.array_equal(g.kept_wall_history[:3], g.wall_history[[0, 2, 4]])
