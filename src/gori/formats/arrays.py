"""Large arrays in a description: height fields, tables, positions of particles.

As text they are written row by row, as a YAML library does it much more slowly. In a file that can hold arrays they
stand beside the text, which refers to them by number: `heights: {stored_array: 0}`.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from gori.errors import FileError

MANY = 200
"""numbers from which on an array counts as large"""
REFERENCE = "stored_array"


def numbers_of(value: tuple) -> np.ndarray | None:
    """A large tuple of numbers, or of rows of equal length, as an array; None of all others."""
    rows: tuple = value if value and type(value[0]) is tuple else (value,)
    if any(type(row) is not tuple for row in rows) or len({len(row) for row in rows}) != 1:
        return None
    if len(rows) * len(rows[0]) < MANY or set(map(type, chain.from_iterable(rows))) not in ({float}, {int}):
        return None
    try:
        array = np.array(value)
    except OverflowError:
        return None
    return array if array.dtype.kind in "if" else None


class LargeArrays:
    """The large arrays of a description, taken out of it while it is written."""

    def __init__(self):
        self.found: list[np.ndarray] = []
        self._token = "large-array"

    def take(self, array: np.ndarray) -> str:
        """Remember an array; what stands in its place."""
        self.found.append(array)
        return f"{self._token}-{len(self.found) - 1}-"

    def put_back(self, text: str, written: Callable[[int, np.ndarray], str]) -> str | None:
        """The text with each array in its place, as `written` has it; None if a name in it looks like our mark."""
        if text.count(self._token) != len(self.found):
            return None
        pieces, rest = [], text
        for k, array in enumerate(self.found):
            before, mark, rest = rest.partition(f"{self._token}-{k}-")
            pieces += [before, written(k, array) if mark else ""]
        return "".join([*pieces, rest])

    def again(self) -> "LargeArrays":
        """To begin anew, with another mark."""
        new = LargeArrays()
        new._token = f"{self._token}-x"
        return new


def as_text(_: int, array: np.ndarray) -> str:
    """An array as YAML, in the form that the YAML library gives it."""
    rows = ("[" + ", ".join(map(_number, row)) + "]" for row in np.atleast_2d(array).tolist())
    return "[" + ", ".join(rows) + "]" if array.ndim == 2 else next(rows)


def as_reference(k: int, _: np.ndarray) -> str:
    """An array that is stored beside the text."""
    return f"{{{REFERENCE}: {k}}}"


def _number(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    text = repr(value)
    if text[-1] in "nf":  # nan, inf, -inf
        return text.replace("nan", ".nan").replace("inf", ".inf")
    return text.replace("e", ".0e", 1) if "e" in text and "." not in text else text  # as YAML 1.1 wants it


def with_arrays(data: Any, arrays: Sequence[np.ndarray], path: Any) -> Any:
    """Plain data with the stored arrays in place of what refers to them."""
    if isinstance(data, dict):
        if data.keys() != {REFERENCE}:
            return {name: with_arrays(value, arrays, path) for name, value in data.items()}
        k = data[REFERENCE]
        if type(k) is not int or not 0 <= k < len(arrays):
            raise FileError(f"is damaged: array {k!r} of its Spec is missing", path)
        return arrays[k].tolist()
    if isinstance(data, list):
        return [with_arrays(value, arrays, path) for value in data]
    return data
