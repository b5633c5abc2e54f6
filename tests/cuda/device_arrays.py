"""Views of memory on a GPU: `python -m tests.cuda.device_arrays`, on a GPU (with CuPy, or without its checks) or in the
simulator.

    python -m tests.cuda.device_arrays reads writes       by name
"""

import gc
import importlib.util
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda

from gori.kernels.device_array import DeviceArray
from gori.kernels.device_copies import SIMULATED
from gori.kernels.strided import address_of

N, NQ = (5, 3) if SIMULATED else (70_001, 13)
RECORD = np.dtype([("speed", "f8"), ("count", "i4"), ("odd", "f4"), ("force", "f8", 3)])
PACKED = np.dtype([("flag", "i2"), ("value", "f8")])


class Owner:
    """Of memory on the device, with the values of an array."""

    def __init__(self, values: np.ndarray):
        raw = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        self.memory: Any = cuda.to_device(raw)
        self.address: int = address_of(self.memory._ary) if SIMULATED else self.memory.device_ctypes_pointer.value


def held(values: np.ndarray, **options: Any) -> DeviceArray:
    """A C-contiguous array on the device."""
    owner = Owner(values)
    return DeviceArray(owner.address, values.shape, values.dtype, owner=owner, device=0, **options)


def machine_last(values: np.ndarray, **options: Any) -> DeviceArray:
    """A row for each machine, that stand side by side in memory: strides 8 and 8 n."""
    array = held(np.ascontiguousarray(values.T), **options).T
    assert array.shape == values.shape and array.strides[0] == values.itemsize
    return array


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=shape)


def refused(what: Callable[[], Any], kind: type[Exception], words: str) -> None:
    try:
        what()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"not refused: {words}")


# ---- with Gori alone


def reads() -> None:
    """Copies to the host: contiguous, machine last, parts, backwards, one number, none."""
    x = numbers(N, NQ)
    for array in (held(x), machine_last(x)):
        np.testing.assert_array_equal(array.copy_to_host(), x)
        np.testing.assert_array_equal(np.asarray(array), x)
        for key in (2, (slice(None), 1), (slice(1, None, 2), slice(None, None, -1)), (..., None, 0), slice(2, 2)):
            np.testing.assert_array_equal(array[key].copy_to_host(), x[key])
        np.testing.assert_array_equal(array.T[::-1].copy_to_host(), x.T[::-1])
        assert array[3, 2].item() == x[3, 2]
        copy = array[::2].copy()
        assert copy.contiguous and copy.address != array.address and copy.device == 0
        np.testing.assert_array_equal(copy.copy_to_host(), x[::2])
    x = numbers(N, 2, 3, 3)
    poses = held(np.ascontiguousarray(np.moveaxis(x, 0, -1)))
    poses = DeviceArray(poses.address, x.shape, x.dtype, (8, *poses.strides[:-1]), owner=poses, device=0)
    np.testing.assert_array_equal(poses.copy_to_host(), x)
    np.testing.assert_array_equal(poses[1:, 1, :, 2].copy_to_host(), x[1:, 1, :, 2])


def writes() -> None:
    """Numbers, arrays that broadcast, other types, arrays on the device, parts; what does not fit is refused."""
    x = numbers(N, NQ)
    array = machine_last(np.zeros((N, NQ)))
    for key, value in (
        (..., 2.5), (..., x), (0, 7), (slice(None), np.arange(NQ)), ((slice(1, None, 2), 1), -1.0),
        ((slice(None), 0), np.arange(N, dtype=np.float32)), (slice(None, None, -1), x), ((2, 1), 4.0), (slice(0), 1.0),
    ):  # fmt: skip
        expected = array.copy_to_host()
        expected[key] = value
        array[key] = value
        np.testing.assert_array_equal(array.copy_to_host(), expected)
    array.set(machine_last(2.0 * x))
    np.testing.assert_array_equal(array.copy_to_host(), 2.0 * x)
    array[1:, :] = held(x.astype(np.float32))[:-1]
    np.testing.assert_array_equal(array.copy_to_host()[1:], x.astype(np.float32)[:-1])
    for to, of in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None)), (..., slice(None, None, -1))):
        expected = array.copy_to_host()
        expected[to] = expected[of].copy()
        array[to] = array[of]  # which overlap
        np.testing.assert_array_equal(array.copy_to_host(), expected)
    array[:, 1] = array[:, 2]
    np.testing.assert_array_equal(array.copy_to_host()[:, 1], array.copy_to_host()[:, 2])
    refused(lambda: array.set(np.zeros(NQ + 1)), ValueError, "does not fit")
    refused(lambda: array.set("many"), ValueError, "takes float64")
    refused(lambda: held(x, writable=False).set(0.0), ValueError, "cannot be written")


