"""The accelerations of a step: x = f(q(x), v(x)), by Newton's method with the Jacobian that the strategy provides.

One iteration from x = 0 is the linearly implicit step: v' = v + h (I - h f_v - h^2 f_x)^-1 f(q (+) h v, v), which is
the classical formula with f(q, v) + h f_x v replaced by f(q (+) h v, v): the same to the order of the method, without
a product with f_x. The derivatives of inverse dynamics are taken for the accelerations of the last step: for x = 0
they would lack the change of M x with q, which is stiff for thin bodies. The first step is iterated.

Otherwise iterations go on until the next change would be too small to matter. A matrix serves as long as the changes
of x shrink well with it, then it is made anew. There are two ways:

    in haste    N dx = r(x), N for accelerations x           one inverse dynamics a trial
    with care   N dx = M (x - f(x)), N for accelerations f   one forward dynamics a trial

They are the same near the solution, but far from it the second, Newton's method for x - f, is mostly the better
behaved. Strategies whose matrix lags behind take it first, the others where the first has failed. There a change with a
new matrix that leads to a larger one is taken by half (natural monotonicity, Deuflhard 2004, section 2.1: the size of
the change is what counts, not the force residual, which along stiff axes may grow a thousandfold in a good step).
"""

from numba import types

from gori.integrate.columns import column_correction
from gori.integrate.dense import dense_correction
from gori.integrate.march import follow_outside
from gori.integrate.matrix_free import tree_correction
from gori.integrate.trial import look_ahead
from gori.integrate.work import (
    CAREFUL,
    CQ,
    CV,
    DX,
    ERROR_DRIVEN,
    FULL,
    ITERATIONS,
    KNOWN,
    LAST,
    LENGTH,
    MADE_FOR,
    MATRIX_FREE,
    NEWTON,
    ONCE,
    SCALE,
    SCORE,
    SPEED,
    STEPS,
    STRATEGY,
    TAKEN,
    TIME,
    TOLERANCE,
    WANTED,
    WEIGHED,
    X,
    carve,
    size_of,
    weigh,
)
from gori.kernels.accelerations import finite
from gori.kernels.codes import NO_CONVERGENCE, NOT_FINITE, OK, SINGULAR
from gori.kernels.jit import kernel, part
from gori.kernels.machine import data_type, machine_type
from gori.kernels.tree.columns import NQ

CLOSE, SMALLEST = 1e-9, 1e-12
"""accelerations are found to this share of the largest, and to this absolutely [rad/s2]"""
ROUNDING = 1e-7
"""changes that do not shrink any more are rounding errors if they are below this"""
SLOW = 0.5
"""rate of contraction from which on a matrix is made anew"""
LAZY, EAGER = 0.2, 0.07
"""rate below which no column needs a refresh, and share of the columns to refresh for a rate of 1"""
SHORTEST, HASTE, MOST = 1.0 / 256.0, 12, 100
"""share of a change that is tried at least, and numbers of trials: without and with care"""


@part
def begin_step(machine, data, memory, t, h, cv, cq, y):
    """The Work for a step from t to t + h. Without a last step its accelerations count as zero."""
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    work = carve(memory, machine, data, y.shape[0] - nq - nv)
    head = work.head
    if head[WEIGHED] == 0.0:
        weigh(machine, work)
    head[LENGTH], head[TIME], head[CV], head[CQ] = h, t + h, cv, cq
    if head[KNOWN] == 0.0:
        for k in range(nv):
            work.vectors[LAST, k] = 0.0
    return work


@part
def end_step(machine, data, work, y):
    """Take the state at the end of the step over into y. Returns a result code."""
    nq, nv = machine.body_i[0, NQ], work.vectors.shape[1]
    look_ahead(machine, work, y, work.vectors[X])
    for k in range(nq):
        y[k] = work.ahead[k]
    for k in range(nv):
        y[nq + k] = work.vectors[SPEED, k]
        work.vectors[LAST, k] = work.vectors[X, k]
    for k in range(work.slid.shape[0]):
        y[nq + nv + k] = work.slid[k]
    work.head[KNOWN] = 1.0
    if machine.outside != 0:
        code = follow_outside(machine, data, work.head[TIME], y)
        if code != OK:
            return code
    return finite(work.vectors[SPEED])


@part
def correction(machine, data, work, y, a, renew, first):
    """DX at X with the matrix of the strategy, made anew or as it is; without care the derivatives of inverse dynamics
    are taken for accelerations a. At the first trial of a step, strategies that keep a matrix refresh some of it.
    """
    work.head[ITERATIONS] += 1.0
    if work.head[STRATEGY] == FULL:
        return dense_correction(machine, data, work, y, a, renew)
    if work.head[STRATEGY] == MATRIX_FREE:
        return tree_correction(machine, data, work, y, a, renew)
    return column_correction(machine, data, work, y, renew, first)


