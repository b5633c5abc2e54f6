"""Arrays whose place in memory is known when they are compiled: how far apart their elements stand is in the type.

Numba's own arrays carry their strides as numbers: an access looks whether an index is negative and multiplies it with a
stride, in 64 bits, a dozen instructions and more. A GPU spends most of its time on them. Of a PlacedArray only the
address and the shape are numbers; constant indices cost nothing, others one product in 32 bits.

Indices are whole numbers, and slices without a step, that lie within the array: none is wrapped or cut off. A slice, or
an index to fewer axes than there are, gives another PlacedArray, a full index a number or a record.

Nothing is promised about the arithmetic of addresses (`nsw`, `inbounds`), true as it would be: of loops and contact the
compilers for GPUs made wrong programs with it, and larger ones.
"""

import operator
from collections.abc import Iterable
from itertools import count
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer, infer_global, signature
from numba.extending import infer_getattr, lower_builtin, lower_cast, lower_getattr, models, register_model
from numba.np.arrayobj import populate_array

from gori.kernels.batch.records import PlacedRecord, copy_record

LARGEST = (1 << 63) - 1
"""the end of a slice that has none"""
_I8, _I32, _I64 = (ir.IntType(bits) for bits in (8, 32, 64))
_NUMBERS: dict[tuple[Any, ...], int] = {}
_NEXT = count(1)


class PlacedArray(types.Type):
    """Numba's type of such an array.

    dtype     of its elements
    steps     from one element to the next along each axis, in units of the scale
    scale     bytes; 0: a number that the array carries
    constant  never written while a program runs
    stored    what they are in memory, if not the same: float32, of float64
    """

    def __init__(self, dtype: Any, steps: Iterable[int], scale: int, constant: bool = False, stored: Any = None):
        self.dtype, self.steps, self.scale, self.constant = dtype, tuple(steps), scale, constant
        self.stored = dtype if stored is None else stored
        what = (dtype, self.steps, scale, constant, self.stored)
        if what not in _NUMBERS:
            _NUMBERS[what] = next(_NEXT)
        super().__init__(name=f"Placed{_NUMBERS[what]}")  # short: names of types are in all symbols

    @property
    def ndim(self) -> int:
        return len(self.steps)

    def part(self, kept: Iterable[int]) -> "PlacedArray":
        """Type of a part that has these of its axes."""
        return PlacedArray(self.dtype, [self.steps[axis] for axis in kept], self.scale, self.constant, self.stored)

    @property
    def element(self) -> Any:
        """Type of what a full index gives."""
        apart = self.scale // self.dtype.size if isinstance(self.dtype, types.Record) else 1
        return PlacedRecord(self.dtype, apart, self.constant) if apart > 1 else self.dtype

    @property
    def plain(self) -> Any:
        """Numba's own type of such an array, for where arrays of different places meet; None if it has no such."""
        own = self.stored == self.dtype == self.element
        return types.Array(self.dtype, self.ndim, "A") if own else None

    def can_convert_to(self, typingctx: Any, other: Any) -> Any:
        return Conversion.safe if other == self.plain else None

    def unify(self, typingctx: Any, other: Any) -> Any:
        alike = isinstance(other, PlacedArray | types.Array) and (other.dtype, other.ndim) == (self.dtype, self.ndim)
        return self.plain if alike and (other.plain if isinstance(other, PlacedArray) else other) else None


@register_model(PlacedArray)
class PlacedModel(models.StructModel):
    """Its address, its shape, and the scale where that is a number."""

    def __init__(self, manager, kind):
        members = [("data", types.int64), ("shape", types.UniTuple(types.intp, kind.ndim))]
        if kind.scale == 0:
            members.append(("scale", types.int64))
        super().__init__(manager, kind, members)


def make_placed(context, builder, kind: PlacedArray, data: Any, shape: list[Any], scale: Any = None) -> Any:
    """A value of this type; scale: of one that carries it."""
    made = cgutils.create_struct_proxy(kind)(context, builder)
    made.data, made.shape = data, cgutils.pack_array(builder, shape, ty=_I64)
    if kind.scale == 0:
        made.scale = scale
    return made._getvalue()


# ---- types


def _axes_left(kind: PlacedArray, index: Any) -> list[int] | None:
    """Axes that an index leaves; None if it is none."""
    parts = list(index) if isinstance(index, types.BaseTuple) else [index]
    if len(parts) > kind.ndim:
        return None
    left = list(range(len(parts), kind.ndim))
    for axis, part in reversed(list(enumerate(parts))):
        if isinstance(part, types.SliceType):
            if part.has_step:
                return None
            left.insert(0, axis)
        elif not isinstance(part, types.Integer):
            return None
    return left


@infer_global(operator.getitem)
class _Getitem(AbstractTemplate):
    def generic(self, args, kws):
        array, index = args
        if not isinstance(array, PlacedArray) or (left := _axes_left(array, index)) is None:
            return None
        return signature(array.part(left) if left else array.element, array, types.unliteral(index))


@infer
class _FromTheEnd(AbstractTemplate):
    """Constants that would count from the end are refused."""

    key = "static_getitem"

    def generic(self, args, kws):
        array, index = args
        parts = index if isinstance(index, tuple) else (index,)
        if isinstance(array, PlacedArray) and any(isinstance(part, int) and part < 0 for part in parts):
            raise TypingError(f"index {index} counts from the end of an array, and nothing here does")
        return None


