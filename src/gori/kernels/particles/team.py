"""Workers in lockstep: threads that run the same compiled loop, and wait for each other at barriers.

Every worker calls one kernel with its own number; between two phases all wait for the last one. No thread is started
and nothing is allocated in a step, and a phase costs less than a microsecond.
"""

import sys

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gori.kernels.jit import part
from gori.kernels.particles.arrays import rows_of_chunk

SPINS = 4000
"""reads of the counter before a waiting worker yields its core"""


def _element(context, builder, signature, args):
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return cgutils.get_item_pointer(context, builder, signature.args[0], array, [args[1]])


@intrinsic
def _arrive(typingctx, counters, k):
    """Add 1 to counters[k], at once for all workers."""

    def codegen(context, builder, signature, args):
        pointer = _element(context, builder, signature, args)
        return builder.atomic_rmw("add", pointer, ir.Constant(ir.IntType(64), 1), "seq_cst")

    return types.int64(counters, types.int64), codegen


@intrinsic
def _value(typingctx, counters, k):
    """counters[k] as it is now."""

    def codegen(context, builder, signature, args):
        return builder.load_atomic(_element(context, builder, signature, args), "acquire", 8)

    return types.int64(counters, types.int64), codegen


if sys.platform == "win32":

    @part
    def _yield():
        return 0
else:
    _sched_yield = types.ExternalFunction("sched_yield", types.int32())

    @part
    def _yield():
        return _sched_yield()


@part
def barrier(counters, number, workers):
    """Wait until all workers have come to this barrier; returns the number of the next one.

    counters   (1,) int64, zero when the workers start
    number     1, 2, 3, ...: the same for all
    """
    if workers > 1:
        _arrive(counters, 0)
        reads = 0
        while _value(counters, 0) < number * workers:
            reads += 1
            if reads > SPINS:
                _yield()
    return number + 1


@part
def share(count, worker, workers):
    """First and last + 1 of the pieces of one worker."""
    return worker * count // workers, (worker + 1) * count // workers


chunk_rows = part(rows_of_chunk)


@part
def chunks_of(g):
    """Number of chunks, which the workers share."""
    return (g.progress[0].count + g.progress[0].rows - 1) // g.progress[0].rows


@part
def rows_of(g, chunk):
    """First particle of a chunk and the one after its last."""
    return chunk * g.progress[0].rows, min(g.progress[0].count, (chunk + 1) * g.progress[0].rows)
