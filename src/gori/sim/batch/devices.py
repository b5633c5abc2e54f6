"""Memory and launches of a batch: on a GPU, or on the host, where the same program runs in loops for tests."""

from typing import Any, NamedTuple, Protocol

import numpy as np

from gori.errors import MissingPackageError, UnsupportedError
from gori.kernels.device_array import DeviceArray
from gori.model.memory import free_memory
from gori.sim.batch.program import BLOCK, ProgramSource, on_gpu, on_host

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

    used: frozenset[str]

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

    def __init__(self, source: ProgramSource):
        self._kernels, self.used = on_host(source)

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

    def __init__(self, source: ProgramSource):
        try:
            from cuda.core import Device as CudaDevice  # type: ignore[import-not-found]  # comes with numba-cuda
            from cuda.core import LaunchConfig, ObjectCode, launch
            from numba import cuda
        except ImportError as error:
            raise MissingPackageError("a batch on a GPU needs numba-cuda: pip install 'gori[gpu]'") from error
        if not cuda.is_available():
            raise UnsupportedError(
                "device cuda: no NVIDIA GPU can be used here (numba.cuda.is_available() is False). Install the driver "
                "and pip install 'gori[gpu]', or use device='cpu'"
            )
        self._cuda, self._launch, self._config = cuda, launch, LaunchConfig
        capability = cuda.get_current_device().compute_capability
        if capability < OLDEST:
            raise UnsupportedError(
                f"device cuda: this GPU has compute capability {capability[0]}.{capability[1]}, and a batch needs "
                f"{OLDEST[0]}.{OLDEST[1]} or more. Use device='cpu'"
            )
        cuda.current_context()
        self._device = CudaDevice()
        self._device.set_current()
        self.stream: Any = self._device.default_stream
        binaries, self.used = on_gpu(source, tuple(capability))
        self._kernels = {
            name: ObjectCode.from_cubin(binary.code, name=name).get_kernel(binary.symbol)
            for name, binary in binaries.items()
        }

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
            memory.owner[at : at + content.size].copy_to_device(content)

    def download(self, memory: Memory, at: int, size: int) -> np.ndarray:
        self.synchronise()
        return memory.owner[at : at + size].copy_to_host()

    def copy(self, source: Memory, start: int, memory: Memory, at: int, size: int) -> None:
        """Bytes from one piece of memory into another, in the order of the stream."""
        if size:
            memory.owner[at : at + size].copy_to_device(source.owner[start : start + size])

    def launch(self, kernel: str, threads: int, *arguments: float) -> None:
        block = BLOCK[kernel]
        config = self._config(grid=-(-threads // block), block=block)
        self._launch(self.stream, config, self._kernels[kernel], *arguments)

    def array(self, memory: Memory, at: int, shape: Shape, strides: Shape, dtype: Any) -> Any:
        return DeviceArray(
            memory.address + at, tuple(shape), dtype, tuple(strides),
            owner=memory.owner, device=self._device.device_id, stream=None,
        )  # fmt: skip

    def synchronise(self) -> None:
        self.stream.sync()
