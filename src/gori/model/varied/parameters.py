"""Values by path of a Spec, for many machines, as columns of numbers."""

import itertools
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gori.errors import GoriError, InputError
from gori.spec import Spec

FEW = 9
"""distinct values up to which a column is taken as a list of them, not as a range"""
MOST_CORNERS = 64


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings: those of one machine were shown when its Model was made."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class _Component(NamedTuple):
    """One number of a path: sign times a column, or the same number for all machines."""

    column: int
    sign: float
    fixed: float


class _Path(NamedTuple):
    name: str
    shape: tuple[int, ...]
    kind: type  # of its numbers: float, int or bool
    choices: tuple[Any, ...] | None  # what is no number; the column then holds places in it
    components: tuple[_Component, ...]


class Parameters:
    """What differs between n machines.

    X      (n, p) one column for each number that varies; numbers that are the same in all machines, or the same but for
           their sign, share one
    few    (p,) whether a column takes few values, or values between which there is nothing
    """

    def __init__(self, spec: Spec, values: Mapping[str, Any]):
        if not isinstance(values, Mapping) or not values:
            raise InputError(f"parameters must be {{path of the Spec: values}}, not {values!r:.100}")
        self.spec, self.paths = spec, []
        columns: dict[tuple[bytes, bool], int] = {}
        found: list[np.ndarray] = []
        few: list[bool] = []
        self.count = 0
        for name, given in values.items():
            if not isinstance(name, str):
                raise InputError(f"the path of a parameter must be text, not {name!r:.100}")
            array, kind, choices = _numbers(name, given)
            kind = float if kind is int and choices is None and self._takes_floats(name, array[0]) else kind
            self.count = self.count or len(array)
            if len(array) != self.count:
                first = next(iter(values))
                words = f"parameter {name!r} has {len(array)} values, and {first!r} has {self.count}"
                raise InputError(f"{words}: each needs one for each machine")
            components = []
            for numbers in array.reshape(self.count, -1).T + 0.0:
                if (numbers == numbers[0]).all():
                    components.append(_Component(-1, 1.0, float(numbers[0])))
                    continue
                sign = -1.0 if kind is float and numbers[np.flatnonzero(numbers)[0]] < 0.0 else 1.0
                numbers = sign * numbers + 0.0
                key = numbers.tobytes(), kind is float
                if key not in columns:
                    columns[key] = len(found)
                    found.append(numbers)
                    few.append(kind is not float or len(np.unique(numbers)) <= FEW)
                components.append(_Component(columns[key], sign, 0.0))
            self.paths.append(_Path(name, array.shape[1:], kind, choices, tuple(components)))
        self.X = np.stack(found, axis=1) if found else np.zeros((self.count, 0))
        self.few = np.array(few, bool)

    def _takes_floats(self, name: str, value: np.ndarray) -> bool:
        """Whether a path takes any number, not only whole ones."""
        try:
            with quiet():
                self.spec.set(name, value.tolist())
        except GoriError:
            return False
        return True

    @cached_property
    def distinct(self) -> list[np.ndarray]:
        """Values of each column, ascending."""
        return [np.unique(column) for column in self.X.T]

    def value(self, path: _Path, x: np.ndarray) -> Any:
        """Value of a path for columns x (p,)."""
        numbers = [one.sign * x[one.column] if one.column >= 0 else one.fixed for one in path.components]
        if path.choices is not None:
            return path.choices[int(numbers[0])]
        return _nested([path.kind(number) for number in numbers], path.shape)

    def spec_at(self, x: np.ndarray) -> Spec:
        """The Spec for columns x (p,)."""
        with quiet():
            return self.spec.set({path.name: self.value(path, x) for path in self.paths})

    def refusal(self, k: int, error: Exception) -> InputError:
        """What to raise if machine k cannot be made: with the path that is to blame, if it is one."""
        for path in self.paths:
            value = self.value(path, self.X[k])
            try:
                with quiet():
                    self.spec.set(path.name, value)
            except GoriError as own:
                hint = self._cut(path.name) or self._template(path.name)
                return InputError(f"parameter {path.name!r} of machine {k}, {_text(value)}: {own}{hint}")
        values = ", ".join(f"{path.name} = {_text(self.value(path, self.X[k]))}" for path in self.paths[:6])
        return InputError(f"machine {k} ({values}{', ...' * (len(self.paths) > 6)}): {error}")

    def _cut(self, name: str) -> str:
        """A word on joints that were opened to a tree."""
        _, _, joint = name.rpartition(".")[0].rpartition("joints.")
        opened = name.startswith("joints.") and joint in self.spec.cuts
        return f"; {joint!r} closes a loop and was made a cut: give the Spec as it was written" if opened else ""

    def _template(self, name: str) -> str:
        """A word on parts of a file, which are no parts of a Spec."""
        if not name.startswith("parts."):
            return ""
        made = next((f", as 'bodies.{body}.mass'" for body in self.spec.bodies), "")
        return f"; templates under parts are expanded when a file is read: take the path of what they make{made}"

    def refuses_corners(self) -> bool:
        """Whether the Spec refuses a corner of the box of values of any of its parts.

        Limits, inertias and the like are refused outside of convex sets: if all corners of a box are inside, so are all
        machines. Only numbers of one part are looked at together.
        """
        low, high = self.X.min(axis=0), self.X.max(axis=0)
        rng, middle = np.random.default_rng(0), self.X[self.count // 2]
        parts: dict[str, set[int]] = {}
        for path in self.paths:
            part = path.name.rpartition(".")[0]
            parts.setdefault(part, set()).update(one.column for one in path.components if one.column >= 0)
        for columns in (sorted(columns) for columns in parts.values() if len(columns) > 1):
            corners: Any = itertools.product((False, True), repeat=len(columns))
            if 2 ** len(columns) > MOST_CORNERS:
                corners = rng.integers(0, 2, (MOST_CORNERS, len(columns))).astype(bool)
            for corner in corners:
                x = middle.copy()
                x[columns] = np.where(corner, high[columns], low[columns])
                try:
                    self.spec_at(x)
                except GoriError:
                    return True
        return False


def _numbers(name: str, given: Any) -> tuple[np.ndarray, type, tuple[Any, ...] | None]:
    """Values (n, ...) of a path as floats, what kind of number they were, and the choices that they stand for."""
    try:
        array = np.asarray(given)
    except ValueError:
        raise InputError(f"parameter {name!r}: the values of all machines must have the same shape") from None
    if array.ndim == 0 or len(array) == 0:
        raise InputError(f"parameter {name!r} must be an array with a value for each machine, not {given!r:.100}")
    if array.dtype.kind in "OUS":
        if array.ndim > 1:
            raise InputError(f"parameter {name!r} must have one number, text or part for each machine")
        places: dict[str, int] = {}
        chosen: dict[int, Any] = {}
        numbers = np.empty(len(array))
        for k, value in enumerate(array.tolist()):
            place = numbers[k] = places.setdefault(repr(value), len(places))
            chosen.setdefault(int(place), value)
        return numbers, int, tuple(chosen.values())
    if array.dtype.kind not in "fiub":
        raise InputError(f"parameter {name!r} must be an array of numbers, not of {array.dtype}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        where = np.argwhere(~np.isfinite(array))[0]
        raise InputError(f"parameter {name!r} of machine {where[0]} is {array[tuple(where)]}: it must be finite")
    kind = {"f": float, "b": bool}.get(array.dtype.kind, int)
    return array.astype(np.float64), kind, None


def _nested(numbers: list[Any], shape: tuple[int, ...]) -> Any:
    """Numbers in nested lists of this shape; one number alone if it is ()."""
    if not shape:
        return numbers[0]
    size = len(numbers) // shape[0] if shape[0] else 0
    return [_nested(numbers[k * size : (k + 1) * size], shape[1:]) for k in range(shape[0])]


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else f"{value!r:.80}"
