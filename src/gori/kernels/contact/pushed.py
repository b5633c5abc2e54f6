"""Points of the last look of a step that the next one would lose.

A step looks for contacts again with the velocities that impulses made. Where these part bodies, the points that did so
may no longer be in reach. They stay, or nothing would stop what they have stopped: poses are those of the start of the
step in each look, so that gap and normal of a point are still the same.
"""

from gori.kernels.codes import CONTACTS_FULL, OK
from gori.kernels.jit import part


@part
def list_near(memory):
    """Points that are near in a list for each shape A, in the place of that of the kept ones."""
    near, newest, older = memory.near, memory.newest, memory.older
    for s in range(newest.shape[0]):
        newest[s] = -1
    for k in range(memory.count[0]):
        older[k] = newest[near[k].a]
        newest[near[k].a] = k


@part
def is_near(memory, point):
    """Whether a kept point is among those that are near."""
    k = memory.newest[point.a]
    while k >= 0:
        if memory.near[k].b == point.b and memory.near[k].feature == point.feature:
            return True
        k = memory.older[k]
    return False


@part
def keep_pushed(memory):
    """Add the kept points that push to those that are near, after `find_contacts`. Returns a result code."""
    list_near(memory)
    count = memory.count
    for k in range(memory.head[0].points):
        point = memory.point[k]
        if memory.rows[k].impulse[0] > 0.0 and not is_near(memory, point):
            if count[0] == memory.near.shape[0]:
                return CONTACTS_FULL
            memory.near[count[0]] = point
            count[0] += 1
    return OK
