"""Strided views of memory on a GPU, which other programs take over without a copy.

    import torch, cupy
    q = torch.from_dlpack(batch.q)              # DLPack: no copy, strides and all; writes are seen on both sides
    q = cupy.asarray(batch.q)                   # __cuda_array_interface__
    q = jax.dlpack.from_dlpack(batch.q.T)       # JAX: with the machine as the last axis, as memory lies
    q = batch.q.copy_to_host()                  # NumPy

The same class views memory of the host, for a batch on the CPU.

A NumPy array at the same address does the arithmetic of shapes and strides, and makes DLPack's capsule. It is never
read or written where the memory is that of a GPU: basic indexing, transposing and fields of records touch no memory.
"""

from types import EllipsisType
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.kernels.dlpack import CPU, CUDA, capsule_of
from gori.kernels.strided import address_of, array_at, basic

Key = int | slice | None | EllipsisType | str


class DeviceArray:
    """A strided view of memory on a GPU, or of the host.

    address    of the first element
    strides    bytes from one element to the next along each axis; default: those of a C-contiguous array
    owner      keeps the memory alive as long as any view of it, here or in another program
    device     number of the GPU; None: memory of the host
    writable   whether `set` and other programs may write
    stream     handle of the CUDA stream on which the owner reads and writes the memory; None: work on it is complete
    """

    def __init__(
        self,
        address: int,
        shape: tuple[int, ...],
        dtype: Any = np.float64,
        strides: tuple[int, ...] | None = None,
        *,
        owner: Any = None,
        device: int | None = None,
        writable: bool = True,
        stream: int | None = None,
    ):
        self._at = array_at(address, shape, np.dtype(dtype), strides, owner, writable)
        self.device, self.stream = device, stream or None  # handle 0 is not allowed in any of the interfaces

    @staticmethod
    def of(array: Any, device: int) -> "DeviceArray":
        """An array of another program on a GPU, of which parts are then taken without its help."""
        told = array.__cuda_array_interface__
        shape, strides, stream = tuple(told["shape"]), told.get("strides"), told.get("stream")
        return DeviceArray(told["data"][0], shape, told["typestr"], strides, owner=array, device=device, stream=stream)

    def _view(self, at: np.ndarray) -> "DeviceArray":
        view = object.__new__(DeviceArray)
        view._at, view.device, view.stream = at, self.device, self.stream
        return view

    # ---- what it is

    @property
    def address(self) -> int:
        """Address of the first element."""
        return address_of(self._at)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._at.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each axis."""
        return self._at.strides

    @property
    def dtype(self) -> np.dtype:
        return self._at.dtype

    @property
    def ndim(self) -> int:
        return self._at.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._at.size

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, without what lies between them."""
        return self._at.nbytes

    @property
    def writable(self) -> bool:
        return self._at.flags.writeable

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie one after the other, the last axis first."""
        return self._at.flags.c_contiguous

    @property
    def T(self) -> "DeviceArray":
        """With the axes in reverse order; no copy."""
        return self._view(self._at.T)

    def __len__(self) -> int:
        return len(self._at)

    def __repr__(self) -> str:
        where = "host" if self.device is None else f"cuda:{self.device}"
        lock = "" if self.writable else ", read-only"
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, strides={self.strides}, {where}{lock})"

    # ---- parts of it

    def __getitem__(self, key: Key | tuple[Key, ...]) -> "DeviceArray":
        """A view: integers, slices, None, `...`, or the name of a field of records."""
        if isinstance(key, str):
            if key not in (self.dtype.names or ()):
                raise InputError(f"{self!r} has no field {key!r}")
            return self._view(self._at[key])
        keys = key if isinstance(key, tuple) else (key,)
        keys = tuple(basic(one) for one in keys)
        # with `...` NumPy gives a view also where all axes are indexed, and reads nothing
        return self._view(self._at[keys if Ellipsis in keys else (*keys, ...)])

    def __setitem__(self, key: Key | tuple[Key, ...], value: Any) -> None:
        self[key].set(value)

    # ---- values

    def copy_to_host(self) -> np.ndarray:
        """A copy as a NumPy array; work on the stream is awaited."""
        if self.device is None:
            return self._at.copy()
        from gori.kernels import device_copies

        return device_copies.to_host(self._at, self.device, self.stream)

    def copy(self) -> "DeviceArray":
        """A C-contiguous copy on the same device."""
        if self.device is None:
            made = self._at.copy(order="C")
            return DeviceArray(address_of(made), made.shape, made.dtype, owner=made)
        from gori.kernels import device_copies

        address, owner = device_copies.clone(self._at, self.device, self.stream)
        return DeviceArray(address, self.shape, self.dtype, owner=owner, device=self.device, stream=self.stream)

    def item(self) -> Any:
        """The number of an array of one element."""
        return self.copy_to_host().item()

    def set(self, value: Any) -> None:
        """Write a number, an array that broadcasts to this shape, or an array on the same GPU
        (`__cuda_array_interface__`), which is copied there.
        """
        if not self.writable:
            raise InputError(f"{self!r} cannot be written: write to a copy(), or to what it was made of")
        on_gpu = getattr(value, "__cuda_array_interface__", None) if self.device is not None else None
        source = self._numbers(value) if on_gpu is None else value
        shape = source.shape if on_gpu is None else tuple(on_gpu["shape"])
        try:
            fits = np.broadcast_shapes(shape, self.shape) == self.shape
        except ValueError:
            fits = False
        if not fits:
            raise InputError(f"a value of shape {shape} does not fit {self!r}")
        if self.device is None:
            self._at[...] = source
        else:
            from gori.kernels import device_copies

            device_copies.assign(self._at, source, self.device, self.stream)

    def _numbers(self, value: Any) -> np.ndarray:
        try:
            return np.asarray(value).astype(self.dtype, copy=False)
        except (TypeError, ValueError):
            raise InputError(f"{value!r} cannot be written to {self!r}, which takes {self.dtype}") from None

    # ---- for other programs

    @property
    def __array_interface__(self) -> dict[str, Any]:
        if self.device is not None:
            raise AttributeError("memory of a GPU has no __array_interface__")
        return self._at.__array_interface__

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self.device is not None and copy is False:
            raise ValueError("an array on a GPU becomes a NumPy array by a copy alone")
        array = self._at if self.device is None else self.copy_to_host()
        return np.array(array, dtype) if copy else np.asarray(array, dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.device is None:
            raise AttributeError("memory of the host has no __cuda_array_interface__")
        found = self._at.__array_interface__
        if self.size == 0:
            found["data"] = (0, not self.writable)
        if not self.dtype.names:
            found.pop("descr")
        found["strides"] = None if self.contiguous else self.strides
        return found | {"version": 3, "stream": self.stream}

    def __dlpack_device__(self) -> tuple[int, int]:
        return (CPU, 0) if self.device is None else (CUDA, self.device)

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """DLPack's capsule, versioned from `max_version` 1.0 on; the consumer's stream waits for the owner's."""
        here = self.__dlpack_device__()
        if dl_device is not None and tuple(dl_device) != here:
            if tuple(dl_device) != (CPU, 0) or copy is False:
                raise BufferError(f"{self!r} cannot go to device {tuple(dl_device)} as it is: copy_to_host() first")
            return self.copy_to_host().__dlpack__(**({} if max_version is None else {"max_version": max_version}))
        if self.device is None and stream is not None:
            raise BufferError(f"memory of the host has no stream, and {stream!r} was given: leave stream out")
        array = self.copy() if copy else self
        capsule = capsule_of(array._at, here, max_version)  # refuses before anything is awaited
        if array.device is not None and array.stream is not None:
            from gori.kernels import device_copies

            device_copies.wait_for(array.stream, 1 if stream is None else stream, array.device)
        return capsule
