"""Normal forces of more points than bodies need: of all that do the same, those with the least sum of squares.

Sweeps end in some distribution, such as all load of a guided pad on two of its corners, where friction on a disc has
another moment. With x_i the normal force of a point, and d_i its friction by it where it slides (friction that sticks
is left as it is), normal accelerations are to stay as they are:

    G x = G x_0,   G_i = W_nn,i + d_s W_ns,i + d_t W_nt,i,   x >= 0,   |x| smallest

Solved by (G'G + eps) x = G'G x_0, a few times for the difference that is left (Riley 1955), which leaves what does
nothing at zero. Points that would pull are left out one after the other. What is found is taken if a sweep leaves it as
it is (`hold.py`): if it is a solution, too.
"""

import math

from gori.kernels.impacts.immobile import against_given_slip, is_immobile
from gori.kernels.jit import block, part
from gori.kernels.vehicle.blows import eliminate

IDLE, ROUNDS = 1e-8, 4
"""what is added to G'G, by its largest diagonal entry, and how often the difference that is left is solved for"""
SAME = 1e-9
"""accelerations and forces, by the largest ones, that count as none, or as the same"""


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
        ds, dt, rate = 0.0, 0.0, rest.head[0].rate
        cs, ct = rate * rest.speed[i + 1], rate * rest.speed[i + 2]
        slip = math.sqrt(cs * cs + ct * ct)
        if is_immobile(W, i):
            ds, dt = against_given_slip(rest.free[i + 1], rest.free[i + 2], cs, ct, rate)
            ds, dt = mu * ds, mu * dt
        elif not f[i] > 0.0 and slip > 0.0:  # it would slide, if it had a load
            ds, dt = -mu * cs / slip, -mu * ct / slip
        elif f[i] > 0.0 and math.sqrt(f[i + 1] ** 2 + f[i + 2] ** 2) >= (1.0 - SAME) * mu * f[i]:
            ds, dt = f[i + 1] / f[i], f[i + 2] / f[i]
        for r in range(count):
            rest.effect[r, chosen] = W[3 * r, i] + ds * W[3 * r, i + 1] + dt * W[3 * r, i + 2]
        rest.along[0, chosen], rest.along[1, chosen], rest.along[2, chosen] = f[i], ds, dt
        rest.chosen[chosen] = c
        chosen += 1
    return chosen


@part
def least(rest, k, count):
    """Normal forces of k points with the least sum of squares into along[3], zero for those left out; whether there are
    any.
    """
    H, A, x = rest.product, rest.newton[:k, : k + 1], rest.along[3]
    size = 0.0
    for i in range(k):
        x[i] = 0.0
        for j in range(k):
            total = 0.0
            for r in range(count):
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


@block
def spread_load(rest, count, largest):
    """Make the normal forces in rest.force (3 count,) the least that do the same; whether that may have changed them.
    Those before are in rest.last_g then. largest: of the accelerations.
    """
    k = choose(rest, count, largest)
    if k < 2:
        return False
    for r in range(3 * count):
        rest.last_g[r] = rest.force[r]
    for i in range(k):
        rest.share_of[i] = 1.0
    for _ in range(k):
        if not least(rest, k, count):
            return False
        worst = -1
        for i in range(k):
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
    return True
