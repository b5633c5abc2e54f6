"""The stages of a step by Newton's method, and the error of the step (Hairer and Wanner 1996, section IV.8).

With W = T^-1 Z the linear equations fall apart into a real and a complex set; only u = (v, z) is among their unknowns.
q of the stages follows from their velocities, Z_q = h A G(q) v, exactly for joints of one axis; for quaternions G(q)
is that of the iteration before.
"""

from gori.integrate.radau.coefficients import (
    A11,
    A12,
    A13,
    A21,
    A22,
    A23,
    A31,
    A32,
    A33,
    ALPHA,
    BETA,
    C1,
    C2,
    D1,
    D2,
    D3,
    GAMMA,
    I11,
    I12,
    I13,
    I21,
    I22,
    I23,
    I31,
    I32,
    I33,
    T11,
    T12,
    T13,
    T21,
    T22,
    T23,
    T31,
    weights,
)
from gori.integrate.radau.dense import differentiate, factor_dense, solve_dense, solve_dense_pair
from gori.integrate.radau.memory import AT_HAND, NONE
from gori.integrate.radau.tree import factor_tree, solve_tree, solve_tree_pair
from gori.integrate.rates import rhs_apart
from gori.kernels.accelerations import q_rate
from gori.kernels.codes import NO_CONVERGENCE, OK, SINGULAR
from gori.kernels.jit import block, part, present
from gori.kernels.loops.departure import departs
from gori.kernels.machine import RATES
from gori.kernels.tree.columns import KIND, NQ, Q0, V0
from gori.kernels.tree.joints import FREE, HELICAL, rotation_of_quaternion

MOST_ITERATIONS = 7
DIVERGING = 0.99
"""contraction rate above which iterations are given up"""
KEEP_MATRIX = 2e-2
"""contraction rate up to which a matrix is kept for the next step"""
NEGLIGIBLE = 0.3
"""what iterations may leave, as a multiple of the root of the tolerance"""
STALLED, ROUNDED = 0.3, 0.03
"""contraction rate from which iterations stall, and the size of a change, by the tolerances, that may be rounding"""
SMALLEST = 2.3e-16
LATER = 0.4
"""share of the first step after which the Jacobian is taken if the run starts in a singular pose of the loops"""


@part
def tolerances(memory):
    """Relative and absolute tolerance of the error estimate of the next step.

    The estimate is an error of O(h^4), and the run that consists of such steps has an error of O(h^5). So the estimate
    may be as large as the power 4/5 of what the user wants, and the error of the run follows the tolerance.
    """
    loosened, settings = memory.head[0].loosened, memory.settings[0]
    rtol = settings.rtol**0.8 * (loosened if loosened > 0.0 else 1.0)
    return rtol, rtol * settings.atol / settings.rtol


@part
def has_matrix(memory):
    """Whether the linear equations are solved with a matrix."""
    return memory.state.by_u.shape[0] > 0


@part
def differentiate_along(machine, data, memory, t, h, y):
    """`differentiate` at (t, y); at the start in a singular pose, where differences are noise, a little later."""
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    base, later, slope = memory.state.rates, memory.work.new, memory.work.slope
    if not present(machine.closed) or not departs(data.loops, t, y[:nq], y[nq : nq + nv], RATES):
        return differentiate(machine, data, memory, t, y, base)
    for j in range(y.shape[0]):
        later[j] = y[j] + LATER * h * base[j]
    code = rhs_apart(machine, data, t + LATER * h, later, slope)
    return differentiate(machine, data, memory, t + LATER * h, later, slope) if code == OK else code


@part
def prepare(machine, data, memory, t, h, y):
    """What the linear equations need for a step h from (t, y), where `state.rates` holds. Returns a result code."""
    head, step = memory.head[0], memory.step[0]
    if memory.work.right.shape[1] == 0:
        return OK
    if not has_matrix(memory):
        return OK if factor_tree(machine, data, memory, t, y, h) else SINGULAR
    if head.made == NONE:
        code = differentiate_along(machine, data, memory, t, h, y)
        if code != OK:
            return code
        head.factored = 0.0
    if head.factored != h:
        head.factored, step.factors = h, 0
        head.factorisations += 1
    if step.factors != AT_HAND:  # they are not kept in a State: the matrix and h are
        if not factor_dense(memory, h):
            return SINGULAR
        step.factors = AT_HAND
    return OK


