"""Forces of contacts that rest: unilateral, with Coulomb friction, at the level of accelerations.

    a = b + W f,      b = J v'_free + J' v + 2 c u_n + c^2 gap  (normal),  J v'_free + J' v + c u_t  (tangential)
    0 <= f_n,  a_n >= 0,  f_n a_n = 0
    |f_t| <= mu f_n,  f_t opposite to the slip where it slides, and a_t = 0 where |f_t| < mu f_n

c is a rate, so that gaps and slips decay as they do with a critically damped spring, and friction is a continuous
function of the state: |u_t| above mu f_n W / c is plain sliding, below that the slip decays within 1/c. Fast slip is
opposed along u_t, slow one along a_t, which is the slip 1/c later, with a smooth change between: so that friction of a
spinning body, whose slip turns by a tenth of a radian in 1/c, has its exact direction, and slip that ends does not
jump.

Points are solved one after the other, all others held (Gauss-Seidel), each by itself exactly: it separates, or sticks,
or slides in a direction d with f_n = -b_n / (W_nn - mu W_nt d). After the first sweeps iterates are mixed
(`contact/impulses/mixing.py`): a box that comes to rest on four points, more than it needs, takes tens of sweeps and
not thousands. Where that is slow too, now and then a step of Newton's method is tried (`newton.py`), and where that
does not help, damped ones (`damped.py`), which do not mind that forces are not unique.

Where the denominator is not positive while b_n < 0, pressing makes the point accelerate inwards, and it cannot slide
on: the paradox of Painlevé (1895). A point alone then sticks, as W is positive definite: it jams, and its slip is over
within 1/c, as by an impact without a collision. Several points may have no forces at all.

Where no force can change the slip of a point, friction is what it is (`immobile.py`). Of normal forces that are not
unique the least are taken in the end (`spread.py`).
"""

import math

from gori.kernels.codes import CONTACT_JAMMED, CONTACT_UNSOLVED, OK
from gori.kernels.contact.impulses.mixing import GROWN, dot, solve_shares
from gori.kernels.contact.memory import DEPTH
from gori.kernels.impacts.damped import begin_at, damped_steps
from gori.kernels.impacts.immobile import FLAT, against_given_slip, is_immobile
from gori.kernels.impacts.newton import newton_step
from gori.kernels.impacts.spread import spread_load
from gori.kernels.jit import block, part

SWEEPS = 500
YIELDS = 1e-9
"""mobility along a tangent, by that along the normal, which is taken where there is none"""
PLAIN, PATIENT, SLOW, OFTEN = 10, 150, 30, 3
"""sweeps before iterates are mixed, and after which what is good enough will do; after which a step of Newton's method
is tried, and how many sweeps there are from one to the next
"""
DAMPED = 60
"""sweeps after which damped steps are tried"""
ANEW = 6
"""steps of Newton's method that are tried first, from no forces on"""
REGULAR, HARDER, EASIER, HARDEST = 1e-10, 30.0, 0.1, 1e-2
"""what is added to mobilities in a step of Newton's method, as a share; times this after one that led away, or not;
from the last on it begins anew"""
EXACT, HELD_ENOUGH = 1e-13, 1e-7
"""change of accelerations in a sweep, as a share of the largest, at which it ends, and which is good enough at last"""
FEW_STARTS, ALL_STARTS = 2, 24
"""of damped steps, after DAMPED sweeps and at last"""
AT_LAST = 1e-5
"""how far accelerations may be from a solution, by that, where nothing comes nearer: gaps are wrong by less than
1e-5 g / c^2, a tenth of a nanometre
"""
INWARDS = 1e-4
"""acceleration inwards, as a share of the largest without forces, at which iterations have ended in no solution"""


