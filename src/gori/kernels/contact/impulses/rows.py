"""Rows of the solver of impulses: directions, J, M^-1 J' and mobility of each point, and what the step asks of it
(`starts.py`). They stand in pieces, by blocks of velocities (`blocks.py`); in diagonal velocities (`diagonal.py`) one
piece w is both, of trees that loops hold they are two (`held.py`).

Rolling and torsional friction are three more rows, of angular speeds, whose impulses are bound by coefficient times
effective radius times p_n. A face has none: its points hold it, and torques beside them would not be unique.
"""

import math

from gori.kernels.contact.impulses.blocks import find_block
from gori.kernels.contact.impulses.diagonal import (
    ROWS_AT_ONCE,
    carry_inward,
    is_diagonal,
    no_forces,
    note_forces_of,
    take_rows,
)
from gori.kernels.contact.impulses.held import hold_rows, lay_path
from gori.kernels.contact.impulses.starts import (
    SLOW,
    SOFT_NORMAL,
    SOFT_TANGENT,
    hardened,
    least_speed,
    lever,
    load_speed,
    start_row,
    start_turn,
)
from gori.kernels.contact.law import effective_radius
from gori.kernels.contact.speeds import along, normal_speed, tangents
from gori.kernels.jit import block, part
from gori.kernels.lanes import WIDTH, lanes, spread, sum8
from gori.kernels.tree.columns import GRAVITY, MASS, P_WB

SMALL = 0.1
"""speed of parting that may stay, by that of a fall from rest over the step"""
NONE = 1e-12
"""mobility along the normal, by that along the tangents, that counts as none; and the other way round"""
FLAT = 1e9
"""effective radius of surfaces that are both flat [m]"""


@part
def add_way(memory, first, end, i, held):
    """Add the blocks that move row i, if loops hold it or not, to those from `first` to `end`, each once; returns the
    new end.
    """
    if i == 0 or memory.branch[i, 4] != held:
        return end
    for p in range(memory.way_of[i, 0], memory.way_of[i, 0] + memory.way_of[i, 1]):
        if find_block(memory.block, first, end, memory.way[p]) == end:
            memory.block[end] = memory.way[p]
            end += 1
    return end


