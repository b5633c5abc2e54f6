"""A step of Newton's method for the forces of contacts that rest, where sweeps over the points are slow.

Sweeps (`hold.py`) take thousands where a heavy body stands on a light one, or fingers press a box from both sides. The
conditions of a point are equations of its present kind (Alart and Curnier 1991), with a = b + W f:

    apart     f = 0                          where p = f_n - a_n / W_nn <= 0
    sticks    a = 0                          where f_t - a_t / w is inside the cone;  w: largest eigenvalue of W_tt
    slides    a_n = 0,  f_t = mu p x/|x|     x: what `slide` in hold.py takes against the slip; where nothing moves
                                             along the tangents it is given (`immobile.py`)

Written as forces (a_n / W_nn, a_t / w) they are one continuous function of f, whose size says how far forces are from
a solution (`damped.py`).

Points more than a body needs make W singular: a small share of each mobility is added, which leaves forces that do
nothing as they are. Kinds may change from step to step, so that a step may lead away: the caller undoes it then, and
adds more.
"""

import math

from gori.kernels.impacts.immobile import against_given_slip, is_immobile
from gori.kernels.jit import block, part
from gori.kernels.vehicle.blows import eliminate

SLOW = 1e-9
"""blend of fast and slow slip that is slow, but for rounding"""


@part
def no_force(A, f, i, first, n):
    """Equations of a point from its row `first` on: no force."""
    for d in range(first, 3):
        A[i + d, i + d], A[i + d, n] = 1.0, -f[i + d]


@part
def no_acceleration(A, W, i, d, a, mobility, regular, n):
    """Equation of a point along one of its directions: its acceleration a vanishes."""
    for k in range(n):
        A[i + d, k] = W[i + d, k] / mobility
    A[i + d, i + d] += regular
    A[i + d, n] = -a / mobility


@part
def against_slip(W, i, f, a_s, a_t, cs, ct, mu, largest):
    """What friction is along, and how much of it follows the acceleration: `slide` in hold.py."""
    fn, fs, ft = f[i], f[i + 1], f[i + 2]
    slip_s, slip_t = a_s - cs, a_t - ct
    free_s = slip_s - W[i + 1, i + 1] * fs - W[i + 1, i + 2] * ft
    free_t = slip_t - W[i + 1, i + 2] * fs - W[i + 2, i + 2] * ft
    able = mu * fn * largest + math.sqrt(free_s * free_s + free_t * free_t)
    fast = 0.5 * math.sqrt(cs * cs + ct * ct) - able
    fast = 0.0 if fast <= 0.0 else min(1.0, fast / able) if able > 0.0 else 1.0
    if fast == 1.0:
        return -cs, -ct, 0.0, 0.0
    share = (1.0 - fast) / largest
    return fs - cs / largest - share * slip_s, ft - ct / largest - share * slip_t, 1.0, share


@part
def friction_by_load(A, W, i, f, xs, xt, pressed, n):
    """Equations of friction that is p times a given (xs, xt), p = f_n - a_n / W_nn."""
    for k in range(n):
        by = W[i, k] / W[i, i] - (1.0 if k == i else 0.0)
        A[i + 1, k] += xs * by
        A[i + 2, k] += xt * by
    A[i + 1, i + 1] += 1.0
    A[i + 2, i + 2] += 1.0
    A[i + 1, n] = xs * pressed - f[i + 1]
    A[i + 2, n] = xt * pressed - f[i + 2]


@part
def friction_on_cone(A, W, i, f, xs, xt, own, share, mu, pressed, n):
    """Equations of a point that slides: f_t = mu p x/|x| with x = own f_t - share a_t + what is given."""
    size = math.sqrt(xs * xs + xt * xt)
    if not size > 0.0:
        no_force(A, f, i, 1, n)
        return
    xs, xt = xs / size, xt / size
    turn = mu * pressed / size
    for k in range(n):
        # the part of x across itself, per force k
        across = -share * (xs * W[i + 2, k] - xt * W[i + 1, k])
        if k == i + 1:
            across -= own * xt
        elif k == i + 2:
            across += own * xs
        A[i + 1, k] = turn * across * xt
        A[i + 2, k] = -turn * across * xs
    friction_by_load(A, W, i, f, mu * xs, mu * xt, pressed, n)


