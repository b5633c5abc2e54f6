"""Rows of the solver of impulses: directions, J, M^-1 J' and mobility of each point, and what the step asks of it
(`starts.py`). Bodies of trees have one row w for both (`diagonal.py`).

Rolling and torsional friction are three more rows, of angular speeds, whose impulses are bound by coefficient times
effective radius times p_n. A face has none: its points hold it, and torques beside them would not be unique.
"""

import math

from gori.kernels.contact.impulses.diagonal import (
    ROWS_AT_ONCE,
    carry_inward,
    is_diagonal,
    no_forces,
    note_forces_of,
    take_rows,
)
from gori.kernels.contact.impulses.held import hold_rows
from gori.kernels.contact.impulses.response import lay_flying, lay_path
from gori.kernels.contact.impulses.starts import (
    SLOW,
    SOFT_NORMAL,
    SOFT_TANGENT,
    least_speed,
    lever,
    load_speed,
    start_row,
    start_turn,
)
from gori.kernels.contact.law import effective_radius
from gori.kernels.contact.speeds import along, normal_speed, tangents
from gori.kernels.jit import block, part
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
    branch, path, diagonal_a, diagonal_b = memory.branch, memory.path_of, is_diagonal(memory, a), is_diagonal(memory, b)
    row.path_a, row.count_a = path[a, 0], path[a, 1]
    row.path_b, row.count_b = path[b, 0], path[b, 1]
    row.first_a, row.width_a, row.first_b, row.width_b = branch[a, 0], branch[a, 1], branch[b, 0], branch[b, 1]
    if a > 0 and b > 0 and branch[a, 2] == branch[b, 2]:
        row.width_b = 0
        if diagonal_a:
            row.count_a -= shared_axes(row, memory)
    row.along_a = row.along_b = 0
    if diagonal_a:
        row.width_a, row.along_a = 0, row.count_a
    if diagonal_b:
        row.width_b, row.along_b = 0, row.count_b
    flying_a, flying_b = a == 0 or memory.solid[a, 0] > 0.0, b == 0 or memory.solid[b, 0] > 0.0
    row.direct = 1 if flying_a and flying_b else 0


@part
def shared_axes(row, memory):
    """Number of axes that move both bodies of a point: the last ones on their ways to the ground."""
    path, count = memory.path, 0
    end_a, end_b = row.path_a + row.count_a - 1, row.path_b + row.count_b - 1
    while count < min(row.count_a, row.count_b) and path[end_a - count] == path[end_b - count]:
        count += 1
    return count


@part
def turn_directions(memory, point, row):
    """Normal and tangents of a point, by rows, into `directions`."""
    directions = memory.directions
    for i in range(3):
        directions[0, i], directions[1, i], directions[2, i] = point.normal[i], row.tangent_1[i], row.tangent_2[i]


@part
def reach_out(memory, body_w, point, i, sign, alone):
    """From the origin of row i to where a point acts on it, into `arm`. A body that is `alone` is met at its own
    surface, also where that is still ahead; two at a common point, so that their angular momentum is kept.
    """
    out = 0.5 * sign * point.gap if alone else 0.0
    for d in range(3):
        memory.arm[d] = point.position[d] + out * point.normal[d] - body_w[i, P_WB + d]


@part
def lay_sides(machine, data, point, row, a, b, turning):
    """J and M^-1 J' of a point between bodies of the rows a and b, for those sides that are not diagonal.

    turning   1: of its rolling and torsional friction
    """
    c = data.contact_memory
    turn_directions(c, point, row)
    for side in range(2):
        i, sign = (a, -1.0) if side == 0 else (b, 1.0)
        if i == 0 or is_diagonal(c, i):
            continue
        reach_out(c, data.body_w, point, i, sign, a == 0 or b == 0)
        if c.solid[i, 0] > 0.0:
            lay_flying(machine, data, i, sign, row, side, turning)
        else:
            lay_path(machine, data, i, sign, row.count_a + row.count_b, row.at + side * row.count_a, turning)
    joined = a > 0 and b > 0 and c.branch[a, 2] == c.branch[b, 2]
    if a > 0 and c.branch[a, 4] == 1:
        hold_rows(machine, data, row, 0, joined)
    if b > 0 and c.branch[b, 4] == 1 and not joined:
        hold_rows(machine, data, row, 1, joined)


