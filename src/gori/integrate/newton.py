"""The accelerations of a step: x = f(q(x), v(x)), by Newton's method with the Jacobian that the strategy provides.

One iteration from x = 0 is the linearly implicit step: v' = v + h (I - h f_v - h^2 f_x)^-1 f(q (+) h v, v), which is
the classical formula with f(q, v) + h f_x v replaced by f(q (+) h v, v): the same to the order of the method, without
a product with f_x. The derivatives of inverse dynamics are taken for the accelerations of the last step: for x = 0
they would lack the change of M x with q, which is stiff for thin bodies. The first step is iterated.

Otherwise iterations continue until the next change would be negligible. A matrix is reused as long as the changes
of x converge well with it, then recomputed. There are two ways:

    in haste    N dx = r(x), N for accelerations x           one inverse dynamics per trial
    with care   N dx = M (x - f(x)), N for accelerations f   one forward dynamics per trial

They are the same near the solution, but far from it the second, Newton's method for x - f, is mostly the better
behaved. Strategies whose matrix lags behind take it first, the others where the first has failed. There a change with a
new matrix that leads to a larger one is taken by half (natural monotonicity, Deuflhard 2004, section 2.1: the size of
the change is what counts, not the force residual, which along stiff axes may grow a thousandfold in a good step).
"""

from numba import types

from gori.integrate.columns import column_correction
from gori.integrate.dense import dense_correction
from gori.integrate.implicit_memory import ERROR_DRIVEN, FULL, MATRIX_FREE, ImplicitMemory, scale_axes, size_of
from gori.integrate.line_search import share_of_change
from gori.integrate.matrix_free import tree_correction
from gori.integrate.rates import follow_bodies
from gori.integrate.step_equations import end_power, end_state
from gori.kernels.accelerations import finite
from gori.kernels.codes import NO_CONVERGENCE, NOT_FINITE, OK, SINGULAR
from gori.kernels.forces.apply import advances
from gori.kernels.jit import kernel, part, present
from gori.kernels.machine import data_type, machine_type
from gori.kernels.tree.columns import NQ

CLOSE, SMALLEST = 1e-9, 1e-12
"""accelerations are found to this share of the largest, and to this absolutely [rad/s2]"""
CHANGE_ROUNDING = 1e-7
"""changes that do not shrink any more are rounding errors if they are below this"""
SLOW_NEWTON = 0.5
"""contraction rate above which a matrix is recomputed"""
LAZY, EAGER = 0.2, 0.07
"""rate below which no column needs an update, and share of the columns to update for a rate of 1"""
SHORTEST, HASTE, CARE, SEARCH = 1.0 / 256.0, 12, 100, 50
"""share of a change that is tried at least, and numbers of trials: without and with care, and with a line search"""
BEYOND = 100.0
"""change of a coordinate in a step by its acceleration alone, in radians or sizes of the machine, which only equations
of bodies that touch have, and which is none of their solutions"""


@part
def begin_step(machine, data, memory, work, last, t, h, cv, cq):
    """Prepare a step from t to t + h. Without a previous step its accelerations are zero."""
    step, scale = memory.step[0], work.axis_scale
    if scale.shape[0] > 0 and not scale[0] > 0.0:
        scale_axes(machine, scale)
    step.length, step.end_time, step.cv, step.cq = h, t + h, cv, cq
    if memory.head[0].known == 0:
        for k in range(last.shape[0]):
            last[k] = 0.0


@part
def end_step(machine, data, memory, work, last, y, share):
    """Copy the state at the end of the step to y. Returns a result code.

    share   of the power at the start of the step in its work; the rest is that of its end, where dampers that are
            stiff have done theirs
    """
    nq, nv, head, step = machine.body_i[0, NQ], data.tau.shape[0], memory.head[0], memory.step[0]
    end_state(machine, memory, work, y, work.x)
    for k in range(nq):
        y[k] = work.q_end[k]
    for k in range(nv):
        y[nq + k] = work.v_end[k]
        last[k] = work.x[k]
    for k in range(work.z_end.shape[0]):
        y[nq + nv + k] = work.z_end[k]
    head.known = 1
    if advances(machine):
        code = follow_bodies(machine, data, step.end_time, y)
        if code != OK:
            return code
    code = end_power(machine, data, memory)
    if code != OK:
        return code
    y[y.shape[0] - 1] += step.length * (share * head.power + (1.0 - share) * data.power[0])
    head.power = data.power[0]
    return finite(work.v_end)


@part
def correction(machine, data, memory, y, a, renew, first):
    """dx at x with the matrix of the strategy, made anew or as it is; without care the derivatives of inverse dynamics
    are taken for accelerations a. At the first trial of a step, strategies that keep a matrix refresh some of it.
    """
    memory.head[0].iterations += 1
    strategy = memory.step[0].strategy
    if strategy == FULL:
        return dense_correction(machine, data, memory, y, a, renew)
    if strategy == MATRIX_FREE:
        return tree_correction(machine, data, memory, y, a, renew)
    return column_correction(machine, data, memory, y, renew, first)


@part
def take(work, share):
    """x -= share dx."""
    for k in range(work.x.shape[0]):
        work.taken[k] = share * work.dx[k]
        work.x[k] -= work.taken[k]


@part
def go_back(work, share):
    """Undo a share of the last change."""
    for k in range(work.x.shape[0]):
        work.x[k] += share * work.taken[k]
        work.taken[k] *= 1.0 - share


