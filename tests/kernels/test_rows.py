"""Rows that stand anywhere in a table, into lanes by column and back."""

import numba
import numpy as np

from gori.kernels import rows as r
from gori.kernels.lanes import aligned, lanes_below, write8


@numba.njit
def _columns(table, wide, k, out):
    """Columns of eight rows of (n, 4), then of the two halves of eight rows of (n, 8)."""
    i = r.eight(k, 0)
    for at, four in enumerate((
        r.turn4(r.halves(table, i[0], i[4]), r.halves(table, i[1], i[5]),
                r.halves(table, i[2], i[6]), r.halves(table, i[3], i[7])),
        r.turn4(r.first_halves(wide, i[0], i[4]), r.first_halves(wide, i[1], i[5]),
                r.first_halves(wide, i[2], i[6]), r.first_halves(wide, i[3], i[7])),
        r.turn4(r.second_halves(wide, i[0], i[4]), r.second_halves(wide, i[1], i[5]),
                r.second_halves(wide, i[2], i[6]), r.second_halves(wide, i[3], i[7])),
    )):  # fmt: skip
        write8(out, 4 * at, 0, four[0])
        write8(out, 4 * at + 1, 0, four[1])
        write8(out, 4 * at + 2, 0, four[2])
        write8(out, 4 * at + 3, 0, four[3])


@numba.njit
def _write(table, wide, out, i, j):
    r.put_halves(out, i, j, r.join(r.row8(wide, i), r.row8(wide, j)))
    r.put_row8(wide, i, r.four_of_each(table[i, 0], table[j, 0]))
    r.put_row8(wide, j, r.eight_of(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0))


@numba.njit
def _below(a):
    return lanes_below(r.row8(a, 0), r.row8(a, 1))


def tables():
    rng = np.random.default_rng(0)
    return rng.normal(size=(30, 4)), rng.normal(size=(30, 8))


def test_columns_of_rows_anywhere():
    table, wide = tables()
    k = np.array([3, 29, 0, 7, 7, 11, 28, 2], np.int32)
    out = aligned((12, 8))
    _columns(table, wide, k, out)
    assert np.array_equal(out, np.concatenate([table[k].T, wide[k].T]))


def test_written_rows():
    table, wide = tables()
    before, out = wide.copy(), np.zeros((30, 4))
    _write(table, wide, out, 5, 17)
    assert np.array_equal(out[[5, 17]], before[[5, 17], :4]) and np.count_nonzero(out) == 8
    assert np.array_equal(wide[5], np.repeat(table[[5, 17], 0], 4)) and np.array_equal(wide[17], np.arange(1.0, 9.0))
    assert np.array_equal(np.delete(wide, [5, 17], 0), np.delete(before, [5, 17], 0))


def test_lanes_below():
    rows = np.zeros((2, 8))
    rows[0, [0, 3, 7]] = -1.0
    rows[0, 5] = np.nan
    assert _below(rows) == 0b10001001
