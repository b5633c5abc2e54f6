"""Rows of the solver of impulses: directions, J, M^-1 J' and the least normal speed of each point.

A point may come nearer by no more than its gap in a step of length h, u_n >= -gap / h: so bodies are stopped before
they enter each other, however fast they are. Where they are already inside each other by a depth d, they part with
SHARE d / h, at most PARTING times the speed of a fall over the step and PART of their size, and slower where only a
small lever parts them. Where that is more than a fall does, impulses are solved twice: with it for the way of the step,
and without it for velocities (`restart_rows`). Where a point is hit, its
speed u_n < 0 before the step and its restitution e ask for u_n >= -e u_n after it (Moreau 1988). A point that sticks
returns by SHARE of the way that it has slipped since it sticks: it does not creep. Rolling and torsional friction are
three more rows, of angular speeds, whose impulses are bound by coefficient times effective radius times p_n.

Impulses of rigid bodies are not unique where many points touch, and where they are inside each other there may be none
that part all of them. So each impulse p also gives way by SOFT_NORMAL or SOFT_TANGENT times W p, W the mobility of its
point: with the shares above this is a spring and a damper of more than critical damping, much stiffer than the step can
resolve. A rebound is hard. Under its own weight a body sinks in by SOFT_NORMAL g h^2 / SHARE: 0.5 um with h = 5 ms.
"""

import math

from gori.kernels.contact.held import hold_rows
from gori.kernels.contact.law import effective_radius
from gori.kernels.contact.response import POINTS, carry_inward, carry_outward, lay_flying, lay_path, take_lanes
from gori.kernels.jit import block, part
from gori.kernels.lanes import lanes, spread
from gori.kernels.tree.columns import GRAVITY, P_WB

SHARE = 0.5
"""of a depth, or of a slip while sticking, that is undone in a step"""
SOFT_NORMAL = 1e-3
SOFT_TANGENT = 1e-3
"""compliance of impulses, by the mobility of their point"""
PARTING = 20.0
"""largest speed of undoing it, by that of a fall from rest over the step"""
PART = 1e-3
"""of the size, by which bodies part in a step besides"""
FLUNG = 4.0
"""speed of any point while bodies part, by the largest speed with which they shall"""
SMALL = 0.1
"""speed of parting that may stay, by that of a fall from rest over the step"""
LEVER = 10.0
"""a point parts bodies at full speed if its normal mobility is more than that of all directions over LEVER^2"""
NONE = 1e-12
"""normal mobility, by that of the tangents, that counts as none"""
THROW = 0.1
"""of the size: bodies part no faster than with the speed of a fall from there"""
YIELD = 0.01
"""speed of parting besides, by that of the load: more than the compliance takes"""
STUCK = 0.9998
"""square of the share of friction up to which a point sticks"""
FLAT = 1e9
"""effective radius of surfaces that are both flat [m]"""
SLOW = 5.0
"""speed up to which nothing rebounds, by that of a fall from rest over the step"""


@part
def tangents(nx, ny, nz):
    """Two unit vectors across a unit normal and each other (Duff et al. 2017)."""
    sign = 1.0 if nz >= 0.0 else -1.0
    a = -1.0 / (sign + nz)
    b = nx * ny * a
    return 1.0 + sign * nx * nx * a, sign * b, -sign * nx, b, sign + ny * ny * a, -ny


@part
def lay_branches(row, memory, a, b):
    """Which velocities the rows of a point between bodies of the rows a and b span."""
    branch, path = memory.branch, memory.path_of
    row.path_a, row.count_a = path[a, 0], path[a, 1]
    row.path_b, row.count_b = path[b, 0], path[b, 1]
    row.first_a, row.width_a, row.first_b, row.width_b = branch[a, 0], branch[a, 1], branch[b, 0], branch[b, 1]
    if a > 0 and b > 0 and branch[a, 2] == branch[b, 2]:
        row.width_b = 0
    flying_a, flying_b = a == 0 or memory.solid[a, 0] > 0.0, b == 0 or memory.solid[b, 0] > 0.0
    row.direct = 1 if flying_a and flying_b else 0


