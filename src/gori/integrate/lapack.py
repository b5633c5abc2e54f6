"""Linear equations by LAPACK, through Numba's own binding of SciPy's LAPACK: no memory is allocated.

LAPACK factors and solves for one right-hand side. More of them are solved here: given many at once, OpenBLAS starts
threads, which on a busy machine wait for each other far longer than the work takes.
"""

import numba.np.linalg  # noqa: F401 - makes the binding known to LLVM
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gori.kernels.jit import part
from gori.kernels.lanes import WIDTH, lanes

_BYTE, _INT, _SIZE = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_POINTER = _BYTE.as_pointer()
_GESV = ir.FunctionType(_INT, [_BYTE, _SIZE, _SIZE, _POINTER, _SIZE, _POINTER, _POINTER, _SIZE])


@intrinsic
def solve(typingctx, A, pivots, x):
    """x (n,) = A^-1 x; A (n, n), by columns A[c, r], becomes its factors. Returns 0 if A is regular.

    pivots: float64 (n,), storage for integers.
    """

    def codegen(context, builder, signature, args):
        arrays = [context.make_array(kind)(context, builder, value) for kind, value in zip(signature.args, args)]
        a, p, b = (builder.bitcast(array.data, _POINTER) for array in arrays)
        n = cgutils.unpack_tuple(builder, arrays[0].shape)[0]
        gesv = cgutils.get_or_insert_function(builder.module, _GESV, "numba_xgesv")
        info = builder.call(gesv, [_BYTE(ord("d")), n, _SIZE(1), a, n, p, b, n])
        return builder.sext(info, _SIZE)

    return types.int64(A, pivots, x), codegen


@intrinsic
def _pivot(typingctx, pivots, k):
    """The row that row k was exchanged with, counted from one."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        row = builder.load(builder.gep(builder.bitcast(data, _INT.as_pointer()), [args[1]]))
        return builder.sext(row, _SIZE)

    return types.int64(pivots, types.int64), codegen


@part
def solve_again(A, pivots, x):
    """x (n,) = A^-1 x with the factors left by `solve`."""
    n = x.shape[0]
    for k in range(n):
        r = _pivot(pivots, k) - 1
        x[k], x[r] = x[r], x[k]
    for c in range(n):
        for r in range(c + 1, n):
            x[r] -= A[c, r] * x[c]
    for c in range(n - 1, -1, -1):
        x[c] /= A[c, c]
        for r in range(c):
            x[r] -= A[c, r] * x[c]


@part
def solve_all(A, pivots, B, room):
    """Each row of B (m, n) becomes A^-1 times it, with the factors left by `solve`; eight at a time as Lanes.

    room (n, n) is scratch.
    """
    m, n = B.shape
    first = 0
    x = room.reshape(room.size)[: WIDTH * (room.size // WIDTH)].reshape((room.size // WIDTH, WIDTH))
    while first + WIDTH <= m and room.size >= WIDTH * n:
        for j in range(WIDTH):
            for k in range(n):
                x[k, j] = B[first + j, k]
        _solve_lanes(A, pivots, lanes(x), n)
        for j in range(WIDTH):
            for k in range(n):
                B[first + j, k] = x[k, j]
        first += WIDTH
    for k in range(first, m):
        solve_again(A, pivots, B[k])


@part
def _solve_lanes(A, pivots, x, n):
    for k in range(n):
        r = _pivot(pivots, k) - 1
        x[k], x[r] = x[r], x[k]
    for c in range(n):
        top = x[c]
        for r in range(c + 1, n):
            x[r] -= A[c, r] * top
    for c in range(n - 1, -1, -1):
        top = x[c] / A[c, c]
        x[c] = top
        for r in range(c):
            x[r] -= A[c, r] * top
