"""Forces of contacts that rest: unilateral, with Coulomb friction, at the level of accelerations.

    a = b + W f,      b = J v'_free + J' v + 2 c u_n + c^2 gap  (normal),  J v'_free + J' v + c u_t  (tangential)
    0 <= f_n,  a_n >= 0,  f_n a_n = 0
    |f_t| <= mu f_n,  f_t opposite to a_t where it slides, and a_t = 0 where |f_t| < mu f_n

c is a rate, so that gaps and slips decay as they do with a critically damped spring, and friction is a continuous
function of the state: |u_t| above mu f_n W / c is plain sliding, below that the slip decays within 1/c.

Points are solved one after the other, all others held (Gauss-Seidel), each by itself exactly: it separates, or sticks,
or slides in a direction d with f_n = -b_n / (W_nn - mu W_nt d). Where that denominator is not positive while b_n < 0,
pressing makes the point accelerate inwards, and it cannot slide on: the paradox of Painlevé (1895). A point alone then
sticks, as W is positive definite: it jams, and its slip is over within 1/c, as by an impact without a collision.
Several points may have no forces at all.
"""

import math

from gori.kernels.codes import CONTACT_JAMMED, OK
from gori.kernels.jit import block, part

SWEEPS = 500
FLAT, YIELDS = 1e-12, 1e-9
"""mobility along a tangent, by that along the normal, which counts as none, and which is taken then"""
EXACT, HELD_ENOUGH = 1e-13, 1e-7
"""change of accelerations in a sweep, as a share of the largest, at which it ends, and which is good enough at last"""


@part
def stick(W, i, bn, bs, bt):
    """Forces of a point that neither moves nor slides: W f = -b, by Cramer's rule. Where the machine does not let it
    move along some tangent, it yields a little there, and the force is none.
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
def slide(W, i, bn, bs, bt, mu, f):
    """Forces of a point that slides, one step nearer to the direction of its slip; and whether there is such a force.

    f   (3 m,) the present ones
    """
    nn, ns, nt = W[i, i], W[i, i + 1], W[i, i + 2]
    ss, st, tt = W[i + 1, i + 1], W[i + 1, i + 2], W[i + 2, i + 2]
    fn, fs, ft = f[i], f[i + 1], f[i + 2]
    if fn <= 0.0:
        fn, fs, ft = max(0.0, -bn / nn), 0.0, 0.0
    # against the slip, by 1 / (largest eigenvalue of W_tt), and out to the cone
    largest = 0.5 * (ss + tt) + math.sqrt(0.25 * (ss - tt) ** 2 + st * st)
    ds = fs - (bs + ns * fn + ss * fs + st * ft) / largest
    dt = ft - (bt + nt * fn + st * fs + tt * ft) / largest
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
def solve_one(W, i, bn, bs, bt, mu, f):
    """Forces of one point with all others held: whether they exist, and they."""
    if bn >= 0.0:
        return True, 0.0, 0.0, 0.0
    if not mu > 0.0 or not W[i + 1, i + 1] + W[i + 2, i + 2] > 0.0:
        return True, -bn / W[i, i], 0.0, 0.0
    fn, fs, ft = stick(W, i, bn, bs, bt)
    if fn > 0.0 and fs * fs + ft * ft <= (mu * fn) ** 2:
        return True, fn, fs, ft
    return slide(W, i, bn, bs, bt, mu, f)


@block
def solve_held(W, b, held, count, f):
    """Forces f (3 count,) of all contacts; returns a result code.

    W      (3 m, 3 m) mobility: what forces do to accelerations
    b      (3 m,) accelerations without them
    held   table of HELD, whose friction is read
    """
    for r in range(3 * count):
        f[r] = 0.0
    change, size, exists = 0.0, 0.0, True
    for _ in range(SWEEPS):
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
            there, fn, fs, ft = solve_one(W, i, bn, bs, bt, held[c].friction, f)
            exists = exists and there
            change = max(change, abs(fn - f[i]) * W[i, i])
            change = max(change, abs(fs - f[i + 1]) * W[i + 1, i + 1] + abs(ft - f[i + 2]) * W[i + 2, i + 2])
            size = max(size, fn * W[i, i])
            f[i], f[i + 1], f[i + 2] = fn, fs, ft
        if change <= EXACT * size:
            break
    return OK if exists and change <= HELD_ENOUGH * size else CONTACT_JAMMED