@part
def take(work, share):
    """x -= share DX."""
    for k in range(work.vectors.shape[1]):
        work.vectors[TAKEN, k] = share * work.vectors[DX, k]
        work.vectors[X, k] -= work.vectors[TAKEN, k]


@part
def go_back(work, share):
    """Undo a share of what was taken last."""
    for k in range(work.vectors.shape[1]):
        work.vectors[X, k] += share * work.vectors[TAKEN, k]
        work.vectors[TAKEN, k] *= 1.0 - share


@part
def tolerated(work):
    """The error of x that may stay. An error-driven Jacobian allows a share of the change of x over the step, which
    is what the step's own truncation error comes from.
    """
    vectors, head = work.vectors, work.head
    close = CLOSE * size_of(vectors[X], vectors[SCALE]) + SMALLEST
    if head[STRATEGY] != ERROR_DRIVEN or head[NEWTON] != 0.0:
        return close
    for k in range(vectors.shape[1]):
        vectors[SCORE, k] = vectors[X, k] - vectors[LAST, k]
    return max(close, head[TOLERANCE] * size_of(vectors[SCORE], vectors[SCALE]))


@part
def solve_step(machine, data, work, y):
    """Find X: by one correction from zero, or by iterations from the accelerations of the last step.

    Friction is always iterated: one correction can throw a joint from one sliding direction to the other for ever.
    """
    head = work.head
    head[STEPS] += 1.0
    if work.vectors.shape[1] == 0:
        return OK
    own = head[STRATEGY]
    lags = own not in (FULL, MATRIX_FREE)
    head[CAREFUL], head[ONCE] = 1.0 if lags else 0.0, 0.0
    if head[NEWTON] == 0.0 and own != ERROR_DRIVEN and head[KNOWN] != 0.0 and work.slid.shape[0] == 0:
        head[ONCE] = 1.0
        start_from(work, 0.0)
        code = correction(machine, data, work, y, work.vectors[LAST], not lags, head[ONCE] != 0.0)
        head[ONCE] = 0.0
        if code not in (NO_CONVERGENCE, SINGULAR):
            take(work, 1.0)
            return code
    code = OK
    for way in range(2):
        if way == 1:
            head[CAREFUL] = 1.0 - head[CAREFUL]
            if lags:
                head[STRATEGY], head[MADE_FOR] = FULL, 0.0
        start_from(work, 1.0)
        code = iterate(machine, data, work, y, way == 1 or not lags)
        if code not in (NO_CONVERGENCE, NOT_FINITE, SINGULAR):
            break
    head[STRATEGY] = own
    return code


@part
def start_from(work, share):
    for k in range(work.vectors.shape[1]):
        work.vectors[X, k] = share * work.vectors[LAST, k]


@part
def iterate(machine, data, work, y, renew):
    """Correct X until it is close enough; from the start with a new matrix or with the last one."""
    head, vectors = work.head, work.vectors
    careful = head[CAREFUL] != 0.0
    # the last change of x: its size before damping, how much of it was taken, and whether its matrix was made for it
    size, share, fresh = 0.0, 1.0, False
    for trial in range(MOST if careful else HASTE):
        code = correction(machine, data, work, y, vectors[X], renew, trial == 0)
        if code != OK:
            return code
        now = size_of(vectors[DX], vectors[SCALE])
        rate = now / size if size > 0.0 else 0.0
        if now * 0.0 != 0.0:
            return NOT_FINITE
        if renew or size == 0.0:
            share = min(1.0, 2.0 * share)
            take(work, share)
            size, fresh, renew = now, renew, False
            if share == 1.0 and now <= tolerated(work):
                head[WANTED] = 0.0
                return OK
            continue
        if trial == 1:
            head[WANTED] = 0.0 if rate < LAZY else 1.0 + EAGER * rate * vectors.shape[1]
        if share == 1.0 and rate <= SLOW:
            take(work, 1.0)
            size, fresh = now, False
            if now * max(rate / (1.0 - rate), 1e-3) <= tolerated(work):
                return OK
            continue
        if share == 1.0 and fresh and now <= ROUNDING * (1.0 + size_of(vectors[X], vectors[SCALE])):
            return OK
        if careful and fresh and rate >= 1.0 - 0.25 * share and share > SHORTEST:
            go_back(work, 0.5)
            share *= 0.5
            continue
        if rate >= 1.0 and not fresh:
            go_back(work, 1.0)
        renew = True
    return NO_CONVERGENCE


@kernel(types.int64(machine_type, data_type, types.float64[:, ::1], types.float64[::1]))
def implicit_core(machine, data, memory, y):
    """`solve_step` for the methods, which call it by its address (`machine.core`): they share the compiled code."""
    nz = y.shape[0] - machine.body_i[0, NQ] - data.tau.shape[0]
    return solve_step(machine, data, carve(memory, machine, data, nz), y)
