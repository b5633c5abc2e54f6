"""The arrays of an environment: NumPy's, CuPy's or PyTorch's, on the device of its batch.

Written for what all three have in common: operators, indexing, and functions of one name, such as `xp.where`,
`xp.stack`, `xp.sum(x, axis=1)`. What they do differently stands here.
"""

from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from gori.errors import InputError, MissingPackageError
from gori.sim.batch.batch import Batch

NAMES = ("numpy", "cupy", "torch")
ON_GPU = ("cupy", "torch")
"""in the order in which they are looked for"""


class Arrays:
    """One array package on one device.

    xp      the package: numpy, cupy or torch
    count   machines
    """

    def __init__(self, batch: Batch, xp: str | ModuleType | None = None):
        self.xp: Any = _package(batch.device, xp)
        self.name: str = self.xp.__name__
        self.count = len(batch)
        self.on_gpu = batch.device == "cuda"
        self._device: dict[str, Any] = {}
        if self.name == "torch":
            self._device["device"] = self.view(batch.q).device

    def view(self, array: Any) -> Any:
        """An array of the batch as one of this package; no copy, what is written is seen on both sides."""
        if self.name == "numpy":
            return array
        return self.xp.asarray(array) if self.name == "cupy" else self.xp.from_dlpack(array)

    def of(self, values: Any, dtype: str = "float64") -> Any:
        """Numbers of any kind as an array on the device; gradients end here."""
        if self.name == "torch":
            return self.xp.as_tensor(values, dtype=self._kind(dtype), **self._device).detach()
        return self.xp.asarray(values, dtype=self._kind(dtype))

    def cast(self, array: Any, dtype: str) -> Any:
        """With numbers of another type; itself if it has that one."""
        kind = self._kind(dtype)
        return array.to(kind) if self.name == "torch" else array.astype(kind, copy=False)

    def _kind(self, dtype: str) -> Any:
        return getattr(self.xp, dtype) if self.name == "torch" else np.dtype(dtype)

    def zeros(self, *shape: int, dtype: str = "float64") -> Any:
        """Zeros (machines, *shape)."""
        return self.xp.zeros((self.count, *shape), dtype=self._kind(dtype), **self._device)

    def copy(self, array: Any) -> Any:
        return array.clone() if self.name == "torch" else array.copy()

    def host(self, array: Any) -> np.ndarray:
        """As a NumPy array; from a GPU this is a copy, and waits for it."""
        if self.name == "cupy":
            return self.xp.asnumpy(array)
        return array.cpu().numpy() if self.name == "torch" else np.asarray(array)

    def mask(self, mask: Any) -> Any:
        """A mask of machines as `Batch.reset` takes it: on the device where the batch is on a GPU."""
        return self.cast(mask, "uint8") if self.on_gpu else self.host(mask)


def _package(device: str, xp: str | ModuleType | None) -> Any:
    """The package that was asked for, or that is there."""
    if isinstance(xp, ModuleType):
        xp = xp.__name__
    if xp is not None and xp not in NAMES:
        raise InputError(f"xp must be one of {', '.join(NAMES)}, not {xp!r} (JAX takes theirs by DLPack)")
    if (device, xp) in (("cuda", "numpy"), ("cpu", "cupy")):
        raise InputError(f"xp {xp!r} has no arrays on the device of this batch, which is {device!r}")
    wanted = (xp,) if xp is not None else ("numpy",) if device == "cpu" else ON_GPU
    for name in wanted:
        try:
            return import_module(name)
        except ImportError:
            continue
    raise MissingPackageError(f"an environment on {device!r} needs {' or '.join(wanted)}: pip install {wanted[-1]}")
