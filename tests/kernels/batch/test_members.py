"""Bundles of many machines: compiled code sees the members of machine t as if there were no others."""

from typing import Annotated, Any

import numba
import numpy as np
import pytest
from numba import types
from numba.core.errors import TypingError

from gori.kernels.batch.members import (
    APART,
    SHARED,
    SIDE_BY_SIDE,
    TILE,
    TILED,
    Laid,
    Members,
    leaves,
    members_at,
    read_byte,
    read_word,
    structure_of,
    tree_of,
    write_word,
)
from gori.kernels.bundle import Bundle
from gori.kernels.jit import call_at, part, present
from gori.kernels.layout import field, record

WHEEL = record("W", field("speed", "rad/s", ""), field("force", "N", "", shape=3), field("gear", "", "", dtype="i8"))
COUNT = 40  # more than a tile


class Tables(Bundle):
    mass: Annotated[Any, types.float64[::1]]
    law: Annotated[Any, types.float64[:, ::1]]


class Moved(Bundle):
    x: Annotated[Any, types.float64[:, ::1]]
    tables: Annotated[Tables, Tables.type]
    wheel: Annotated[Any, WHEEL.type[::1]]
    index: Annotated[Any, types.int64[::1]]
    closed: Annotated[int, types.int64]
    user: Annotated[int, types.int64]


@part
def twice(x):
    return np.int64(2 * x)


def moved() -> Moved:
    tables = Tables(mass=np.zeros(2), law=np.zeros((2, 4)))
    return Moved(x=np.zeros((2, 3)), tables=tables, wheel=WHEEL.zeros(2), index=np.zeros(3, np.int64), closed=7, user=0)


