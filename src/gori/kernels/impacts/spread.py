"""Normal forces of more points than bodies need: of all that do the same, those with the least sum of squares.

Sweeps end in some distribution, such as all load of a guided pad on two of its corners. Accelerations are the same, but
friction of a pad on a disc has another moment then. With x_i the normal force of a point, and d_i its friction by it
where it slides (friction that sticks is left as it is), the change of all accelerations is linear:

    G x = G x_0,   G_i = W_n,i + d_s W_s,i + d_t W_t,i,   x >= 0,   |x| smallest

Solved by (G'G + eps) x = G'G x_0, a few times for the difference that is left (Riley 1955), which leaves what does
nothing at zero. Points that would pull are left out one after the other. What is found is taken if accelerations and
the limits of friction are as before.
"""

import math

from gori.kernels.impacts.immobile import against_given_slip, is_immobile
from gori.kernels.jit import block, part
from gori.kernels.vehicle.blows import eliminate

IDLE, ROUNDS = 1e-8, 4
"""what is added to G'G, by its largest diagonal entry, and how often the difference that is left is solved for"""
SAME = 1e-9
"""accelerations and forces, by the largest ones, that count as the same"""


@part
def choose(rest, count, largest):
    """Points that may share a load, whose G_i become columns of rest.effect; returns how many."""
    W, f, n, chosen = rest.mobility, rest.force, 3 * count, 0
    for c in range(count):
        i, mu = 3 * c, rest.held[c].friction
        a = rest.free[i]
        for r in range(n):
            a += W[i, r] * f[r]
        if not W[i, i] > 0.0 or not (f[i] > 0.0 or abs(a) <= SAME * largest):
            continue
        ds, dt, immobile = 0.0, 0.0, is_immobile(W, i)
        if immobile and mu > 0.0:
            cs, ct = rest.head[0].rate * rest.speed[i + 1], rest.head[0].rate * rest.speed[i + 2]
            ds, dt = against_given_slip(rest.free[i + 1], rest.free[i + 2], cs, ct, rest.head[0].rate)
            ds, dt = mu * ds, mu * dt
        elif f[i] > 0.0 and math.sqrt(f[i + 1] ** 2 + f[i + 2] ** 2) >= (1.0 - SAME) * mu * f[i]:
            ds, dt = f[i + 1] / f[i], f[i + 2] / f[i]
        for r in range(n):
            rest.effect[r, chosen] = W[r, i] + ds * W[r, i + 1] + dt * W[r, i + 2]
        rest.along[0, chosen], rest.along[1, chosen], rest.along[2, chosen] = f[i], ds, dt
        rest.chosen[chosen] = c
        chosen += 1
    return chosen


@part
def least(rest, k, n):
    """Normal forces of k points with the least sum of squares into along[3], zero for those left out; whether there are
    any.
    """
    H, A, x = rest.product, rest.newton[:k, : k + 1], rest.along[3]
    size = 0.0
    for i in range(k):
        x[i] = 0.0
        for j in range(k):
            total = 0.0
            for r in range(n):
                total += rest.effect[r, i] * rest.effect[r, j]
            H[i, j] = total
        size = max(size, H[i, i])
    if not size > 0.0:
        return False
    for _ in range(ROUNDS):
        for i in range(k):
            A[i, k] = 0.0
            for j in range(k):
                A[i, j] = H[i, j] / size if rest.share_of[i] > 0.0 and rest.share_of[j] > 0.0 else 0.0
                A[i, k] += H[i, j] / size * (rest.along[0, j] - x[j])
            if rest.share_of[i] > 0.0:
                A[i, i] += IDLE
            else:
                A[i, i], A[i, k] = 1.0, 0.0
        eliminate(A, k)
        for i in range(k):
            x[i] += A[i, k]
    return True


@part
def same_accelerations(rest, count, largest):
    """Whether forces do what those in rest.last did, and obey the limits of friction."""
    f = rest.force
    for r in range(3 * count):
        change = 0.0
        for k in range(3 * count):
            change += rest.mobility[r, k] * (f[k] - rest.last[k])
        if not abs(change) <= SAME * largest:
            return False
    for c in range(count):
        i = 3 * c
        if math.sqrt(f[i + 1] ** 2 + f[i + 2] ** 2) > rest.held[c].friction * f[i] * (1.0 + SAME):
            return False
    return True


@block
def spread_load(rest, count, largest):
    """Make the normal forces in rest.force (3 count,) the least that do the same. largest: of the accelerations."""
    k = choose(rest, count, largest)
    if k < 2:
        return
    for r in range(3 * count):
        rest.last[r] = rest.force[r]
    for i in range(k):
        rest.share_of[i] = 1.0
    for _ in range(k):
        if not least(rest, k, 3 * count):
            return
        worst, most = -1, 0.0
        for i in range(k):
            most = max(most, rest.along[3, i])
            if rest.along[3, i] < 0.0 and (worst < 0 or rest.along[3, i] < rest.along[3, worst]):
                worst = i
        if worst < 0:
            break
        rest.share_of[worst] = 0.0
    for i in range(k):
        r, x = 3 * rest.chosen[i], max(0.0, rest.along[3, i])
        slides = rest.along[1, i] != 0.0 or rest.along[2, i] != 0.0
        rest.force[r] = x
        if slides:
            rest.force[r + 1], rest.force[r + 2] = rest.along[1, i] * x, rest.along[2, i] * x
    if not same_accelerations(rest, count, largest):
        for r in range(3 * count):
            rest.force[r] = rest.last[r]
