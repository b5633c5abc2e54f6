"""Newton's method for impulses that sweeps do not find: bodies that jam, light ones that bear heavy ones.

Every impulse gives way (`starts.py`), so it follows from the speed u of its point,

    p_n = max(0, -(u_n + least) / R_n),         R: its compliance
    p_t = q, or as long as L = mu p_n where q is longer,     q = -(u_t + drift) / R_t

and what is left to find are the velocities x, of g(x) = x - x_free - sum w' p(w x) = 0. With the limits L held, g is
the gradient of a convex function. Its Hessian I + sum w' D w, D = -dp/du, has blocks where bodies touch, and masses of
any ratio leave it well conditioned, as x are diagonal velocities (Todorov 2011; Castro et al. 2022 go this way for
convex laws). Each step goes along the direction of Newton to where the slope is a small part of what it was, and then
limits follow.

Impulses without compliance, of rebounds and of joints, get a little, about the one before: p = p_0 - (u + least) / R.
What is found is no more than a better start: sweeps go on from there, and say when it is the answer. Where bodies are
wedged between others, impulses and their limits may chase each other without end; nothing is taken over then, and the
next solves, more of them each time, do without.

Not where loops hold a tree: the rows of its points are of velocities, in which the Hessian is not symmetric.
"""

import math

from gori.kernels.contact.impulses.cholesky import at, begin_matrix, factor_blocks, fill_block, solve_blocks
from gori.kernels.contact.impulses.joints import speed_of_axis
from gori.kernels.contact.speeds import speeds
from gori.kernels.jit import block, part
from gori.kernels.lanes import WIDTH, lanes, lanes_of

NEWTON_STEPS = 64
"""of Newton's method, at most"""
STUCK = 12
"""steps without one whose change is smaller than all before, after which it ends"""
MOST_REST = 64
"""solves for which it rests after it has not arrived, at most"""
UNYIELDING = 1e-6
"""compliance of what has none, by the mobility of its point"""
SLOPE = 0.1
"""share of the slope at the start that is small enough for a step"""
LOOKS = 12
"""points along a direction that are looked at"""
ARRIVED = 0.1
"""of the tolerance: change of speeds by a step, below which it was the last"""


@part
def give_of(row):
    """Compliance of the normal impulse, or torsion, of a row [1/kg]."""
    return row.soft_normal if row.soft_normal > 0.0 else UNYIELDING / row.over_normal


@part
def base_of(row):
    """Normal impulse about which the compliance acts [N s]."""
    return row.last[0] if row.soft_normal == 0.0 else 0.0


@part
def in_disc(row, us, ut, limit):
    """Tangential impulses of a row at two speeds, no longer than the limit; and -d p / d u: 11, 12, 22."""
    if row.over_largest == 0.0 or limit == 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    over = 1.0 / row.soft_tangent
    s, t = -over * (us + row.drift[0]), -over * (ut + row.drift[1])
    size = math.sqrt(s * s + t * t)
    if size <= limit:
        return s, t, over, 0.0, over
    s, t, share = s / size, t / size, over * limit / size
    return limit * s, limit * t, share * t * t, -share * s * t, share * s * s


@part
def of_point(row, un, us, ut):
    """Impulses of a point at three speeds, friction bound by its `load`; and -dp/du: normal, tangential 11, 12, 22."""
    n, dn = 0.0, 0.0
    if row.over_normal > 0.0:
        over = 1.0 / give_of(row)
        n = base_of(row) - over * (un + row.least)
        dn = over
    if n <= 0.0:
        n, dn = 0.0, 0.0
    s, t, ss, st, tt = in_disc(row, us, ut, row.friction * row.load)
    return n, s, t, dn, ss, st, tt


@part
def of_turn(turn, un, us, ut):
    """The same of rolling and torsional friction, both bound by the load."""
    n, dn, limit = 0.0, 0.0, turn.torsion * turn.load
    if turn.over_normal > 0.0 and limit > 0.0:
        over = 1.0 / give_of(turn)
        n = base_of(turn) - over * (un + turn.drift[2])
        dn = over
        if abs(n) > limit:
            n, dn = math.copysign(limit, n), 0.0
    s, t, ss, st, tt = in_disc(turn, us, ut, turn.friction * turn.load)
    return n, s, t, dn, ss, st, tt


@part
def of_axis(axis, u):
    """Impulse of an axis with friction at a speed, and -dp/du."""
    if not axis.mobility > 0.0:
        return 0.0, 0.0
    over = 1.0 / (UNYIELDING * axis.mobility)
    p = axis.last - over * u
    if abs(p) > axis.bound:
        return math.copysign(axis.bound, p), 0.0
    return p, over