@infer_global(operator.setitem)
class _Setitem(AbstractTemplate):
    def generic(self, args, kws):
        array, index, value = args
        if not isinstance(array, PlacedArray) or array.constant or _axes_left(array, index) is None:
            return None
        if isinstance(value, PlacedRecord) and value.record == array.dtype:
            return signature(types.none, array, types.unliteral(index), value)
        if not self.context.can_convert(value, array.dtype):
            return None
        return signature(types.none, array, types.unliteral(index), array.dtype)


@infer_global(len)
class _Len(AbstractTemplate):
    def generic(self, args, kws):
        return signature(types.intp, args[0]) if isinstance(args[0], PlacedArray) else None


@infer_getattr
class _PlacedAttributes(AttributeTemplate):
    key = PlacedArray

    def resolve_shape(self, typ: PlacedArray) -> Any:
        return types.UniTuple(types.intp, typ.ndim)


# ---- code


def _parts_of(context, builder, kind: PlacedArray, value: Any, index_type: Any, index: Any) -> tuple[Any, list[Any]]:
    """Words from its beginning to where an index points, and the shape of what is left."""
    array = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    shape = cgutils.unpack_tuple(builder, array.shape, kind.ndim)
    if isinstance(index_type, types.BaseTuple):
        indices = list(zip(index_type, cgutils.unpack_tuple(builder, index, len(index_type))))
    else:
        indices = [(index_type, index)]
    offset, left = ir.Constant(_I64, 0), []
    for (part, number), step, size in zip(indices, kind.steps, shape):
        if isinstance(part, types.SliceType):
            bounds = context.make_helper(builder, part, number)
            open_end = builder.icmp_signed("==", bounds.stop, ir.Constant(_I64, LARGEST))
            left.append(builder.sub(builder.select(open_end, size, bounds.stop), bounds.start))
            at = bounds.start
        else:
            at = context.cast(builder, number, part, types.int64)
        offset = builder.add(offset, _times(builder, at, step))
    return offset, [*left, *shape[len(indices) :]]


def _address_at(context, builder, kind: PlacedArray, value: Any, offset: Any) -> Any:
    """Pointer to bytes."""
    array = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    base = builder.inttoptr(array.data, _I8.as_pointer())
    return builder.gep(base, [builder.mul(offset, ir.Constant(_I64, kind.scale) if kind.scale else array.scale)])


def _times(builder, index: Any, step: int) -> Any:
    """An index times a step, of which 32 bits are enough: one instruction on a GPU."""
    return builder.mul(builder.zext(builder.trunc(index, _I32), _I64), ir.Constant(_I64, step))


def _element_at(context, builder, kind: PlacedArray, pointer: Any) -> Any:
    """The number or record at a pointer."""
    if isinstance(kind.element, PlacedRecord):
        return builder.ptrtoint(pointer, _I64)
    if isinstance(kind.dtype, types.Record):
        value_type = context.get_value_type(kind.dtype)
        return builder.bitcast(pointer, value_type)
    number = builder.load(builder.bitcast(pointer, context.get_data_type(kind.stored).as_pointer()))
    return context.cast(builder, number, kind.stored, kind.dtype)


@lower_builtin(operator.getitem, PlacedArray, types.Any)
def _getitem(context, builder, sig, args):
    kind, index_type = sig.args
    offset, shape = _parts_of(context, builder, kind, args[0], index_type, args[1])
    pointer = _address_at(context, builder, kind, args[0], offset)
    if not isinstance(sig.return_type, PlacedArray):
        return _element_at(context, builder, kind, pointer)
    scale = None if kind.scale else cgutils.create_struct_proxy(kind)(context, builder, value=args[0]).scale
    return make_placed(context, builder, sig.return_type, builder.ptrtoint(pointer, _I64), shape, scale)


@lower_builtin(operator.setitem, PlacedArray, types.Any, types.Any)
def _setitem(context, builder, sig, args):
    kind, index_type, given = sig.args
    offset, shape = _parts_of(context, builder, kind, args[0], index_type, args[1])

    def put(offset):
        pointer = _address_at(context, builder, kind, args[0], offset)
        if isinstance(kind.dtype, types.Record):
            copy_record(builder, kind.element, builder.ptrtoint(pointer, _I64), given, args[2])
        else:
            number = context.cast(builder, args[2], kind.dtype, kind.stored)
            builder.store(number, builder.bitcast(pointer, context.get_data_type(kind.stored).as_pointer()))

    if not shape:
        put(offset)
        return context.get_dummy_value()
    steps = kind.part(_axes_left(kind, index_type) or []).steps
    with cgutils.loop_nest(builder, shape, _I64) as indices:
        for index, step in zip(indices, steps):
            offset = builder.add(offset, _times(builder, index, step))
        put(offset)
    return context.get_dummy_value()


@lower_builtin(len, PlacedArray)
def _len(context, builder, sig, args):
    array = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
    return builder.extract_value(array.shape, 0)


@lower_getattr(PlacedArray, "shape")
def _shape(context, builder, typ, value):
    return cgutils.create_struct_proxy(typ)(context, builder, value=value).shape


@lower_cast(PlacedArray, types.Array)
def _to_array(context, builder, fromty, toty, value):
    """As an array of Numba's own, with its strides."""
    array = cgutils.create_struct_proxy(fromty)(context, builder, value=value)
    scale = ir.Constant(_I64, fromty.scale) if fromty.scale else array.scale
    made = context.make_array(toty)(context, builder)
    item = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(toty.dtype)))
    strides = [builder.mul(scale, ir.Constant(_I64, step)) for step in fromty.steps]
    shape = cgutils.unpack_tuple(builder, array.shape, fromty.ndim)
    populate_array(made, builder.inttoptr(array.data, made.data.type), shape, strides, item, None)
    return made._getvalue()
