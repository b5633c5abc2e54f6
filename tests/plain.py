"""Kernels in plain Python: the parts of a compiled function called one by one, with nothing to compile.

`plain(part)` is the function as it is written, with plain functions in place of all that it calls. What exists in
compiled code alone has a stand-in here. Slow, but for small machines.
"""

import math
from collections.abc import Mapping
from types import CellType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from scipy.linalg import lu_factor

from gori.kernels.bundle import Bundle
from gori.kernels.jit import Kernel
from gori.kernels.lanes import above, all_positive
from gori.kernels.sincos import sincos


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


def _solve_complex(A, pivots, x):
    """As `integrate/radau/dense.py`: A by columns, with its parts side by side, becomes its factors."""
    matrix, right = (array.reshape(-1).view(complex) for array in (A, x))
    try:
        factors, rows = lu_factor(matrix.reshape(A.shape[:2]).T, check_finite=False)
    except np.linalg.LinAlgError:
        return 1
    right[:] = np.linalg.solve(matrix.reshape(A.shape[:2]).T, right)
    matrix[:] = factors.T.reshape(-1)
    pivots.view(np.int32)[: len(rows)] = rows + 1
    return 0


def _pivot(pivots, k):
    return pivots.view(np.int32)[k]


def _write8(table, row, k, values):
    table[row, k : k + 8] = values


class _Lanes:
    """Rows of eight numbers, each taken as one value."""

    def __init__(self, rows: np.ndarray):
        self.rows, self.shape = rows, rows.shape[:-1]

    def __getitem__(self, k):
        return self.rows[k].copy()

    def __setitem__(self, k, values):
        self.rows[k] = values


STAND_INS = {
    "piece_of": _piece_of,
    "_present": bool,
    "call_at": lambda function, *arguments: function(*arguments),
    "in_code": lambda machine, arrays: False,
    "call_user": lambda function, t, q, v, tau, values: function(t, q, v, tau),
    "solve": _solve,
    "solve_complex": _solve_complex,
    "_pivot": _pivot,
    "read8": lambda table, row, k: table[row, k : k + 8].copy(),
    "where_above": lambda x, limit, a, b: np.where(x > limit, a, b),
    "largest8": np.max,
    "lanes_below": lambda x, limit: sum(1 << k for k in range(8) if x[k] < limit[k]),
    "get_lane": lambda x, k: x[k],
    "spread": lambda number: np.full(8, number),
    "sum8": lambda values: values.sum(),
    "write8": _write8,
    "lanes": _Lanes,
    "lanes_of": lambda flat: _Lanes(flat.reshape(-1, 8)),
    "sincos": lambda x: (math.sin(x), math.cos(x)),
    "all_positive": lambda x: x > 0.0,
    "above": lambda x, limit: x if x > limit else math.nan,
}
"""by name; a function that is called by its address is given as the function itself"""


def _is_compiled(value: Any) -> bool:
    return isinstance(value, Kernel | Dispatcher)


class _Maker:
    """Makes functions plain, each once."""

    def __init__(self, instead: Mapping[str, Any]):
        self.instead, self.made = instead, {}

    def function(self, value: Any) -> Any:
        source = value.dispatcher if isinstance(value, Kernel) else value
        source = source.py_func if isinstance(source, Dispatcher) else source
        if source not in self.made:
            known = dict(source.__globals__)
            cells = tuple(CellType(self.swapped(cell.cell_contents)) for cell in source.__closure__ or ())
            self.made[source] = FunctionType(source.__code__, known, source.__name__, source.__defaults__, cells)
            for name in source.__code__.co_names:  # those of attributes too, which does no harm
                if name in self.instead:
                    known[name] = self.instead[name]
                elif name in known:
                    known[name] = self.swapped(known[name])
        return self.made[source]

    def swapped(self, value: Any) -> Any:
        if _is_compiled(value):
            return self.function(value)
        if isinstance(value, ModuleType) and value.__name__.startswith("gori."):
            return _Module(value, self)
        if type(value).__name__ == "_Intrinsic" or value is sincos or value is above or value is all_positive:
            return STAND_INS.get(value.__name__, value)
        return value


class _Module:
    """A module whose functions are plain."""

    def __init__(self, module: ModuleType, maker: _Maker):
        self._module, self._maker = module, maker

    def __getattr__(self, name: str) -> Any:
        return self._maker.swapped(getattr(self._module, name))


_MAKER = _Maker({})


def plain(function: Any, instead: Mapping[str, Any] | None = None) -> Any:
    """A part, a block or a kernel as a function of Python.

    instead   globals by name, for it and all that it calls
    """
    return (_Maker(instead) if instead else _MAKER).function(function)


def rows(table: np.ndarray) -> np.ndarray:
    """A table of records whose fields are attributes, as kernels have them; the same memory."""
    return table.view(np.recarray)


class Plain(SimpleNamespace):
    """Members of a bundle by name; what stands for an address may be a function."""

    def replace(self, **members: Any) -> "Plain":
        return Plain(**vars(self) | members)


def records(bundle: Bundle) -> Plain:
    """The same arrays in a plain object, tables of records as `rows`, bundles within it likewise."""

    def plainly(value: Any) -> Any:
        if isinstance(value, Bundle):
            return records(value)
        return rows(value) if isinstance(value, np.ndarray) and value.dtype.names else value

    made = Plain(**{name: plainly(value) for name, value in bundle.members().items()})
    if "flat" in vars(bundle):
        made.flat = bundle.flat
    return made