@part
def solve_real(machine, memory, h, g, x):
    """x (nu,) = (s - f_y)^-1 (g, x), its part u, for s = GAMMA / h."""
    if has_matrix(memory):
        solve_dense(memory, h, g, x)
    else:
        solve_tree(machine, memory, h, g, x)


@part
def solve_pair(machine, memory, h, x, y):
    """x + i y = (s - f_y)^-1 (0, x + i y), its part u, for s = (ALPHA + i BETA) / h."""
    if has_matrix(memory):
        solve_dense_pair(memory, h, x, y)
    else:
        solve_tree_pair(machine, memory, h, x, y)


@part
def along_axes(body_i, q, rate, out):
    """v (nv,) of a rate q' (nq,), the inverse of `q_rate`; what is not along an axis is left out."""
    for i in range(1, body_i.shape[0]):
        kind, at, d = body_i[i, KIND], body_i[i, Q0], body_i[i, V0]
        if kind <= HELICAL:
            out[d] = rate[at]
            continue
        w, x, y, z = q[at], q[at + 1], q[at + 2], q[at + 3]
        a, b, c, e = rate[at], rate[at + 1], rate[at + 2], rate[at + 3]
        twice = 2.0 / (w * w + x * x + y * y + z * z)
        out[d] = twice * (w * b - x * a - y * e + z * c)
        out[d + 1] = twice * (w * c - y * a - z * b + x * e)
        out[d + 2] = twice * (w * e - z * a - x * c + y * b)
        if kind == FREE:
            r0, r1, r2, r3, r4, r5, r6, r7, r8 = rotation_of_quaternion(w, x, y, z)
            a, b, c = rate[at + 4], rate[at + 5], rate[at + 6]
            out[d + 3] = r0 * a + r3 * b + r6 * c
            out[d + 4] = r1 * a + r4 * b + r7 * c
            out[d + 5] = r2 * a + r5 * b + r8 * c


@part
def follow_positions(machine, data, memory, h, y):
    """Z_q from the velocities of the stages. Returns the sum of squares of its change, each number by its tolerance."""
    nq, nv, work = machine.body_i[0, NQ], data.tau.shape[0], memory.work
    Z, k, trial, total = work.Z, work.rates, work.trial, 0.0
    for i in range(3):
        for j in range(nq + nv):
            trial[j] = y[j] + Z[i, j]
        q_rate(machine.body_i, trial[:nq], trial[nq : nq + nv], k[i, :nq])
    for j in range(nq):
        k1, k2, k3 = k[0, j], k[1, j], k[2, j]
        z1, z2, z3 = Z[0, j], Z[1, j], Z[2, j]
        Z[0, j] = h * (A11 * k1 + A12 * k2 + A13 * k3)
        Z[1, j] = h * (A21 * k1 + A22 * k2 + A23 * k3)
        Z[2, j] = h * (A31 * k1 + A32 * k2 + A33 * k3)
        total += ((Z[0, j] - z1) ** 2 + (Z[1, j] - z2) ** 2 + (Z[2, j] - z3) ** 2) / work.scale[j] ** 2
    return total


@part
def start(machine, data, memory, h, y):
    """Z and W to start from: the polynomial of the last step carried on, or zero; and the tolerances."""
    head, work, last, nq = memory.head[0], memory.work, memory.state.last, machine.body_i[0, NQ]
    Z, W = work.Z, work.W
    rtol, atol = tolerances(memory)
    for j in range(y.shape[0]):
        work.scale[j] = atol + rtol * abs(y[j])
    ratio = h / head.last_step if head.known != 0 and head.last_step > 0.0 else 0.0
    for i in range(3):
        a, b, c = weights(1.0 + ratio * (C1 if i == 0 else C2 if i == 1 else 1.0))
        for j in range(y.shape[0]):
            Z[i, j] = a * last[0, j] + b * last[1, j] + (c - 1.0) * last[2, j] if ratio > 0.0 else 0.0
    for j in range(W.shape[1]):
        z1, z2, z3 = Z[0, nq + j], Z[1, nq + j], Z[2, nq + j]
        W[0, j] = I11 * z1 + I12 * z2 + I13 * z3
        W[1, j] = I21 * z1 + I22 * z2 + I23 * z3
        W[2, j] = I31 * z1 + I32 * z2 + I33 * z3
    follow_positions(machine, data, memory, h, y)


