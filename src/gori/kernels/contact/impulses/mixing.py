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
from gori.kernels.lanes import WIDTH, lanes, lanes_of, spread, sum8

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
    b, lane = c // WIDTH, c % WIDTH
    memory.mix_f[slot, b, lane], memory.mix_g[slot, b, lane] = f - memory.last_f[c], g - memory.last_g[c]
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
    square, points = 0.0, memory.head[0].points
    for k in range(points):
        square += note_row(memory, slot, memory.rows[k], 3 * k)
    if memory.turns.shape[0] > 0:
        for k in range(points):
            square += note_row(memory, slot, memory.turns[k], 3 * (points + k))
    first = number_of(memory) - memory.axes.shape[0]
    for k in range(memory.axes.shape[0]):
        axis = memory.axes[k]
        square += note_one(memory, slot, first + k, (axis.impulse - axis.last) * axis.weight, axis.impulse)
    now, last, difference = lanes_of(v), lanes_of(memory.last_v), lanes(memory.mix_v)
    for b in range(now.shape[0]):
        difference[slot, b] = now[b] - last[b]
        last[b] = now[b]
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


@part
def forget(memory, n):
    """Empty what stands behind the last of n impulses in its block, from solutions with more of them."""
    for c in range(n, n + (-n) % WIDTH):
        memory.last_f[c] = memory.mix_change[c] = 0.0
        for j in range(DEPTH):
            memory.mix_f[j, c // WIDTH, c % WIDTH] = memory.mix_g[j, c // WIDTH, c % WIDTH] = 0.0


@part
def take_off(p, change, first):
    """Change the three impulses of a row."""
    for i in range(3):
        p[i] -= change[first + i]


@part
def change_all(memory, v, used, n):
    """Take the shares of the last differences off all impulses and velocities."""
    share, points, axes, change = memory.share, memory.head[0].points, memory.axes.shape[0], memory.mix_change
    changes, dg, dv, now = lanes_of(change), lanes(memory.mix_g), lanes(memory.mix_v), lanes_of(v)
    for b in range((n + WIDTH - 1) // WIDTH):
        sum = spread(0.0)
        for j in range(used):
            sum = sum + share[j] * dg[j, b]
        changes[b] = sum
    for b in range(now.shape[0]):
        sum = now[b]
        for j in range(used):
            sum = sum - share[j] * dv[j, b]
        now[b] = sum
    for k in range(points):
        take_off(memory.rows[k].impulse, change, 3 * k)
        if memory.turns.shape[0] > 0:
            take_off(memory.turns[k].impulse, change, 3 * (points + k))
    for k in range(axes):
        memory.axes[k].impulse -= change[n - axes + k]


@block
def mix(memory, v, mixed, smallest):
    """Mix impulses and v after a pair of sweeps.

    mixed      iterates noted so far; smallest |f|^2 of them
    Returns both for the next call.
    """
    n, gram, share = number_of(memory), memory.gram, memory.share
    slot = (mixed - 1) % DEPTH if mixed > 0 else 0
    if mixed == 0:
        forget(memory, n)
    square = note_difference(memory, v, slot)
    if mixed == 0 or square > GROWN * GROWN * smallest:
        return 1, square
    used, blocks, df, last = min(mixed, DEPTH), (n + WIDTH - 1) // WIDTH, lanes(memory.mix_f), lanes_of(memory.last_f)
    for j in range(used):
        of_two, of_one = spread(0.0), spread(0.0)
        for b in range(blocks):
            of_two = of_two + df[slot, b] * df[j, b]
            of_one = of_one + df[j, b] * last[b]
        gram[slot, j] = gram[j, slot] = sum8(of_two)
        share[j] = sum8(of_one)
    if not solve_shares(gram, share, used):
        return 1, square
    change_all(memory, v, used, n)
    return mixed + 1, min(smallest, square)