@part
def row_of_waiting(memory, t):
    """The rows of the t-th point that waits, or those of its rolling and torsional friction."""
    k = memory.waiting[t, 0]
    return memory.turns[k] if memory.waiting[t, 1] == 1 else memory.rows[k]


@block
def carry_rows(machine, data, count):
    """Rows of the first points that wait, all between the same two bodies, for those sides that are diagonal."""
    c, shape = data.contact_memory, machine.contact.shape
    first = c.point[c.waiting[0, 0]]
    a, b = shape[first.a].row, shape[first.b].row
    for side in (1, 0):
        i, sign = (a, -1.0) if side == 0 else (b, 1.0)
        if not is_diagonal(c, i):
            continue
        no_forces(c)
        for t in range(count):
            point = c.point[c.waiting[t, 0]]
            turn_directions(c, point, c.rows[c.waiting[t, 0]])
            reach_out(c, data.body_w, point, i, sign, a == 0 or b == 0)
            note_forces_of(c, t, sign, c.waiting[t, 1])
        carry_inward(machine, data, i)
        for t in range(count):
            take_rows(row_of_waiting(c, t), c, t, side, c.path_of[i, 1])


@part
def wait(machine, data, k, turning, waiting):
    """Let the rows of a point wait until there are enough to be carried together; returns how many wait."""
    c, shape = data.contact_memory, machine.contact.shape
    if waiting > 0:
        first, point = c.point[c.waiting[0, 0]], c.point[k]
        same = shape[first.a].row == shape[point.a].row and shape[first.b].row == shape[point.b].row
        if waiting == ROWS_AT_ONCE or not same:
            carry_rows(machine, data, waiting)
            waiting = 0
    c.waiting[waiting, 0], c.waiting[waiting, 1] = k, turning
    return waiting + 1


@part
def take_squares(row, memory, side, sums):
    """Add W of the diagonal columns of one side of a point to the sums nn, ns, nt, ss, st, tt."""
    jac, width = memory.jac, row.count_a + row.count_b
    at, count = (row.at, row.along_a) if side == 0 else (row.at + row.count_a, row.along_b)
    nn, ns, nt, ss, st, tt = sums
    for c in range(at, at + count):
        x, y, z = jac[c], jac[width + c], jac[2 * width + c]
        nn, ns, nt = nn + x * x, ns + x * y, nt + x * z
        ss, st, tt = ss + y * y, st + y * z, tt + z * z
    return nn, ns, nt, ss, st, tt


@part
def take_products(row, memory, side, sums):
    """The same of the columns of a side whose velocities are taken as they are: J times M^-1 J'."""
    jac, out, path = memory.jac, memory.response, memory.path
    count, width = row.count_a + row.count_b, row.width_a + row.width_b
    nn, ns, nt, ss, st, tt = sums
    columns, at, first = row.count_a, row.at, row.path_a
    behind = row.at_response - row.first_a
    if side == 1:
        columns, at, first = row.count_b, row.at + row.count_a, row.path_b
        if row.width_b > 0:
            behind = row.at_response + row.width_a - row.first_b
    for c in range(columns):
        k = path[first + c] + behind
        x, y, z = jac[at + c], jac[at + count + c], jac[at + 2 * count + c]
        nn, ns, nt = nn + x * out[k], ns + y * out[k], nt + z * out[k]
        ss, st, tt = ss + y * out[k + width], st + y * out[k + 2 * width], tt + z * out[k + 2 * width]
    return nn, ns, nt, ss, st, tt