@part
def note_pivot(machine, data, memory, stage):
    """How near to a singular pose of the loops the attempt comes, and where, after an evaluation at a stage."""
    step = memory.step[0]
    if not present(machine.closed):
        return
    pivot = data.loops.head[0].pivot
    if pivot < step.pivot:
        step.pivot, step.nearest = pivot, stage
    if step.iterations == 0:
        if stage == C1:
            step.pivot_1 = pivot
        elif stage == C2:
            step.pivot_2 = pivot
        else:
            step.pivot_3 = pivot


@part
def evaluate_stages(machine, data, memory, t, h, y):
    """Rates of the stages. Returns a result code."""
    work = memory.work
    for i in range(3):
        stage = C1 if i == 0 else C2 if i == 1 else 1.0
        for j in range(y.shape[0]):
            work.trial[j] = y[j] + work.Z[i, j]
        code = rhs_apart(machine, data, t + stage * h, work.trial, work.rates[i])
        note_pivot(machine, data, memory, stage)
        if code != OK:
            return code
    return OK


@part
def improve(machine, data, memory, h, y):
    """One correction of W and Z, after `evaluate_stages`. Returns its size, by the tolerances, without the work."""
    nq, work = machine.body_i[0, NQ], memory.work
    Z, W, k, right, n = work.Z, work.W, work.rates, work.right, y.shape[0]
    nu = right.shape[1]
    for j in range(nu):
        k1, k2, k3 = k[0, nq + j], k[1, nq + j], k[2, nq + j]
        right[0, j] = I11 * k1 + I12 * k2 + I13 * k3 - GAMMA / h * W[0, j]
        right[1, j] = I21 * k1 + I22 * k2 + I23 * k3 - (ALPHA * W[1, j] - BETA * W[2, j]) / h
        right[2, j] = I31 * k1 + I32 * k2 + I33 * k3 - (BETA * W[1, j] + ALPHA * W[2, j]) / h
    for j in range(work.tangent.shape[0]):
        work.tangent[j] = 0.0
    if nu > 0:
        solve_real(machine, memory, h, work.tangent, right[0])
        solve_pair(machine, memory, h, right[1], right[2])
    total = 0.0
    for j in range(nu):
        for i in range(3):
            W[i, j] += right[i, j]
        w1, w2, w3, at = W[0, j], W[1, j], W[2, j], nq + j
        z1, z2, z3 = T11 * w1 + T12 * w2 + T13 * w3, T21 * w1 + T22 * w2 + T23 * w3, T31 * w1 + w2
        total += ((z1 - Z[0, at]) ** 2 + (z2 - Z[1, at]) ** 2 + (z3 - Z[2, at]) ** 2) / work.scale[at] ** 2
        Z[0, at], Z[1, at], Z[2, at] = z1, z2, z3
    w = n - 1
    k1, k2, k3 = k[0, w], k[1, w], k[2, w]
    Z[0, w], Z[1, w] = h * (A11 * k1 + A12 * k2 + A13 * k3), h * (A21 * k1 + A22 * k2 + A23 * k3)
    Z[2, w] = h * (A31 * k1 + A32 * k2 + A33 * k3)
    total += follow_positions(machine, data, memory, h, y)
    return (total / max(3 * (n - 1), 1)) ** 0.5


