"""Impulses of all points at once: unilateral contact with Coulomb friction (Moreau 1988; Jourdan, Alart, Jean 1998).

    v+ = v + M^-1 J' p,      u = J v+,             v: velocities, of trees diagonal ones (`diagonal.py`)
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

from gori.kernels.contact.impulses.joints import push_axis, solve_axis
from gori.kernels.contact.impulses.mixing import mix
from gori.kernels.contact.impulses.outcome import work_of
from gori.kernels.contact.speeds import normal_speed, tangential_speeds
from gori.kernels.jit import block, part

GIVEN_SLIP = 1e-12
"""speed [m/s, rad/s] from which on a slip that no impulse changes has a direction"""


@part
def push_along(memory, x, at, width, first, count, n, s, t):
    """Add what impulses do to diagonal velocities: `count` columns of w from jac[at] on, axes of `path` from first."""
    jac, path = memory.jac, memory.path
    for c in range(count):
        x[path[first + c]] += n * jac[at + c] + s * jac[at + width + c] + t * jac[at + 2 * width + c]


@part
def push(row, memory, x, n, s, t):
    """Add the velocities of impulses along the three directions of a point."""
    response, width, at = memory.response, row.width_a + row.width_b, row.at_response
    for c in range(row.width_a):
        x[row.first_a + c] += n * response[at + c] + s * response[at + width + c] + t * response[at + 2 * width + c]
    at += row.width_a
    for c in range(row.width_b):
        x[row.first_b + c] += n * response[at + c] + s * response[at + width + c] + t * response[at + 2 * width + c]
    if row.along_a + row.along_b > 0:
        columns = row.count_a + row.count_b
        push_along(memory, x, row.at, columns, row.path_a, row.along_a, n, s, t)
        push_along(memory, x, row.at + row.count_a, columns, row.path_b, row.along_b, n, s, t)


@part
def stick_or_slip(row, limit, us, ut):
    """Tangential impulses of a point whose speeds are us and ut now, no larger than the limit [N s]."""
    ss, st, tt = row.tangential[0], row.tangential[1], row.tangential[2]
    p, q = row.impulse[1], row.impulse[2]
    us, ut = us + row.soft_tangent * p + row.drift[0], ut + row.soft_tangent * q + row.drift[1]
    determinant = ss * tt - st * st
    s, t = p - (tt * us - st * ut) / determinant, q - (ss * ut - st * us) / determinant
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
def start_impulses(memory, v):
    """Add the velocities of the impulses of the last step."""
    count = memory.head[0].points
    rows, turns, axes = memory.rows, memory.turns, memory.axes
    for k in range(count):
        p = rows[k].impulse
        if p[0] > 0.0:
            push(rows[k], memory, v, p[0], p[1], p[2])
            if turns.shape[0] > 0:
                push(turns[k], memory, v, turns[k].impulse[0], turns[k].impulse[1], turns[k].impulse[2])
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


@block
def solve_impulses(memory, v, tolerance, most):
    """Bring v (nv,) to the velocities with contact, from those with the present impulses (`start_impulses`).

    tolerance   change of speeds in a sweep below which it ends [m/s]
    most        number of sweeps
    """
    head = memory.head[0]
    count, mixed, smallest = head.points, 0, math.inf
    head.solves += 1
    for _ in range(most // 2):
        note_impulses(memory, count)
        head.iterations += 1
        if sweep(memory, v, count, False) <= tolerance:
            return
        head.iterations += 1
        if sweep(memory, v, count, True) <= tolerance:
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
    gain = 0.0
    for k in range(memory.head[0].points):
        gain += work_of(memory.rows[k], memory, free, v)
        if memory.turns.shape[0] > 0:
            gain += work_of(memory.turns[k], memory, free, v)
    if not gain > 0.0:
        return
    drop_impulses(memory)
    for k in range(v.shape[0]):
        v[k] = free[k]
    for j in range(most):
        memory.head[0].iterations += 1
        sweep(memory, v, memory.head[0].points, j % 2 == 1)
