"""Access to the GPU's memory that Numba does not have.

read2, read4, write2, write4   numbers of a row in one access, which one by one would take as many
acquire                        a number that other blocks change, and with it all that they wrote before
"""

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _pointer(context, builder, signature, args, width):
    array = context.make_array(signature.args[0])(context, builder, args[0])
    element = context.get_data_type(signature.args[0].dtype)
    place = builder.gep(array.data, [args[1]])
    return builder.bitcast(place, ir.VectorType(element, width).as_pointer())


def _reader(width):
    @intrinsic
    def read(typingctx, array, k):
        """Numbers k, k + 1, ... of a flat array, as a tuple; k is a multiple of their count."""

        def codegen(context, builder, signature, args):
            together = builder.load(_pointer(context, builder, signature, args, width), align=16)
            numbers = [builder.extract_element(together, ir.Constant(ir.IntType(32), q)) for q in range(width)]
            return context.make_tuple(builder, signature.return_type, numbers)

        return types.UniTuple(array.dtype, width)(array, types.int64), codegen

    return read


def _writer(width):
    @intrinsic
    def write(typingctx, array, k, numbers):
        """Write a tuple over numbers k, k + 1, ... of a flat array."""

        def codegen(context, builder, signature, args):
            element = context.get_data_type(signature.args[0].dtype)
            together = ir.Constant(ir.VectorType(element, width), ir.Undefined)
            for q in range(width):
                number = builder.extract_value(args[2], q)
                together = builder.insert_element(together, number, ir.Constant(ir.IntType(32), q))
            builder.store(together, _pointer(context, builder, signature, args, width), align=16)
            return context.get_dummy_value()

        return types.void(array, types.int64, types.UniTuple(array.dtype, width)), codegen

    return write


@intrinsic
def acquire(typingctx, array, k):
    """Number k of a flat array of int32, as it is now."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.ptrtoint(builder.gep(data, [args[1]]), ir.IntType(64))
        kind = ir.FunctionType(ir.IntType(32), [ir.IntType(64)])
        load = ir.InlineAsm(kind, "ld.acquire.gpu.s32 $0, [$1];", "=r,l,~{memory}", side_effect=True)
        return builder.call(load, [place])

    return types.int32(array, types.int64), codegen


if numba.config.ENABLE_CUDASIM:

    def read2(array, k):
        return array[k], array[k + 1]

    def read4(array, k):
        return array[k], array[k + 1], array[k + 2], array[k + 3]

    def write2(array, k, numbers):
        array[k], array[k + 1] = numbers

    def write4(array, k, numbers):
        array[k], array[k + 1], array[k + 2], array[k + 3] = numbers

else:
    read2, read4, write2, write4 = _reader(2), _reader(4), _writer(2), _writer(4)