@block
def solve_stages(machine, data, memory, t, h, y):
    """Z of the step. Returns a result code; with NO_CONVERGENCE `step.slow` is the share of h to try next.

    The changes of Z are summed up as a geometric series: iterations end when what is left of it is small, and are given
    up when it would not be small in time. Where they have converged and then stall, the rest is rounding, as near to a
    singular pose of the loops.
    """
    head, step = memory.head[0], memory.step[0]
    rtol, _ = tolerances(memory)
    enough = max(10.0 * SMALLEST / rtol, min(0.03, NEGLIGIBLE * rtol**0.5))
    start(machine, data, memory, h, y)
    before, rate_before = 0.0, 0.0
    # without a second iteration what is left is guessed, more warily in each such step, and in a longer step
    longer = max(1.0, h / head.last_step) if head.last_step > 0.0 else 1.0
    head.rest = max(head.rest, SMALLEST) ** 0.8 * longer**2 if head.known != 0 else 1.0
    head.contraction, step.slow, step.iterations = KEEP_MATRIX, 0.5, 0
    for trial in range(MOST_ITERATIONS):
        code = evaluate_stages(machine, data, memory, t, h, y)
        if code != OK:
            return code
        size = improve(machine, data, memory, h, y)
        head.iterations += 1
        step.iterations = trial + 1
        if not size < 1e100:  # also when it is not a number
            return NO_CONVERGENCE
        if trial > 0:
            rate = size / before
            if trial > 1 and rate > max(STALLED, 10.0 * rate_before) and size < ROUNDED:
                return OK
            head.contraction = rate if trial == 1 else (rate * rate_before) ** 0.5
            rate_before = rate
            if not head.contraction < DIVERGING:
                return NO_CONVERGENCE
            head.rest = head.contraction / (1.0 - head.contraction)
            to_go = MOST_ITERATIONS - 2 - trial
            left = head.rest * size * head.contraction**to_go / enough
            if to_go >= 0 and left >= 1.0:
                step.slow = 0.8 * min(20.0, left) ** (-1.0 / (4.0 + to_go))
                return NO_CONVERGENCE
        before = max(size, SMALLEST)
        if head.rest * size <= enough:
            return OK
    return NO_CONVERGENCE


@part
def filter_error(machine, data, memory, h, y):
    """error = (s - f_y)^-1 slope for the real s, and its size by the tolerances."""
    nq, nv, work, c = machine.body_i[0, NQ], data.tau.shape[0], memory.work, h / GAMMA
    slope, error = work.slope, work.error
    along_axes(machine.body_i, y[:nq], slope[:nq], work.tangent)
    for j in range(nq, y.shape[0]):
        error[j] = slope[j]
    w = y.shape[0] - 1
    if w > nq:
        solve_real(machine, memory, h, work.tangent, error[nq:w])
    error[w] = c * slope[w]  # nothing depends on the work: only for the dense output
    q_rate(machine.body_i, y[:nq], error[nq : nq + nv], error[:nq])
    total = 0.0
    rtol, atol = tolerances(memory)
    for j in range(w):
        if j < nq:
            error[j] = c * (slope[j] + error[j])
        total += (error[j] / (atol + rtol * max(abs(y[j]), abs(y[j] + work.Z[2, j])))) ** 2
    return max((total / max(w, 1)) ** 0.5, 1e-10)


@block
def estimate_error(machine, data, memory, t, h, y, again):
    """Error of the step, `work.error`. Returns its size by the tolerances.

    again   where it seems too large, look once more: the first estimate is far too large in a stiff transient
    """
    work, rates = memory.work, memory.state.rates
    Z, slope = work.Z, work.slope
    for j in range(y.shape[0]):
        slope[j] = rates[j] + (D1 * Z[0, j] + D2 * Z[1, j] + D3 * Z[2, j]) / h
    size = filter_error(machine, data, memory, h, y)
    if not again or size < 1.0:
        return size
    for j in range(y.shape[0]):
        work.trial[j] = y[j] + work.error[j]
    if rhs_apart(machine, data, t, work.trial, work.new_rates) != OK:
        return size
    for j in range(y.shape[0]):
        slope[j] += work.new_rates[j] - rates[j]
    return filter_error(machine, data, memory, h, y)
