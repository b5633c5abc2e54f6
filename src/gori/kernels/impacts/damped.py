"""Damped steps to the forces of contacts that rest, where sweeps over the points, and plain steps of Newton's, fail.

The conditions of all points are a continuous function r(f) = 0 of their forces (`newton.py`), smooth by pieces. Where
bodies stand on more points than they need, solutions are not single: a box on two points of an edge may press them
apart along it, and one of four corners that are about to stick may take the load of another. Sweeps then drift along
them or creep towards them, by 0.3 % each near the speed at which friction begins to stop a box, and the equations of
a plain step are next to singular. The method of Levenberg (1944) and Marquardt (1963) has no need of a single
solution, and near to any one it converges quadratically (Yamashita and Fukushima 2001):

    (A'A + s) d = -A' r,   s: more after a step that makes |r| larger, which is undone, less after one that does not

Forces are in units of 1 / root(W_nn) of their point, so that all masses count alike. It never leads away from where it
begins. It may end where r has a least value that is not zero: the caller begins anew elsewhere.
"""

import math

from gori.kernels.impacts.newton import lay_points
from gori.kernels.jit import block, part
from gori.kernels.vehicle.blows import eliminate

STEPS = 60
FIRST, LEAST, MOST = 1e-2, 1e-12, 1e6
"""what is added to A'A at first, at least, and at which no step is left"""
NEARLY, FARTHER = 0.1, 8.0
"""times this after a step that led nearer, or not"""
NEARER = 1e-4
"""share by which |r|^2 must become less in a step"""
STICKS = 1e-10
"""share that is added to mobilities where all points are to stick"""
DONE, ROUNDED = 1e-13, 1e-10
"""size of r, as a share of the largest acceleration, at which nothing is left to do, and at which steps that do not
lead nearer are rounding
"""


@block
def begin_at(rest, count, largest, start):
    """Forces to begin at: 1 none; 2 those of points that all stick, as points that jam; 3 and more scattered, of sizes
    from a thousandth of the force that makes the largest acceleration to ten times it.
    """
    n, W = 3 * count, rest.mobility
    H = rest.normal[:n, : n + 1]
    for r in range(n):
        rest.force[r], H[r, n] = 0.0, -rest.free[r]
        for c in range(n):
            H[r, c] = W[r, c]
        H[r, r] += STICKS * W[r, r]
    if start == 2:
        eliminate(H, n)
        for r in range(n):
            rest.force[r] = H[r, n]
    elif start > 2:
        number = start
        for r in range(n):
            number = (1103515245 * number + 12345) % 2147483648
            share, nn = number / 2147483648.0, W[r - r % 3, r - r % 3]
            size = largest / nn * 10.0 ** (1 - start % 5) if nn > 0.0 else 0.0
            rest.force[r] = size * (share if r % 3 == 0 else 2.0 * share - 1.0)


@part
def units_of_forces(rest, count):
    """1 / root(W_nn) of each point, which is the unit of its forces."""
    for c in range(count):
        nn = rest.mobility[3 * c, 3 * c]
        for d in range(3):
            rest.unit[3 * c + d] = 1.0 / math.sqrt(nn) if nn > 0.0 else 1.0


@part
def amiss(rest, count):
    """|r|^2 in units of forces, and the largest r as an acceleration, of the equations in rest.newton."""
    n, square, worst = 3 * count, 0.0, 0.0
    for r in range(n):
        part_of = rest.newton[r, n] / rest.unit[r]
        square += part_of * part_of
        worst = max(worst, abs(part_of) / rest.unit[r])
    return square, worst


@part
def damped_step(rest, count, more):
    """Add a step to the best forces, by the equations in rest.newton."""
    n = 3 * count
    A, H, unit = rest.newton, rest.normal[:n, : n + 1], rest.unit
    for r in range(n):
        for c in range(n + 1):
            A[r, c] *= (unit[c] if c < n else 1.0) / unit[r]
    for i in range(n):
        for j in range(n + 1):
            H[i, j] = 0.0
    for r in range(n):
        for i in range(n):
            of = A[r, i]
            if of != 0.0:
                for j in range(n + 1):
                    H[i, j] += of * A[r, j]
    for i in range(n):
        H[i, i] += more
    eliminate(H, n)
    for r in range(n):
        rest.force[r] = rest.best[r] + unit[r] * H[r, n]


@block
def damped_steps(rest, count, largest):
    """Lead rest.force (3 count,) as near to a solution as it goes; returns how far an acceleration is from it.

    largest   acceleration by which that is measured
    """
    n = 3 * count
    units_of_forces(rest, count)
    for r in range(n):
        rest.best[r] = rest.force[r]
    least, worst, more = math.inf, math.inf, FIRST
    for _ in range(STEPS):
        lay_points(rest, count, 0.0)
        square, now = amiss(rest, count)
        if square < (1.0 - NEARER) * least:
            for r in range(n):
                rest.best[r] = rest.force[r]
            least, worst, more = square, now, max(LEAST, NEARLY * more)
            if worst <= DONE * largest:
                break
        else:
            more *= FARTHER
            if not worst > ROUNDED * largest or not more < MOST:
                break
            for r in range(n):
                rest.force[r] = rest.best[r]
            lay_points(rest, count, 0.0)
        damped_step(rest, count, more)
    for r in range(n):
        rest.force[r] = rest.best[r]
    return worst
