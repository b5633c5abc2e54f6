"""Lanes: eight states that move through one kernel together.

`lanes(array)` views a float64 array of shape (..., 8) as an array of Lanes of shape (...,): inside compiled code an
element of it is one SIMD value, and `+ - * /`, `-x`, `sqrt` and `sincos` (`sincos.py`) act on all eight states at
once. A `@part` that is written in plain scalar arithmetic therefore serves one state and eight; it may branch on the
Model, which is the same for all lanes, never on a lane's value.

Alternatives tried: an inner loop `for k in range(8)` left to LLVM's vectoriser is dropped as soon as two arrays may
alias, which is always; a call of libm per lane for the sine costs as much as the rest of the kernel.
"""

import math
import operator

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.extending import intrinsic, lower_builtin, lower_cast, models, overload, register_model, type_callable

WIDTH = 8
_F8 = ir.DoubleType()
_VECTOR = ir.VectorType(_F8, WIDTH)


class LanesType(types.Type):
    """The Numba type of eight float64 numbers in one SIMD value."""

    def __init__(self):
        super().__init__(name="lanes")

    def can_convert_from(self, typingctx, other):
        return Conversion.safe if other == types.float64 else None


lanes_type = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, fe_type):
        super().__init__(manager, fe_type, _VECTOR)


def _splat(builder, number):
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(first, ir.Constant(_VECTOR, ir.Undefined), zeros)


@lower_cast(types.float64, lanes_type)
def _float_to_lanes(context, builder, from_type, to_type, value):
    return _splat(builder, value)


def _binary(op, instruction):
    @type_callable(op)
    def typer(context):
        def decide(a, b):
            numbers = (lanes_type, types.float64)
            if lanes_type in (a, b) and a in numbers and b in numbers:
                return numba.core.typing.signature(lanes_type, lanes_type, lanes_type)

        return decide

    @lower_builtin(op, lanes_type, lanes_type)
    def lower(context, builder, signature, args):
        return getattr(builder, instruction)(*args)


for _op, _inplace, _instruction in (
    (operator.add, operator.iadd, "fadd"),
    (operator.sub, operator.isub, "fsub"),
    (operator.mul, operator.imul, "fmul"),
    (operator.truediv, operator.itruediv, "fdiv"),
):
    _binary(_op, _instruction)
    _binary(_inplace, _instruction)


@type_callable(operator.neg)
def _type_neg(context):
    def decide(a):
        if a is lanes_type:
            return lanes_type

    return decide


@lower_builtin(operator.neg, lanes_type)
def _lower_neg(context, builder, signature, args):
    return builder.fneg(args[0])


def _vector_intrinsic(name):
    """A function of one Lanes that LLVM has as an instruction."""

    @intrinsic
    def function(typingctx, x):
        def codegen(context, builder, signature, args):
            declared = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), f"llvm.{name}.v{WIDTH}f64"
            )
            return builder.call(declared, args)

        return lanes_type(lanes_type), codegen

    return function


_sqrt, round_lanes, floor_lanes, abs_lanes = (_vector_intrinsic(n) for n in ("sqrt", "rint", "floor", "fabs"))


@overload(math.sqrt)
def _sqrt_of_lanes(x):
    if x is lanes_type:
        return lambda x: _sqrt(x)


@intrinsic
def where(typingctx, mask, a, b):
    """a where the mask is not zero, else b."""

    def codegen(context, builder, signature, args):
        zero = ir.Constant(_VECTOR, [0.0] * WIDTH)
        return builder.select(builder.fcmp_unordered("!=", args[0], zero), args[1], args[2])

    return lanes_type(lanes_type, lanes_type, lanes_type), codegen


@intrinsic
def spread(typingctx, number):
    """Lanes that all are one number."""

    def codegen(context, builder, signature, args):
        return _splat(builder, args[0])

    return lanes_type(types.float64), codegen


@intrinsic
def any_above(typingctx, x, limit):
    """Whether some lane is larger than the number."""

    def codegen(context, builder, signature, args):
        above = builder.fcmp_ordered(">", args[0], _splat(builder, args[1]))
        mask = builder.bitcast(above, ir.IntType(WIDTH))
        return builder.icmp_unsigned("!=", mask, ir.Constant(ir.IntType(WIDTH), 0))

    return types.boolean(lanes_type, types.float64), codegen


@intrinsic
def lanes_below(typingctx, x, limit):
    """Which lanes are smaller than those of the limit, as bits 0 to 7."""

    def codegen(context, builder, signature, args):
        mask = builder.bitcast(builder.fcmp_ordered("<", *args), ir.IntType(WIDTH))
        return builder.zext(mask, ir.IntType(64))

    return types.int64(lanes_type, lanes_type), codegen