@part
def begin(memory, x):
    """Impulses and loads to begin with, and speeds at x."""
    for k in range(memory.head[0].points):
        row = memory.rows[k]
        row.load = row.impulse[0]
        for i in range(3):
            row.last[i] = row.impulse[i]
        row.speed[0], row.speed[1], row.speed[2] = speeds(row, memory, x)
        if memory.turns.shape[0] > 0:
            turn = memory.turns[k]
            turn.load = row.load
            for i in range(3):
                turn.last[i] = turn.impulse[i]
            turn.speed[0], turn.speed[1], turn.speed[2] = speeds(turn, memory, x)
    for k in range(memory.axes.shape[0]):
        axis = memory.axes[k]
        axis.last = axis.impulse
        axis.speed = speed_of_axis(axis, memory, x)


@part
def add_row(row, memory, g, n, s, t, dn, ss, st, tt):
    """Take the velocities by the impulses of a row off g (8 blocks,), and add w' D w to the Hessian."""
    w, blocks, rows, block = lanes(memory.w), lanes_of(g), lanes(memory.hessian), memory.block
    for q in range(row.at, row.at + row.count):
        b, wn, ws, wt = block[q], w[q, 0], w[q, 1], w[q, 2]
        blocks[b] = blocks[b] - (n * wn + s * ws + t * wt)
        yn, ys, yt = dn * wn, ss * ws + st * wt, st * ws + tt * wt
        for p in range(row.at, row.at + row.count):
            a = block[p]
            if a < b:
                continue
            if a > b:
                fill_block(memory.hessian, memory.filled, a, b)
            h = at(a, b)
            for r in range(WIDTH):
                rows[h, r] = rows[h, r] + (memory.w[p, 0, r] * yn + memory.w[p, 1, r] * ys + memory.w[p, 2, r] * yt)


@part
def add_axis(axis, memory, g, impulse, stiff):
    """The same of an axis with friction."""
    w, blocks, rows = lanes(memory.axis_w), lanes_of(g), lanes(memory.hessian)
    for q in range(axis.at, axis.at + axis.count):
        b = memory.axis_block[q]
        blocks[b] = blocks[b] - impulse * w[q]
        for p in range(axis.at, axis.at + axis.count):
            a = memory.axis_block[p]
            if a < b or stiff == 0.0:
                continue
            if a > b:
                fill_block(memory.hessian, memory.filled, a, b)
            h, y = at(a, b), stiff * w[q]
            for r in range(WIDTH):
                rows[h, r] = rows[h, r] + memory.axis_w[p, r] * y


@block
def lay_equations(memory, free, x, g):
    """Gradient g (8 blocks,) and Hessian at x, with the speeds and loads that are noted."""
    begin_matrix(memory.hessian, memory.filled)
    for k in range(x.shape[0]):
        g[k] = x[k] - free[k]
    for k in range(memory.head[0].points):
        row = memory.rows[k]
        n, s, t, dn, ss, st, tt = of_point(row, row.speed[0], row.speed[1], row.speed[2])
        if n > 0.0 or s != 0.0 or t != 0.0:
            add_row(row, memory, g, n, s, t, dn, ss, st, tt)
        if memory.turns.shape[0] > 0 and memory.turns[k].load > 0.0:
            turn = memory.turns[k]
            n, s, t, dn, ss, st, tt = of_turn(turn, turn.speed[0], turn.speed[1], turn.speed[2])
            add_row(turn, memory, g, n, s, t, dn, ss, st, tt)
    for k in range(memory.axes.shape[0]):
        p, stiff = of_axis(memory.axes[k], memory.axes[k].speed)
        add_axis(memory.axes[k], memory, g, p, stiff)


@part
def note_rates(row, memory, direction):
    """Change of the speeds of a row along a direction; returns the largest."""
    row.rate[0], row.rate[1], row.rate[2] = speeds(row, memory, direction)
    return max(abs(row.rate[0]), abs(row.rate[1]), abs(row.rate[2]))


@block
def lay_rates(memory, direction):
    """Changes of all speeds along a direction; returns the largest."""
    largest = 0.0
    for k in range(memory.head[0].points):
        largest = max(largest, note_rates(memory.rows[k], memory, direction))
        if memory.turns.shape[0] > 0:
            largest = max(largest, note_rates(memory.turns[k], memory, direction))
    for k in range(memory.axes.shape[0]):
        axis = memory.axes[k]
        axis.rate = speed_of_axis(axis, memory, direction)
        largest = max(largest, abs(axis.rate))
    return largest


@part
def power_of(row, impulses):
    """Impulses of a row times the changes of its speeds."""
    return row.rate[0] * impulses[0] + row.rate[1] * impulses[1] + row.rate[2] * impulses[2]


@part
def moved(row, share):
    """Speeds of a row after a share of the way."""
    return row.speed[0] + share * row.rate[0], row.speed[1] + share * row.rate[1], row.speed[2] + share * row.rate[2]