@part
def take_mobility(row, memory, side, sums):
    """Add W of one side of a point."""
    along, count = (row.along_a, row.count_a) if side == 0 else (row.along_b, row.count_b)
    if count == 0:
        return sums
    return take_squares(row, memory, side, sums) if along > 0 else take_products(row, memory, side, sums)


@part
def lay_mobility(row, memory):
    """W = J M^-1 J' of a point with itself: what impulses along its directions do to its speeds."""
    sums = take_mobility(row, memory, 0, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    nn, ns, nt, ss, st, tt = take_mobility(row, memory, 1, sums)
    largest = 0.5 * (ss + tt) + math.sqrt(0.25 * (ss - tt) ** 2 + st * st)
    row.soft_normal, row.soft_tangent = SOFT_NORMAL * nn, SOFT_TANGENT * largest
    row.over_normal = 1.0 / (nn + row.soft_normal) if nn > NONE * largest else 0.0
    row.over_largest = 1.0 / (largest + row.soft_tangent) if largest > NONE * nn else 0.0
    row.coupling[0], row.coupling[1] = ns, nt
    row.tangential[0], row.tangential[1], row.tangential[2] = ss + row.soft_tangent, st, tt + row.soft_tangent
    row.weight[0], row.weight[1] = math.sqrt(nn), math.sqrt(largest)


@part
def take_place(turn, row, at, behind):
    """A row of rotation moves the same bodies along the same directions as the row of its point."""
    turn.path_a, turn.count_a, turn.path_b, turn.count_b = row.path_a, row.count_a, row.path_b, row.count_b
    turn.first_a, turn.width_a, turn.first_b, turn.width_b = row.first_a, row.width_a, row.first_b, row.width_b
    turn.along_a, turn.along_b = row.along_a, row.along_b
    turn.direct, turn.at, turn.at_response = row.direct, at, behind
    for i in range(3):
        turn.tangent_1[i], turn.tangent_2[i] = row.tangent_1[i], row.tangent_2[i]


@part
def lay_tangents(point, row):
    """Two directions across the normal of a point."""
    t = tangents(point.normal[0], point.normal[1], point.normal[2])
    for i in range(3):
        row.tangent_1[i], row.tangent_2[i] = t[i], t[3 + i]


@block
def lay_rows(machine, data, x, h):
    """Rows of all points at a state, after `articulate` and `take_roots`; x (nv,) are the diagonal velocities before
    the step of length h.
    """
    tables, c = machine.contact, data.contact_memory
    waiting, at, behind, turning = 0, 0, 0, c.turns.shape[0] > 0
    for k in range(c.head[0].points):
        point, row = c.point[k], c.rows[k]
        a, b = tables.shape[point.a].row, tables.shape[point.b].row
        lay_tangents(point, row)
        lay_branches(row, c, a, b)
        diagonal = row.along_a + row.along_b > 0
        for kind in range(2 if turning else 1):
            if kind == 0:
                row.at, row.at_response = at, behind
                lay_sides(machine, data, point, row, a, b, 0)
            else:
                take_place(c.turns[k], row, at, behind)
                lay_sides(machine, data, point, c.turns[k], a, b, 1)
            at += 3 * (row.count_a + row.count_b)
            behind += 3 * (row.width_a + row.width_b)
            if diagonal:
                waiting = wait(machine, data, k, kind, waiting)
    if waiting > 0:
        carry_rows(machine, data, waiting)
    gravity = machine.body_f[0, GRAVITY : GRAVITY + 3]
    g = math.sqrt(along(gravity, gravity))
    c.head[0].parting = 0.0
    for k in range(c.head[0].points):
        point, row = c.point[k], c.rows[k]
        law = tables.law[tables.shape[point.a].material, tables.shape[point.b].material]
        lay_mobility(row, c)
        row.friction = law.friction
        start_row(point, row, h)
        before, size = normal_speed(row, c, x), min(tables.shape[point.a].curvature, tables.shape[point.b].curvature)
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
