"""Rows of the solver of impulses: directions, J, M^-1 J' and mobility of each point, and what the step asks of it
(`starts.py`).

Rolling and torsional friction are three more rows, of angular speeds, whose impulses are bound by coefficient times
effective radius times p_n. A face has none: its points hold it, and torques beside them would not be unique.
"""

import math

from gori.kernels.contact.held import hold_rows
from gori.kernels.contact.law import effective_radius
from gori.kernels.contact.response import (
    POINTS,
    carry_inward,
    carry_outward,
    lay_basis,
    lay_flying,
    lay_path,
    take_basis,
    take_lanes,
)
from gori.kernels.contact.speeds import along, normal_speed, tangents
from gori.kernels.contact.starts import (
    SLOW,
    SOFT_NORMAL,
    SOFT_TANGENT,
    least_speed,
    lever,
    load_speed,
    start_row,
    start_turn,
)
from gori.kernels.jit import block, part
from gori.kernels.lanes import lanes, spread
from gori.kernels.tree.columns import GRAVITY, P_WB

SMALL = 0.1
"""speed of parting that may stay, by that of a fall from rest over the step"""
NONE = 1e-12
"""mobility along the normal, by that along the tangents, that counts as none; and the other way round"""
FLAT = 1e9
"""effective radius of surfaces that are both flat [m]"""


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

    Of bodies of a tree M^-1 J' may have to wait: returns the root of the branch, and how many points wait for it. The
    points of a face do not: they share what unit loads on their body do.
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
        other = b if side == 0 else a
        if point.on_face == 1 and c.branch[i, 4] == 0 and (other == 0 or c.solid[other, 0] > 0.0):
            lay_path(machine, data, i, sign, row.count_a + row.count_b, row.at + side * row.count_a, turning)
            if c.based[0] != i:
                if pending > 0:
                    flush(machine, data, root, pending)
                    pending = 0
                lay_basis(machine, data, i)
            take_basis(c, i, sign, row.width_a + row.width_b, row.at_response + side * row.width_a, turning)
            continue
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
    row.over_largest = 1.0 / (largest + row.soft_tangent) if largest > NONE * nn else 0.0
    row.coupling[0], row.coupling[1] = ns, nt
    row.tangential[0], row.tangential[1], row.tangential[2] = ss + row.soft_tangent, st, tt + row.soft_tangent
    row.weight[0], row.weight[1] = math.sqrt(nn), math.sqrt(largest)


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
def take_place(turn, row, at, behind):
    """A row of rotation moves the same bodies along the same directions as the row of its point."""
    turn.path_a, turn.count_a, turn.path_b, turn.count_b = row.path_a, row.count_a, row.path_b, row.count_b
    turn.first_a, turn.width_a, turn.first_b, turn.width_b = row.first_a, row.width_a, row.first_b, row.width_b
    turn.direct, turn.at, turn.at_response = row.direct, at, behind
    for i in range(3):
        turn.tangent_1[i], turn.tangent_2[i] = row.tangent_1[i], row.tangent_2[i]


@block
def lay_rows(machine, data, v, h):
    """Rows of all points at a state, after `articulate`; v (nv,) are the velocities before the step of length h."""
    tables, c = machine.contact, data.contact_memory
    root, pending, at, behind, turning = 0, 0, 0, 0, c.turns.shape[0] > 0
    c.based[0] = 0
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
            radius = 0.0 if point.on_face == 1 else min(radius, FLAT)
            c.turns[k].friction, c.turns[k].torsion = law.rolling * radius, law.torsion * radius
            start_turn(point, row, c.turns[k], h)