@part
def flush(machine, data, root, pending):
    """Carry the loads of a branch outward, for all points that wait for it."""
    c = data.contact_memory
    first, count, end = c.branch[root, 0], c.branch[root, 1], c.branch[root, 3]
    load = lanes(c.load)
    carry_outward(machine.body_i, data.body_w, data.dof_w, root, end, load, lanes(c.motion))
    for p in range(pending):
        take_lanes(load, 3 * p, first, count, c.waiting[p, 1], c.waiting[p, 0], c.response)


@part
def lay_point(machine, data, point, row, a, b, root, pending, turning):
    """J and M^-1 J' of a point between bodies of the rows a and b; after `articulate`.

    turning   1: of its rolling and torsional friction

    Of bodies of a tree M^-1 J' may have to wait: returns the root of the branch, and how many points wait for it.
    """
    c, p, n = data.contact_memory, point.position, point.normal
    for side in range(2):
        i = a if side == 0 else b
        if i == 0:
            continue
        sign = -1.0 if side == 0 else 1.0
        # one body alone is met at its own surface, also where that is still ahead; two at a common point, so that
        # their angular momentum is kept
        out = 0.5 * sign * point.gap if a == 0 or b == 0 else 0.0
        for d in range(3):
            c.arm[d] = p[d] + out * n[d] - data.body_w[i, P_WB + d]
        if c.solid[i, 0] > 0.0:
            lay_flying(machine, data, i, sign, row, side, turning)
            continue
        joined = side == 1 and row.width_b == 0 and a > 0  # on the branch of the other one
        if not joined and c.branch[i, 4] == 0:
            if pending == POINTS or (pending > 0 and root != c.branch[i, 2]):
                flush(machine, data, root, pending)
                pending = 0
            root = c.branch[i, 2]
            if pending == 0:
                load = lanes(c.load)
                for k in range(c.branch[i, 0], c.branch[i, 0] + c.branch[i, 1]):
                    load[k] = spread(0.0)
            c.waiting[pending, 0] = row.at_response + side * row.width_a
            c.waiting[pending, 1] = row.width_a + row.width_b
            pending += 1
        lay_path(machine, data, i, sign, row.count_a + row.count_b, row.at + side * row.count_a, turning)
        if c.branch[i, 4] == 0:
            carry_inward(machine, data, i, sign, 3 * (pending - 1), turning)
    joined = a > 0 and b > 0 and row.width_b == 0
    if a > 0 and c.branch[a, 4] == 1:
        hold_rows(machine, data, row, 0, joined)
    if b > 0 and c.branch[b, 4] == 1 and not joined:
        hold_rows(machine, data, row, 1, joined)
    return root, pending


@part
def normal_speed(row, memory, v):
    """Speed of a point along its normal [m/s]."""
    jac, path, at, n = memory.jac, memory.path, row.at, 0.0
    if row.direct == 1:
        for c in range(row.count_a):
            n += jac[at + c] * v[row.first_a + c]
        at += row.count_a
        for c in range(row.count_b):
            n += jac[at + c] * v[row.first_b + c]
    else:
        for c in range(row.count_a):
            n += jac[at + c] * v[path[row.path_a + c]]
        at += row.count_a
        for c in range(row.count_b):
            n += jac[at + c] * v[path[row.path_b + c]]
    return n


@part
def tangential_speeds(row, memory, v):
    """Speeds of a point along its tangents [m/s]."""
    jac, path, width, s, t = memory.jac, memory.path, row.count_a + row.count_b, 0.0, 0.0
    at = row.at + width
    if row.direct == 1:
        for c in range(row.count_a):
            x = v[row.first_a + c]
            s += jac[at + c] * x
            t += jac[at + width + c] * x
        at += row.count_a
        for c in range(row.count_b):
            x = v[row.first_b + c]
            s += jac[at + c] * x
            t += jac[at + width + c] * x
    else:
        for c in range(row.count_a):
            x = v[path[row.path_a + c]]
            s += jac[at + c] * x
            t += jac[at + width + c] * x
        at += row.count_a
        for c in range(row.count_b):
            x = v[path[row.path_b + c]]
            s += jac[at + c] * x
            t += jac[at + width + c] * x
    return s, t


@part
def speeds(row, memory, v):
    """Speeds of a point along its three directions [m/s]."""
    s, t = tangential_speeds(row, memory, v)
    return normal_speed(row, memory, v), s, t


