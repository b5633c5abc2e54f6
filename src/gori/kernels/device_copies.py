"""Copies of strided arrays on a GPU, to it and from it.

Arrays on the GPU are given as NumPy arrays at the same address (`device_array.py`), whose values are never read here.
All is in order on the given stream, and complete when a function returns.
"""

import warnings
from contextlib import nullcontext
from typing import Any

import numba
import numpy as np

from gori.errors import InputError, MissingPackageError
from gori.kernels.strided import address_of, array_at, as_bytes, by_stride, items_as_bytes

try:
    from numba import cuda
except ImportError as error:
    raise MissingPackageError("arrays on a GPU need numba-cuda: pip install 'gori[gpu]'") from error

SIMULATED = bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]
AXES = 6
THREADS, MOST_BLOCKS = (2, 2) if SIMULATED else (256, 1024)
if SIMULATED:
    from numba.cuda.simulator.cudadrv.devicearray import FakeCUDAArray


@cuda.jit
def assign_all(to, of):
    """to[...] = of[...], of six axes each, with the type of `to`; neighbouring threads work along the last axis."""
    sizes = to.shape
    for k in range(cuda.grid(1), to.size, cuda.gridsize(1)):
        f, rest = k % sizes[5], k // sizes[5]
        e, rest = rest % sizes[4], rest // sizes[4]
        d, rest = rest % sizes[3], rest // sizes[3]
        c, rest = rest % sizes[2], rest // sizes[2]
        a, b = rest // sizes[1], rest % sizes[1]
        to[a, b, c, d, e, f] = of[a, b, c, d, e, f]


def to_host(at: np.ndarray, device: int, stream: int | None) -> np.ndarray:
    """A copy of an array on the GPU as a NumPy array. Where its elements fill their memory in some order of the axes,
    this memory is copied; else they are gathered first.
    """
    if at.size == 0:
        return np.empty(at.shape, at.dtype)
    order = by_stride(at)
    packed = at.transpose(order)
    with _on(device):
        queue = _queue(stream)
        if not packed.flags.c_contiguous:
            packed, memory = _gathered(packed, queue)
        else:
            memory = _on_device(as_bytes(packed))
        found = memory.copy_to_host(stream=queue)
        queue.synchronize()
    return found.view(at.dtype).reshape(packed.shape).transpose(np.argsort(order))


def assign(at: np.ndarray, source: Any, device: int, stream: int | None) -> None:
    """at[...] = source, of NumPy or on the GPU, of any shape that broadcasts, converted to the type of `at`."""
    if at.size == 0:
        return
    with _on(device):
        queue = _queue(stream)
        if isinstance(source, np.ndarray):
            memory = cuda.to_device(as_bytes(np.ascontiguousarray(source, at.dtype)), stream=queue)
            source = _like(memory, source.shape, at.dtype)
        else:
            memory, source = source, _taken_over(source)
            if np.may_share_memory(at, source):  # by their addresses
                source, memory = _gathered(source, queue)
        if at.dtype.names and source.dtype != at.dtype:
            raise InputError(f"records of type {source.dtype} do not fit records of type {at.dtype}")
        _copy(at, np.broadcast_to(source, at.shape), queue)
        queue.synchronize()
        del memory  # which may be overwritten from here on


def clone(at: np.ndarray, device: int, stream: int | None) -> tuple[int, Any]:
    """Address of a C-contiguous copy on the GPU, and the object that owns it."""
    with _on(device):
        queue = _queue(stream)
        _, memory = _gathered(at, queue)
        queue.synchronize()
    return _address(memory), memory


def wait_for(stream: int, consumer: int, device: int) -> None:
    """Let all that a consumer's stream does from now on wait for what is in `stream`. Handles as in the protocol of
    DLPack: 1 is the default stream, 2 that of each thread, -1 asks for no order. Numba means 1 by 0.
    """
    if consumer in (-1, stream):
        return
    with _on(device):
        event = cuda.event(timing=False)
        event.record(cuda.external_stream(stream))
        event.wait(cuda.external_stream(consumer))


# ---- parts


def _copy(to: np.ndarray, of: np.ndarray, queue: Any) -> None:
    """to[...] = of[...] on the GPU; the axis along which `to` is densest comes last."""
    if to.dtype.names:
        to, of = items_as_bytes(to), items_as_bytes(of)
    if to.ndim > AXES:
        raise InputError(f"arrays on a GPU are copied with up to {AXES} axes, not {to.ndim}: take a part of them")
    order = by_stride(to)
    blank = (None,) * (AXES - to.ndim)
    pair = (_on_device(x.transpose(order)[(*blank, ...)]) for x in (to, of))
    blocks = min(MOST_BLOCKS, -(-to.size // THREADS))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Grid size")  # of small arrays
        assign_all[blocks, THREADS, queue](*pair)


def _gathered(at: np.ndarray, queue: Any) -> tuple[np.ndarray, Any]:
    """A C-contiguous copy on the GPU, as an array there, and its memory as bytes."""
    memory = cuda.device_array(max(1, at.nbytes), np.uint8, stream=queue)
    made = _like(memory, at.shape, at.dtype)
    if at.size:
        _copy(made, at, queue)
    return made, memory


def _like(memory: Any, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """A C-contiguous array at the address of some memory on the GPU."""
    return array_at(_address(memory), shape, dtype)


def _taken_over(source: Any) -> np.ndarray:
    """An array of another program, after what its stream has to do."""
    interface = source.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise InputError("an array with a mask cannot be copied to a GPU: fill it first")
    if interface["version"] < 3:  # it does not say which stream writes it
        cuda.synchronize()
    elif interface.get("stream") is not None:
        _queue(interface["stream"]).synchronize()
    kind = interface["typestr"]
    dtype = np.dtype(interface["descr"]) if kind[1] == "V" and "descr" in interface else np.dtype(kind)
    return array_at(interface["data"][0], interface["shape"], dtype, interface.get("strides"))


def _on_device(at: np.ndarray) -> Any:
    """The array on the GPU that a NumPy array stands for, for Numba."""
    if SIMULATED:
        return FakeCUDAArray(at)
    return cuda.from_cuda_array_interface(
        {
            "data": (address_of(at), False),
            "shape": at.shape,
            "strides": at.strides,
            "typestr": at.dtype.str,
            "version": 3,
        }
    )


def _address(memory: Any) -> int:
    if SIMULATED:
        return address_of(memory._ary)
    return int(memory.__cuda_array_interface__["data"][0])


def _queue(stream: int | None) -> Any:
    if SIMULATED:
        return cuda.stream()
    if stream is None:
        return cuda.default_stream()
    return cuda.external_stream(stream)


def _on(device: int) -> Any:
    """The context of a GPU, where it is not the one that is used anyway."""
    if SIMULATED or cuda.get_current_device().id == device:
        return nullcontext()
    return cuda.gpus[device]
