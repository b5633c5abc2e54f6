"""NumPy arrays at any address, also of memory that is not the host's: for the arithmetic of shapes and strides."""

import operator
from typing import Any

import numpy as np

from gori.errors import InputError


def array_at(
    address: int,
    shape: tuple[int, ...],
    dtype: np.dtype,
    strides: tuple[int, ...] | None = None,
    owner: Any = None,
    writable: bool = True,
) -> np.ndarray:
    """A NumPy array at an address, which keeps the owner alive; for its shape and strides alone on a GPU."""
    made = np.asarray(_Place(address, shape, dtype, strides, owner, writable))
    return made.view(dtype)


class _Place:
    """Memory as NumPy takes it over: bytes without a meaning, since records would not keep the offsets of fields."""

    def __init__(self, address: int, shape: Any, dtype: np.dtype, strides: Any, owner: Any, writable: bool):
        self.owner = owner
        self.__array_interface__ = {
            "data": (int(address), not writable),
            "shape": tuple(shape),
            "typestr": f"|V{dtype.itemsize}",
            "strides": None if strides is None else tuple(strides),
            "version": 3,
        }


def basic(key: Any) -> Any:
    """A key of basic indexing, whose result is a view; others are refused."""
    if key is None or key is Ellipsis or isinstance(key, slice):
        return key
    try:
        if isinstance(key, bool | np.bool_ | np.ndarray):
            raise TypeError
        return operator.index(key)
    except TypeError:
        raise InputError(
            f"a view is taken by integers, slices, None and ..., not by {key!r}: index a copy_to_host(), or the array "
            "that another program makes of this one"
        ) from None


def address_of(at: np.ndarray) -> int:
    """Address of the first element."""
    return int(at.__array_interface__["data"][0])


def by_stride(at: np.ndarray) -> list[int]:
    """Axes from the one with the longest stride to the one with the shortest."""
    return sorted(range(at.ndim), key=lambda axis: -abs(at.strides[axis]))


def as_bytes(packed: np.ndarray) -> np.ndarray:
    """The memory of a C-contiguous array as bytes."""
    return packed.reshape(-1).view(np.uint8)


def items_as_bytes(at: np.ndarray) -> np.ndarray:
    """An array of records with the bytes of each as the last axis."""
    return array_at(address_of(at), (*at.shape, at.itemsize), np.dtype(np.uint8), (*at.strides, 1), at)