@part
def stick(W, i, bn, bs, bt):
    """Forces of a point that neither moves nor slides: W f = -b, by Cramer's rule. Where the machine does not let it
    move along one tangent, it yields a little there, and the force is none without slip along it.
    """
    nn, ns, nt = W[i, i], W[i, i + 1], W[i, i + 2]
    ss, st, tt = W[i + 1, i + 1], W[i + 1, i + 2], W[i + 2, i + 2]
    determinant = nn * (ss * tt - st * st) + ns * (st * nt - ns * tt) + nt * (ns * st - ss * nt)
    if not determinant > FLAT * nn * nn * nn:
        ss, tt = ss + YIELDS * nn, tt + YIELDS * nn
    cn, cs, ct = ss * tt - st * st, st * nt - ns * tt, ns * st - ss * nt
    over = -1.0 / (nn * cn + ns * cs + nt * ct)
    fn = over * (cn * bn + cs * bs + ct * bt)
    fs = over * (cs * bn + (nn * tt - nt * nt) * bs + (ns * nt - nn * st) * bt)
    ft = over * (ct * bn + (ns * nt - nn * st) * bs + (nn * ss - ns * ns) * bt)
    return fn, fs, ft


@part
def slide(W, i, bn, bs, bt, cs, ct, mu, f):
    """Forces of a point that slides, one step nearer to the direction of its slip; and whether there is such a force.

    cs, ct   c times its slip
    f        (3 m,) the present ones
    """
    nn, ns, nt = W[i, i], W[i, i + 1], W[i, i + 2]
    ss, st, tt = W[i + 1, i + 1], W[i + 1, i + 2], W[i + 2, i + 2]
    fn, fs, ft = f[i], f[i + 1], f[i + 2]
    if fn <= 0.0:
        fn, fs, ft = max(0.0, -bn / nn), 0.0, 0.0
    # how fast it slides, by what friction and all else can do to the slip within 1/c: 0 slow, 1 fast
    largest = 0.5 * (ss + tt) + math.sqrt(0.25 * (ss - tt) ** 2 + st * st)
    free_s, free_t = bs - cs + ns * fn, bt - ct + nt * fn
    able = mu * fn * largest + math.sqrt(free_s * free_s + free_t * free_t)
    fast = 0.5 * math.sqrt(cs * cs + ct * ct) - able
    fast = 0.0 if fast <= 0.0 else min(1.0, fast / able) if able > 0.0 else 1.0
    if fast == 1.0:
        ds, dt = -cs, -ct
    else:
        # against the slip, by 1 / (largest eigenvalue of W_tt), and out to the cone
        ds = fs - (cs + (1.0 - fast) * (free_s + ss * fs + st * ft)) / largest
        dt = ft - (ct + (1.0 - fast) * (free_t + st * fs + tt * ft)) / largest
    size = math.sqrt(ds * ds + dt * dt)
    if not size > 0.0:
        return True, max(0.0, -bn / nn), 0.0, 0.0
    ds, dt = mu * ds / size, mu * dt / size
    mobility = nn + ns * ds + nt * dt
    if not mobility > 1e-9 * nn:
        return False, 0.0, 0.0, 0.0
    fn = max(0.0, -bn / mobility)
    return True, fn, fn * ds, fn * dt


@part
def solve_one(W, i, bn, bs, bt, cs, ct, mu, rate, f):
    """Forces of one point with all others held: whether they exist, and they."""
    if bn >= 0.0:
        return True, 0.0, 0.0, 0.0
    if not mu > 0.0:
        return True, -bn / W[i, i], 0.0, 0.0
    if is_immobile(W, i):
        fn = -bn / W[i, i]
        fs, ft = against_given_slip(bs, bt, cs, ct, rate)
        return True, fn, mu * fn * fs, mu * fn * ft
    fn, fs, ft = stick(W, i, bn, bs, bt)
    if fn > 0.0 and fs * fs + ft * ft <= (mu * fn) ** 2:
        return True, fn, fs, ft
    return slide(W, i, bn, bs, bt, cs, ct, mu, f)