@part
def lay_mobility(row, memory):
    """W = J M^-1 J' of a point with itself: what impulses along its directions do to its speeds."""
    jac, out, path = memory.jac, memory.response, memory.path
    count, width = row.count_a + row.count_b, row.width_a + row.width_b
    nn, ns, nt, ss, st, tt = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for c in range(count):
        if c < row.count_a:
            k = path[row.path_a + c] - row.first_a
        elif row.width_b > 0:
            k = path[row.path_b + c - row.count_a] - row.first_b + row.width_a
        else:
            k = path[row.path_b + c - row.count_a] - row.first_a
        k += row.at_response
        x, y, z = jac[row.at + c], jac[row.at + count + c], jac[row.at + 2 * count + c]
        nn += x * out[k]
        ns += y * out[k]
        nt += z * out[k]
        ss += y * out[k + width]
        st += y * out[k + 2 * width]
        tt += z * out[k + 2 * width]
    largest = 0.5 * (ss + tt) + math.sqrt(0.25 * (ss - tt) ** 2 + st * st)
    row.soft_normal, row.soft_tangent = SOFT_NORMAL * nn, SOFT_TANGENT * largest
    row.over_normal = 1.0 / (nn + row.soft_normal) if nn > NONE * largest else 0.0
    row.over_largest = 1.0 / (largest + row.soft_tangent) if largest > 0.0 else 0.0
    row.coupling[0], row.coupling[1] = ns, nt
    row.tangential[0], row.tangential[1], row.tangential[2] = ss + row.soft_tangent, st, tt + row.soft_tangent
    row.weight[0], row.weight[1] = math.sqrt(nn), math.sqrt(largest)


@part
def load_speed(row):
    """Speed that the load of the last step gives to a point that is free [m/s]."""
    return row.impulse[0] * row.soft_normal / SOFT_NORMAL


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
def turn_directions(point, row, directions):
    """Normal and tangents of a point, by rows."""
    n = point.normal
    t = tangents(n[0], n[1], n[2])
    for i in range(3):
        directions[0, i] = n[i]
    directions[1, 0], directions[1, 1], directions[1, 2] = t[0], t[1], t[2]
    directions[2, 0], directions[2, 1], directions[2, 2] = t[3], t[4], t[5]
    for i in range(3):
        row.tangent_1[i], row.tangent_2[i] = directions[1, i], directions[2, i]


@part
def along(vector, direction):
    """Part of a vector along a direction."""
    return vector[0] * direction[0] + vector[1] * direction[1] + vector[2] * direction[2]


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
def take_place(turn, row, at, behind):
    """A row of rotation moves the same bodies along the same directions as the row of its point."""
    turn.path_a, turn.count_a, turn.path_b, turn.count_b = row.path_a, row.count_a, row.path_b, row.count_b
    turn.first_a, turn.width_a, turn.first_b, turn.width_b = row.first_a, row.width_a, row.first_b, row.width_b
    turn.direct, turn.at, turn.at_response = row.direct, at, behind
    for i in range(3):
        turn.tangent_1[i], turn.tangent_2[i] = row.tangent_1[i], row.tangent_2[i]


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
def note_turn(point, row, turn, memory, after, h):
    """Mean torque of the step on B [N m], and how far it has turned while that holds [rad]."""
    p, n = turn.impulse, row.impulse[0]
    spin, s, t = speeds(turn, memory, after)
    spin, s, t = spin * h + along(point.turn, point.normal), s * h, t * h
    s, t = s + along(point.turn, row.tangent_1), t + along(point.turn, row.tangent_2)
    if not p[1] * p[1] + p[2] * p[2] < STUCK * (turn.friction * n) ** 2:
        s, t = 0.0, 0.0
    if not p[0] * p[0] < STUCK * (turn.torsion * n) ** 2:
        spin = 0.0
    for i in range(3):
        point.torque[i] = (p[0] * point.normal[i] + p[1] * row.tangent_1[i] + p[2] * row.tangent_2[i]) / h
        point.turn[i] = spin * point.normal[i] + s * row.tangent_1[i] + t * row.tangent_2[i]