def laid_out(tree, rng):
    """Words, and by path the arrays of all machines (machines, ...) as views of their memory."""
    tiled = {path: laid for path, laid in leaves(tree) if laid.place == TILED}
    tiles = rng.integers(1, 1000, (-(-COUNT // TILE), sum(laid.words for laid in tiled.values()), TILE)).astype(float)
    words, views, at = [tiles[0].nbytes], {"tiles": tiles}, 0
    for path, laid in leaves(tree):
        count = 1 if laid.place == SHARED else COUNT
        if laid.place == TILED:
            dtype = np.float64 if laid.array.dtype.names else laid.array.dtype
            memory = tiles[:, at : at + laid.words].view(dtype)
            memory[...] = rng.integers(1, 1000, memory.shape)
            words += [memory.ctypes.data, *laid.array.shape]
            views[path] = Tiles(memory, laid.array.shape, laid.array.dtype)
            at += laid.words
            continue
        if laid.place == SIDE_BY_SIDE:
            memory = np.zeros((*laid.array.shape, count), laid.array.dtype)
            views[path] = np.moveaxis(memory, -1, 0)
        else:
            memory = views[path] = np.zeros((count, *laid.array.shape), laid.array.dtype)
        memory.view(np.int64 if laid.array.dtype == np.int64 else np.float64)[...] = rng.integers(
            1, 1000, memory.view(np.float64).shape
        )
        words += [memory.ctypes.data, *laid.array.shape]
    return np.array(words, np.int64), views


class Tiles:
    """An array of all machines that stands in tiles (tiles, words, machines of a tile)."""

    def __init__(self, memory, shape, dtype):
        self.memory, self.shape, self.dtype = memory, shape, dtype

    def __getitem__(self, key):
        return self.copy()[key]

    def copy(self):
        apart = np.ascontiguousarray(np.swapaxes(self.memory, 1, 2))
        return apart.view(self.dtype).reshape(-1, *self.shape)[:COUNT].copy()


def compiled(kind, function):
    """function(bundle) of machine t, with the words of all."""
    members = members_at(kind)
    inner = part(function)

    @numba.njit
    def of_one(words, machines, t):
        return inner(members(words.ctypes.data, machines, t))

    return of_one


def test_each_machine_sees_its_own():
    tree = tree_of(moved(), False, {"closed": twice})
    words, views = laid_out(tree, np.random.default_rng(0))

    def change(m):
        m.x[1, 2] += 1.0
        m.index[0] = 10 * m.index[1]
        wheel = m.wheel[1]
        wheel.gear = m.x.shape[0] * 100 + m.x.shape[1]
        return m.x[0, 1] + m.tables.law[1, 3] + wheel.force[2] + m.wheel[0].speed + m.tables.mass[1]

    run, before = compiled(Members(tree, numba.typeof, set()), change), {k: v.copy() for k, v in views.items()}
    for t in (3, 0, 33):
        found, x, wheel = run(words, COUNT, t), before["x"][t], before["wheel"][t]
        law, mass = before["tables.law"][t, 1, 3], before["tables.mass"][t, 1]
        assert found == x[0, 1] + law + wheel["force"][1, 2] + wheel["speed"][0] + mass
        assert views["x"][t, 1, 2] == x[1, 2] + 1.0 and views["wheel"][t]["gear"][1] == 203
        assert views["index"][t, 0] == 10 * before["index"][t, 1]
    for path in ("x", "wheel", "index"):  # nobody else has changed
        others = [1, 2, 4, *range(5, 33), *range(34, COUNT)]
        assert np.array_equal(views[path][others], before[path][others])


@pytest.mark.parametrize("place", [SIDE_BY_SIDE, TILED, APART])
def test_views_of_rows_and_loops_over_all(place):
    tree = {"x": Laid(np.zeros((2, 3)), place), "y": Laid(np.zeros((4, 2)), APART)}
    words, views = laid_out(tree, np.random.default_rng(1))

    def total(m):
        row, found = m.x[1], 0.0
        for k in range(row.shape[0]):
            row[k] += 0.5
            found += row[k]
        some = m.y[1:3]
        for i in range(len(some)):
            for j in range(some.shape[1]):
                found += 1000.0 * some[i, j]
        return found

    before = views["x"].copy()
    found = compiled(Members(tree, numba.typeof, set()), total)(words, COUNT, 2)
    assert found == (before[2, 1] + 0.5).sum() + 1000.0 * views["y"][2, 1:3].sum()
    assert np.array_equal(views["x"][2, 0], before[2, 0]) and np.array_equal(views["x"][2, 1], before[2, 1] + 0.5)


def test_shared_tables_and_what_differs_in_them():
    tree = {"machine": tree_of(moved(), True, {"closed": twice}, {"tables.law": None, "index": None})}
    places = {path: laid.place for path, laid in leaves(tree)}
    assert places == {
        "machine.x": SHARED, "machine.tables.mass": SHARED, "machine.tables.law": TILED,
        "machine.wheel": SHARED, "machine.index": TILED,
    }  # fmt: skip
    words, views = laid_out(tree, np.random.default_rng(2))

    def read(m):
        return m.machine.x[1, 1] + 1e4 * m.machine.tables.law[0, 2] + 1e8 * m.machine.wheel[1].speed

    run = compiled(Members(tree, numba.typeof, set()), read)
    shared = views["machine.x"][0, 1, 1] + 1e8 * views["machine.wheel"][0]["speed"][1]
    for t in range(COUNT):
        assert run(words, COUNT, t) == shared + 1e4 * views["machine.tables.law"][t, 0, 2]


def test_functions_stand_where_the_cpu_has_addresses():
    tree = tree_of(moved(), False, {"closed": twice})
    assert tree["closed"] is twice and tree["user"] is None
    words, _ = laid_out(tree, np.random.default_rng(3))

    def calls(m):
        return (
            call_at(m.closed, 21)
            + 100 * call_at(m.user, 21)
            + (1000 if present(m.closed) else 0)
            + (5000 if present(m.user) else 0)
        )

    assert compiled(Members(tree, numba.typeof, set()), calls)(words, COUNT, 0) == 1042


def test_used_are_those_that_code_asks_for():
    tree, used = tree_of(moved(), False, {"closed": twice}), set()
    words, _ = laid_out(tree, np.random.default_rng(4))

    def some(m):
        return m.index[0] + m.tables.mass[0]

    compiled(Members(tree, numba.typeof, used), some)(words, COUNT, 1)
    assert used == {"index", "tables.mass"}
    with pytest.raises(TypingError, match="nothing"):
        compiled(Members(tree, numba.typeof, used), lambda m: m.nothing)(words, COUNT, 1)


def test_words_follow_each_other():
    kind = Members(tree_of(moved(), False, {"closed": twice}), numba.typeof, set())
    assert kind.first == {"x": 0, "tables": 3, "wheel": 8, "index": 10, "closed": 12, "user": 12}
    assert kind.words == 12 and kind.members["tables"].first == {"mass": 0, "law": 2}
    assert Laid(np.zeros((2, 3)), APART).words == 6 and Laid(WHEEL.zeros(2), APART).words == 10


def test_structure_is_all_but_numbers_of_rows():
    def text(function=twice, varied=(), shared=False, **members):
        return structure_of(tree_of(moved().replace(**members), shared, {"closed": function}, dict.fromkeys(varied)))

    assert text() == text(x=np.ones((7, 3)))
    others = [
        text(x=np.ones((2, 9))),
        text(part(lambda x: x)),
        text(closed=0),
        text(shared=True),
        text(varied=["index"], shared=True),
    ]
    assert len({text(), *others}) == 6
    assert structure_of({"a": Laid(np.zeros(2), 1)}) != structure_of({"a": Laid(np.zeros((2, 1)), 1)})
    assert structure_of({"a": {"b": None}}) != structure_of({"a": None, "b": None})


def test_bytes_and_words_at_addresses():
    memory = np.array([3, -(1 << 60)], np.int64)

    @numba.njit
    def move(address):
        write_word(address, read_word(address + 8))
        return read_byte(address + 15)

    assert move(memory.ctypes.data) == 0xF0 and memory.tolist() == [-(1 << 60)] * 2
