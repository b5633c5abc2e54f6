"""Arrays whose steps are in their types, against NumPy's with the same strides."""

import numba
import numpy as np
import pytest
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from gori.kernels.batch.placed import PlacedArray, make_placed
from gori.kernels.layout import field, record

ROW = record("R", field("speed", "m/s", ""), field("gear", "", "", dtype="i8"))


def placed_at(kind: PlacedArray):
    """value(address, shape, scale): an array of this type."""

    @intrinsic
    def value(typingctx, address, shape, scale):
        def codegen(context, builder, signature, args):
            sizes = [builder.extract_value(args[1], axis) for axis in range(kind.ndim)]
            return make_placed(context, builder, kind, args[0], sizes, args[2])

        return kind(types.int64, types.UniTuple(types.int64, kind.ndim), types.int64), codegen

    return value


def called(function, array: np.ndarray, scale: int, constant: bool = False):
    """function(array) in compiled code, with steps of so many bytes in the type; 0: with a number."""
    unit = scale or 8
    assert all(stride % unit == 0 for stride in array.strides)
    kind = PlacedArray(numba.from_dtype(array.dtype), [stride // unit for stride in array.strides], scale, constant)
    value, inner = placed_at(kind), numba.njit(function)

    @numba.njit
    def run(address, shape, unit):
        return inner(value(address, shape, unit))

    return run(array.ctypes.data, array.shape, unit)


@pytest.fixture(params=[8, 32, 0], ids=["dense", "apart", "number"])
def table(request):
    """Random numbers (3, 4, 5) at these strides, and the scale."""
    memory = np.random.default_rng(0).random((3, 4, 5, 4 if request.param == 32 else 1))
    return memory[..., 0], request.param


def test_numbers_and_parts(table):
    array, scale = table

    def read(a):
        row = a[1, 2:4]
        return a[2, 3, 4] + 10.0 * a[0][1][2] + 100.0 * row[1, 3] + 1e3 * a[:, 1, :][2, 1] + 1e4 * a[1, :, 0][3]

    expected = array[2, 3, 4] + 10 * array[0, 1, 2] + 100 * array[1, 3, 3] + 1e3 * array[2, 1, 1] + 1e4 * array[1, 3, 0]
    assert called(read, array, scale) == pytest.approx(expected, rel=1e-15)


def test_shapes(table):
    array, scale = table

    def shapes(a):
        b = a[1:, 2, 1:4]
        return a.shape, b.shape, len(a), len(b[0]), a[:2, :0].shape

    assert called(shapes, array, scale) == (array.shape, (2, 3), 3, 3, (2, 0, 5))


def test_writing(table):
    array, scale = table
    expected = array.copy()

    def write(a):
        a[0, 1, 2] = 7
        part = a[1, 1:3]
        for k in range(part.shape[1]):
            part[1, k] += 0.5
        a[2, :, 1:3] = 9.0
        return 0

    called(write, array, scale)
    expected[0, 1, 2] = 7
    expected[1, 2] += 0.5
    expected[2, :, 1:3] = 9.0
    assert np.array_equal(array, expected)


def test_arrays_of_different_places_meet(table):
    array, scale = table

    def either(a):
        b = a[0] if a.shape[0] > 2 else a[:, 0]
        return b[1, 2] + 10.0 * b[0, 1]

    assert called(either, array, scale) == array[0, 1, 2] + 10.0 * array[0, 0, 1]


def test_records():
    rows = ROW.zeros(4)
    rows["speed"], rows["gear"] = [1.0, 2.0, 3.0, 4.0], [1, 2, 3, 4]

    def move(a):
        row = a[2]
        row.speed += 10.0
        row.gear = 7
        a[0] = a[3]
        return a[1:][1].speed

    assert called(move, rows, ROW.dtype.itemsize) == 13.0
    assert rows["speed"].tolist() == [4.0, 2.0, 13.0, 4.0] and rows["gear"].tolist() == [4, 2, 7, 4]


def test_what_never_changes_is_not_written():
    def write(a):
        a[0] = 1.0
        return a[0]

    with pytest.raises(TypingError):
        called(write, np.zeros(3), 8, constant=True)
    assert called(lambda a: a[1], np.array([1.0, 2.0]), 8, constant=True) == 2.0


@pytest.mark.parametrize("wrong", [lambda a: a[-1], lambda a: a[::2][0], lambda a: a[0, 0], lambda a: a[0.5]])
def test_other_indices_are_refused(wrong):
    with pytest.raises(TypingError):
        called(wrong, np.zeros(3), 8)


def test_equal_types_are_one():
    assert PlacedArray(types.float64, (3, 1), 8) == PlacedArray(types.float64, [3, 1], 8)
    kinds = [(types.float64, (3, 1), 8), (types.int64, (3, 1), 8), (types.float64, (4, 1), 8)]
    kinds += [(types.float64, (3, 1), 0), (types.float64, (3, 1), 8, True)]
    others = {PlacedArray(*kind) for kind in kinds}
    assert len(others) == 5
    assert PlacedArray(types.float64, (3, 1), 8).part([1]) == PlacedArray(types.float64, (1,), 8)
