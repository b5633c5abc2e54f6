"""Rows of tables into Lanes and back, where the rows stand anywhere: tables (n, 4) and (n, 8) of float64, C-ordered.

Eight rows of four numbers become four Lanes by column: `halves` reads two rows into the halves of one value, and
`turn4` exchanges rows and columns. The width of a row is part of the name: an address is then a shift, no product.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gori.kernels.lanes import _F8, _VECTOR, WIDTH, lanes_type

_HALF = ir.VectorType(_F8, WIDTH // 2)
_NEIGHBOURS = list(range(WIDTH))


def _pointer(context, builder, array_type, array, row, columns, column, kind):
    """Pointer to neighbours of a row that starts at a multiple of `columns`."""
    data = context.make_array(array_type)(context, builder, array).data
    at = builder.add(builder.mul(row, ir.Constant(row.type, columns)), ir.Constant(row.type, column))
    return builder.bitcast(builder.gep(data, [at]), kind.as_pointer())


def _shuffle(builder, a, b, order):
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), len(order)), order))


def _halves(columns, column, what):
    @intrinsic
    def read(typingctx, array, i, j):
        def codegen(context, builder, signature, args):
            array, *rows = args
            low, high = (
                builder.load(_pointer(context, builder, signature.args[0], array, row, columns, column, _HALF), align=8)
                for row in rows
            )
            return _shuffle(builder, low, high, _NEIGHBOURS)

        return lanes_type(array, types.int64, types.int64), codegen

    read.__doc__ = what
    return read


halves = _halves(4, 0, "Rows i and j of a table (n, 4), one after the other.")
first_halves = _halves(8, 0, "The first four of row i and those of row j of a table (n, 8).")
second_halves = _halves(8, 4, "The last four of row i and those of row j of a table (n, 8).")


@intrinsic
def put_halves(typingctx, array, i, j, x):
    """Write Lanes over rows i and j of a table (n, 4)."""

    def codegen(context, builder, signature, args):
        array, i, j, x = args
        for row, order in ((i, [0, 1, 2, 3]), (j, [4, 5, 6, 7])):
            pointer = _pointer(context, builder, signature.args[0], array, row, 4, 0, _HALF)
            builder.store(_shuffle(builder, x, x, order), pointer, align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, lanes_type), codegen


@intrinsic
def eight(typingctx, array, s):
    """Numbers s to s + 7 of a list of int32; s is not negative."""

    def codegen(context, builder, signature, args):
        data, s = context.make_array(signature.args[0])(context, builder, args[0]).data, args[1]
        places = [builder.gep(data, [builder.add(s, ir.Constant(s.type, k))]) for k in range(WIDTH)]
        numbers = [builder.sext(builder.load(place), ir.IntType(64)) for place in places]
        return context.make_tuple(builder, signature.return_type, numbers)

    return types.UniTuple(types.int64, WIDTH)(array, types.int64), codegen


@intrinsic
def row8(typingctx, array, i):
    """Row i of a table (n, 8)."""

    def codegen(context, builder, signature, args):
        return builder.load(_pointer(context, builder, signature.args[0], *args, 8, 0, _VECTOR), align=8)

    return lanes_type(array, types.int64), codegen


@intrinsic
def put_row8(typingctx, array, i, x):
    """Write Lanes over row i of a table (n, 8)."""

    def codegen(context, builder, signature, args):
        builder.store(args[2], _pointer(context, builder, signature.args[0], *args[:2], 8, 0, _VECTOR), align=8)
        return context.get_dummy_value()

    return types.void(array, types.int64, lanes_type), codegen


def _fetch(columns):
    @intrinsic
    def fetch(typingctx, array, i):
        def codegen(context, builder, signature, args):
            byte = ir.IntType(8)
            pointer = _pointer(context, builder, signature.args[0], *args, columns, 0, byte)
            kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), *[ir.IntType(32)] * 3])
            prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            builder.call(prefetch, [pointer, *(ir.Constant(ir.IntType(32), k) for k in (0, 3, 1))])
            return context.get_dummy_value()

        return types.void(array, types.int64), codegen

    return fetch


fetch4, fetch8 = _fetch(4), _fetch(8)
"""Ask for row i of a table (n, 4) or (n, 8) that will be read soon."""


@intrinsic
def turn4(typingctx, a, b, c, d):
    """Rows 0 and 4, 1 and 5, 2 and 6, 3 and 7 of four numbers each -> their four columns of eight; or back."""

    def codegen(context, builder, signature, args):
        a, b, c, d = args
        even, odd = [0, 8, 2, 10, 4, 12, 6, 14], [1, 9, 3, 11, 5, 13, 7, 15]
        low, high = [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]
        ab, ba, cd, dc = (_shuffle(builder, *two, order) for two in ((a, b), (c, d)) for order in (even, odd))
        turned = [
            _shuffle(builder, ab, cd, low), _shuffle(builder, ba, dc, low),
            _shuffle(builder, ab, cd, high), _shuffle(builder, ba, dc, high),
        ]  # fmt: skip
        return context.make_tuple(builder, signature.return_type, turned)

    four = types.UniTuple(lanes_type, 4)
    return four(lanes_type, lanes_type, lanes_type, lanes_type), codegen


@intrinsic
def join(typingctx, a, b):
    """The first four Lanes of a, then those of b."""

    def codegen(context, builder, signature, args):
        return _shuffle(builder, *args, [0, 1, 2, 3, 8, 9, 10, 11])

    return lanes_type(lanes_type, lanes_type), codegen


@intrinsic
def four_of_each(typingctx, a, b):
    """Lanes a a a a b b b b of two numbers."""

    def codegen(context, builder, signature, args):
        vector = ir.Constant(_VECTOR, ir.Undefined)
        for k, number in enumerate(args):
            vector = builder.insert_element(vector, number, ir.Constant(ir.IntType(32), k))
        return _shuffle(builder, vector, vector, [0, 0, 0, 0, 1, 1, 1, 1])

    return lanes_type(types.float64, types.float64), codegen


@intrinsic
def eight_of(typingctx, a, b, c, d, e, f, g, h):
    """Lanes of eight numbers."""

    def codegen(context, builder, signature, args):
        vector = ir.Constant(_VECTOR, ir.Undefined)
        for k, number in enumerate(args):
            vector = builder.insert_element(vector, number, ir.Constant(ir.IntType(32), k))
        return vector

    return lanes_type(*(types.float64,) * WIDTH), codegen
