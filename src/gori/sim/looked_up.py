"""Values that a function of the user takes from outside: what it closes over, and what it looks up in its module.

Numbers, texts, tuples, lists and arrays of them count, as gains and tables do. What the function rebinds itself
(`nonlocal`, `global`) is its memory, and is passed over; so are objects of other kinds.
"""

import dis
import functools
import hashlib
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

_PLAIN = (int, float, complex, str, bytes, type(None), np.generic)
_REBINDS = ("STORE_DEREF", "DELETE_DEREF", "STORE_GLOBAL", "DELETE_GLOBAL")


def values_of(function: Any) -> dict[str, str]:
    """Hashes of the plain values that a function takes from outside, by their names."""
    found = _function_of(function)
    if found is None:
        return {}
    names, rebound = _names(found.__code__)
    values = {name: found.__globals__[name] for name in names if name in found.__globals__}
    for name, cell in zip(found.__code__.co_freevars, found.__closure__ or ()):
        try:
            values[name] = cell.cell_contents
        except ValueError:  # not bound yet
            values.pop(name, None)
    texts = {name: plain_bytes(value) for name, value in values.items() if name not in rebound}
    return {
        name: hashlib.sha256(texts[name] or b"").hexdigest()[:8] for name in sorted(texts) if texts[name] is not None
    }


def plain_bytes(value: Any) -> bytes | None:
    """A plain value as bytes, the same in every process; None of others, and of an empty list: it is to be filled."""
    if isinstance(value, np.ndarray):
        return None if value.dtype.hasobject else str((value.shape, value.dtype)).encode() + value.tobytes()
    if isinstance(value, (list, tuple)) and value != []:
        parts = [plain_bytes(one) for one in value]
        return None if None in parts else repr((type(value).__name__, parts)).encode()
    flag = isinstance(value, (bool, np.bool_))  # programs set flags as they go
    return repr(value).encode() if isinstance(value, _PLAIN) and not flag else None


def _function_of(function: Any) -> FunctionType | None:
    """The function in Python behind one that is compiled, partial, a method, or an object that can be called."""
    while isinstance(function, functools.partial):
        function = function.func
    function = getattr(function, "py_func", function)
    if not isinstance(function, (FunctionType, MethodType)):
        function = type(function).__call__ if callable(function) else None
    if isinstance(function, MethodType):
        function = function.__func__
    return function if isinstance(function, FunctionType) else None


def _names(code: CodeType) -> tuple[set[str], set[str]]:
    """Names that are looked up in the module, and names from outside that are bound anew."""
    looked_up, rebound = set(), set()
    for one in _codes(code):
        for step in dis.get_instructions(one):
            if step.opname == "LOAD_GLOBAL":
                looked_up.add(step.argval)
            elif step.opname in _REBINDS:
                rebound.add(step.argval)
    return looked_up, rebound


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Code of a function, and of those within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
