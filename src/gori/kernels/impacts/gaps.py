"""Gaps that are watched for impacts: of pairs of shapes, and of joints to their limits.

The value of a pair falls through zero when something happens to it:

    min(gap of all points that do not rest, lift - gap of all points that do)

a point touches, or one that rested has come off. One that is pressed has not: its gap is an error of the method, which
decays. Points are told apart by their features, so a block that rocks on one
corner is still watched for the other. A feature that is gone, as those of a body that rolls, is taken over by the
nearest point that is left.
"""

import math

from gori.kernels.contact.narrow.pairs import collide
from gori.kernels.contact.poses import shape_poses
from gori.kernels.jit import block, part
from gori.kernels.tree.columns import NQ
from gori.kernels.tree.kinematics import place, positions, velocities

FAR = 1e9
"""gap of what is out of reach [m]"""
NEAR = 0.05
"""gap up to which all points of a pair are looked at, by the smallest half edge of both shapes"""


@part
def move_bodies(machine, data, q, v):
    """Bodies and shapes at a state."""
    data.loops.work.standing[0] = 0.0  # what loops have computed for another state holds no more
    place(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)
    positions(machine.body_i, data.body_w)
    velocities(machine.body_i, v, data.body_w, data.dof_w)
    shape_poses(machine.contact.shape, data.body_w, data.contact_memory.pose)


@part
def near_gap(A, B):
    """Gap up to which all points of two shapes are looked at [m]."""
    least = FAR
    for k in range(3):
        if A.half[k] > 0.0:
            least = min(least, A.half[k])
        if B.half[k] > 0.0:
            least = min(least, B.half[k])
    return NEAR * least


@block
def points_of(machine, data, a, b, reach):
    """Contact points of two shapes into `contact_memory.found`, after `move_bodies`; returns their number."""
    tables, c = machine.contact, data.contact_memory
    return collide(tables.shape[a], tables.shape[b], c.pose[a], c.pose[b], tables, reach, c.narrow, c.found)


@part
def take_point(held, found):
    """A contact that rests is at this point now."""
    held.gap = found.gap
    for i in range(3):
        held.position[i], held.normal[i] = found.position[i], found.normal[i]


@part
def claim_points(data, a, b, count):
    """Find the points of a pair that rest among those that were found; returns how many rest."""
    rest, found, owner, resting = data.rest, data.contact_memory.found, data.rest.owner, 0
    for k in range(count):
        owner[k] = -1
    for i in range(rest.head[0].held):
        held = rest.held[i]
        if held.stop >= 0 or held.a != a or held.b != b:
            continue
        resting += 1
        held.gap = FAR
        for k in range(count):
            if owner[k] < 0 and found[k].feature == held.feature:
                owner[k] = i
                take_point(held, found[k])
                break
    if resting == 0:
        return 0
    for i in range(rest.head[0].held):
        held, best = rest.held[i], -1
        if held.stop >= 0 or held.a != a or held.b != b or held.gap < FAR:
            continue
        for k in range(count):
            if owner[k] < 0 and (best < 0 or found[k].gap < found[best].gap):
                best = k
        if best >= 0:
            owner[best] = i
            take_point(held, found[best])
    return resting


@part
def lift_left(rest, held):
    """How much farther a contact that rests may come off before it ceases to rest [m, rad]."""
    lift = rest.head[0].lift
    return lift - held.gap if held.gap >= FAR or not held.force[0] > 0.0 else lift


@part
def pair_value(machine, data, a, b):
    """The watched value of a pair [m]; after `move_bodies`."""
    rest, found = data.rest, data.contact_memory.found
    value = near_gap(machine.contact.shape[a], machine.contact.shape[b])
    count = points_of(machine, data, a, b, value)
    resting = claim_points(data, a, b, count)
    if count == 0 and resting == 0:
        value = FAR
        count = points_of(machine, data, a, b, value)
        claim_points(data, a, b, count)
    for k in range(count):
        if rest.owner[k] < 0:
            value = min(value, found[k].gap)
    if resting > 0:
        for i in range(rest.head[0].held):
            held = rest.held[i]
            if held.stop < 0 and held.a == a and held.b == b:
                value = min(value, lift_left(rest, held))
    return value


@part
def stop_gap(stop, q):
    """Way of a joint to its limit [m, rad]."""
    return stop.side * (q[stop.coordinate] - stop.bound)


@block
def gap_values(machine, data, y, values):
    """Values of all pairs, then of all stops, at the end of values."""
    rest, nq, nv = data.rest, machine.body_i[0, NQ], data.tau.shape[0]
    q, v = y[:nq], y[nq : nq + nv]
    at = values.shape[0] - rest.pair.shape[0] - rest.stop.shape[0]
    if rest.pair.shape[0] > 0:
        move_bodies(machine, data, q, v)
    for p in range(rest.pair.shape[0]):
        values[at + p] = pair_value(machine, data, rest.pair[p, 0], rest.pair[p, 1])
    at += rest.pair.shape[0]
    for s in range(rest.stop.shape[0]):
        values[at + s] = stop_gap(rest.stop[s], q)
    for i in range(rest.head[0].held):
        held = rest.held[i]
        if held.stop >= 0:
            held.gap = values[at + held.stop]
            values[at + held.stop] = lift_left(rest, held)


@part
def finite_gap(gap):
    """Whether a point is within reach."""
    return gap < FAR and not math.isnan(gap)
