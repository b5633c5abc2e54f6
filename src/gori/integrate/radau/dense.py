"""The linear equations of a step with a matrix: B and E by differences, 1 - c B - c^2 E factored for both c.

For any machine, with loops and with forces of every kind: 2 nv + nz evaluations, and O(n^3) to factor.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gori.integrate.implicit_memory import scale_axes
from gori.integrate.lapack import _GESV, _pivot, solve, solve_again
from gori.integrate.radau.coefficients import ALPHA, BETA, GAMMA
from gori.integrate.radau.memory import PRESENT
from gori.integrate.rates import rhs_apart
from gori.integrate.step_equations import DIFFERENCE
from gori.kernels.codes import OK
from gori.kernels.jit import block, part
from gori.kernels.tree.columns import NQ
from gori.kernels.tree.configuration import integrate

STATE_DIFFERENCE = 1e-7
"""change of a state z for differences [rad, m]: small beside what friction sticks over"""

_POINTER = ir.IntType(8).as_pointer()


@intrinsic
def solve_complex(typingctx, A, pivots, x):
    """x (2 n,) = A^-1 x; A (n, n, 2), by columns A[c, r], becomes its factors. Returns 0 if A is regular.

    Real and imaginary part of a number stand side by side; pivots: float64 (n,), storage for integers.
    """

    def codegen(context, builder, signature, args):
        arrays = [context.make_array(kind)(context, builder, value) for kind, value in zip(signature.args, args)]
        a, p, b = (builder.bitcast(array.data, _POINTER) for array in arrays)
        n = cgutils.unpack_tuple(builder, arrays[0].shape)[0]
        gesv = cgutils.get_or_insert_function(builder.module, _GESV, "numba_xgesv")
        one = ir.Constant(ir.IntType(64), 1)
        info = builder.call(gesv, [ir.Constant(ir.IntType(8), ord("z")), n, one, a, n, p, b, n])
        return builder.sext(info, ir.IntType(64))

    return types.int64(A, pivots, x), codegen


@part
def solve_complex_again(A, pivots, re, im):
    """re + i im, both (n,), becomes A^-1 times it, with the factors left by `solve_complex`."""
    n = re.shape[0]
    for k in range(n):
        r = _pivot(pivots, k) - 1
        re[k], re[r] = re[r], re[k]
        im[k], im[r] = im[r], im[k]
    for c in range(n):
        x, y = re[c], im[c]
        for r in range(c + 1, n):
            re[r] -= A[c, r, 0] * x - A[c, r, 1] * y
            im[r] -= A[c, r, 0] * y + A[c, r, 1] * x
    for c in range(n - 1, -1, -1):
        a, b = A[c, c, 0], A[c, c, 1]
        square = a * a + b * b
        x, y = (re[c] * a + im[c] * b) / square, (im[c] * a - re[c] * b) / square
        re[c], im[c] = x, y
        for r in range(c):
            re[r] -= A[c, r, 0] * x - A[c, r, 1] * y
            im[r] -= A[c, r, 0] * y + A[c, r, 1] * x


@part
def complex_step(h):
    """h / (ALPHA + i BETA): both parts."""
    square = ALPHA * ALPHA + BETA * BETA
    return h * ALPHA / square, -h * BETA / square


@block
def differentiate(machine, data, memory, t, y, base):
    """B and E at (t, y), where base are the rates. Returns a result code."""
    nq, nv, work, state = machine.body_i[0, NQ], data.tau.shape[0], memory.work, memory.state
    moved, k, along, scale = work.trial, work.new_rates, work.tangent, memory.dense.axis_scale
    if nv > 0 and not scale[0] > 0.0:
        scale_axes(machine, scale)
    memory.head[0].jacobians += 1
    for i in range(y.shape[0]):
        moved[i] = y[i]
    for c in range(nv):
        along[c] = 0.0
    for c in range(nv):
        change = DIFFERENCE * scale[c]
        along[c] = change
        integrate(machine.body_i, y[:nq], along, moved[:nq])
        along[c] = 0.0
        code = rhs_apart(machine, data, t, moved, k)
        if code != OK:
            return code
        for r in range(state.by_u.shape[0]):
            state.by_q[c, r] = (k[nq + r] - base[nq + r]) / change
    for i in range(nq):
        moved[i] = y[i]
    for c in range(state.by_u.shape[0]):
        at = nq + c
        change = DIFFERENCE * max(scale[c], abs(y[at])) if c < nv else STATE_DIFFERENCE
        moved[at] = y[at] + change
        code = rhs_apart(machine, data, t, moved, k)
        moved[at] = y[at]
        if code != OK:
            return code
        for r in range(state.by_u.shape[0]):
            state.by_u[c, r] = (k[nq + r] - base[nq + r]) / change
    memory.head[0].made = PRESENT
    return OK


@block
def factor_dense(memory, h):
    """Factors of 1 - c B - c^2 E for both c. False if one of them is singular."""
    dense, state, right = memory.dense, memory.state, memory.work.right
    n, axes = dense.real.shape[0], state.by_q.shape[0]
    c, (re, im) = h / GAMMA, complex_step(h)
    for k in range(n):
        for r in range(n):
            one, b = 1.0 if r == k else 0.0, state.by_u[k, r]
            e = state.by_q[k, r] if k < axes else 0.0
            dense.real[k, r] = one - c * b - c * c * e
            dense.complex[k, r, 0] = one - re * b - (re * re - im * im) * e
            dense.complex[k, r, 1] = -im * b - 2.0 * re * im * e
        right[0, k], right[1, k], right[2, k] = 0.0, 0.0, 0.0
    # only for the factors: there is nothing to solve yet
    good = solve(dense.real, dense.pivots, right[0]) == 0
    return solve_complex(dense.complex, dense.complex_pivots, right[1:]) == 0 and good


@part
def solve_dense(memory, h, g, x):
    """x (nu,) = (s - f_y)^-1 (g, x), its part u, for the real s; g (nv,): what stands for q, along the axes."""
    c, state = h / GAMMA, memory.state
    for k in range(g.shape[0]):
        for r in range(x.shape[0]):
            x[r] += c * state.by_q[k, r] * g[k]
    for r in range(x.shape[0]):
        x[r] *= c
    solve_again(memory.dense.real, memory.dense.pivots, x)


@part
def solve_dense_pair(memory, h, x, y):
    """x + i y, both (nu,), becomes (s - f_y)^-1 (0, x + i y), its part u, for the complex s."""
    re, im = complex_step(h)
    for r in range(x.shape[0]):
        x[r], y[r] = re * x[r] - im * y[r], re * y[r] + im * x[r]
    solve_complex_again(memory.dense.complex, memory.dense.complex_pivots, x, y)
