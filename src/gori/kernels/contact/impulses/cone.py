"""Impulses of all points at once: unilateral contact with Coulomb friction (Moreau 1988; Jourdan, Alart, Jean 1998).

    v+ = v + M^-1 J' p,      u = J v+,             v: velocities of the solver (`diagonal.py`, `blocks.py`)
    0 <= p_n,  u_n + least >= 0,  p_n (u_n + least) = 0,
    |p_t| <= mu p_n,  p_t opposite to u_t where it slides, and u_t = 0 where |p_t| < mu p_n

Gauss-Seidel: one point after the other is solved with all others held, and v follows at once. The order turns around
from sweep to sweep, so that a load runs through a pile in both directions. After each pair of sweeps the last iterates
are mixed (`mixing.py`), which reaches in tens of sweeps what they alone do in thousands. Impulses start from those of
the last step; at rest nothing is left to do. p and u are meant with the compliance and the drift of `rows.py`.

A point first tries to stick, by the inverse of its W_tt; if that takes more than mu p_n, a step of length 1 / (largest
eigenvalue of W_tt) against u_t, back to the disc. Where neither changes anything, the law above holds exactly. Rolling
friction does the same with the angular speeds of a point; torsional friction and that of joints have an interval.
"""

import math

from gori.kernels.contact.impulses.joints import push_axis, solve_axis, speed_of_axis
from gori.kernels.contact.impulses.mixing import mix
from gori.kernels.contact.impulses.newton import may_try, solve_by_newton
from gori.kernels.contact.impulses.outcome import work_of_all
from gori.kernels.contact.speeds import normal_speed, speeds, tangential_speeds
from gori.kernels.jit import block, part
from gori.kernels.lanes import lanes, lanes_of

GIVEN_SLIP = 1e-12
"""speed [m/s, rad/s] from which on a slip that no impulse changes has a direction"""

PATIENCE = 12
"""pairs of sweeps after which Newton's method is tried"""
SETTLED = 0.05
"""of the tolerance, which speeds may change in a pair of sweeps where impulses have not converged"""


@part
def push(row, memory, x, n, s, t):
    """Add the velocities of impulses along the three directions of a point."""
    w, block, blocks = lanes(memory.w), memory.block, lanes_of(x)
    for p in range(row.to, row.to + row.to_count):
        b = block[p]
        blocks[b] = blocks[b] + n * w[p, 0] + s * w[p, 1] + t * w[p, 2]


@part
def stick_or_slip(row, limit, us, ut):
    """Tangential impulses of a point whose speeds are us and ut now, no larger than the limit [N s]."""
    p, q, inverse = row.impulse[1], row.impulse[2], row.inverse
    us, ut = us + row.soft_tangent * p + row.drift[0], ut + row.soft_tangent * q + row.drift[1]
    s, t = p - (inverse[0] * us + inverse[1] * ut), q - (inverse[1] * us + inverse[2] * ut)
    if s * s + t * t <= limit * limit:
        return s, t
    s, t = p - row.over_largest * us, q - row.over_largest * ut
    size = math.sqrt(s * s + t * t)
    if size > limit:
        s, t = s * limit / size, t * limit / size
    return s, t


@part
def solve_point(row, memory, v):
    """Impulses of one point with all others held; returns the change of its speeds [m/s], at most."""
    if row.over_normal == 0.0:
        return 0.0
    un = normal_speed(row, memory, v)
    n = max(0.0, row.impulse[0] - row.over_normal * (un + row.least + row.soft_normal * row.impulse[0]))
    dn = n - row.impulse[0]
    if n == 0.0 and dn == 0.0:
        return 0.0
    row.impulse[0] = n
    change, ds, dt = abs(dn) / row.over_normal, 0.0, 0.0
    if row.friction > 0.0 and row.over_largest > 0.0:
        us, ut = tangential_speeds(row, memory, v)
        s, t = stick_or_slip(row, row.friction * n, us + row.coupling[0] * dn, ut + row.coupling[1] * dn)
        ds, dt = s - row.impulse[1], t - row.impulse[2]
        row.impulse[1], row.impulse[2] = s, t
        change = max(change, max(abs(ds), abs(dt)) / row.over_largest)
    elif row.friction > 0.0:
        us, ut = tangential_speeds(row, memory, v)
        row.impulse[1], row.impulse[2] = against_slip(row.friction * n, us, ut)
    push(row, memory, v, dn, ds, dt)
    return change


@part
def against_slip(limit, us, ut):
    """Tangential impulses of a point that slips with given speeds, which no impulse changes, as on a driven belt under
    a guided load: the limit of friction, against the slip [N s].
    """
    size = math.sqrt(us * us + ut * ut)
    if size < GIVEN_SLIP:
        return 0.0, 0.0
    return -limit * us / size, -limit * ut / size


@part
def solve_turn(turn, memory, v, normal):
    """Impulses of rolling and torsional friction of a point whose normal impulse is `normal`, with all others held;
    returns the change of its angular speeds [rad/s], at most.
    """
    change, dn, ds, dt, p = 0.0, 0.0, 0.0, 0.0, turn.impulse[0]
    if turn.over_normal > 0.0 and (turn.torsion > 0.0 or p != 0.0):
        limit = turn.torsion * normal
        spin = normal_speed(turn, memory, v) + turn.drift[2] + turn.soft_normal * p
        turn.impulse[0] = min(max(p - turn.over_normal * spin, -limit), limit)
        dn = turn.impulse[0] - p
        change = abs(dn) / turn.over_normal
    elif turn.torsion > 0.0:
        turn.impulse[0], _ = against_slip(turn.torsion * normal, normal_speed(turn, memory, v), 0.0)
    if turn.friction > 0.0 and turn.over_largest > 0.0:
        us, ut = tangential_speeds(turn, memory, v)
        us, ut = us + turn.coupling[0] * dn, ut + turn.coupling[1] * dn
        s, t = stick_or_slip(turn, turn.friction * normal, us, ut)
        ds, dt = s - turn.impulse[1], t - turn.impulse[2]
        turn.impulse[1], turn.impulse[2] = s, t
        change = max(change, max(abs(ds), abs(dt)) / turn.over_largest)
    elif turn.friction > 0.0:
        us, ut = tangential_speeds(turn, memory, v)
        turn.impulse[1], turn.impulse[2] = against_slip(turn.friction * normal, us, ut)
    push(turn, memory, v, dn, ds, dt)
    return change


