"""Declared records and layouts: sizes, views, types, rows."""

import numba
import numpy as np
import pytest

from gori.kernels.layout import array, field, layout, record, row

WHEEL = record(
    "Wheel",
    field("speed", "rad/s", "about the axle"),
    field("force", "N", "world axes", shape=3),
    field("count", "", "of turns", dtype="i8"),
)
WORK = layout(
    "Work", ("n", "m"), array("x", "n", "m", ""), array("square", "n n", "", ""), array("six", "m 6", "N", "")
)
carve = WORK.carve


@numba.njit(_nrt=False)
def _write(flat, n, m, wheel):
    w = carve(flat, n, m)
    w.x[0] = 1.0
    w.square[n - 1, 0] = 2.0
    w.six[m - 1, 5] = 3.0
    wheel[1].force[2] = wheel[1].speed + 1.0
    wheel[1].count += 2


def test_a_record_has_its_fields_and_units():
    table = WHEEL.zeros(2)
    assert table.dtype.names == ("speed", "force", "count") and table["force"].shape == (2, 3)
    assert WHEEL.units() == {"speed": "rad/s", "force": "N", "count": ""} and table["count"].dtype == np.int64
    assert WHEEL.zeros(2, 4).shape == (2, 4)


@pytest.mark.parametrize("n, m", [(1, 1), (3, 2), (4, 5)])
def test_pieces_cover_the_flat_array_once(n, m):
    flat = np.zeros(WORK.size(n=n, m=m))
    assert flat.size == n + n * n + 6 * m
    views = WORK.views(flat, n=n, m=m)
    assert [piece.shape for piece in views] == [(n,), (n, n), (m, 6)] and views._fields == ("x", "square", "six")
    for k, piece in enumerate(views):
        piece += k + 1
    assert np.array_equal(flat, np.repeat([1.0, 2.0, 3.0], [n, n * n, 6 * m]))


def test_compiled_code_sees_the_same_pieces_and_fields():
    n, m = 3, 2
    flat, wheels = np.zeros(WORK.size(n=n, m=m)), WHEEL.zeros(2)
    wheels["speed"] = [5.0, 7.0]
    _write(flat, n, m, wheels)
    views = WORK.views(flat, n=n, m=m)
    assert (views.x[0], views.square[2, 0], views.six[1, 5]) == (1.0, 2.0, 3.0) and np.count_nonzero(flat) == 3
    assert wheels["force"][1].tolist() == [0.0, 0.0, 8.0] and wheels["count"].tolist() == [0, 2]
    assert numba.typeof(wheels) == WHEEL.type[::1]


def test_a_row_reads_and_writes_through():
    table = WHEEL.zeros(1)
    one = row(table)
    one.speed = 2.5
    one.count += 3
    one.force[1] = 4.0
    one.force = one.force * 2.0
    assert table["speed"][0] == 2.5 and table["count"][0] == 3 and table["force"][0].tolist() == [0.0, 8.0, 0.0]
    assert isinstance(one.speed, float) and isinstance(one.count, int)
    with pytest.raises(AttributeError):
        one.velocity = 1.0


@numba.njit(_nrt=False)
def _largest(work):
    return max(work.x[0], work.six[work.six.shape[0] - 1, 5])


def test_bundles_of_a_layout_are_views_of_one_array():
    work = WORK.make(n=3, m=2, other=7)  # sizes of other layouts may be there
    assert work.square.shape == (3, 3) and work.flat.size == WORK.size(n=3, m=2) and not work.flat.any()
    work.six[-1, -1] = 5.0
    assert work.flat[-1] == 5.0 == _largest(work) and numba.typeof(work) is WORK.type
    with pytest.raises(KeyError):
        WORK.make(n=3)
