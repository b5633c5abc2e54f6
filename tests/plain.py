"""Kernels in plain Python: the parts of a compiled function called one by one, with nothing to compile.

`plain(part)` is the function as it is written, with plain functions in place of all that it calls. What exists in
compiled code alone has a stand-in here. Slow, but for small machines.
"""

import math
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np
from scipy.linalg import lu_factor

from gori.kernels.jit import Kernel
from gori.kernels.lanes import all_positive, sincos


def _piece_of(flat, start, *shape):
    return flat[start : start + math.prod(shape)].reshape(shape)


def _solve(A, pivots, x):
    """As `integrate/lapack.py`: A by columns becomes its factors."""
    try:
        factors, rows = lu_factor(A.T, check_finite=False)
    except np.linalg.LinAlgError:
        return 1
    x[:] = np.linalg.solve(A.T, x)
    A[:] = factors.T
    pivots.view(np.int32)[: len(rows)] = rows + 1
    return 0


def _pivot(pivots, k):
    return pivots.view(np.int32)[k]


def _write8(table, row, k, values):
    table[row, k : k + 8] = values


class _Lanes:
    """Rows of eight numbers, each taken as one value."""

    def __init__(self, rows: np.ndarray):
        self.rows = rows

    def __getitem__(self, k):
        return self.rows[k].copy()

    def __setitem__(self, k, values):
        self.rows[k] = values


STAND_INS = {
    "piece_of": _piece_of,
    "call_at": lambda function, *arguments: function(*arguments),
    "call_user": lambda function, *arguments: function(*arguments),
    "solve": _solve,
    "_pivot": _pivot,
    "read8": lambda table, row, k: table[row, k : k + 8].copy(),
    "sum8": lambda values: values.sum(),
    "write8": _write8,
    "lanes": _Lanes,
    "sincos": lambda x: (math.sin(x), math.cos(x)),
    "all_positive": lambda x: x > 0.0,
}
"""by name; a function that is called by its address is given as the function itself"""


class _Module:
    """A module whose functions are plain."""

    def __init__(self, module: ModuleType):
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return _swapped(getattr(self._module, name))


def _swapped(value: Any) -> Any:
    if isinstance(value, ModuleType) and value.__name__.startswith("gori."):
        return _Module(value)
    if type(value).__name__ == "_Intrinsic" or value is sincos or value is all_positive:
        return STAND_INS.get(value.__name__, value)
    return plain(value) if isinstance(value, Kernel) or getattr(value, "py_func", None) is not None else value


_made: dict[Any, Any] = {}


def plain(function: Any) -> Any:
    """A part, a block or a kernel as a function of Python."""
    source = (function.dispatcher if isinstance(function, Kernel) else function).py_func
    if source not in _made:
        known: dict[str, Any] = {}
        cells = tuple(CellType(_swapped(cell.cell_contents)) for cell in source.__closure__ or ())
        made = FunctionType(source.__code__, known, source.__name__, source.__defaults__, cells)
        _made[source] = made
        names = set(source.__code__.co_names)  # those of attributes too, which does no harm
        known.update((name, _swapped(value)) for name, value in source.__globals__.items() if name in names)
    return _made[source]


def records(bundle: Any) -> Any:
    """A bundle of arrays whose records have their fields as attributes, as in compiled code; the arrays are shared."""
    swapped = [
        array.view(np.recarray) if isinstance(array, np.ndarray) and array.dtype.names else array for array in bundle
    ]
    return type(bundle)._make(swapped)
