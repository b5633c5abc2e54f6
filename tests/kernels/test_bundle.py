"""Bundles: compiled code sees the members of a Python object by one address."""

import pickle
from typing import Annotated, Any

import numba
import numpy as np
import pytest
from numba import types

from gori.kernels.bundle import Bundle
from gori.kernels.layout import array, field, layout, record

WHEEL = record("W", field("speed", "rad/s", ""), field("force", "N", "", shape=3))
PIECES = layout("BundlePieces", ("n",), array("a", "n", "", ""), array("b", "n n", "", ""))


class Inner(Bundle):
    x: Annotated[Any, types.float64[::1]]


class Outer(Bundle):
    table: Annotated[Any, types.float64[:, ::1]]
    count: Annotated[int, types.int64]
    wheel: Annotated[Any, WHEEL.type[::1]]
    inner: Annotated[Inner, Inner.type]
    pieces: Annotated[Any, PIECES.type]


@numba.njit(_nrt=False)  # as all kernels: they count no references
def total(outer):
    """A number of each member; the inner array is written."""
    outer.inner.x[0] += outer.table.sum()
    wheel = outer.wheel[1]
    wheel.speed += 1.0
    return outer.inner.x[0] + outer.count + wheel.force[2] + outer.pieces.b[1, 0] + outer.pieces.a.shape[0]


def made(**changes) -> Outer:
    wheel, pieces = WHEEL.zeros(2), PIECES.make(n=2)
    wheel["force"][1] = [1, 2, 4]
    pieces.b[1, 0] = 100.0
    members: dict[str, Any] = {"table": np.ones((2, 3)), "count": 10, "wheel": wheel, "inner": Inner(x=np.zeros(1))}
    return Outer(**members | {"pieces": pieces} | changes)


def test_members_in_compiled_code():
    outer = made()
    assert total(outer) == 6.0 + 10 + 4 + 100 + 2
    assert outer.inner.x[0] == 6.0 and outer.wheel["speed"].tolist() == [0.0, 1.0]
    assert total(outer) == 12.0 + 10 + 4 + 100 + 2
    assert total(made(table=np.zeros((0, 3)))) == 116.0


def test_members_are_checked():
    for name, wrong in [
        ("table", np.ones(3)), ("table", np.ones((2, 3), np.float32)), ("table", np.ones((3, 2)).T),
        ("table", [[1.0]]), ("wheel", np.zeros(2)), ("inner", None),
    ]:  # fmt: skip
        with pytest.raises((TypeError, AttributeError)):
            made(**{name: wrong})
    with pytest.raises(TypeError, match="missing, or not a member"):
        Inner(x=np.zeros(1), y=np.zeros(1))
    with pytest.raises(TypeError, match="missing, or not a member"):
        Inner()


def test_members_stay():
    outer = made()
    with pytest.raises(AttributeError, match="cannot be set"):
        outer.count = 3
    other = outer.replace(count=20)
    assert other.table is outer.table and (outer.count, other.count) == (10, 20) and other.address != outer.address


def test_bundles_live_as_long_as_what_holds_them():
    outers = [made(inner=Inner(x=np.full(1, float(k)))) for k in range(50)]
    assert [total(outer) for outer in outers] == [122.0 + k for k in range(50)]


def test_pickled_bundles_have_addresses_of_their_own():
    inner = Inner(x=np.arange(3.0))
    again = pickle.loads(pickle.dumps(inner))
    assert again.x.tolist() == [0, 1, 2] and again.address != inner.address


def test_kernels_take_no_other_bundle():
    @numba.njit([types.float64(Inner.type)], _nrt=False)
    def first(inner):
        return inner.x[0]

    assert first(Inner(x=np.ones(1))) == 1.0
    with pytest.raises(TypeError):
        first(made())
