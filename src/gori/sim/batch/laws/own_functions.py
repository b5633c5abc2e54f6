"""Functions of the user that become part of compiled programs: what they depend on, and why they do not compile."""

import dis
import hashlib
import linecache
import re
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher

from gori.errors import InputError, UnsupportedError

WRITES_STATE = "Cannot modify readonly array"
ALLOCATES = "NRT required", "Only accept returning of array"
"""what Numba says of functions that make new arrays, where there is no memory for them"""


def python_of(function: Callable) -> FunctionType:
    """A function as it was written, also where Numba has compiled it."""
    own: Any = getattr(function, "py_func", function)
    if not isinstance(own, FunctionType):
        raise InputError(f"a law must be a function of Python, or one that numba.njit made of it, not {function!r}")
    return own


def digest_of_function(function: Callable) -> str:
    """Of its bytecode, and of all constants and functions that it takes from around it."""
    digest = hashlib.sha256()
    for word in _words(python_of(function), set()):
        digest.update(word)
        digest.update(b"\0")
    return digest.hexdigest()[:24]


def _words(value: Any, seen: set[int]) -> Iterator[bytes]:
    if isinstance(value, CodeType):
        yield from (value.co_code, repr(value.co_names).encode(), repr(value.co_varnames).encode())
        for constant in value.co_consts:
            yield from _words(constant, seen)
    elif isinstance(getattr(value, "py_func", value), FunctionType):
        own = python_of(value)
        if id(own) in seen:
            return
        seen.add(id(own))
        yield own.__name__.encode()
        yield from _words(own.__code__, seen)
        yield repr(getattr(value, "targetoptions", None)).encode()
        for name, found in _around(own):
            yield name.encode()
            yield from _words(found, seen)
    elif isinstance(value, np.ndarray):
        yield from (repr((value.dtype, value.shape)).encode(), np.ascontiguousarray(value).tobytes())
    elif isinstance(value, tuple):
        for one in value:
            yield from _words(one, seen)
    else:
        yield f"{type(value).__name__} {value!r}".encode()


def _around(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function reads besides its arguments: from its closure, from its module, and from other modules."""
    yield from zip(function.__code__.co_freevars, (cell.cell_contents for cell in function.__closure__ or ()))
    yield "defaults", function.__defaults__
    for code in _codes(function.__code__):
        for name in code.co_names:
            if name in function.__globals__:
                found = function.__globals__[name]
                yield name, found
                if isinstance(found, ModuleType):
                    yield from ((own, vars(found)[own]) for own in code.co_names if own in vars(found))


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The bytecode of a function, and of those within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def functions_within(function: Callable) -> list[FunctionType]:
    """A function, and those that Numba has compiled and it calls."""
    found, to_do = [], [python_of(function)]
    while to_do:
        own = to_do.pop()
        if own not in found:
            found.append(own)
            to_do += [value.py_func for _, value in _around(own) if hasattr(value, "py_func")]
    return found


def refuse_raising(function: Callable) -> None:
    """Refuse functions with `raise` and `assert`, which a GPU does not know."""
    for own in functions_within(function):
        if (line := _line_of(own, lambda instruction: instruction.opname == "RAISE_VARARGS")) is not None:
            raise UnsupportedError(
                f"device cuda: law {own.__name__!r} raises exceptions, which a GPU cannot: add math.nan to tau, and "
                f"the machine stops there as failed ({line_words(own, line)})"
            )


def with_checked_indices(function: Callable, made: dict[int, Any] | None = None) -> FunctionType:
    """A copy of a function whose compiled helpers check their indices, but those that it reaches through a module.

    made   helpers that were copied already, by id
    """
    own, made = python_of(function), {} if made is None else made

    def checked(value: Any) -> Any:
        if not isinstance(value, Dispatcher):
            return value
        if id(value) not in made:
            made[id(value)] = value  # one that calls itself
            options = {**value.targetoptions, "boundscheck": True}
            made[id(value)] = numba.jit(**options)(with_checked_indices(value, made))
        return made[id(value)]

    around = {**own.__globals__}
    for code in _codes(own.__code__):
        around |= {name: checked(around[name]) for name in code.co_names if name in around}
    cells = tuple(CellType(checked(cell.cell_contents)) for cell in own.__closure__ or ())
    copy = FunctionType(own.__code__, around, own.__name__, own.__defaults__, cells)
    copy.__kwdefaults__ = own.__kwdefaults__
    return copy


def refuse_uncompilable(function: Callable, name: str, parameters: int, on_gpu: bool) -> Any:
    """Refuse a law (t, q, v, tau, parameters) that Numba does not compile, with the line and the reason. Returns it
    compiled so that it raises IndexError where an index is out of bounds.

    on_gpu   compiled as for a GPU: arrays are views with strides, and there is no memory for new ones
    """
    own = python_of(function)
    kinds = [types.Array(types.float64, 1, "A" if on_gpu else "C", readonly=readonly) for readonly in (True, False)]
    options: dict[str, Any] = {"_nrt": False} if on_gpu else {}
    compiled: Any = numba.njit(error_model="numpy", boundscheck=True, **options)(with_checked_indices(own))
    try:
        compiled.compile((types.float64, kinds[0], kinds[0], kinds[1], *[types.float64] * parameters))
    except numba.core.errors.NumbaError as error:
        raise InputError(f"law {name!r} does not compile: {_reason(str(error))} ({_place(function, error)})") from error
    if compiled.nopython_signatures[0].return_type != types.none:
        raise InputError(f"law {name!r} returns something: it must add to tau (nv,) in place ({line_words(own)})")
    compiled.disable_compile()
    return compiled


def _reason(words: str) -> str:
    if WRITES_STATE in words:
        return "it writes to q or v, which are not its own: add to tau alone"
    if any(sign in words for sign in ALLOCATES):
        return (
            "it makes a new array, for which a GPU has no memory: as np.zeros does, and arithmetic of whole arrays. "
            "Work on single numbers, in a loop over the axes"
        )
    lines = [line.strip() for line in words.splitlines()]
    lines = [line for line in lines if line and not line.startswith(("Failed in", "- Resolution"))]
    if lines and lines[0].endswith("found for signature:"):
        return " ".join(lines[:2]).replace(" found for signature: >>>", " for")
    return lines[0] if lines else words


def _place(function: Callable, error: Exception) -> str:
    """The line of the user's code that Numba names first."""
    unknown = re.search(r"name '(\w+)' is not defined", str(error))
    for own in functions_within(function):
        if unknown is not None:
            if (line := _line_of(own, lambda instruction: instruction.argval == unknown[1])) is not None:
                return line_words(own, line)
        elif found := re.search(re.escape(own.__code__.co_filename) + r" \((\d+)\)", str(error)):
            return line_words(own, int(found[1]))
    return line_words(python_of(function))


def _line_of(function: FunctionType, wanted: Callable[[dis.Instruction], bool]) -> int | None:
    """The line of the first instruction of a kind."""
    for instruction in dis.get_instructions(function):
        if wanted(instruction):
            position = instruction.positions
            return None if position is None else position.lineno
    return None


def line_words(function: FunctionType, number: int | None = None) -> str:
    """File, line and text of a line of a function, by default its first."""
    code = function.__code__
    number = code.co_firstlineno if number is None else number
    text = linecache.getline(code.co_filename, number).strip()
    return f"{code.co_filename}, line {number}" + (f": {text}" if text else "")