@part
def sweep(rest, count):
    """Solve all points once, one after the other: whether forces exist, the largest change of an acceleration by the
    own force of a point, and the largest acceleration that a normal force makes at its point.
    """
    W, b, f, rate = rest.mobility, rest.free, rest.force, rest.head[0].rate
    change, size, exists = 0.0, 0.0, True
    for c in range(count):
        i = 3 * c
        if not W[i, i] > 0.0:
            continue
        bn, bs, bt = b[i], b[i + 1], b[i + 2]
        for r in range(3 * count):
            if r < i or r > i + 2:
                bn += W[i, r] * f[r]
                bs += W[i + 1, r] * f[r]
                bt += W[i + 2, r] * f[r]
        cs, ct = rate * rest.speed[i + 1], rate * rest.speed[i + 2]
        there, fn, fs, ft = solve_one(W, i, bn, bs, bt, cs, ct, rest.held[c].friction, rate, f)
        exists = exists and there
        change = max(change, abs(fn - rest.last[i]) * W[i, i])
        change = max(
            change, abs(fs - rest.last[i + 1]) * W[i + 1, i + 1] + abs(ft - rest.last[i + 2]) * W[i + 2, i + 2]
        )
        size = max(size, fn * W[i, i])
        f[i], f[i + 1], f[i + 2] = fn, fs, ft
    return exists, change, size


@part
def moved(rest, count):
    """Largest change of an acceleration by all forces of a sweep. Of more points than a body needs, as four of a box
    that is about to stick, forces may drift on without end, and do nothing.
    """
    most = 0.0
    for r in range(3 * count):
        a = 0.0
        for k in range(3 * count):
            a += rest.mobility[r, k] * (rest.force[k] - rest.last[k])
        most = max(most, abs(a))
    return most


@part
def into_cones(rest, count):
    """Forces that pull are none, and friction is within its limit."""
    f = rest.force
    for c in range(count):
        i, limit = 3 * c, rest.held[c].friction * f[3 * c]
        if f[i] <= 0.0:
            f[i], f[i + 1], f[i + 2] = 0.0, 0.0, 0.0
        elif f[i + 1] * f[i + 1] + f[i + 2] * f[i + 2] > limit * limit:
            share = limit / math.sqrt(f[i + 1] * f[i + 1] + f[i + 2] * f[i + 2])
            f[i + 1], f[i + 2] = share * f[i + 1], share * f[i + 2]


@part
def mix_forces(rest, count, mixed, smallest):
    """Mix the forces after a sweep with those of the last ones, as impulses are (`contact/impulses/mixing.py`).

    mixed   sweeps noted so far; smallest |f|^2 of them
    Returns both for the next call.
    """
    W, n, square = rest.mobility, 3 * count, 0.0
    slot = (mixed - 1) % DEPTH if mixed > 0 else 0
    df, dg = rest.mix_f[slot], rest.mix_g[slot]
    for k in range(n):
        g = rest.force[k]
        f = (g - rest.last[k]) * math.sqrt(max(0.0, W[k, k]))
        square += f * f
        df[k], dg[k] = f - rest.last_f[k], g - rest.last_g[k]
        rest.last_f[k], rest.last_g[k] = f, g
    if mixed == 0 or square > GROWN * GROWN * smallest:
        return 1, square
    used = min(mixed, DEPTH)
    for j in range(used):
        rest.gram[slot, j] = rest.gram[j, slot] = dot(rest.mix_f[slot], rest.mix_f[j], n)
        rest.share[j] = dot(rest.mix_f[j], rest.last_f, n)
    if not solve_shares(rest.gram, rest.share, used):
        return 1, square
    for j in range(used):
        for k in range(n):
            rest.force[k] -= rest.share[j] * rest.mix_g[j, k]
    into_cones(rest, count)
    return mixed + 1, min(smallest, square)


@part
def largest_free(rest, count):
    """Largest acceleration without forces."""
    largest = 0.0
    for r in range(3 * count):
        largest = max(largest, abs(rest.free[r]))
    return largest


@part
def presses(rest, count, largest):
    """Whether no point is pulled, and none accelerates inwards by more than a trace of the largest acceleration."""
    for i in range(0, 3 * count, 3):
        a = rest.free[i]
        for r in range(3 * count):
            a += rest.mobility[i, r] * rest.force[r]
        if rest.mobility[i, i] > 0.0 and not (rest.force[i] >= 0.0 and a >= -INWARDS * largest):
            return False
    return True


