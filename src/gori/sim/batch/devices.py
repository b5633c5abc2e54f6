"""Memory and launches of a batch: on a GPU, or on the host, where the same program runs in loops for tests."""

from typing import Any, NamedTuple, Protocol

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.kernels.device_array import DeviceArray
from gori.model.memory import free_memory
from gori.sim.batch.program import ProgramSource, Used, on_gpu, on_host

OLDEST = (7, 0)
"""compute capability that will do"""
LINE = 256
"""bytes: arrays begin at multiples of it"""


Shape = tuple[int, ...]


class Memory(NamedTuple):
    """A piece of the memory of a device."""

    address: int
    size: int
    owner: Any


class Accelerator(Protocol):
    """Where machines are computed; `used` are the members of the program that its steps need."""

    used: Used
    stream: int

    def use(self, stream: int) -> None: ...

    def free(self) -> int | None: ...

    def take(self, size: int) -> Memory: ...

    def upload(self, memory: Memory, at: int, array: np.ndarray) -> None: ...

    def download(self, memory: Memory, at: int, size: int) -> np.ndarray: ...

    def copy(self, source: Memory, start: int, memory: Memory, at: int, size: int) -> None: ...

    def launch(self, kernel: str, threads: int, *arguments: float) -> None: ...

    def array(self, memory: Memory, at: int, shape: Shape, strides: Shape, dtype: Any) -> Any: ...

    def synchronise(self) -> None: ...


class Host:
    """The host itself."""

    @staticmethod
    def missing() -> str:
        return ""

    def __init__(self, source: ProgramSource):
        self._kernels, self.used = on_host(source)
        self.stream = 0

    def use(self, stream: int) -> None:
        self.stream = stream

    def free(self) -> int | None:
        return free_memory()

    def take(self, size: int) -> Memory:
        owner = np.zeros(size + LINE, np.uint8)
        address = -(-owner.ctypes.data // LINE) * LINE
        return Memory(address, size, owner)

    def upload(self, memory: Memory, at: int, array: np.ndarray) -> None:
        content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        self._bytes(memory, at, content.size)[:] = content

    def download(self, memory: Memory, at: int, size: int) -> np.ndarray:
        return self._bytes(memory, at, size).copy()

    def copy(self, source: Memory, start: int, memory: Memory, at: int, size: int) -> None:
        """Bytes from one piece of memory into another."""
        self._bytes(memory, at, size)[:] = self._bytes(source, start, size)

    def launch(self, kernel: str, threads: int, *arguments: float) -> None:
        self._kernels[kernel](*arguments)

    def array(self, memory: Memory, at: int, shape: Shape, strides: Shape, dtype: Any) -> Any:
        return np.ndarray(shape, dtype, memory.owner, memory.address - memory.owner.ctypes.data + at, strides)

    def synchronise(self) -> None:
        pass

    def _bytes(self, memory: Memory, at: int, size: int) -> np.ndarray:
        first = memory.address - memory.owner.ctypes.data + at
        return memory.owner[first : first + size]


class Gpu:
    """An NVIDIA GPU, with all that is done in the order of one stream."""

    @staticmethod
    def missing() -> str:
        """Why there is none that can be used, and what to do; nothing if there is one."""
        try:
            import cuda.core  # comes with numba-cuda
            from numba import cuda
        except ImportError:
            return "numba-cuda is not installed: pip install 'gori[gpu]'"
        if not cuda.is_available():
            return (
                "no NVIDIA GPU can be used here (numba.cuda.is_available() is False): install the driver, and pip "
                "install 'gori[gpu]'"
            )
        if (found := cuda.get_current_device().compute_capability) < OLDEST:
            return (
                f"this GPU has compute capability {found[0]}.{found[1]}, and a batch needs {OLDEST[0]}.{OLDEST[1]} or "
                "more"
            )
        return ""

    def __init__(self, source: ProgramSource):
        if why := self.missing():
            raise UnsupportedError(f"device cuda: {why}")
        from cuda.core import Device as CudaDevice  # type: ignore[import-not-found]
        from cuda.core import LaunchConfig, ObjectCode, Stream, launch
        from numba import cuda

        self._cuda, self._launch, self._config, self._streams = cuda, launch, LaunchConfig, Stream
        capability = cuda.get_current_device().compute_capability
        cuda.current_context()
        self._device = CudaDevice()
        self._device.set_current()
        self.use(0)
        self._blocks = source.blocks
        binaries, self.used = on_gpu(source, tuple(capability))
        self._kernels = {
            name: ObjectCode.from_cubin(binary.code, name=name).get_kernel(binary.symbol)
            for name, binary in binaries.items()
        }

    def use(self, stream: int) -> None:
        """Launch on this stream from now on, by its handle; 0: the default stream."""
        self.stream = stream
        self._stream = self._streams.from_handle(stream) if stream else self._device.default_stream
        self._copies: Any = self._cuda.external_stream(stream) if stream else 0

    def registers(self) -> dict[str, tuple[int, int]]:
        """Registers of a thread, and its bytes of local memory, by kernel."""
        return {
            name: (kernel.attributes.num_regs, kernel.attributes.local_size_bytes)
            for name, kernel in self._kernels.items()
        }

    def free(self) -> int | None:
        return int(self._cuda.current_context().get_memory_info()[0])

    def take(self, size: int) -> Memory:
        owner = self._cuda.device_array(max(size, 1), np.uint8)
        return Memory(int(owner.device_ctypes_pointer.value), size, owner)

    def upload(self, memory: Memory, at: int, array: np.ndarray) -> None:
        content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        if content.size:
            memory.owner[at : at + content.size].copy_to_device(content, stream=self._copies)

    def download(self, memory: Memory, at: int, size: int) -> np.ndarray:
        self.synchronise()
        return memory.owner[at : at + size].copy_to_host()

    def copy(self, source: Memory, start: int, memory: Memory, at: int, size: int) -> None:
        """Bytes from one piece of memory into another, in the order of the stream."""
        if size:
            memory.owner[at : at + size].copy_to_device(source.owner[start : start + size])

    def launch(self, kernel: str, threads: int, *arguments: float) -> None:
        block = self._blocks[kernel]
        config = self._config(grid=-(-threads // block), block=block)
        self._launch(self._stream, config, self._kernels[kernel], *arguments)

    def array(self, memory: Memory, at: int, shape: Shape, strides: Shape, dtype: Any) -> Any:
        return DeviceArray(
            memory.address + at, tuple(shape), dtype, tuple(strides),
            owner=memory.owner, device=self._device.device_id, stream=None,
        )  # fmt: skip

    def synchronise(self) -> None:
        self._stream.sync()


def stream_handle(stream: Any) -> int:
    """The handle of a CUDA stream: a number, or what CuPy, PyTorch, Numba and cuda.core call one; None: that of the
    default stream, 0.
    """
    if stream is None:
        return 0
    if isinstance(stream, (int, np.integer)) and not isinstance(stream, bool) and stream >= 0:
        return int(stream)
    if (told := getattr(stream, "__cuda_stream__", None)) is not None:
        return int(told()[1])
    for name in ("cuda_stream", "ptr"):
        if isinstance(handle := getattr(stream, name, None), int):
            return handle
    raise InputError(f"stream must be a handle, or a stream of CuPy, PyTorch, Numba or cuda.core, not {stream!r}")