@block
def slope(memory, first, second, share):
    """Slope of the convex function along the direction, after a share of the way; first + share * second without
    impulses.
    """
    sum = first + share * second
    for k in range(memory.head[0].points):
        sum -= power_of(memory.rows[k], of_point(memory.rows[k], *moved(memory.rows[k], share)))
        if memory.turns.shape[0] > 0:
            sum -= power_of(memory.turns[k], of_turn(memory.turns[k], *moved(memory.turns[k], share)))
    for k in range(memory.axes.shape[0]):
        axis = memory.axes[k]
        p, _ = of_axis(axis, axis.speed + share * axis.rate)
        sum -= axis.rate * p
    return sum


@block
def share_of_way(memory, free, x, direction):
    """How far to go along a direction: to where the slope is small (regula falsi, Illinois variant)."""
    first, second = 0.0, 0.0
    for k in range(x.shape[0]):
        first += direction[k] * (x[k] - free[k])
        second += direction[k] * direction[k]
    low, slope_low = 0.0, slope(memory, first, second, 0.0)
    enough, share = SLOPE * abs(slope_low), 1.0
    high, slope_high, open = 0.0, 0.0, True
    for _ in range(LOOKS):
        now = slope(memory, first, second, share)
        if abs(now) <= enough:
            break
        if now < 0.0:
            if not open:
                slope_high *= 0.5
            low, slope_low = share, now
        else:
            if not open:
                slope_low *= 0.5
            high, slope_high, open = share, now, False
        if open:
            share *= 2.0
        else:
            share = low + (high - low) * slope_low / (slope_low - slope_high)
    return share


@part
def go(row, share):
    """Move the speeds of a row."""
    row.speed[0], row.speed[1], row.speed[2] = moved(row, share)


@block
def follow(memory, share):
    """Speeds after a share of the way, and the loads there; returns the largest change of speeds that friction by the
    new loads could make [m/s].
    """
    largest = 0.0
    for k in range(memory.head[0].points):
        row = memory.rows[k]
        go(row, share)
        n, _, _, _, _, _, _ = of_point(row, row.speed[0], row.speed[1], row.speed[2])
        if row.over_largest > 0.0:
            largest = max(largest, row.friction * abs(n - row.load) / row.over_largest)
        row.load = n
        if memory.turns.shape[0] > 0:
            go(memory.turns[k], share)
            memory.turns[k].load = n
    for k in range(memory.axes.shape[0]):
        memory.axes[k].speed += share * memory.axes[k].rate
    return largest


@block
def take_impulses(memory):
    """Impulses at the speeds that are noted."""
    for k in range(memory.head[0].points):
        row = memory.rows[k]
        n, s, t, _, _, _, _ = of_point(row, row.speed[0], row.speed[1], row.speed[2])
        row.impulse[0], row.impulse[1], row.impulse[2] = n, s, t
        if memory.turns.shape[0] > 0:
            turn = memory.turns[k]
            n, s, t, _, _, _, _ = of_turn(turn, turn.speed[0], turn.speed[1], turn.speed[2])
            turn.impulse[0], turn.impulse[1], turn.impulse[2] = n, s, t
    for k in range(memory.axes.shape[0]):
        memory.axes[k].impulse, _ = of_axis(memory.axes[k], memory.axes[k].speed)


@part
def may_try(memory):
    """Whether it is the turn of Newton's method in a solve; where it rests, this is one solve less."""
    if memory.filled.shape[0] == 0:
        return False
    head = memory.head[0]
    if head.resting > 0:
        head.resting -= 1
        return False
    return True


@part
def note_outcome(head, arrived):
    """For how many solves to rest: twice as many each time."""
    head.rest = 0 if arrived else min(2 * head.rest + 1, MOST_REST)
    head.resting = head.rest


@block
def solve_by_newton(memory, free, x, tolerance):
    """Impulses of all points, turns and axes, from the present ones, whose velocities are x (8 blocks,); x itself is
    to follow from them (`restart`). They stay as they are where it does not arrive.
    """
    begin(memory, x)
    direction, arrived, head = memory.direction, False, memory.head[0]
    smallest, stuck = math.inf, 0
    for _ in range(NEWTON_STEPS):
        head.newton += 1
        lay_equations(memory, free, x, direction)
        if not factor_blocks(memory.hessian, memory.filled, memory.corner, memory.turned):
            break
        solve_blocks(memory.hessian, memory.filled, memory.corner, direction)
        for k in range(x.shape[0]):
            direction[k] = -direction[k]
        largest = lay_rates(memory, direction)
        share = share_of_way(memory, free, x, direction)
        for k in range(x.shape[0]):
            x[k] += share * direction[k]
        change = max(share * largest, follow(memory, share))
        if change <= ARRIVED * tolerance:
            arrived = True
            break
        stuck = 0 if change < smallest else stuck + 1
        if stuck == STUCK:
            break
        smallest = min(smallest, change)
    if arrived:
        take_impulses(memory)
    note_outcome(head, arrived)
