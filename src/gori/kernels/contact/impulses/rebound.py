"""Restitution that makes no energy.

Moreau's law asks each point that is hit for e times its speed before. With friction that can take more energy than the
blow has left (Kane and Levinson 1985). So where the impulses of a step have done work, they are mixed with those of the
same step in which nothing rebounds, which take energy alone:

    p = p_0 + s (p_e - p_0),      s: the largest share at which the work is not positive

Both keep to Coulomb's cone and let no body in, and so does each mixture, as cone and half-spaces are convex. Velocities
are affine in the impulses, so the work is a quadratic polynomial of s.
"""

import math

from gori.kernels.contact.impulses.cone import solve_impulses
from gori.kernels.contact.impulses.outcome import work_of_all
from gori.kernels.jit import block, part


@part
def rebounds(memory):
    """Whether any point shall rebound."""
    for k in range(memory.head[0].points):
        if memory.rows[k].least < 0.0 and memory.rows[k].soft_normal == 0.0:
            return True
    return False


@part
def share_without_gain(at_none, at_half, at_all):
    """The largest share s from 0 to 1 at which the work is not positive, from the work at 0, 1/2 and 1; it is at 1."""
    if at_none > 0.0:
        return 0.0
    a = 2.0 * (at_all - 2.0 * at_half + at_none)
    b = at_all - at_none - a
    root = math.sqrt(max(0.0, b * b - 4.0 * a * at_none))
    if b > 0.0:
        return -2.0 * at_none / (b + root)
    return min(1.0, (root - b) / (2.0 * a)) if a > 0.0 else 0.0


@part
def take_off(row, kept, first):
    """Take the three impulses of a row off what is kept from the place `first` on."""
    for i in range(3):
        kept[first + i] -= row.impulse[i]


@part
def keep_all(memory, x):
    """Keep impulses and velocities."""
    kept, points, turning = memory.rebound, memory.head[0].points, memory.turns.shape[0] > 0
    for k in range(points):
        for i in range(3):
            kept[3 * k + i] = memory.rows[k].impulse[i]
            if turning:
                kept[3 * (points + k) + i] = memory.turns[k].impulse[i]
    first = 3 * points * (2 if turning else 1)
    for k in range(memory.axes.shape[0]):
        kept[first + k] = memory.axes[k].impulse
    for k in range(x.shape[0]):
        memory.x_rebound[k] = x[k]


@part
def take_off_present(memory, x):
    """What is kept becomes its difference to the present impulses and velocities."""
    kept, points, turning = memory.rebound, memory.head[0].points, memory.turns.shape[0] > 0
    for k in range(points):
        take_off(memory.rows[k], kept, 3 * k)
        if turning:
            take_off(memory.turns[k], kept, 3 * (points + k))
    first = 3 * points * (2 if turning else 1)
    for k in range(memory.axes.shape[0]):
        kept[first + k] -= memory.axes[k].impulse
    for k in range(x.shape[0]):
        memory.x_rebound[k] -= x[k]


@part
def add_share(memory, x, share):
    """Add a share of these differences."""
    kept, points, turning = memory.rebound, memory.head[0].points, memory.turns.shape[0] > 0
    for k in range(points):
        for i in range(3):
            memory.rows[k].impulse[i] += share * kept[3 * k + i]
            if turning:
                memory.turns[k].impulse[i] += share * kept[3 * (points + k) + i]
    first = 3 * points * (2 if turning else 1)
    for k in range(memory.axes.shape[0]):
        memory.axes[k].impulse += share * kept[first + k]
    for k in range(x.shape[0]):
        x[k] += share * memory.x_rebound[k]


@block
def temper_rebounds(memory, before, free, x, tolerance, most):
    """No more restitution than makes no energy: impulses and velocities x change where they have gained some.

    before, free   velocities before the step, and without contact
    """
    at_all = work_of_all(memory, before, x)
    if not at_all > 0.0:
        return
    keep_all(memory, x)
    for k in range(memory.head[0].points):
        row = memory.rows[k]
        if row.least < 0.0 and row.soft_normal == 0.0:
            row.least = 0.0
    solve_impulses(memory, free, x, tolerance, most)
    at_none = work_of_all(memory, before, x)
    if at_none >= at_all:
        return
    take_off_present(memory, x)
    add_share(memory, x, 0.5)
    share = share_without_gain(at_none, work_of_all(memory, before, x), at_all)
    add_share(memory, x, share - 0.5)
