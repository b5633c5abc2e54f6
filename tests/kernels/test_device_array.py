"""Views of memory on a GPU: here of the host's, and of a GPU's in the simulator."""

import gc
import weakref

import numpy as np
import pytest

from gori.errors import InputError
from gori.kernels.device_array import DeviceArray
from tests.cuda.simulator import run_checks

NOWHERE = 0x100
"""an address that cannot be read"""


class Memory:
    """Numbers of seven coordinates of five machines, with the machine as the last axis."""

    def __init__(self):
        self.values = np.arange(35.0).reshape(7, 5)

    def view(self, **options) -> DeviceArray:
        return DeviceArray(self.values.ctypes.data, (5, 7), strides=(8, 40), owner=self, **options)


@pytest.fixture
def memory():
    return Memory()


def test_in_the_simulator():
    run_checks("interfaces", "lifetime", module="device_arrays")


def test_parts_are_views(memory):
    q = memory.view()
    assert (q.shape, q.strides, q.ndim, q.size, q.nbytes, len(q)) == ((5, 7), (8, 40), 2, 35, 280, 5)
    assert not q.contiguous and q.T.contiguous and q.writable and q.dtype == float
    for key in (1, (1, 2), (slice(None), 3), (..., None), (slice(None, None, -2), slice(1, 4)), np.int64(4)):
        np.testing.assert_array_equal(q[key].copy_to_host(), memory.values.T[key])
    assert q[1, 2].item() == 11.0 and [row[0].item() for row in q] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert q.address == memory.values.ctypes.data and q[2, 1].address == q.address + 56
    with pytest.raises(IndexError):
        q[5]
    with pytest.raises(InputError, match="integers, slices"):
        q[[0, 1]]
    with pytest.raises(InputError, match="no field 'speed'"):
        q["speed"]


def test_writes(memory):
    q = memory.view()
    q[1] = 0.0
    q[:, 2] = np.arange(5)
    q[3, 3] = np.float32(2.5)
    expected = np.arange(35.0).reshape(7, 5).T.copy()
    expected[1], expected[:, 2], expected[3, 3] = 0.0, np.arange(5), 2.5
    np.testing.assert_array_equal(memory.values.T, expected)
    q.set(q.copy()[::-1])
    np.testing.assert_array_equal(memory.values.T, expected[::-1])
    with pytest.raises(InputError, match=r"shape \(3,\) does not fit"):
        q.set(np.zeros(3))
    with pytest.raises(InputError, match="'many' cannot be written"):
        q.set("many")
    with pytest.raises(InputError, match="cannot be written: write to"):
        memory.view(writable=False)[0] = 1.0


def test_numpy_takes_it_without_a_copy(memory):
    q = memory.view()
    for taken in (np.asarray(q), np.from_dlpack(q)):  # type: ignore[arg-type]
        taken[2, 4] += 1.0
    assert q[2, 4].item() == 24.0 and np.array(q, np.float32).dtype == np.float32
    assert not np.asarray(memory.view(writable=False)).flags.writeable
    copied = np.array(q)
    copied[:] = 0.0
    assert q[2, 4].item() == 24.0
    assert np.shares_memory(np.asarray(q), memory.values) and not np.shares_memory(copied, memory.values)


def test_dlpack_of_the_host(memory):
    q = memory.view()
    assert q.__dlpack_device__() == (1, 0) and q[1:, ::2].__dlpack__() is not None
    np.testing.assert_array_equal(np.from_dlpack(q[::2, 1:]), memory.values.T[::2, 1:])  # type: ignore[arg-type]
    assert getattr(q, "__cuda_array_interface__", None) is None
    with pytest.raises(BufferError, match="no stream"):
        q.__dlpack__(stream=1)
    with pytest.raises(BufferError, match=r"cannot go to device \(2, 0\)"):
        q.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="read-only"):
        memory.view(writable=False).__dlpack__()


