"""Ruts that stay, and what each page has got of them."""

import numpy as np

from gori.web.serve.ruts import KEPT_CHANGES, RutMap


def change(ruts, *cells, depth=0.1):
    ruts.change(np.array(cells, np.uint32), np.full(len(cells), depth, np.float32))


def test_each_page_gets_each_change_once():
    ruts, one, two = RutMap(100), {}, {}
    change(ruts, 3, 4)
    cells, depth, fresh = ruts.news(one)
    assert cells.tolist() == [3, 4] and fresh and np.allclose(depth, 0.1)
    assert ruts.news(one) is None
    change(ruts, 4, 5, depth=0.2)
    change(ruts, 5, depth=0.3)
    cells, depth, fresh = ruts.news(one)
    assert cells.tolist() == [4, 5] and np.allclose(depth, [0.2, 0.3]) and not fresh
    assert ruts.news(two)[0].tolist() == [3, 4, 5]  # a page that comes later gets all
    ruts.clear()
    assert ruts.news(one)[0].size == 0 and ruts.news(two)[2]
    change(ruts, 7)
    assert ruts.news(one)[0].tolist() == [7]


def test_a_page_that_is_far_behind_gets_all_cells():
    ruts, page = RutMap(10), {}
    ruts.news(page)
    for k in range(3 * KEPT_CHANGES):
        change(ruts, k % 10)
    assert len(ruts._changes) <= 2 * KEPT_CHANGES
    cells, _, fresh = ruts.news(page)
    assert len(cells) == 10 and fresh
