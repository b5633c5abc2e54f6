"""Choices without a branch: the smaller, the larger, one or the other; of numbers, or of each lane of Lanes.

On a GPU and in its simulator the plain functions serve as they stand.
"""

from numba.extending import intrinsic, overload

from gori.kernels.lanes import WIDTH, get_lane, lanes_type, put_lane


@intrinsic
def _where_less(typingctx, a, b, x, y):
    def codegen(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered("<", args[0], args[1]), args[2], args[3])

    return lanes_type(lanes_type, lanes_type, lanes_type, lanes_type), codegen


def where_less(a, b, x, y):
    """x where a < b, else y; of numbers or of Lanes."""
    return x if a < b else y


@overload(where_less)
def _where_less_of(a, b, x, y):
    if lanes_type in (a, b, x, y):
        return lambda a, b, x, y: _where_less(a, b, x, y)
    return lambda a, b, x, y: x if a < b else y


def smaller(a, b):
    """The smaller of two numbers, or of two Lanes."""
    return a if a < b else b


@overload(smaller)
def _smaller_of(a, b):
    if lanes_type in (a, b):
        return lambda a, b: _where_less(a, b, a, b)
    return lambda a, b: a if a < b else b


def larger(a, b):
    """The larger of two numbers, or of two Lanes."""
    return b if a < b else a


@overload(larger)
def _larger_of(a, b):
    if lanes_type in (a, b):
        return lambda a, b: _where_less(a, b, b, a)
    return lambda a, b: b if a < b else a


def power(x, exponent):
    """x to a power; both numbers or both Lanes."""
    return x**exponent


@overload(power)
def _power_of(x, exponent):
    if x is lanes_type:

        def each(x, exponent):
            for lane in range(WIDTH):
                x = put_lane(x, lane, get_lane(x, lane) ** get_lane(exponent, lane))
            return x

        return each
    return lambda x, exponent: x**exponent