@part
def sweep(memory, v, count, backward):
    """One sweep over all points, and all axes with friction; returns the largest change of their speeds [m/s]."""
    change, turning, axes = 0.0, memory.turns.shape[0] > 0, memory.axes.shape[0]
    for j in range(count):
        k = count - 1 - j if backward else j
        change = max(change, solve_point(memory.rows[k], memory, v))
        if turning:
            change = max(change, solve_turn(memory.turns[k], memory, v, memory.rows[k].impulse[0]))
    for j in range(axes):
        change = max(change, solve_axis(memory.axes[axes - 1 - j if backward else j], memory, v))
    return change


@part
def push_row(row, memory, v):
    """Add the velocities of the present impulses of a row."""
    p = row.impulse
    if p[0] != 0.0 or p[1] != 0.0 or p[2] != 0.0:
        push(row, memory, v, p[0], p[1], p[2])


@part
def start_impulses(memory, v):
    """Add the velocities of the present impulses, whatever their sign: mixing may leave a pull for the next sweep."""
    count = memory.head[0].points
    rows, turns, axes = memory.rows, memory.turns, memory.axes
    for k in range(count):
        push_row(rows[k], memory, v)
        if turns.shape[0] > 0:
            push_row(turns[k], memory, v)
    for k in range(axes.shape[0]):
        push_axis(axes[k], memory, v, axes[k].impulse)


@part
def note_impulses(memory, count):
    """Impulses before a pair of sweeps."""
    rows, turns, axes = memory.rows, memory.turns, memory.axes
    for k in range(count):
        for i in range(3):
            rows[k].last[i] = rows[k].impulse[i]
            if turns.shape[0] > 0:
                turns[k].last[i] = turns[k].impulse[i]
    for k in range(axes.shape[0]):
        axes[k].last = axes[k].impulse


@part
def note_velocities(memory, x):
    """Velocities before a pair of sweeps."""
    now, last = lanes_of(x), lanes_of(memory.x_last)
    for b in range(now.shape[0]):
        last[b] = now[b]


@part
def has_settled(memory, x, tolerance, count):
    """Whether a pair of sweeps has changed no speed of any point by more than the tolerance. Where more points bear a
    body than it needs, impulses go on from one to the other for long, and move nothing.
    """
    now, last = lanes_of(x), lanes_of(memory.x_last)
    for b in range(now.shape[0]):
        last[b] = now[b] - last[b]
    for k in range(count):
        n, s, t = speeds(memory.rows[k], memory, memory.x_last)
        if max(abs(n), abs(s), abs(t)) > tolerance:
            return False
        if memory.turns.shape[0] > 0:
            n, s, t = speeds(memory.turns[k], memory, memory.x_last)
            if max(abs(n), abs(s), abs(t)) > tolerance:
                return False
    for k in range(memory.axes.shape[0]):
        if abs(speed_of_axis(memory.axes[k], memory, memory.x_last)) > tolerance:
            return False
    return True


@part
def restart(memory, free, v):
    """v from the velocities without contact and the present impulses."""
    for k in range(v.shape[0]):
        v[k] = free[k]
    start_impulses(memory, v)


@block
def solve_impulses(memory, free, v, tolerance, most):
    """Velocities v of the solver with contact, from those without it and the impulses to start from.

    tolerance   change of speeds in a sweep below which it ends [m/s]
    most        number of sweeps
    """
    head = memory.head[0]
    count, mixed, smallest = head.points, 0, math.inf
    head.solves += 1
    restart(memory, free, v)
    for pair in range(most // 2):
        if pair == PATIENCE and may_try(memory):
            solve_by_newton(memory, free, v, tolerance)
            restart(memory, free, v)
            mixed, smallest = 0, math.inf
        note_impulses(memory, count)
        note_velocities(memory, v)
        head.iterations += 1
        if sweep(memory, v, count, False) <= tolerance:
            return
        head.iterations += 1
        if sweep(memory, v, count, True) <= tolerance:
            return
        if pair > PATIENCE and has_settled(memory, v, SETTLED * tolerance, count):
            return
        mixed, smallest = mix(memory, v, mixed, smallest)
    sweep(memory, v, count, False)
    head.stalled += 1


@part
def drop_impulses(memory):
    """Start from no impulses at all."""
    for k in range(memory.head[0].points):
        for i in range(3):
            memory.rows[k].impulse[i] = 0.0
            if memory.turns.shape[0] > 0:
                memory.turns[k].impulse[i] = 0.0
    for k in range(memory.axes.shape[0]):
        memory.axes[k].impulse = 0.0


@block
def calm_impulses(memory, free, v, most):
    """Where a solver that has not converged made energy: plain sweeps from no impulses, which cannot.

    free   (nv,) velocities without contact;  v (nv,) those with it
    """
    if not work_of_all(memory, free, v) > 0.0:
        return
    drop_impulses(memory)
    for k in range(v.shape[0]):
        v[k] = free[k]
    for j in range(most):
        memory.head[0].iterations += 1
        sweep(memory, v, memory.head[0].points, j % 2 == 1)