@block
def lay_rows(machine, data, v, h):
    """Rows of all points at a state, after `articulate`; v (nv,) are the velocities before the step of length h."""
    tables, c = machine.contact, data.contact_memory
    root, pending, at, behind, turning = 0, 0, 0, 0, c.turns.shape[0] > 0
    for k in range(c.head[0].points):
        point, row = c.point[k], c.rows[k]
        a, b = tables.shape[point.a].row, tables.shape[point.b].row
        turn_directions(point, row, c.directions)
        lay_branches(row, c, a, b)
        row.at, row.at_response = at, behind
        at += 3 * (row.count_a + row.count_b)
        behind += 3 * (row.width_a + row.width_b)
        root, pending = lay_point(machine, data, point, row, a, b, root, pending, 0)
        if turning:
            turn = c.turns[k]
            take_place(turn, row, at, behind)
            at += 3 * (row.count_a + row.count_b)
            behind += 3 * (row.width_a + row.width_b)
            root, pending = lay_point(machine, data, point, turn, a, b, root, pending, 1)
    if pending > 0:
        flush(machine, data, root, pending)
    gravity = machine.body_f[0, GRAVITY : GRAVITY + 3]
    g = math.sqrt(along(gravity, gravity))
    c.head[0].parting = 0.0
    for k in range(c.head[0].points):
        point, row = c.point[k], c.rows[k]
        law = tables.law[tables.shape[point.a].material, tables.shape[point.b].material]
        lay_mobility(row, c)
        row.friction = law.friction
        start_row(point, row, h)
        before, size = normal_speed(row, c, v), min(tables.shape[point.a].curvature, tables.shape[point.b].curvature)
        load, fall = load_speed(row), g * h
        row.least = least_speed(point, law.restitution, h, fall, load, size, before)
        if law.restitution > 0.0 and before < -SLOW * fall and row.over_normal > 0.0:  # a rebound is as hard as it says
            row.over_normal = 1.0 / (1.0 / row.over_normal - row.soft_normal)
            row.soft_normal = 0.0
        if row.least < 0.0 and point.gap < 0.0 and row.soft_normal > 0.0:
            row.least *= lever(row)
            if -row.least > SMALL * fall:
                c.head[0].parting = max(c.head[0].parting, -row.least)
        if turning:
            lay_mobility(c.turns[k], c)
            radius = effective_radius(tables.shape[point.a].curvature, tables.shape[point.b].curvature)
            c.turns[k].friction, c.turns[k].torsion = law.rolling * min(radius, FLAT), law.torsion * min(radius, FLAT)
            start_turn(point, row, c.turns[k], h)


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


@part
def work_of(row, memory, before, after):
    """Work of the impulses of a point [J], from the velocities at the start of a step and at its end."""
    n, s, t = speeds(row, memory, before)
    un, us, ut = speeds(row, memory, after)
    p = row.impulse
    return 0.5 * (p[0] * (n + un) + p[1] * (s + us) + p[2] * (t + ut))


@part
def contact_work(memory, before, after):
    """Work of the impulses of all points [J]."""
    work = 0.0
    for k in range(memory.head[0].points):
        if memory.rows[k].impulse[0] > 0.0:
            work += work_of(memory.rows[k], memory, before, after)
            if memory.turns.shape[0] > 0:
                work += work_of(memory.turns[k], memory, before, after)
    memory.head[0].work += work
    return work


@part
def note_forces(memory, after, h):
    """Mean force of the step on B at each point [N], and how far it has slipped while sticking [m]. Of a point
    that slides that is forgotten.

    after   (nv,) velocities after the step
    """
    for k in range(memory.head[0].points):
        point, row = memory.point[k], memory.rows[k]
        p = row.impulse
        for i in range(3):
            point.force[i] = (p[0] * point.normal[i] + p[1] * row.tangent_1[i] + p[2] * row.tangent_2[i]) / h
        if p[1] * p[1] + p[2] * p[2] < STUCK * (row.friction * p[0]) ** 2:
            s, t = tangential_speeds(row, memory, after)
            s, t = h * s, h * t
            inward = 0.0
            for i in range(3):
                inward += point.slip[i] * point.normal[i]
            for i in range(3):
                point.slip[i] += s * row.tangent_1[i] + t * row.tangent_2[i] - inward * point.normal[i]
        else:
            for i in range(3):
                point.slip[i] = 0.0
        if memory.turns.shape[0] > 0:
            note_turn(point, row, memory.turns[k], memory, after, h)