def records() -> None:
    """Records and their fields."""
    rows = np.zeros((N, 2), RECORD)
    rows["speed"], rows["count"], rows["force"] = numbers(N, 2), np.arange(2 * N).reshape(N, 2), numbers(N, 2, 3)
    array = held(rows)
    for name in ("speed", "count", "odd", "force"):
        np.testing.assert_array_equal(array[name].copy_to_host(), rows[name])
    assert np.array_equal(array.copy_to_host(), rows) and np.array_equal(array[::2, 1].copy_to_host(), rows[::2, 1])
    array["force"][:, 0, 2] = 5.0
    array["count"] = -1
    rows["force"][:, 0, 2], rows["count"] = 5.0, -1
    assert np.array_equal(array.copy_to_host(), rows)
    array.set(held(rows[:1]))
    assert np.array_equal(array.copy_to_host(), np.broadcast_to(rows[:1], rows.shape))
    array[0] = rows[1]
    assert np.array_equal(array.copy_to_host()[0], rows[1])


def interfaces() -> None:
    """What other programs are told; NumPy gets a copy where it allows one."""
    x = numbers(N, NQ)
    array = machine_last(x, stream=None)
    told = array.__cuda_array_interface__
    assert told["version"] == 3 and told["strides"] == (8, 8 * N) and told["shape"] == (N, NQ)
    assert told["data"] == (array.address, False) and told["typestr"] == "<f8" and told["stream"] is None
    assert array.T.__cuda_array_interface__["strides"] is None
    assert held(x, writable=False).__cuda_array_interface__["data"][1]
    assert array.__dlpack_device__() == (2, 0) and array[1:].__dlpack_device__() == (2, 0)
    assert getattr(array, "__array_interface__", None) is None
    if tuple(int(word) for word in np.__version__.split(".")[:2]) >= (2, 1):
        np.testing.assert_array_equal(np.from_dlpack(array, device="cpu"), x)
    refused(lambda: array.__dlpack__(dl_device=(1, 0), copy=False), BufferError, "copy_to_host() first")
    refused(lambda: array.__dlpack__(dl_device=(2, 5)), BufferError, "(2, 5)")
    refused(lambda: held(np.zeros(N, RECORD)).__dlpack__(), BufferError, "no records")
    refused(lambda: held(np.zeros(N, PACKED))["value"].__dlpack__(), BufferError, "take a copy()")
    assert held(np.zeros(N, RECORD))["force"].__dlpack__() is not None
    refused(lambda: np.array(array, copy=False), ValueError, "copy")


def lifetime() -> None:
    """The owner lives as long as a view or a capsule."""
    owner = Owner(numbers(N, NQ))
    array, alive = DeviceArray(owner.address, (N, NQ), owner=owner, device=0), weakref.ref(owner)
    part, plain, versioned = array[1:, 0], array.T.__dlpack__(), array.__dlpack__(max_version=(1, 0))
    del owner, array
    for _ in range(3):
        gc.collect()
        assert alive() is not None
        if part is not None:
            part = None
        elif plain is not None:
            plain = None
        else:
            versioned = None
    gc.collect()
    assert alive() is None and versioned is None


# ---- on a GPU


def double(x):
    k = cuda.grid(1)  # pyright: ignore[reportCallIssue]
    if k < x.shape[0]:
        for i in range(x.shape[1]):
            x[k, i] *= 2.0


def fill_slowly(x, value, rounds):
    """x[...] = value, after so many rounds of arithmetic."""
    k = cuda.grid(1)  # pyright: ignore[reportCallIssue]
    if k < x.shape[0]:
        s = 0.0
        for i in range(rounds):
            s += (s + i) % 3.0
        for i in range(x.shape[1]):
            x[k, i] = value + (s < 0.0)


