"""One declaration for each table: name, shape, unit, meaning. Sizes, views, types and records follow from it.

A **record** is a row with named fields, `wheel.angular_velocity`; a table of them is an array of that dtype:

    WHEEL_STATE = record(
        "WheelState",
        field("angular_velocity", "rad/s", "of the wheel about its axle"),
        field("hub_force", "N", "on the carrier, world axes", shape=3),
    )
    WHEEL_STATE.zeros(4)          # a NumPy record array of four rows
    WHEEL_STATE.type[::1]         # its type in a kernel's signature

A **layout** cuts one flat array of float64 into named arrays whose shapes depend on the machine: one array is cheap to
pass by address, to save and to clear. `Layout.carve` does it in compiled code, `Layout.views` in Python:

    LOOP_WORK = layout(
        "LoopWork", ("nv", "ne"),
        array("gap", "ne", "m, rad", "Phi"),
        array("mass", "nv nv", "kg m2", "mass matrix"),
    )
    carve = LOOP_WORK.carve       # compiled code knows plain functions alone
"""

from collections import namedtuple
from typing import Any, NamedTuple

import numba
import numpy as np

from gori.kernels.jit import part


class Field(NamedTuple):
    """One field of a record."""

    name: str
    unit: str
    meaning: str
    shape: int
    dtype: str


def field(name: str, unit: str, meaning: str, shape: int = 0, dtype: str = "f8") -> Field:
    """A number of a record, or with `shape` so many of them."""
    return Field(name, unit, meaning, shape, dtype)


class Record(NamedTuple):
    """A declared row: `dtype` for NumPy, `type` for kernels."""

    name: str
    fields: tuple[Field, ...]
    dtype: np.dtype
    type: Any

    def zeros(self, *shape: int) -> np.ndarray:
        """A table of such rows, all zero."""
        return np.zeros(shape, self.dtype)

    def units(self) -> dict[str, str]:
        return {field.name: field.unit for field in self.fields}


def record(name: str, *fields: Field) -> Record:
    """Declare a row."""
    dtype = np.dtype([(f.name, f.dtype, (f.shape,)) if f.shape else (f.name, f.dtype) for f in fields], align=True)
    return Record(name, fields, dtype, numba.from_dtype(dtype))


class Array(NamedTuple):
    """One named piece of a layout; its shape is made of whole numbers and of names of sizes."""

    name: str
    shape: tuple[str | int, ...]
    unit: str
    meaning: str


def array(name: str, shape: str, unit: str, meaning: str) -> Array:
    """A piece of a layout: array("wrench", "ne 6", "N m, N", "...")."""
    return Array(name, tuple(int(size) if size.isdigit() else size for size in shape.split()), unit, meaning)


class Layout:
    """Pieces of one flat array. `Arrays` is the tuple of all of them, by name."""

    def __init__(self, name: str, sizes: tuple[str, ...], arrays: tuple[Array, ...]):
        self.name, self.sizes, self.arrays = name, sizes, arrays
        self.Arrays = namedtuple(name, [piece.name for piece in arrays])
        self.carve = part(self._carve())

    def _carve(self) -> Any:
        """carve(flat, *sizes): views of a flat array, as source text, since compiled code cannot loop over types."""
        lines, pieces = [f"def carve(flat, {', '.join(self.sizes)}):", "    at0 = 0"], []
        for k, piece in enumerate(self.arrays):
            shape = [str(size) for size in piece.shape]
            lines.append(f"    at{k + 1} = at{k} + {' * '.join(shape)}")
            view = f"flat[at{k} : at{k + 1}]"
            pieces.append(view if len(shape) == 1 else f"{view}.reshape(({', '.join(shape)}))")
        lines.append(f"    return Arrays({', '.join(pieces)})")
        space: dict[str, Any] = {"Arrays": self.Arrays}
        exec(compile("\n".join(lines), f"<layout {self.name}>", "exec"), space)
        return space["carve"]

    def size(self, **sizes: int) -> int:
        """Numbers in the flat array."""
        return sum(int(np.prod([sizes.get(str(size), size) for size in piece.shape])) for piece in self.arrays)

    def views(self, flat: np.ndarray, **sizes: int) -> Any:
        """The pieces of a flat array, in Python."""
        return self.carve.py_func(flat, **sizes)


def layout(name: str, sizes: tuple[str, ...], *arrays: Array) -> Layout:
    """Declare the pieces of a flat array; sizes are the names that their shapes use."""
    return Layout(name, sizes, arrays)
