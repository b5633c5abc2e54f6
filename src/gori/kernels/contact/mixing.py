"""Mixing of iterates (Anderson 1965; Walker and Ni 2011): the limit of a fixed-point iteration from its last few steps.

With x_k the impulses before a pair of sweeps, g_k after it and f_k = g_k - x_k, the next impulses are

    x = g_k - sum_j s_j (g_j+1 - g_j),       s: the least squares of  f_k - sum_j s_j (f_j+1 - f_j)

over the last DEPTH differences. Impulses are weighted with the root of the mobility of their point, so that squares are
energies. Velocities are affine in the impulses, so they are mixed with the same s. Where f has grown, the iterates
are forgotten.
"""

import math

from gori.kernels.contact.memory import DEPTH
from gori.kernels.jit import block, part

GROWN = 2.0
"""growth of |f| over its smallest value at which iterates are forgotten"""
REGULAR = 1e-10
"""share of the trace that is added to the diagonal of the least squares"""


@part
def note_difference(memory, v, slot):
    """Put the differences to the last iterate into a slot, and note this one; returns |f|^2."""
    rows, last_f, last_g, last_v = memory.rows, memory.last_f, memory.last_g, memory.last_v
    df, dg, dv, square = memory.mix_f[slot], memory.mix_g[slot], memory.mix_v[slot], 0.0
    for k in range(memory.head[0].points):
        row = rows[k]
        for i in range(3):
            g, c = row.impulse[i], 3 * k + i
            f = (g - row.last[i]) * row.weight[min(i, 1)]
            square += f * f
            df[c], dg[c] = f - last_f[c], g - last_g[c]
            last_f[c], last_g[c] = f, g
    for k in range(v.shape[0]):
        dv[k], last_v[k] = v[k] - last_v[k], v[k]
    return square


@part
def dot(a, b, n):
    """Product of the first n numbers."""
    sum = 0.0
    for k in range(n):
        sum += a[k] * b[k]
    return sum


@part
def solve_shares(gram, share, n):
    """Solve the least squares of the first n rows of gram for share, which holds the right-hand side (Cholesky)."""
    trace = 0.0
    for i in range(n):
        trace += gram[i, i]
    for i in range(n):
        for j in range(i + 1):
            sum = gram[i, j] + (REGULAR * trace if i == j else 0.0)
            for k in range(j):
                sum -= gram[DEPTH + i, k] * gram[DEPTH + j, k]
            if i == j:
                if not sum > 0.0:
                    return False
                gram[DEPTH + i, i] = math.sqrt(sum)
            else:
                gram[DEPTH + i, j] = sum / gram[DEPTH + j, j]
    for i in range(n):
        for k in range(i):
            share[i] -= gram[DEPTH + i, k] * share[k]
        share[i] /= gram[DEPTH + i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            share[i] -= gram[DEPTH + k, i] * share[k]
        share[i] /= gram[DEPTH + i, i]
    return True


@block
def mix(memory, v, mixed, smallest):
    """Mix impulses and v after a pair of sweeps.

    mixed      iterates noted so far; smallest |f|^2 of them
    Returns both for the next call.
    """
    n, gram, share = 3 * memory.head[0].points, memory.gram, memory.share
    slot = (mixed - 1) % DEPTH if mixed > 0 else 0
    square = note_difference(memory, v, slot)
    if mixed == 0 or square > GROWN * GROWN * smallest:
        return 1, square
    used = min(mixed, DEPTH)
    for j in range(used):
        gram[slot, j] = gram[j, slot] = dot(memory.mix_f[slot], memory.mix_f[j], n)
        share[j] = dot(memory.mix_f[j], memory.last_f, n)
    if not solve_shares(gram, share, used):
        return 1, square
    for j in range(used):
        s, dg, dv = share[j], memory.mix_g[j], memory.mix_v[j]
        for k in range(memory.head[0].points):
            p = memory.rows[k].impulse
            for i in range(3):
                p[i] -= s * dg[3 * k + i]
        for k in range(v.shape[0]):
            v[k] -= s * dv[k]
    return mixed + 1, min(smallest, square)