@pytest.mark.parametrize(
    "use",
    [
        np.asarray,
        np.from_dlpack,
        lambda view: view[1:],
        lambda view: view.T.__dlpack__(),
        lambda view: view.__dlpack__(max_version=(1, 0)),
    ],
)
def test_memory_lives_as_long_as_its_users(use):
    memory = Memory()
    alive, used = weakref.ref(memory), use(memory.view())
    del memory
    gc.collect()
    assert alive() is not None and used is not None
    del used
    gc.collect()
    assert alive() is None


def test_records_and_their_fields():
    kind = np.dtype([("flag", "i2"), ("speed", "f8"), ("force", "f8", 3)])
    rows = np.zeros(4, kind)
    array = DeviceArray(rows.ctypes.data, rows.shape, kind, owner=rows)
    array["force"] = np.arange(3.0)
    array["speed"][1:] = 5.0
    assert rows["force"].tolist() == [[0.0, 1.0, 2.0]] * 4 and rows["speed"].tolist() == [0.0, 5.0, 5.0, 5.0]
    assert array["force"].strides == (34, 8) and np.array_equal(np.asarray(array), rows)
    with pytest.raises(BufferError, match="take a field"):
        array.__dlpack__()
    with pytest.raises(BufferError, match=r"take a copy\(\)"):
        array["speed"].__dlpack__()
    np.testing.assert_array_equal(np.from_dlpack(array["speed"].copy()), rows["speed"])  # type: ignore[arg-type]


def test_what_a_gpu_is_told():
    """No GPU is there, and nothing reads the address."""
    q = DeviceArray(NOWHERE, (100, 7), strides=(8, 800), device=1, stream=5, writable=False)
    told = q[1:].__cuda_array_interface__
    assert told["data"] == (NOWHERE + 8, True) and told["strides"] == (8, 800) and told["stream"] == 5
    assert told["shape"] == (99, 7) and told["typestr"] == "<f8" and told["version"] == 3
    assert q.T.__cuda_array_interface__["strides"] is None and q[:0].__cuda_array_interface__["data"] == (0, True)
    assert DeviceArray(NOWHERE, (3,), device=0, stream=0).__cuda_array_interface__["stream"] is None
    assert q.__dlpack_device__() == (2, 1) and getattr(q, "__array_interface__", None) is None
    assert repr(q) == "DeviceArray(shape=(100, 7), dtype=float64, strides=(8, 800), cuda:1, read-only)"
    assert "dltensor" in repr(DeviceArray(NOWHERE, (4, 2), device=0).__dlpack__(stream=2))


def test_torch_shares_the_memory(memory):
    torch = pytest.importorskip("torch")
    q = memory.view()
    taken = torch.from_dlpack(q)
    assert tuple(taken.shape) == q.shape and taken.stride() == (1, 5) and taken.data_ptr() == q.address
    taken[1] = -1.0
    assert (memory.values[:, 1] == -1.0).all()
    q[2] = 8.0
    assert (taken[2] == 8.0).all()


def test_jax_takes_contiguous_memory(memory):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    q = memory.view()
    taken = jax.dlpack.from_dlpack(q.T)
    np.testing.assert_array_equal(np.asarray(taken), memory.values)


def test_arrays_of_other_programs_are_sliced_without_them():
    class Foreign:
        __cuda_array_interface__ = {
            "data": (NOWHERE, False), "shape": (4, 3, 2), "strides": None, "typestr": "<f8", "version": 3, "stream": 7,
        }  # fmt: skip

    foreign = Foreign()
    column = DeviceArray.of(foreign, 0)[:, :, 1]
    assert (column.shape, column.strides, column.address) == ((4, 3), (48, 16), NOWHERE + 8)
    assert column.device == 0 and column.stream == 7 and column.dtype == float
    strided = type(
        "Strided", (), {"__cuda_array_interface__": Foreign.__cuda_array_interface__ | {"strides": (8, 32, 96)}}
    )
    assert DeviceArray.of(strided(), 0)[1].strides == (32, 96)