@part
def add_branch(memory, first, end, i):
    """The same of the blocks of the whole branch of row i, if loops hold it."""
    if i == 0 or memory.branch[i, 4] == 0:
        return end
    low, count = memory.branch[i, 0], memory.branch[i, 1]
    for b in range(memory.place[low] // WIDTH, memory.place[low + count - 1] // WIDTH + 1):
        if find_block(memory.block, first, end, b) == end:
            memory.block[end] = b
            end += 1
    return end


@part
def lay_blocks(row, memory, a, b, at):
    """Which blocks a point between bodies of the rows a and b has pieces for, from the place `at` on; returns the place
    behind them. First J of what loops hold, then w of diagonal velocities, then M^-1 J' of what loops hold: speeds take
    the first two, and impulses act on the last two.
    """
    row.at, row.to = at, add_way(memory, at, add_way(memory, at, at, b, 1), a, 1)
    end = add_way(memory, row.to, add_way(memory, row.to, row.to, b, 0), a, 0)
    row.count = end - at
    end = add_branch(memory, end, add_branch(memory, end, end, b), a)
    row.to_count = end - row.to
    w, zero = lanes(memory.w), spread(0.0)
    for p in range(at, end):
        w[p, 0] = zero
        w[p, 1] = zero
        w[p, 2] = zero
    return end


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
def lay_held(machine, data, point, row, a, b, turning):
    """J and M^-1 J' of a point between bodies of the rows a and b, for those sides that loops hold.

    turning   1: of its rolling and torsional friction
    """
    c = data.contact_memory
    turn_directions(c, point, row)
    for side in range(2):
        i, sign = (a, -1.0) if side == 0 else (b, 1.0)
        if i > 0 and not is_diagonal(c, i):
            reach_out(c, data.body_w, point, i, sign, a == 0 or b == 0)
            lay_path(machine, data, i, sign, row, turning)
    hold_rows(machine, data, row, a, b)


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
            take_rows(row_of_waiting(c, t), c, t, i)


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
def lay_mobility(point, row, memory, masses, fall):
    """W = J M^-1 J' of a point with itself: what impulses along its directions do to its speeds; and its compliance.

    masses   of all bodies [kg];  fall   g h^2 [m]
    """
    w, block, zero = lanes(memory.w), memory.block, spread(0.0)
    sum_nn, sum_ns, sum_nt, sum_ss, sum_st, sum_tt = zero, zero, zero, zero, zero, zero
    for p in range(row.at, row.at + row.count):
        r = p if p >= row.to else find_block(block, row.at + row.count, row.to + row.to_count, block[p])
        n, s, t = w[p, 0], w[p, 1], w[p, 2]
        sum_nn, sum_ns, sum_nt = sum_nn + n * w[r, 0], sum_ns + n * w[r, 1], sum_nt + n * w[r, 2]
        sum_ss, sum_st, sum_tt = sum_ss + s * w[r, 1], sum_st + s * w[r, 2], sum_tt + t * w[r, 2]
    nn, ns, nt, ss, st, tt = sum8(sum_nn), sum8(sum_ns), sum8(sum_nt), sum8(sum_ss), sum8(sum_st), sum8(sum_tt)
    largest = 0.5 * (ss + tt) + math.sqrt(0.25 * (ss - tt) ** 2 + st * st)
    share = hardened(point, masses * nn, fall)
    row.soft_normal, row.soft_tangent = share * SOFT_NORMAL * nn, share * SOFT_TANGENT * largest
    row.over_normal = 1.0 / (nn + row.soft_normal) if nn > NONE * largest else 0.0
    row.over_largest = 1.0 / (largest + row.soft_tangent) if largest > NONE * nn else 0.0
    row.coupling[0], row.coupling[1] = ns, nt
    ss, tt = ss + row.soft_tangent, tt + row.soft_tangent
    row.tangential[0], row.tangential[1], row.tangential[2] = ss, st, tt
    determinant = ss * tt - st * st
    over = 1.0 / determinant if determinant > 0.0 else 0.0
    row.inverse[0], row.inverse[1], row.inverse[2] = tt * over, -st * over, ss * over
    row.weight[0], row.weight[1] = math.sqrt(nn), math.sqrt(largest)


@part
def lay_tangents(point, row):
    """Two directions across the normal of a point."""
    t = tangents(point.normal[0], point.normal[1], point.normal[2])
    for i in range(3):
        row.tangent_1[i], row.tangent_2[i] = t[i], t[3 + i]


@block
def lay_rows(machine, data, x, h):
    """Rows of all points at a state, after `articulate` and `take_roots`; x are the velocities of the solver before
    the step of length h.
    """
    tables, c = machine.contact, data.contact_memory
    waiting, at, turning = 0, 0, c.turns.shape[0] > 0
    for k in range(c.head[0].points):
        point, row = c.point[k], c.rows[k]
        a, b = tables.shape[point.a].row, tables.shape[point.b].row
        lay_tangents(point, row)
        for kind in range(2 if turning else 1):
            if kind == 1:
                for i in range(3):
                    c.turns[k].tangent_1[i], c.turns[k].tangent_2[i] = row.tangent_1[i], row.tangent_2[i]
            one = c.rows[k] if kind == 0 else c.turns[k]
            at = lay_blocks(one, c, a, b, at)
            if one.to > one.at:
                lay_held(machine, data, point, one, a, b, kind)
            if is_diagonal(c, a) or is_diagonal(c, b):
                waiting = wait(machine, data, k, kind, waiting)
    if waiting > 0:
        carry_rows(machine, data, waiting)
    gravity = machine.body_f[0, GRAVITY : GRAVITY + 3]
    g = math.sqrt(along(gravity, gravity))
    c.head[0].parting = 0.0
    masses = 0.0
    for i in range(machine.body_f.shape[0]):
        masses += machine.body_f[i, MASS]
    for k in range(c.head[0].points):
        point, row = c.point[k], c.rows[k]
        law = tables.law[tables.shape[point.a].material, tables.shape[point.b].material]
        lay_mobility(point, row, c, masses, g * h * h)
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
            lay_mobility(point, c.turns[k], c, 0.0, g * h * h)
            radius = effective_radius(tables.shape[point.a].curvature, tables.shape[point.b].curvature)
            radius = 0.0 if point.on_face == 1 else min(radius, FLAT)
            c.turns[k].friction, c.turns[k].torsion = law.rolling * radius, law.torsion * radius
            start_turn(point, row, c.turns[k], h)
