"""What a step asks of each point, and the impulses that the solver starts from.

A point may come nearer by no more than its gap in a step of length h, u_n >= -gap / h: so bodies are stopped before
they enter each other, however fast they are. Where they are already inside each other by a depth d, they part with
SHARE d / h, at most PARTING times the speed of a fall over the step and PART of their size, and slower where only a
small lever parts them. Where that is more than a fall does, impulses are solved twice: with it for the way of the step,
and without it for velocities (`restart_rows`). Where a point is hit, its speed u_n < 0 before the step and its
restitution e ask for u_n >= -e u_n after it (Moreau 1988). A point that sticks returns by SHARE of the way by which it
has given way: it does not creep.

Impulses of rigid bodies are not unique where many points touch, and where they are inside each other there may be none
that part all of them. So each impulse p also gives way by SOFT_NORMAL or SOFT_TANGENT times W p, W the mobility of its
point: with the shares above this is a spring and a damper of more than critical damping, much stiffer than the step can
resolve. A rebound is hard. Under its own weight a body sinks in by SOFT_NORMAL g h^2 / SHARE: 0.5 um with h = 5 ms.
What bears many times its own mass would sink in many times as far: it gets stiffer with its depth (`hardened`).
"""

import math

from gori.kernels.contact.speeds import along, speeds
from gori.kernels.jit import block, part

SHARE = 0.5
"""of a depth, or of a slip while sticking, that is undone in a step"""
SOFT_NORMAL = 1e-3
SOFT_TANGENT = 1e-3
"""compliance of impulses, by the mobility of their point"""
HEAVY = 100.0
"""a point is twice as stiff where it is this many times as deep as its own weight would press it in"""
PARTING = 20.0
"""largest speed of undoing it, by that of a fall from rest over the step"""
PART = 1e-3
"""of the size, by which bodies part in a step besides"""
FLUNG = 4.0
"""speed of any point while bodies part, by the largest speed with which they shall"""
LEVER = 10.0
"""a point parts bodies at full speed if its normal mobility is more than that of all directions over LEVER^2"""
THROW = 0.1
"""of the size: bodies part no faster than with the speed of a fall from there"""
YIELD = 0.01
"""speed of parting besides, by that of the load: more than the compliance takes"""
SLOW = 5.0
"""speed up to which nothing rebounds, by that of a fall from rest over the step"""


@part
def load_speed(row):
    """Speed that the load of the last step gives to a point that is free [m/s]."""
    return row.impulse[0] * row.soft_normal / SOFT_NORMAL


@part
def hardened(point, most, fall):
    """Share of its compliance that a point has: it gets stiffer with its depth, as a spring does, up to a depth by
    which the weight of all bodies could press it in.

    most   masses of its own in those of all bodies;  fall   g h^2 [m]
    """
    if point.gap >= 0.0 or fall == 0.0:
        return 1.0
    return 1.0 / (1.0 + min(-point.gap * SHARE / (SOFT_NORMAL * fall), most) / HEAVY)


@part
def lever(row):
    """How well a point can part its bodies: 1, or less where mainly other directions give way."""
    if row.over_normal == 0.0:
        return 0.0
    nn = 1.0 / row.over_normal - row.soft_normal
    return min(1.0, LEVER * math.sqrt(nn / (nn + row.tangential[0] + row.tangential[2])))


@part
def least_speed(point, restitution, h, fall, load, size, before):
    """Speed that a point may have after the step, times -1 [m/s]. Without a lever, see there.

    fall     speed of a fall from rest over the step [m/s];  load: that of its load (`load_speed`)
    before   its normal speed before the step;  size: smaller radius of curvature of both shapes [m]
    """
    if restitution > 0.0 and before < -SLOW * fall and point.gap + h * before < 0.0:
        return restitution * before
    if point.gap >= 0.0:
        return point.gap / h
    most = PARTING * fall + PART * size / h
    if fall > 0.0:
        most = min(most, math.sqrt(2.0 * THROW * size * fall / h))
    return -min(SHARE * -point.gap / h, most + YIELD * load)


@part
def shorten(row, limit):
    """Tangential impulses no larger than a limit."""
    size = math.sqrt(row.impulse[1] ** 2 + row.impulse[2] ** 2)
    if size > limit:
        row.impulse[1] *= limit / size
        row.impulse[2] *= limit / size


@part
def start_row(point, row, h):
    """Impulses to start from, those of the last step; and the drift of a point that sticks."""
    row.drift[0] = SHARE / h * along(point.slip, row.tangent_1)
    row.drift[1] = SHARE / h * along(point.slip, row.tangent_2)
    row.impulse[0] = h * max(0.0, along(point.force, point.normal))
    row.impulse[1] = h * along(point.force, row.tangent_1)
    row.impulse[2] = h * along(point.force, row.tangent_2)
    shorten(row, row.friction * row.impulse[0])


@part
def start_turn(point, row, turn, h):
    """The same of rolling and torsional friction, whose limits are their coefficients times radius and p_n."""
    turn.drift[0] = SHARE / h * along(point.turn, row.tangent_1)
    turn.drift[1] = SHARE / h * along(point.turn, row.tangent_2)
    turn.drift[2] = SHARE / h * along(point.turn, point.normal)
    limit = turn.torsion * row.impulse[0]
    turn.impulse[0] = min(max(h * along(point.torque, point.normal), -limit), limit)
    turn.impulse[1] = h * along(point.torque, row.tangent_1)
    turn.impulse[2] = h * along(point.torque, row.tangent_2)
    shorten(turn, turn.friction * row.impulse[0])


@part
def restart_rows(memory, h):
    """Impulses to start from once more; points that are inside each other need not part now, and are hard."""
    for k in range(memory.head[0].points):
        point, row = memory.point[k], memory.rows[k]
        start_row(point, row, h)
        if row.least < 0.0 and point.gap < 0.0 and row.soft_normal > 0.0 and row.over_normal > 0.0:
            row.least = 0.0
            row.over_normal = 1.0 / (1.0 / row.over_normal - row.soft_normal)
            row.soft_normal = 0.0
        if memory.turns.shape[0] > 0:
            start_turn(point, row, memory.turns[k], h)


@block
def limit_parting(memory, after, moving):
    """Let no point part, or slide while it does, faster than a few times what was asked for: moving (nv,) come nearer
    to the velocities after (nv,) where that is not so.
    """
    nv, most = after.shape[0], 0.0
    for i in range(nv):
        moving[i] -= after[i]
    for k in range(memory.head[0].points):
        n, s, t = speeds(memory.rows[k], memory, moving)
        most = max(most, abs(n), abs(s), abs(t))
    limit = FLUNG * memory.head[0].parting
    share = limit / most if most > limit else 1.0
    for i in range(nv):
        moving[i] = after[i] + share * moving[i]
