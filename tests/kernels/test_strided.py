"""NumPy arrays at any address."""

import numpy as np
import pytest

from gori.errors import InputError
from gori.kernels.strided import address_of, array_at, as_bytes, basic, by_stride, items_as_bytes

NOWHERE = 0x100
"""an address that cannot be read"""


def test_arithmetic_of_strides_reads_nothing():
    at = array_at(NOWHERE, (1000, 7), np.dtype(float), (8, 8000))
    assert (at.shape, at.strides, address_of(at)) == ((1000, 7), (8, 8000), NOWHERE)
    assert address_of(at[3, 2, ...]) == NOWHERE + 3 * 8 + 2 * 8000
    assert address_of(at[::-1]) == NOWHERE + 999 * 8 and at.T.flags.c_contiguous
    assert by_stride(at) == [1, 0] and by_stride(at[:, ::-1]) == [1, 0] and by_stride(at.T) == [0, 1]
    assert as_bytes(at.T).shape == (56_000,) and as_bytes(at[:, None, 2:3]).shape == (8000,)
    row = np.broadcast_to(at[0], (5, 7))
    assert row.strides == (0, 8000) and np.may_share_memory(at, row) and not np.may_share_memory(at[:, 0], at[:, 1])


def test_records_keep_their_offsets():
    kind = np.dtype({"names": ["a", "b"], "formats": ["f4", "f8"], "offsets": [0, 16], "itemsize": 32})
    at = array_at(NOWHERE, (4,), kind)
    assert at.dtype == kind and at.strides == (32,) and address_of(at["b"]) == NOWHERE + 16
    assert items_as_bytes(at).shape == (4, 32)


def test_an_array_at_memory_of_the_host():
    values = np.arange(6.0).reshape(2, 3)
    at = array_at(address_of(values), (3, 2), values.dtype, (8, 24), values)
    np.testing.assert_array_equal(at, values.T)
    del values
    np.testing.assert_array_equal(at[:, 1], [3.0, 4.0, 5.0])  # the owner lives
    locked = array_at(address_of(at), (2,), at.dtype, None, at, writable=False)
    with pytest.raises(ValueError, match="read-only"):
        locked[0] = 1.0


@pytest.mark.parametrize("key", [[1, 2], np.array([True, False]), True, np.arange(2), 1.5, "q"])
def test_keys_that_would_copy_are_refused(key):
    with pytest.raises(InputError, match="integers, slices"):
        basic(key)


def test_basic_keys():
    assert basic(np.int32(3)) == 3 and basic(None) is None and basic(...) is ... and basic(slice(2)) == slice(2)