@part
def tolerated(memory, work, last):
    """The admissible error of x. An error-driven Jacobian allows a share of the change of x over the step, which
    is what the step's own truncation error comes from.
    """
    settings = memory.settings[0]
    close = CLOSE * size_of(work.x, work.axis_scale) + SMALLEST
    if memory.step[0].strategy != ERROR_DRIVEN or settings.newton != 0:
        return close
    for k in range(work.x.shape[0]):
        work.score[k] = work.x[k] - last[k]
    return max(close, settings.tolerance * size_of(work.score, work.axis_scale))


@part
def solve_step(machine, data, memory, y):
    """Find x: by one correction from zero, or by iterations from the accelerations of the last step.

    Friction is always iterated: one correction can throw a joint from one sliding direction to the other indefinitely.
    So is contact, which begins within a step.
    """
    work, last = memory.work, memory.state.last
    head, step, settings = memory.head[0], memory.step[0], memory.settings[0]
    head.steps += 1
    if work.x.shape[0] == 0:
        return OK
    own = settings.strategy
    lags = own not in (FULL, MATRIX_FREE)
    step.strategy, step.careful, step.once = own, 1 if lags else 0, 0
    smooth = work.z_end.shape[0] == 0 and not present(machine.penalty)
    if settings.newton == 0 and own != ERROR_DRIVEN and head.known != 0 and smooth:
        step.once = 1
        start_from(work, last, 0.0)
        code = correction(machine, data, memory, y, last, not lags, True)
        step.once = 0
        if code not in (NO_CONVERGENCE, SINGULAR):
            take(work, 1.0)
            return code
    code, touching = OK, present(machine.penalty)
    for way in range(2):
        if way == 1:
            step.careful = 0 if touching else 1 - step.careful
            if lags:
                step.strategy, head.made_for = FULL, 0.0
        start_from(work, last, 1.0)
        if way == 1 and touching:
            code = iterate_with_search(machine, data, memory, work, last, y)
        else:
            code = iterate(machine, data, memory, work, last, y, way == 1 or not lags)
        if code == OK and touching and step.cq * size_of(work.x, work.axis_scale) > BEYOND:
            code = NO_CONVERGENCE
        if code not in (NO_CONVERGENCE, NOT_FINITE, SINGULAR):
            break
    return code


@part
def iterate_with_search(machine, data, memory, work, last, y):
    """Correct x from the accelerations of the last step until it is close enough: each change with a new matrix, and
    by a share that does not overshoot (`line_search.py`).
    """
    size = 0.0
    for trial in range(SEARCH):
        code = correction(machine, data, memory, y, work.x, True, trial == 0)
        if code != OK:
            return code
        now = size_of(work.dx, work.axis_scale)
        if now * 0.0 != 0.0:
            return NOT_FINITE
        rounding = 0.0 < size <= now <= CHANGE_ROUNDING * (1.0 + size_of(work.x, work.axis_scale))
        if rounding or now <= tolerated(memory, work, last):
            take(work, 1.0)
            return OK
        code, share = share_of_change(machine, data, memory, y)
        if code != OK:
            return code
        take(work, share)
        size = now
    return NO_CONVERGENCE


@part
def start_from(work, last, share):
    for k in range(work.x.shape[0]):
        work.x[k] = share * last[k]


@part
def iterate(machine, data, memory, work, last, y, renew):
    """Correct x until it is close enough; from the start with a new matrix or with the last one."""
    head, careful = memory.head[0], memory.step[0].careful != 0
    # the last change of x: its size before damping, how much of it was taken, and whether its matrix was made for it
    size, share, fresh = 0.0, 1.0, False
    for trial in range(CARE if careful else HASTE):
        code = correction(machine, data, memory, y, work.x, renew, trial == 0)
        if code != OK:
            return code
        now = size_of(work.dx, work.axis_scale)
        rate = now / size if size > 0.0 else 0.0
        if now * 0.0 != 0.0:
            return NOT_FINITE
        if renew or size == 0.0:
            share = min(1.0, 2.0 * share)
            take(work, share)
            size, fresh, renew = now, renew, False
            if share == 1.0 and now <= tolerated(memory, work, last):
                head.wanted = 0.0
                return OK
            continue
        if trial == 1:
            head.wanted = 0.0 if rate < LAZY else 1.0 + EAGER * rate * work.x.shape[0]
        if share == 1.0 and rate <= SLOW_NEWTON:
            take(work, 1.0)
            size, fresh = now, False
            if now * max(rate / (1.0 - rate), 1e-3) <= tolerated(memory, work, last):
                return OK
            continue
        if share == 1.0 and fresh and now <= CHANGE_ROUNDING * (1.0 + size_of(work.x, work.axis_scale)):
            return OK
        if careful and fresh and rate >= 1.0 - 0.25 * share and share > SHORTEST:
            go_back(work, 0.5)
            share *= 0.5
            continue
        if rate >= 1.0 and not fresh:
            go_back(work, 1.0)
        renew = True
    return NO_CONVERGENCE


@kernel(types.int64(machine_type, data_type, ImplicitMemory.type, types.float64[::1]))
def implicit_core(machine, data, memory, y):
    """`solve_step` for the methods, which call it by its address (`machine.core`): they share the compiled code."""
    return solve_step(machine, data, memory, y)
