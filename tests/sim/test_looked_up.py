"""Values that functions take from outside: plain ones are told apart, memory and objects are passed over."""

import functools

import numba
import numpy as np
import pytest

from gori.sim.looked_up import plain_bytes, values_of

GAIN, TABLE, COUNT, log = 2.0, np.arange(3.0), 0, []


def with_globals(t, q, v):
    global COUNT
    COUNT += 1
    log.append(t)
    return GAIN * TABLE.sum() + np.cos(t)


def with_closure(gain, names=("a",), thing=None):
    calls = 0

    def force(t, q, v):
        nonlocal calls
        calls += 1
        return [gain * one for one in names if thing]

    return force


class Called:
    def __call__(self, t, q, v):
        return GAIN


def test_plain_values_by_name():
    assert list(values_of(with_globals)) == ["GAIN", "TABLE"]
    assert list(values_of(with_closure(1.0))) == ["gain", "names", "thing"]
    assert list(values_of(with_closure(1.0, thing=object()))) == ["gain", "names"]
    assert values_of(with_closure(1.0))["gain"] != values_of(with_closure(2.0))["gain"]
    assert values_of(with_closure(1.0, ("a", "b")))["names"] != values_of(with_closure(1.0))["names"]
    assert values_of(len) == {}


def test_changes_of_a_module_are_seen(monkeypatch):
    before = values_of(with_globals)
    monkeypatch.setitem(globals(), "TABLE", np.arange(4.0))
    after = values_of(with_globals)
    assert after["TABLE"] != before["TABLE"] and after["GAIN"] == before["GAIN"]


@pytest.mark.parametrize("function", [numba.njit(with_globals), functools.partial(with_globals, 1.0)])
def test_what_stands_around_a_function(function):
    assert values_of(function) == values_of(with_globals)


def test_objects_that_can_be_called():
    assert list(values_of(Called())) == ["GAIN"] == list(values_of(Called().__call__))


def test_what_is_plain():
    for value in (1, 1.5, 2j, "a", b"a", None, np.int64(3), (1, (2, "x")), [1.0], np.eye(2)):
        assert plain_bytes(value) is not None
    for value in (True, np.True_, [], {}, {1}, object(), [object()], np.array([object()]), len):
        assert plain_bytes(value) is None
    assert len({plain_bytes(value) for value in ((1, 2), [1, 2], np.array([1, 2]), "(1, 2)", (1, (2,)))}) == 5


def test_a_cell_that_is_not_bound_yet():
    def force(t, q, v):
        return later

    assert values_of(force) == {}
    later = 1.0
    assert list(values_of(force)) == ["later"]
