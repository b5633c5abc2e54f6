"""How far a step may lead where gaps are watched for impacts: so that what closes in it is still closed at its end.

A body that flies free needs no short steps, and would be through a wall and out again within one. From the speeds of
the points of two shapes against each other, and the accelerations that the joints have now, they come nearer by at most
u h + a h^2 / 2 in a step; that is kept below their gap and a share of the thinner shape. Bodies at rest need no more.
"""

import math

from gori.kernels.contact.find import approach
from gori.kernels.contact.tables import SPHERE
from gori.kernels.contact.watch import thickness
from gori.kernels.impacts.gaps import move_bodies, points_of
from gori.kernels.jit import block, part
from gori.kernels.tree.columns import NQ
from gori.kernels.tree.kinematics import velocities

INTO = 0.5
"""share of half of the smallest thickness by which shapes may come nearer than their gap in a step"""
SURE = 1.5
"""times the present accelerations, which change in a step"""


@part
def nearing(machine, data, p):
    """Speed with which the points of a pair may come nearer, with what stands in the velocities of the bodies."""
    shape, pose = machine.contact.shape, data.contact_memory.pose
    a, b = data.rest.pair[p, 0], data.rest.pair[p, 1]
    if shape[a].kind == SPHERE or math.isinf(shape[b].half[0]):
        a, b = b, a
    return approach(shape[a], shape[b], pose[b], data.body_w)


@part
def longest_way(way, speed, rate):
    """h with speed h + rate h^2 / 2 = way."""
    root = speed + math.sqrt(speed * speed + 2.0 * rate * way)
    return 2.0 * way / root if root > 0.0 else math.inf


@block
def step_to_impact(machine, data, y, rates, h):
    """The step h, or a shorter one. rates: dy/dt at y."""
    rest, shape, nq, nv = data.rest, machine.contact.shape, machine.body_i[0, NQ], data.tau.shape[0]
    move_bodies(machine, data, y[:nq], y[nq : nq + nv])
    for p in range(rest.pair.shape[0]):
        rest.speeds[p] = nearing(machine, data, p)
    velocities(machine.body_i, rates[nq : nq + nv], data.body_w, data.dof_w)
    for p in range(rest.pair.shape[0]):
        a, b, speed, rate = rest.pair[p, 0], rest.pair[p, 1], rest.speeds[p], SURE * nearing(machine, data, p)
        into, way = INTO * min(thickness(shape[a]), thickness(shape[b])), (speed + 0.5 * rate * h) * h
        if not way > into:
            continue
        gap, count = way, points_of(machine, data, a, b, way - into)
        for k in range(count):
            gap = min(gap, data.contact_memory.found[k].gap)
        if count > 0:
            h = min(h, longest_way(max(gap, 0.0) + into, speed, rate))
    return h