@part
def try_newton(rest, count, regular, anew):
    """A step of Newton's method, after the present forces are noted; or several, from none on, which find the forces
    of a stack at rest.
    """
    for k in range(3 * count):
        rest.last_g[k] = rest.force[k]
        if anew:
            rest.force[k] = 0.0
    for _ in range(ANEW if anew else 1):
        newton_step(rest, count, regular)
        into_cones(rest, count)


@part
def judge_newton(rest, count, better, regular):
    """After a step of Newton's method and a sweep: undo both where they led away. Returns the next `regular`."""
    if better:
        return max(REGULAR, EASIER * regular)
    for k in range(3 * count):
        rest.force[k] = rest.last_g[k]
    return HARDER * regular if regular < HARDEST else REGULAR


@block
def settle(rest, count, largest, enough, starts):
    """Damped steps from the present forces, or else from some others (`begin_at`): whether they find a solution to
    within a share of the largest acceleration. Where they do not, forces are as before.
    """
    for r in range(3 * count):
        rest.last_g[r] = rest.force[r]
    for start in range(starts):
        if start > 0:
            begin_at(rest, count, largest, start)
        away = damped_steps(rest, count, largest)
        into_cones(rest, count)
        if away <= enough * largest and presses(rest, count, largest):
            return True
    for r in range(3 * count):
        rest.force[r] = rest.last_g[r]
    return False


@part
def judge_spread(rest, count):
    """After loads were spread: undo it, unless a sweep leaves all forces as they are."""
    for r in range(3 * count):
        rest.last[r] = rest.force[r]
    exists, change, size = sweep(rest, count)
    stays = exists and change <= HELD_ENOUGH * size
    for r in range(3 * count):
        rest.force[r] = rest.last[r] if stays else rest.last_g[r]


@block
def solve_held(rest, count):
    """Forces of all contacts, in rest.force (3 count,); returns a result code.

    rest.mobility   (3 m, 3 m) what forces do to accelerations
    rest.free       (3 m,) accelerations without them
    rest.speed      (3 m,) speeds of the points
    rest.held       table of HELD, whose friction is read
    """
    for r in range(3 * count):
        rest.force[r] = 0.0
    change, size, exists, mixed, smallest = 0.0, 0.0, True, 0, math.inf
    largest, regular, before = (
        largest_free(rest, count),
        REGULAR,
        -1.0,
    )  # before: change before the step of Newton's method that was just tried, or -1
    for k in range(SWEEPS):
        for r in range(3 * count):
            rest.last[r] = rest.force[r]
        exists, change, size = sweep(rest, count)
        if change <= EXACT * size or not change < math.inf:
            break
        if k < PLAIN:
            continue
        change = moved(rest, count)
        if change <= EXACT * size or k == SWEEPS - 1:
            break
        if k >= PATIENT and change <= HELD_ENOUGH * size and presses(rest, count, largest):
            break
        if k == DAMPED:
            if settle(rest, count, max(size, largest), HELD_ENOUGH, FEW_STARTS):
                exists, change = True, 0.0
                break
            mixed, smallest, before = 0, math.inf, -1.0
        elif before >= 0.0:
            regular = judge_newton(rest, count, change < before, regular)
            mixed, smallest, before = 0, math.inf, -1.0
        elif SLOW <= k < SWEEPS - 2 * OFTEN and k % OFTEN == 0:
            before = change
            try_newton(rest, count, regular, k == SLOW)
        else:
            mixed, smallest = mix_forces(rest, count, mixed, smallest)
    enough = exists and change <= HELD_ENOUGH * max(size, largest) and presses(rest, count, largest)
    if not enough and not settle(rest, count, largest, AT_LAST, ALL_STARTS):
        return CONTACT_UNSOLVED if exists and change < math.inf else CONTACT_JAMMED
    if spread_load(rest, count, max(size, largest)):
        judge_spread(rest, count)
    return OK