@part
def turn_with_speed(A, W, i, f, xs, xt, slip_s, slip_t, mu, pressed, share):
    """Add to the equations of a point that slides how its direction follows the blend of fast and slow slip: 1 - share
    times the largest mobility is 0.5 |c| / able - 1 between them (`against_slip`).

    (xs, xt)   what friction is along;  (slip_s, slip_t) a_t - c
    """
    ss, st, tt = W[i + 1, i + 1], W[i + 1, i + 2], W[i + 2, i + 2]
    largest = 0.5 * (ss + tt) + math.sqrt(0.25 * (ss - tt) ** 2 + st * st)
    fast = 1.0 - share * largest
    size, free_s, free_t = math.sqrt(xs * xs + xt * xt), slip_s, slip_t
    for d in range(1, 3):
        free_s -= W[i + 1, i + d] * f[i + d]
        free_t -= W[i + 2, i + d] * f[i + d]
    free = math.sqrt(free_s * free_s + free_t * free_t)
    if not (fast > 0.0 and size > 0.0 and free > 0.0):
        return
    able = mu * f[i] * largest + free
    turn = mu * pressed * (xs * slip_t - xt * slip_s) / (largest * size**3) * -(1.0 + fast) / able
    for k in range(A.shape[0]):
        change = mu * largest if k == i else 0.0
        if k != i + 1 and k != i + 2:
            change += (free_s * W[i + 1, k] + free_t * W[i + 2, k]) / free
        A[i + 1, k] += turn * change * xt
        A[i + 2, k] -= turn * change * xs


@part
def lay_point(A, W, b, f, i, cs, ct, mu, rate, regular, n):
    """Equations of one point in rows i to i + 2 of A (n, n + 1), which are zero."""
    if not W[i, i] > 0.0:
        no_force(A, f, i, 0, n)
        return
    a_n, a_s, a_t = b[i], b[i + 1], b[i + 2]
    for k in range(n):
        a_n += W[i, k] * f[k]
        a_s += W[i + 1, k] * f[k]
        a_t += W[i + 2, k] * f[k]
    pressed = f[i] - a_n / W[i, i]
    if not pressed > 0.0:
        no_force(A, f, i, 0, n)
        return
    no_acceleration(A, W, i, 0, a_n, W[i, i], regular, n)
    ss, st, tt = W[i + 1, i + 1], W[i + 1, i + 2], W[i + 2, i + 2]
    largest = 0.5 * (ss + tt) + math.sqrt(0.25 * (ss - tt) ** 2 + st * st)
    if not mu > 0.0:
        no_force(A, f, i, 1, n)
        return
    if is_immobile(W, i):
        xs, xt = against_given_slip(a_s, a_t, cs, ct, rate)
        friction_by_load(A, W, i, f, mu * xs, mu * xt, pressed, n)
        return
    if math.sqrt((f[i + 1] - a_s / largest) ** 2 + (f[i + 2] - a_t / largest) ** 2) <= mu * pressed:
        no_acceleration(A, W, i, 1, a_s, largest, regular, n)
        no_acceleration(A, W, i, 2, a_t, largest, regular, n)
        return
    xs, xt, own, share = against_slip(W, i, f, a_s, a_t, cs, ct, mu, largest)
    friction_on_cone(A, W, i, f, xs, xt, own, share, mu, pressed, n)
    if 0.0 < share * largest < 1.0 - SLOW:
        turn_with_speed(A, W, i, f, xs, xt, a_s - cs, a_t - ct, mu, pressed, share)


@block
def lay_points(rest, count, regular):
    """Equations A d = -r of all points in rest.newton (n, n + 1), n = 3 count, for a step d from rest.force; r in [N].

    regular   share of the mobility of a point that is added to it
    """
    n, rate = 3 * count, rest.head[0].rate
    A = rest.newton[:n, : n + 1]
    for r in range(n):
        for c in range(n + 1):
            A[r, c] = 0.0
    for c in range(count):
        cs, ct = rate * rest.speed[3 * c + 1], rate * rest.speed[3 * c + 2]
        lay_point(A, rest.mobility, rest.free, rest.force, 3 * c, cs, ct, rest.held[c].friction, rate, regular, n)


@part
def newton_step(rest, count, regular):
    """Add a step of Newton's method to rest.force (3 count,); they may leave their cones."""
    n = 3 * count
    A = rest.newton[:n, : n + 1]
    lay_points(rest, count, regular)
    eliminate(A, n)
    for r in range(n):
        rest.force[r] += A[r, n]
