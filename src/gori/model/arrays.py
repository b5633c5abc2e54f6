"""Arguments of a call: one state or a batch, checked and brought into one form."""

from typing import Any

import numpy as np

from gori.errors import InputError
from gori.kernels.tree.batch import all_finite


def frozen(array: np.ndarray) -> np.ndarray:
    """A read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


def whole(name: str, value: Any) -> int:
    """A whole number of any size."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputError(f"{name} must be a whole number, not {value!r}")
    return int(value)


def numbers_of(value: Any, name: str, copy: bool | None = True, least: int = 0) -> np.ndarray:
    """An argument as a float64 array, C-ordered; refuses what would lose something on the way.

    copy    None: the argument itself, if it is such an array
    least   dimensions that it gets at least
    """
    try:
        if np.iscomplexobj(value):
            raise TypeError("it is complex")
        if np.ma.isMaskedArray(value):
            raise TypeError("it is a masked array, and Gori would not see its mask; take .filled() or .compressed()")
        return np.asarray(np.array(value, dtype=np.float64, order="C", ndmin=least, copy=copy))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"{name} must be an array of numbers: {error}") from None


def rows_of(value: Any, width: int, name: str) -> np.ndarray:
    """A finite float64 array (B, width), C-ordered, of an argument (width,) or (B, width)."""
    array = numbers_of(value, name, copy=None, least=1)
    if array.ndim > 2 or array.shape[-1] != width:
        raise InputError(f"{name} must have shape ({width},) or (B, {width}), not {array.shape}")
    rows = np.ascontiguousarray(
        array.reshape(-1, width) if width else array.reshape(1 if array.ndim == 1 else len(array), 0)
    )
    if not rows.flags.writeable:  # the kernels have one signature, for writable arrays
        rows = rows.copy()
    if not all_finite(rows.reshape(-1)):
        b, k = np.argwhere(~np.isfinite(rows))[0]
        where = f"{name}[{k}]" if array.ndim == 1 else f"{name}[{b}, {k}]"
        raise InputError(f"{where} is {rows[b, k]}: all numbers must be finite")
    return rows


class Rows:
    """Named arguments as rows (B, width) of one common batch; single states are repeated where others are batches."""

    def __init__(self, **arguments: tuple[Any, int]):
        self._rows = {name: rows_of(value, width, name) for name, (value, width) in arguments.items()}
        self.single = all(np.ndim(value) < 2 for value, _ in arguments.values())
        counts = {name: len(self._rows[name]) for name, (value, _) in arguments.items() if np.ndim(value) == 2}
        if len(set(counts.values())) > 1:
            raise InputError("batches of different sizes: " + ", ".join(f"{n} has {c}" for n, c in counts.items()))
        self.count = next(iter(counts.values()), 1)
        for name, rows in self._rows.items():
            if len(rows) != self.count:
                self._rows[name] = np.repeat(rows, self.count, axis=0)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._rows[name]

    def values(self):
        return self._rows.values()

    def shaped(self, out: np.ndarray, *shape: int) -> np.ndarray:
        """Results as the caller expects them: without the batch axis for a single state."""
        shape = shape or out.shape[1:]
        return out.reshape(shape) if self.single else out.reshape(self.count, *shape)
