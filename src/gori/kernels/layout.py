"""One declaration for each table: name, shape, unit, meaning. Sizes, views, types and records follow from it.
Declarations are rows that look alike, as in any table; what differs is what they say.

A **record** is a row with named fields, `wheel.angular_velocity`; a table of them is an array of that dtype:

    WHEEL_STATE = record(
        "WheelState",
        field("angular_velocity", "rad/s", "of the wheel about its axle"),
        field("hub_force", "N", "on the carrier, world axes", shape=3),
    )
    WHEEL_STATE.zeros(4)          # a NumPy record array of four rows
    WHEEL_STATE.type[::1]         # its type in a kernel's signature

Fields cost what columns of a float64 array cost: 1.3 ns for the update of a row of eight numbers, either way.

A **layout** cuts one flat array of float64 into named arrays whose shapes depend on the machine: one array is cheap to
save and to clear. `Layout.make` gives a bundle of them (`bundle.py`), which goes to kernels by one address:

    LOOP_WORK = layout(
        "LoopWork", ("nv", "ne"),
        array("gap", "ne", "m, rad", "Phi"),
        array("mass", "nv nv", "kg m2", "mass matrix"),
    )
    work = LOOP_WORK.make(nv=3, ne=2)
    work.mass, work.flat          # the same memory
    LOOP_WORK.type                # its type in a kernel's signature

What has no bundle, as the work of batches, whose numbers are SIMD lanes, is cut in compiled code by `Layout.carve`.
"""

from collections import namedtuple
from collections.abc import Callable
from functools import cache, cached_property, partial
from typing import Annotated, Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from gori.kernels.bundle import Bundle, BundleType
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


@intrinsic
def piece_of(typingctx, flat, start, *shape):
    """An array of this shape that begins at flat[start]; a slice, but for what a slice has to check."""
    kind = types.Array(flat.dtype, len(shape), "C")

    def codegen(context, builder, signature, args):
        whole = context.make_array(signature.args[0])(context, builder, args[0])
        kinds = signature.args[2].types
        values = cgutils.unpack_tuple(builder, args[2], len(kinds))
        sizes = [context.cast(builder, value, given, types.intp) for value, given in zip(values, kinds)]
        strides = [whole.itemsize]
        for size in reversed(sizes[1:]):
            strides.insert(0, builder.mul(strides[0], size))
        made = context.make_array(kind)(context, builder)
        populate_array(made, builder.gep(whole.data, [args[1]]), sizes, strides, whole.itemsize, whole.meminfo)
        return impl_ret_borrowed(context, builder, kind, made._getvalue())

    return kind(flat, types.intp, types.StarArgTuple.from_types(shape)), codegen


class Pieces(Bundle):
    """Base of the bundles of layouts: named arrays that are views of one flat array."""

    flat: np.ndarray
    cut: Callable[[np.ndarray], Any]
    """the same pieces of another flat array, as a tuple"""


class Layout:
    """Pieces of one flat array. `Arrays` is the tuple of all of them, by name."""

    def __init__(self, name: str, sizes: tuple[str, ...], arrays: tuple[Array, ...]):
        self.name, self.sizes, self.arrays = name, sizes, arrays
        self.Arrays = namedtuple(name, [piece.name for piece in arrays])
        self.carve = part(self._carve(compiled=True))
        self._views = self._carve(compiled=False)

    def _carve(self, compiled: bool) -> Any:
        """carve(flat, *sizes): views of a flat array, as source text, since compiled code cannot loop over types."""
        lines, pieces = [f"def carve(flat, {', '.join(self.sizes)}):", "    at0 = 0"], []
        for k, piece in enumerate(self.arrays):
            shape = [str(size) for size in piece.shape]
            lines.append(f"    at{k + 1} = at{k} + {' * '.join(shape)}")
            sizes = ", ".join(shape)
            pieces.append(
                f"piece_of(flat, at{k}, {sizes})" if compiled else f"flat[at{k} : at{k + 1}].reshape(({sizes},))"
            )
        lines.append(f"    return Arrays({', '.join(pieces)})")
        space: dict[str, Any] = {"Arrays": self.Arrays, "piece_of": piece_of}
        exec(compile("\n".join(lines), f"<layout {self.name}>", "exec"), space)
        return space["carve"]

    def size(self, **sizes: int) -> int:
        """Numbers in the flat array."""
        return sum(int(np.prod([sizes.get(str(size), size) for size in piece.shape])) for piece in self.arrays)

    def views(self, flat: np.ndarray, **sizes: int) -> Any:
        """The pieces of a flat array, as a tuple."""
        return self._views(flat, **{name: sizes[name] for name in self.sizes})

    @cached_property
    def _bundle(self) -> type[Pieces]:
        kinds = {piece.name: types.Array(types.float64, len(piece.shape), "C") for piece in self.arrays}
        members = {name: Annotated[np.ndarray, kind] for name, kind in kinds.items()}
        return type(self.name, (Pieces,), {"__annotations__": members})

    @property
    def type(self) -> BundleType:
        """Of what `make` gives, in a kernel's signature."""
        return self._bundle.type

    def make(self, **sizes: int) -> Any:
        """A bundle of all pieces, zero, views of its `flat`. Sizes that this layout does not use may be given too."""
        sizes = {name: sizes[name] for name in self.sizes}
        flat = np.zeros(self.size(**sizes))
        made = self._bundle(**self.views(flat, **sizes)._asdict())
        made.__dict__.update(flat=flat, cut=partial(self.views, **sizes))
        return made


def layout(name: str, sizes: tuple[str, ...], *arrays: Array) -> Layout:
    """Declare the pieces of a flat array; sizes are the names that their shapes use."""
    return Layout(name, sizes, arrays)


def row(table: np.ndarray) -> Any:
    """The single row of a table of length 1, in Python: its fields are attributes, to read and to write."""
    return _row_class(table.dtype)(table)


@cache
def _row_class(dtype: np.dtype) -> type:
    """A class with a property for each field: an attribute of NumPy's own records takes ten times as long."""

    def field_property(name: str) -> property:
        def read(self):
            value = self.fields[name]
            return value.item() if value.ndim == 1 else value[0]

        def write(self, value):
            self.fields[name][0] = value

        return property(read, write)

    def init(self, table):
        self.fields = {name: table[name] for name in dtype.names or ()}

    properties = {name: field_property(name) for name in dtype.names or ()}
    return type("Row", (), {"__slots__": ("fields",), "__init__": init, **properties})