@intrinsic
def where_above(typingctx, x, limit, a, b):
    """a where x is larger than the limit, else b."""

    def codegen(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])

    return lanes_type(lanes_type, lanes_type, lanes_type, lanes_type), codegen


def _by_halves(context, builder, x, combine):
    """All lanes in one number, or None: the compiler of a GPU knows no reductions, others do it better themselves."""
    if type(context).__name__ != "CUDATargetContext":
        return None
    parts = [builder.extract_element(x, ir.IntType(32)(k)) for k in range(WIDTH)]
    while len(parts) > 1:
        parts = [combine(one, other) for one, other in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


@intrinsic
def largest8(typingctx, x):
    """The largest of all lanes."""

    def codegen(context, builder, signature, args):
        def larger(a, b):
            return builder.select(builder.fcmp_ordered(">", a, b), a, b)

        if (largest := _by_halves(context, builder, args[0], larger)) is not None:
            return largest
        name, kind = f"llvm.vector.reduce.fmax.v{WIDTH}f64", ir.FunctionType(_F8, [_VECTOR])
        reduce = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(reduce, [args[0]], fastmath=("nnan",))

    return types.float64(lanes_type), codegen


@intrinsic
def _all_positive(typingctx, x):
    def codegen(context, builder, signature, args):
        above = builder.fcmp_ordered(">", args[0], ir.Constant(_VECTOR, [0.0] * WIDTH))
        mask = builder.bitcast(above, ir.IntType(WIDTH))
        return builder.icmp_unsigned("==", mask, ir.Constant(ir.IntType(WIDTH), 2**WIDTH - 1))

    return types.boolean(lanes_type), codegen


def all_positive(x):
    """Whether a number, or every lane, is above zero (compiled code only)."""
    raise NotImplementedError("all_positive is for compiled code")


@overload(all_positive)
def _all_positive_of(x):
    if x is lanes_type:
        return lambda x: _all_positive(x)
    return lambda x: x > 0.0


@intrinsic
def _above(typingctx, x, limit):
    def codegen(context, builder, signature, args):
        nan = ir.Constant(_VECTOR, [math.nan] * WIDTH)
        return builder.select(builder.fcmp_ordered(">", *args), args[0], nan)

    return lanes_type(lanes_type, lanes_type), codegen


def above(x, limit):
    """A number where it is larger than the limit, else NaN; of Lanes each by itself (compiled code only)."""
    raise NotImplementedError("above is for compiled code")


@overload(above)
def _above_of(x, limit):
    if x is lanes_type:
        return lambda x, limit: _above(x, limit)
    return lambda x, limit: x if x > limit else math.nan


@intrinsic
def get_lane(typingctx, x, k):
    def codegen(context, builder, signature, args):
        return builder.extract_element(args[0], builder.trunc(args[1], ir.IntType(32)))

    return types.float64(lanes_type, types.int64), codegen


@intrinsic
def put_lane(typingctx, x, k, number):
    def codegen(context, builder, signature, args):
        return builder.insert_element(args[0], args[2], builder.trunc(args[1], ir.IntType(32)))

    return lanes_type(lanes_type, types.int64, types.float64), codegen


def _view(context, builder, signature, array, shape, strides, itemsize):
    """The same memory as an array of another element type."""
    source = context.make_array(signature.args[0])(context, builder, array)
    result = context.make_array(signature.return_type)(context, builder)
    nitems = context.get_constant(types.intp, 1)
    for extent in shape:
        nitems = builder.mul(nitems, extent)
    result.meminfo = source.meminfo
    result.parent = source.parent
    result.nitems = nitems
    result.itemsize = context.get_constant(types.intp, itemsize)
    result.data = builder.bitcast(source.data, result.data.type)
    result.shape = cgutils.pack_array(builder, shape, ty=ir.IntType(64))
    result.strides = cgutils.pack_array(builder, strides, ty=ir.IntType(64))
    if context.enable_nrt:
        context.nrt.incref(builder, signature.args[0], array)
    return result._getvalue()


@intrinsic
def lanes(typingctx, array):
    """View a C-ordered float64 array (..., 8) as an array (...,) of Lanes."""
    if not (isinstance(array, types.Array) and array.dtype == types.float64 and array.layout == "C"):
        return None

    def codegen(context, builder, signature, args):
        source = context.make_array(signature.args[0])(context, builder, args[0])
        shape, strides = (cgutils.unpack_tuple(builder, x)[:-1] for x in (source.shape, source.strides))
        return _view(context, builder, signature, args[0], shape, strides, WIDTH * 8)

    return types.Array(lanes_type, array.ndim - 1, "C", aligned=False)(array), codegen


@intrinsic
def lanes_of(typingctx, flat):
    """View a flat C-ordered float64 array (8 n,) as an array (n,) of Lanes."""
    if not (isinstance(flat, types.Array) and flat.dtype == types.float64 and flat.layout == "C"):
        return None

    def codegen(context, builder, signature, args):
        source = context.make_array(signature.args[0])(context, builder, args[0])
        (count,) = cgutils.unpack_tuple(builder, source.shape)
        width, size = (context.get_constant(types.intp, number) for number in (WIDTH, WIDTH * 8))
        return _view(context, builder, signature, args[0], [builder.sdiv(count, width)], [size], WIDTH * 8)

    return types.Array(lanes_type, 1, "C", aligned=False)(flat), codegen


@intrinsic
def numbers(typingctx, array):
    """View a C-ordered array (...,) of Lanes as float64 (..., 8): the inverse of `lanes`."""
    if not (isinstance(array, types.Array) and array.dtype == lanes_type and array.layout == "C"):
        return None

    def codegen(context, builder, signature, args):
        source = context.make_array(signature.args[0])(context, builder, args[0])
        shape, strides = (cgutils.unpack_tuple(builder, x) for x in (source.shape, source.strides))
        width, size = (context.get_constant(types.intp, number) for number in (WIDTH, 8))
        return _view(context, builder, signature, args[0], [*shape, width], [*strides, size], 8)

    return types.Array(types.float64, array.ndim + 1, "C")(array), codegen


def _address(context, builder, array_type, array, row, column):
    """Pointer to eight numbers of a C-ordered float64 array (rows, columns)."""
    struct = context.make_array(array_type)(context, builder, array)
    columns = cgutils.unpack_tuple(builder, struct.shape)[1]
    item = builder.gep(struct.data, [builder.add(builder.mul(row, columns), column)])
    return builder.bitcast(item, _VECTOR.as_pointer())


@intrinsic
def read8(typingctx, array, row, column):
    """Eight neighbours of a row of a C-ordered float64 array (rows, columns), as Lanes."""

    def codegen(context, builder, signature, args):
        return builder.load(_address(context, builder, signature.args[0], *args), align=8)

    return lanes_type(array, types.int64, types.int64), codegen


@intrinsic
def write8(typingctx, array, row, column, x):
    """Write Lanes over eight neighbours of a row of a C-ordered float64 array (rows, columns)."""

    def codegen(context, builder, signature, args):
        builder.store(args[3], _address(context, builder, signature.args[0], *args[:3]), align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, lanes_type), codegen


@intrinsic
def sum8(typingctx, x):
    """The sum of all lanes."""

    def codegen(context, builder, signature, args):
        if (total := _by_halves(context, builder, args[0], builder.fadd)) is not None:
            return total
        name, kind = f"llvm.vector.reduce.fadd.v{WIDTH}f64", ir.FunctionType(_F8, [_F8, _VECTOR])
        reduce = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(reduce, [ir.Constant(_F8, -0.0), args[0]], fastmath=("reassoc",))

    return types.float64(lanes_type), codegen


@intrinsic
def transpose8(typingctx, x):
    """Eight Lanes as an 8 x 8 matrix, transposed."""

    def codegen(context, builder, signature, args):
        rows = cgutils.unpack_tuple(builder, args[0])
        index = ir.VectorType(ir.IntType(32), WIDTH)
        # three rounds exchange blocks of 1, 2 and 4 between rows that far apart
        for step in (1, 2, 4):
            low = [(k & ~step) if not k & step else (k & ~step) + WIDTH for k in range(WIDTH)]
            high = [k + step if not k & step else k + WIDTH for k in range(WIDTH)]
            after = list(rows)
            for k in range(WIDTH):
                if not k & step:
                    a, b = rows[k], rows[k + step]
                    after[k] = builder.shuffle_vector(a, b, ir.Constant(index, low))
                    after[k + step] = builder.shuffle_vector(a, b, ir.Constant(index, high))
            rows = after
        return context.make_tuple(builder, signature.return_type, rows)

    eight = types.UniTuple(lanes_type, WIDTH)
    return eight(eight), codegen


def aligned(shape) -> np.ndarray:
    """A float64 array of zeros that starts on a cache line."""
    count = int(np.prod(shape))
    raw = np.zeros(count + 8)
    start = (-raw.ctypes.data // 8) % 8
    return raw[start : start + count].reshape(shape)