def numba_view() -> None:
    """Numba takes the view, and a kernel writes through it."""
    array = machine_last(numbers(N, NQ))
    taken = cuda.as_cuda_array(array)
    assert taken.shape == array.shape and taken.strides == array.strides
    launch: Any = cuda.jit(double)
    launch[-(-N // 128), 128](taken)
    np.testing.assert_array_equal(array.copy_to_host(), 2.0 * numbers(N, NQ))


def numba_argument() -> None:
    """A kernel of Numba takes the view as it is, contiguous or not."""
    launch: Any = cuda.jit(double)
    for array in (held(numbers(N, NQ)), machine_last(numbers(N, NQ)), machine_last(numbers(N, NQ), stream=2)):
        launch[-(-N // 128), 128](array)
        cuda.synchronize()
        np.testing.assert_array_equal(array.copy_to_host(), 2.0 * numbers(N, NQ))


def stream_order() -> None:
    """Reads and writes wait for the owner's stream, and a consumer's stream waits for it too."""
    ours, theirs = cuda.stream(), cuda.stream()
    array = machine_last(np.zeros((N, NQ)), stream=int(ours))
    assert array.__cuda_array_interface__["stream"] == int(ours) == array[1:].stream
    taken = cuda.as_cuda_array(array, sync=False)
    slow: Any = cuda.jit(fill_slowly)
    slow[-(-N // 128), 128, ours](taken, 0.0, 10)  # compiled
    ours.synchronize()
    slow[-(-N // 128), 128, ours](taken, 3.0, 1_000_000)
    capsule = array.__dlpack__(stream=int(theirs), max_version=(1, 0))
    seen: Any = cuda.device_array(1)
    one = DeviceArray(seen.device_ctypes_pointer.value, (1,), owner=seen, device=0, stream=int(theirs))
    one.set(DeviceArray(array.address, (1,), owner=array, device=0, stream=int(theirs)))  # on their stream, which waits
    assert capsule is not None and one.item() == 3.0
    slow[-(-N // 128), 128, ours](taken, 4.0, 1_000_000)
    np.testing.assert_array_equal(array.copy_to_host(), 4.0)
    slow[-(-N // 128), 128, ours](taken, 5.0, 1_000_000)
    array[:, 1] = 6.0
    np.testing.assert_array_equal(array[:, :2].copy_to_host(), np.tile([5.0, 6.0], (N, 1)))


def cupy_by_dlpack() -> None:
    """CuPy takes the memory over: the same address, strides, and values written on either side."""
    import cupy

    x = numbers(N, NQ)
    for array in (machine_last(x), held(x), held(x)[::2, 1:], machine_last(x, stream=int(cuda.stream()))):
        taken = cupy.from_dlpack(array)
        assert taken.data.ptr == array.address and taken.shape == array.shape and taken.strides == array.strides
        np.testing.assert_array_equal(cupy.asnumpy(taken), array.copy_to_host())
        taken[1:, 0] += 1.0
        cupy.cuda.Device().synchronize()
        np.testing.assert_array_equal(array.copy_to_host(), cupy.asnumpy(taken))
        array[0] = -3.0
        assert (cupy.asnumpy(taken[0]) == -3.0).all()
        array.set(cupy.asarray(x)[: len(array), : array.shape[1]] * 4.0)
        np.testing.assert_array_equal(cupy.asnumpy(taken), 4.0 * x[: len(array), : array.shape[1]])
        array.set(cupy.arange(array.shape[1], dtype=cupy.int32))
        np.testing.assert_array_equal(array.copy_to_host()[2], np.arange(array.shape[1]))


def cupy_by_interface() -> None:
    """The same through __cuda_array_interface__."""
    import cupy

    x = numbers(N, NQ)
    rows = np.zeros((N, 2), RECORD)
    for array in (machine_last(x), held(x)[1::3], held(rows)["force"], held(rows)["speed"]):
        taken = cupy.asarray(array)
        assert taken.data.ptr == array.address and taken.strides == array.strides
        taken += 2.0
        cupy.cuda.Device().synchronize()
        np.testing.assert_array_equal(array.copy_to_host(), cupy.asnumpy(taken))
    cycle = cupy.cuda.Stream(non_blocking=True)
    array = machine_last(x, stream=cycle.ptr)
    with cycle:
        taken = cupy.asarray(array)
        for _ in range(50):
            taken += 1.0
    np.testing.assert_allclose(array.copy_to_host(), x + 50.0)  # on the same stream: in order


def cupy_lifetime() -> None:
    """Memory lives as long as CuPy's array, however it came there."""
    import cupy

    for take in (cupy.from_dlpack, cupy.asarray):
        owner = Owner(numbers(N, NQ))
        alive = weakref.ref(owner)
        taken = take(DeviceArray(owner.address, (N, NQ), owner=owner, device=0).T)
        del owner
        gc.collect()
        assert alive() is not None and float(taken[0, 0]) == numbers(N, NQ)[0, 0]
        del taken
        gc.collect()
        assert alive() is None


def core_buffer() -> None:
    """Memory of cuda.core, the owner of which is a Buffer; cuda.core reads the view in turn."""
    from cuda.core import Device
    from cuda.core.utils import StridedMemoryView

    device = Device(0)
    device.set_current()
    stream = device.create_stream()
    buffer = device.allocate(8 * N * NQ, stream=stream)
    handle = int(stream.handle)
    array = DeviceArray(int(buffer.handle), (N, NQ), strides=(8, 8 * N), owner=buffer, device=0, stream=handle)
    x = numbers(N, NQ)
    array.set(x)
    np.testing.assert_array_equal(array.copy_to_host(), x)
    for view in (
        StridedMemoryView.from_dlpack(array, stream_ptr=handle),
        StridedMemoryView.from_cuda_array_interface(array, stream_ptr=handle),
    ):
        assert view.ptr == array.address and view.shape == (N, NQ) and tuple(view.strides) == (1, N)
        assert view.is_device_accessible and not view.readonly


CASES: dict[str, Callable[[], None]] = {
    "reads": reads,
    "writes": writes,
    "records": records,
    "interfaces": interfaces,
    "lifetime": lifetime,
}
if not SIMULATED:
    CASES |= {"Numba takes a view": numba_view, "a kernel of Numba takes it": numba_argument, "streams": stream_order}
    if importlib.util.find_spec("cuda.core") is not None:
        CASES |= {"memory of cuda.core": core_buffer}
    if importlib.util.find_spec("cupy") is not None:
        CASES |= {"CuPy by DLPack": cupy_by_dlpack, "CuPy by its interface": cupy_by_interface}
        CASES |= {"CuPy keeps memory": cupy_lifetime}


def main(*names: str) -> int:
    for name in names or CASES:
        CASES[name]()
        print(f"{name}: good", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
