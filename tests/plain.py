"""Building blocks of compiled kernels as plain Python: no compilation, any signature, NumPy records as arguments."""

from types import FunctionType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

_PLAIN: dict = {}


def plain(part: Any, **instead: Any) -> Any:
    """A `@part` or `@block` that the interpreter runs, and so all that it calls; `instead`: other globals by name."""
    function = part.py_func if isinstance(part, Dispatcher) else part
    key = function if not instead else None
    if key in _PLAIN:
        return _PLAIN[key]
    scope = dict(function.__globals__)
    made = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, function.__closure__)
    if key is not None:
        _PLAIN[key] = made  # before its callees, which may call it
    for name in function.__code__.co_names:
        if isinstance(scope.get(name), Dispatcher):
            scope[name] = plain(scope[name])
    scope.update(instead)
    return made


def rows(table: np.ndarray) -> np.ndarray:
    """A table of records whose fields are attributes, as kernels have them; the same memory."""
    return table.view(np.recarray)
