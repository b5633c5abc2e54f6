"""Building blocks of compiled kernels as plain Python: no compilation, any signature, NumPy records as arguments."""

from collections.abc import Mapping
from types import CellType, FunctionType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher


def plain(part: Any, instead: Mapping[str, Any] | None = None) -> Any:
    """A `@part` or `@block` that the interpreter runs, and with it all that it calls.

    instead   globals by name, for it and all that it calls: what only compiled code can do
    """
    return _plain(part, {} if instead is None else instead, {})


def _plain(part: Any, instead: Mapping[str, Any], made: dict) -> Any:
    if not isinstance(part, Dispatcher | FunctionType):
        return part
    function = part.py_func if isinstance(part, Dispatcher) else part
    if function not in made:
        scope = dict(function.__globals__)
        cells = tuple(
            CellType(_plain(cell.cell_contents, instead, made)) if isinstance(cell.cell_contents, Dispatcher) else cell
            for cell in function.__closure__ or ()
        )
        made[function] = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
        for name in function.__code__.co_names:
            if name in instead:
                scope[name] = instead[name]
            elif isinstance(scope.get(name), Dispatcher):
                scope[name] = _plain(scope[name], instead, made)
    return made[function]


def rows(table: np.ndarray) -> np.ndarray:
    """A table of records whose fields are attributes, as kernels have them; the same memory."""
    return table.view(np.recarray)
