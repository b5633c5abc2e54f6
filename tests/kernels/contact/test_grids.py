"""Grids of the broad phase: levels of sizes, places of cells, and neighbours."""

import math

import numpy as np

from gori.kernels.contact.broad import broad_work
from gori.kernels.contact.grids import (
    BASE_LEVEL,
    ENDLESS,
    base_width,
    bucket_of,
    fill_cells,
    find_levels,
    find_near,
    find_strides,
    line_of,
    overlap,
)
from tests.plain import plain


def test_levels_follow_most_shapes():
    box = np.zeros((104, 6))
    box[:100, 3:] = np.linspace(0.6, 1.0, 100)[:, None]
    box[100, 3:], box[101, 3:], box[102, 3:], box[103] = 50.0, 1e-3, 1e9, [-math.inf] * 3 + [math.inf] * 3
    assert plain(base_width)(box) == 1.0
    work = broad_work(104, 1)
    plain(find_levels)(box, work)
    assert (work.level[:100] == BASE_LEVEL).all()
    assert work.level[100] == BASE_LEVEL + 6 and work.level[101] == BASE_LEVEL - 9
    assert work.level[102] == work.level[103] == ENDLESS
    assert work.shapes.sum() == 102


def filled(box):
    """Work with all boxes in their cells."""
    work = broad_work(len(box), 1)
    for stage in (find_levels, find_strides, fill_cells):
        plain(stage)(box, work)
    return work


def test_cells_of_a_dense_grid_have_places_of_their_own():
    spots = np.stack(np.meshgrid(*[np.arange(5.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) - 2.5
    work = filled(np.hstack([spots - 0.9, spots + 0.9]))
    assert len(set(work.bucket.tolist())) == 125
    assert np.array_equal(np.sort(work.order), np.arange(125))
    assert np.array_equal(work.order[work.rank], np.arange(125))


def test_neighbours_along_x_are_neighbours_in_the_table():
    work = filled(np.array([[-9.0, -9, -9, -8, -8, -8], [8, 8, 8, 9, 9, 9]]))
    size = len(work.start) - 1
    for ix in (-2, -1, 0, 7):
        one, other = (plain(bucket_of)(work, BASE_LEVEL, ix + k, -3, 4) for k in range(2))
        assert other == (one + 1) % size
    assert plain(line_of)(3, -1, 2) != plain(line_of)(3, 2, -1) != plain(line_of)(4, 2, -1)


def test_each_overlap_is_found_once():
    rng = np.random.default_rng(0)
    low = rng.uniform(0, 2, (60, 3))
    box = np.hstack([low, low + rng.uniform(0.1, 0.9, (60, 3))])
    work = filled(box)
    found = []
    for s in range(60):
        for level in range(work.level[s], len(work.shapes)):
            if work.shapes[level]:
                count = plain(find_near)(box, work, s, level)
                found += [tuple(sorted((s, int(other)))) for other in work.near[:count]]
    wanted = [(a, b) for a in range(60) for b in range(a + 1, 60) if plain(overlap)(box[a], box[b])]
    assert sorted(found) == wanted


def test_boxes_overlap_where_they_share_a_point():
    box = np.array([0.0, 0, 0, 1, 1, 1])
    assert plain(overlap)(box, box + 1.0) and not plain(overlap)(box, box + [0, 0, 1.1] * 2)
    assert not plain(overlap)(box, np.full(6, math.nan))
