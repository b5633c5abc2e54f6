"""Arguments made wrong: in shape, dtype, range, index, NaN or kind."""

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np

import gori

FLOATS = (math.nan, math.inf, -math.inf, -1.0, 0.0, -0.0, 1e300, -1e300, 1e200, 1e-300, 5e-324, 0.5, 7.0, 1e97)
INTEGERS = (-1, 0, 1, 2, 3, -(10**30), 10**30, 1 << 63, 1 << 62, -(1 << 63), 10**400)
TEXTS = (
    "",
    " ",
    "unknown",
    "a" * 5000,
    "\0",
    "é.q",
    "..",
    "a/b",
    "rk4",
    "world",
    "auto",
    "0",
    "nan",
    "[",
    "{}",
    "t+",
    "1/0",
)
OBJECTS = (
    None, True, False, 3, 2.5, "text", b"bytes", 1j, (), [], {}, [None], {"a": 1}, {1: 2}, {None: None}, object(), int,
    len, Decimal("1.5"), range(3), slice(2), np.float32(2.0), np.int8(1), np.bool_(True), np.complex128(1j), np.nan,
    ..., np.array(2.0), np.array([]), np.array(["a"]), np.array([None, 1.0], object), np.zeros((2, 3, 4)), {1, 2},
    iter([1]), np.ma.array([1.0, 2.0], mask=[1, 0]), np.datetime64("2020-01-01"), float("inf"),
    [[1.0], [1.0, 2.0]], gori.RK4,
)  # fmt: skip
"""anything where something else is expected"""


def pick(rng: np.random.Generator, choices: Any) -> Any:
    """One of some values, as it is: rng.choice would make an array of them."""
    return choices[int(rng.integers(len(choices)))]


def wrong(value: Any, rng: np.random.Generator) -> tuple[Any, str]:
    """Another value in place of a good one, and words on it."""
    if rng.random() < 0.15:
        other = pick(rng, OBJECTS)
        return other, f"{other!r:.60}"
    for kind, make in MAKERS:
        if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
            return make(value, rng)
    other = pick(rng, OBJECTS)
    return other, f"{other!r:.60}"


def wrong_array(value: np.ndarray, rng: np.random.Generator) -> tuple[Any, str]:
    flat = np.ascontiguousarray(value).reshape(-1)
    how = pick(rng, ("number", "number", "number", "shape", "shape", "dtype", "layout", "kind"))
    if how == "number" and flat.size and flat.dtype.kind in "fiub":
        out, worse = np.array(value, float), pick(rng, FLOATS)
        if rng.random() < 0.3:
            out[...] = worse
            return out, f"all {worse}"
        out.reshape(-1)[int(rng.integers(out.size))] = worse
        return out, f"one {worse}"
    if how == "layout":
        layouts = {
            "read-only": lambda: _read_only(value.copy()),
            "strided": lambda: np.repeat(flat, 2)[::2].reshape(value.shape),
            "reversed": lambda: flat[::-1].copy()[::-1].reshape(value.shape), "list": value.tolist,
            "fortran": lambda: np.asfortranarray(value), "big-endian": lambda: value.astype(">f8"),
            "tuple": lambda: tuple(value.tolist()) if value.ndim else value,
            "broadcast": lambda: np.broadcast_to(value, (3, *value.shape)),
        }  # fmt: skip
        name = pick(rng, list(layouts))
        return layouts[name](), name
    if how == "dtype":
        kind = pick(rng, ("f4", "f2", "i4", "i1", "u8", "b1", "c16", "O", "U9", "M8[s]", "masked", "matrix"))
        if kind == "masked":
            return np.ma.array(value, mask=rng.random(value.shape) < 0.5), kind
        if kind == "matrix":
            return np.asmatrix(np.atleast_1d(value)) if value.ndim < 3 else value[..., 0], kind
        with np.errstate(all="ignore"):
            strange = kind == "M8[s]" or value.dtype.kind not in "fiub"
            return (np.zeros(value.shape, kind) if strange else value.astype(kind)), f"dtype {kind}"
    if how == "kind":
        other = pick(rng, OBJECTS)
        return other, f"{other!r:.60}"
    shapes = [
        lambda: flat[:0], lambda: flat[:-1], lambda: np.concatenate([flat, flat[:1]]), lambda: value[None],
        lambda: value[None, None], lambda: flat.reshape(-1, 1), lambda: value.T, lambda: np.repeat(flat, 2),
        lambda: np.tile(value, (2, *[1] * value.ndim)), lambda: np.zeros((0, *value.shape)), lambda: np.zeros(()),
        lambda: np.tile(flat, 50), lambda: value[..., None], lambda: np.zeros((9, *value.shape)),
    ]  # fmt: skip
    out = pick(rng, shapes)()
    return out, f"shape {out.shape}"


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def wrong_float(value: float, rng: np.random.Generator) -> tuple[Any, str]:
    other = pick(rng, (*FLOATS, 10**400, "1", np.array([value]), np.array(value), complex(value, 1.0), -value, None))
    return other, repr(other)[:60]


