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
def number_of(memory):
    """Number of impulses: of points, of their rolling and torsional friction, of axes with friction."""
    points = memory.head[0].points
    return 3 * points * (2 if memory.turns.shape[0] > 0 else 1) + memory.axes.shape[0]


@part
def note_one(memory, slot, c, f, g):
    """The same of one number: f, and g at the place c; returns f^2."""
    memory.mix_f[slot, c], memory.mix_g[slot, c] = f - memory.last_f[c], g - memory.last_g[c]
    memory.last_f[c], memory.last_g[c] = f, g
    return f * f


@part
def note_row(memory, slot, row, first):
    """The same of the three impulses of a row, from the place `first` on."""
    square = 0.0
    for i in range(3):
        g = row.impulse[i]
        square += note_one(memory, slot, first + i, (g - row.last[i]) * row.weight[min(i, 1)], g)
    return square


@part
def note_difference(memory, v, slot):
    """Put the differences to the last iterate into a slot, and note this one; returns |f|^2."""
    last_v, dv, square, points = memory.last_v, memory.mix_v[slot], 0.0, memory.head[0].points
    for k in range(points):
        square += note_row(memory, slot, memory.rows[k], 3 * k)
    if memory.turns.shape[0] > 0:
        for k in range(points):
            square += note_row(memory, slot, memory.turns[k], 3 * (points + k))
    first = number_of(memory) - memory.axes.shape[0]
    for k in range(memory.axes.shape[0]):
        axis = memory.axes[k]
        square += note_one(memory, slot, first + k, (axis.impulse - axis.last) * axis.weight, axis.impulse)
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
    n, gram, share = number_of(memory), memory.gram, memory.share
    points, axes = memory.head[0].points, memory.axes.shape[0]
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
        for k in range(points):
            p = memory.rows[k].impulse
            for i in range(3):
                p[i] -= s * dg[3 * k + i]
        if memory.turns.shape[0] > 0:
            for k in range(points):
                p = memory.turns[k].impulse
                for i in range(3):
                    p[i] -= s * dg[3 * (points + k) + i]
        for k in range(axes):
            memory.axes[k].impulse -= s * dg[n - axes + k]
        for k in range(v.shape[0]):
            v[k] -= s * dv[k]
    return mixed + 1, min(smallest, square)
