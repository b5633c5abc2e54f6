"""DLPack's capsules for memory of a GPU (https://dmlc.github.io/dlpack/latest/c_api.html).

NumPy makes the capsule, for an array at the same address: with its reference to the array, its deleter in C that drops
it, and the destructor of a capsule that nobody took. What NumPy does not know is the device, which is put in here.
"""

import ctypes
from typing import Any

import numpy as np

CPU, CUDA = 1, 2
"""kinds of devices"""


class Tensor(ctypes.Structure):
    """The head of a DLTensor, which is how a DLManagedTensor begins."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class VersionedTensor(ctypes.Structure):
    """The head of a DLManagedTensorVersioned."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def capsule_of(array: np.ndarray, device: tuple[int, int], max_version: tuple[int, int] | None = None) -> Any:
    """The capsule of the memory that `array` is at, on a device (kind, number). Versioned from `max_version` 1.0 on;
    what is read-only can be said in those alone.
    """
    if array.dtype.names:
        raise BufferError(f"DLPack has no records: take a field of {array.dtype.names}, or a copy_to_host()")
    if any(stride % array.itemsize for stride in array.strides):
        raise BufferError(
            f"DLPack counts strides in elements, and {array.strides} bytes are not multiples of the "
            f"{array.itemsize} bytes of one: take a copy()"
        )
    if any(stride < 0 for stride in array.strides):  # PyTorch does not survive them
        raise BufferError(f"DLPack's consumers take no negative strides, and these are {array.strides}: take a copy()")
    versioned = max_version is not None and tuple(max_version) >= (1, 0) and takes_versions()
    if not (versioned or array.flags.writeable):
        raise BufferError("DLPack before 1.0 cannot say that memory is read-only: take a copy()")
    capsule = array.__dlpack__(max_version=(1, 0)) if versioned else array.__dlpack__()
    tensor = head_of(capsule)
    tensor.device_type, tensor.device_id = device
    return capsule


def head_of(capsule: Any) -> Tensor:
    """The head of the tensor in a capsule, in place."""
    name = _name(capsule)
    address = _pointer(capsule, name)
    if name == b"dltensor_versioned":
        return VersionedTensor.from_address(address).tensor
    return Tensor.from_address(address)


def takes_versions() -> bool:
    """Whether this NumPy makes versioned capsules: from 2.1 on."""
    return tuple(int(word) for word in np.__version__.split(".")[:2]) >= (2, 1)