def wrong_integer(value: int, rng: np.random.Generator) -> tuple[Any, str]:
    other = pick(rng, (*INTEGERS, 1.5, math.nan, "3", np.int64(3), np.array([1]), -value, None))
    return other, repr(other)[:60]


def wrong_text(value: str, rng: np.random.Generator) -> tuple[Any, str]:
    cut = value[: len(value) // 2]
    other = pick(rng, (*TEXTS, cut, value + "x", value.upper(), value.encode(), [value], None, 5))
    return other, repr(other)[:60]


def wrong_mapping(value: Mapping, rng: np.random.Generator) -> tuple[Any, str]:
    out = dict(value)
    if not out or rng.random() < 0.3:
        other = pick(
            rng, ({}, [], None, {"unknown": 1.0}, {1: 2}, {None: None}, list(out), {"": ""}, {"a": {}}, "text")
        )
        return other, repr(other)[:60]
    key = pick(rng, list(out))
    if rng.random() < 0.2:
        out[pick(rng, ("unknown", 5, None, ""))] = out.pop(key)
        return out, f"{key!r} renamed"
    out[key], words = wrong(out[key], rng)
    return out, f"[{key!r}]: {words}"


def wrong_list(value: list | tuple, rng: np.random.Generator) -> tuple[Any, str]:
    out = list(value)
    if not out or rng.random() < 0.4:
        other = pick(rng, ([], (), None, out * 2, [None], [5], ["unknown"], "text", {"a": 1}, [*out, *out[:1]]))
        return other, repr(other)[:60]
    k = int(rng.integers(len(out)))
    out[k], words = wrong(out[k], rng)
    return out, f"[{k}]: {words}"


def _raises(*arguments: Any) -> Any:
    raise ArithmeticError("a function of the caller failed")


FUNCTIONS: tuple[Any, ...] = (
    None, 3, "x", _raises, lambda: None, lambda *a: None, lambda *a: "text", lambda *a: np.zeros(99), lambda *a: np.nan,
    lambda *a: np.full(6, np.inf), lambda *a: 1j, lambda *a: [None], lambda *a: True, lambda *a: {}, lambda *a: a,
)  # fmt: skip


def wrong_function(value: Callable, rng: np.random.Generator) -> tuple[Any, str]:
    k = int(rng.integers(len(FUNCTIONS)))
    return FUNCTIONS[k], f"function {k}"


MAKERS: tuple[tuple[Any, Callable], ...] = (
    (np.ndarray, wrong_array),
    (bool, lambda value, rng: (not value, repr(not value))),
    (int, wrong_integer),
    (float, wrong_float),
    (str, wrong_text),
    (Mapping, wrong_mapping),
    ((list, tuple), wrong_list),
    (type(len), wrong_function),
    (type(wrong), wrong_function),
)
"""how to spoil a value, by its kind; objects of Gori are replaced by anything"""
