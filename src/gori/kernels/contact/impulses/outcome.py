"""What the impulses of a step did: work, forces, and how far points that stick have given way."""

import math

from gori.kernels.contact.impulses.starts import SHARE
from gori.kernels.contact.speeds import along, speeds, tangential_speeds
from gori.kernels.jit import part


@part
def work_of(row, memory, before, after):
    """Work of the impulses of a point [J], from the velocities at the start of a step and at its end."""
    n, s, t = speeds(row, memory, before)
    un, us, ut = speeds(row, memory, after)
    p = row.impulse
    return 0.5 * (p[0] * (n + un) + p[1] * (s + us) + p[2] * (t + ut))


@part
def work_of_all(memory, before, after):
    """Work of the impulses of all points [J]."""
    work = 0.0
    for k in range(memory.head[0].points):
        work += work_of(memory.rows[k], memory, before, after)
        if memory.turns.shape[0] > 0:
            work += work_of(memory.turns[k], memory, before, after)
    return work


@part
def contact_work(memory, before, after):
    """The same, which is added up over the run."""
    work = work_of_all(memory, before, after)
    memory.head[0].work += work
    return work


@part
def elastic(soft, limit, h):
    """Way by which a point that sticks gives way, in the end, under an impulse of a limit in each step of length h."""
    return soft * limit * h / SHARE


@part
def within(s, t, limit):
    """A way along both tangents, no longer than a limit: beyond it a point has slid, and that is not undone."""
    size = math.sqrt(s * s + t * t)
    if size > limit:
        return s * limit / size, t * limit / size
    return s, t


@part
def note_turn(point, row, turn, memory, after, h):
    """Mean torque of the step on B [N m], and how far it has turned while that holds [rad]."""
    p, n = turn.impulse, row.impulse[0]
    spin, s, t = speeds(turn, memory, after)
    spin, s, t = spin * h + along(point.turn, point.normal), s * h, t * h
    s, t = s + along(point.turn, row.tangent_1), t + along(point.turn, row.tangent_2)
    s, t = within(s, t, elastic(turn.soft_tangent, turn.friction * n, h))
    limit = elastic(turn.soft_normal, turn.torsion * n, h)
    spin = min(max(spin, -limit), limit)
    for i in range(3):
        point.torque[i] = (p[0] * point.normal[i] + p[1] * row.tangent_1[i] + p[2] * row.tangent_2[i]) / h
        point.turn[i] = spin * point.normal[i] + s * row.tangent_1[i] + t * row.tangent_2[i]


@part
def note_forces(memory, after, h):
    """Mean force of the step on B at each point [N], and how far it has given way while sticking [m]: a point that
    slides keeps the way that belongs to its friction, so that one that stops at the limit of friction stands there.

    after   (nv,) velocities after the step
    """
    for k in range(memory.head[0].points):
        point, row = memory.point[k], memory.rows[k]
        p = row.impulse
        for i in range(3):
            point.force[i] = (p[0] * point.normal[i] + p[1] * row.tangent_1[i] + p[2] * row.tangent_2[i]) / h
        s, t = tangential_speeds(row, memory, after)
        s, t = h * s + along(point.slip, row.tangent_1), h * t + along(point.slip, row.tangent_2)
        s, t = within(s, t, elastic(row.soft_tangent, row.friction * p[0], h))
        for i in range(3):
            point.slip[i] = s * row.tangent_1[i] + t * row.tangent_2[i]
        if memory.turns.shape[0] > 0:
            note_turn(point, row, memory.turns[k], memory, after, h)
