"""Radau IIA of order 5 with adaptive steps (Hairer and Wanner 1996, section IV.8): the run, dense output, events.

The step follows the error by the predictive controller of Gustafsson (1994). Samples and events come from the dense
output, so they do not affect the steps. It is the polynomial u of the stages and a term that gives it the slope of
the state at the start as well, which makes it one order better:

    y(s) = y + u(s) + GAMMA error s (1 - s)^2 (1 - 5 s / 2)

u is off by O(h^4) within the step; the term keeps both ends, the slope at the end, and the mean of u, which is of a
higher order.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gori.integrate.clock import MethodMemory, Sizes, run_type
from gori.integrate.contract import EVERYTHING, Adaptive
from gori.integrate.dopri5 import CREEP, MANY, SHORTEST, SMALLEST, resolution
from gori.integrate.events import begin_watch, earliest_with, event_values, mark_met
from gori.integrate.fixed_step import write_sample
from gori.integrate.radau.coefficients import C1, C2, GAMMA, weights
from gori.integrate.radau.memory import (
    COUNTS,
    EARLIER,
    FOR_ITS_ERROR,
    FOR_ITS_STAGES,
    NONE,
    PRESENT,
    RadauMemory,
    radau_memory,
)
from gori.integrate.radau.stages import (
    KEEP_MATRIX,
    MOST_ITERATIONS,
    estimate_error,
    has_matrix,
    note_pivot,
    prepare,
    solve_stages,
    tolerances,
)
from gori.integrate.rates import (
    arrive_at_contact,
    follow_bodies,
    measure_contact,
    passes_through,
    project,
    rhs_apart,
    step_to_contact,
)
from gori.kernels.accelerations import health, unit_quaternions
from gori.kernels.codes import (
    EVENT,
    NEAR_SINGULAR,
    NO_CONVERGENCE,
    NOT_CLOSED,
    NOT_FINITE,
    OK,
    SINGULAR,
    STEP_TOO_SMALL,
)
from gori.kernels.jit import block, call_at, kernel, part, present
from gori.kernels.loops.coordinates import follow_turns, turns_at
from gori.kernels.machine import PROJECT_AND_EVALUATE
from gori.kernels.tree.columns import NQ

SAFETY, SMALLEST_RATIO, LARGEST_RATIO = 0.9, 0.2, 8.0
"""of a step to the one before"""
KEEP_STEP = 1.2
"""growth up to which the step is kept, and with it the factors of the matrix"""
SURPRISE = 10.0
"""times the error that was expected"""
SENSITIVE = 1e-4
"""pivot of the loops below which a stage is near to a singular pose, where accelerations are not known well"""
GAP, EARLY, BEYOND, DODGES = 0.4, 0.25, 1.5, 12
"""middle of the widest gap between the stages, poses before it, poses that do not matter, and how often steps change"""


@part
def arrive(machine, data, t, y, k):
    """Project the state onto the constraint manifold; k = dy/dt there. Returns a result code."""
    unit_quaternions(machine.body_i, y)
    if present(machine.closed):
        code = call_at(machine.closed, machine, data, t, y, k, PROJECT_AND_EVALUATE)
        k[k.shape[0] - 1] = data.power[0]
        return code
    return rhs_apart(machine, data, t, y, k)


@part
def projected(memory, y):
    """How far the projection has moved the state at the end of the step, by the tolerances."""
    work, total, n = memory.work, 0.0, y.shape[0] - 1  # without the work
    rtol, atol = tolerances(memory)
    for j in range(n):
        total += ((work.new[j] - y[j] - work.Z[2, j]) / (atol + rtol * abs(y[j]))) ** 2
    return (total / max(n, 1)) ** 0.5


@block
def attempt(machine, data, memory, t, h, y):
    """A step from (t, y): `work.new` with its rates, and the error by the tolerances. Returns code and error.

    NO_CONVERGENCE: the stages could not be found; `step.slow` is the share of h to try next.
    """
    head, step, work = memory.head[0], memory.step[0], memory.work
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    head.attempts += 1
    step.slow, step.pivot, step.nearest = 0.5, 1.0, 0.0
    step.pivot_1, step.pivot_2, step.pivot_3 = 0.0, 0.0, 0.0
    code = prepare(machine, data, memory, t, h, y)
    if code == OK:
        code = solve_stages(machine, data, memory, t, h, y)
    error = 0.0
    if code == OK:
        error = estimate_error(machine, data, memory, t, h, y, head.known == 0 or head.refused != 0)
    if code == OK and error < 1.0:
        for j in range(y.shape[0]):
            work.new[j] = y[j] + work.Z[2, j]
        code = arrive(machine, data, t + h, work.new, work.new_rates)
        note_pivot(machine, data, memory, 1.0)
        if code == OK:
            code = health(work.new_rates[nq : nq + nv], data.dof_w)
            moved = projected(memory, y)
            error = moved if not moved < 1.0 else error
    if code in (NO_CONVERGENCE, NOT_CLOSED, NOT_FINITE, SINGULAR):
        return NO_CONVERGENCE, error
    return code, error


@part
def dense_output(machine, w, s, out):
    """State at the fraction s of the step; loops are closed only as well as the step is accurate.

    w   y at the start, Z with the end of the step as it is after projection, and the error
    """
    y, Z, error = w
    a, b, c = weights(s)
    e = GAMMA * s * (1.0 - s) ** 2 * (1.0 - 2.5 * s)
    for j in range(out.shape[0]):
        out[j] = y[j] + a * Z[0, j] + b * Z[1, j] + c * Z[2, j] + e * error[j]
    unit_quaternions(machine.body_i, out)


@part
def on_the_dense_output(machine, w, s, h, out):
    dense_output(machine, w, s, out)


_earliest = earliest_with(on_the_dense_output)


@part
def locate(machine, data, w, new, watch, t, h, end):
    """The earliest event in the step on the dense output: index (-1 if none) and fraction of the step.

    end    time after the whole step: t + h, rounded
    """
    work = watch.work
    event_values(machine, data, watch, end, new, work.after)
    found, reached = _earliest(machine, data, watch, w, t, h)
    if found >= 0:
        dense_output(machine, w, reached, work.trial)
        mark_met(machine, data, watch, min(t + reached * h, end), work.trial, found)
    return found, reached


@part
def first_step(memory, y):
    """A careful first guess: a hundredth of the time in which y changes by itself, but no long one."""
    rtol, atol = tolerances(memory)
    size, rate = 0.0, 0.0
    for j in range(y.shape[0] - 1):  # without the work
        scale = atol + rtol * abs(y[j])
        size += (y[j] / scale) ** 2
        rate += (memory.state.rates[j] / scale) ** 2
    if size < 1e-10 or rate < 1e-10:
        return 1e-6
    return 0.01 * (size / rate) ** 0.5


@part
def singular_pose(memory):
    """Where a singular pose of the loops is, as a share of the step: the root of the pivot is the distance times some
    factor. Without pivots of all stages, or where they show no such pose, it is taken for the nearest stage.
    """
    step = memory.step[0]
    if not (step.pivot_1 > 0.0 and step.pivot_2 > 0.0 and step.pivot_3 > 0.0):
        return step.nearest
    a, b, c = step.pivot_1**0.5, step.pivot_2**0.5, step.pivot_3**0.5
    before, after = (a - b) / (C2 - C1), (c - b) / (1.0 - C2)  # by these the pose is behind the second stage, or before
    if not (before > 0.0 or after > 0.0):
        return step.nearest
    behind, ahead = C2 + b / before if before > 0.0 else 0.0, C2 - b / after if after > 0.0 else 0.0
    if not before > 0.0:
        return max(ahead, 0.0)
    if not after > 0.0:
        return behind
    return ahead if abs(after * abs(ahead - C1) - a) < abs(before * abs(behind - 1.0) - c) else behind


@part
def dodge(memory, h):
    """The next step to try where a stage of one of length h has come near to a singular pose of the loops: so that the
    pose is between its stages, or between those of the step after it.
    """
    share = singular_pose(memory)
    ahead = share * h
    if share < EARLY:
        memory.head[0].planned = 0.0
        return max(ahead / GAP, 0.1 * h)
    memory.head[0].planned = min(ahead, h)
    return min(ahead - GAP * memory.head[0].planned, 0.9 * h)


@part
def accepted(memory, c, h, error):
    """Largest error of a step that is taken. Where it comes as a surprise, as at a kink of a force, steps have no
    order: then the estimate itself has to be as small as the user wants the error to be.
    """
    head, settings = memory.head[0], memory.settings[0]
    surprise = head.refused == FOR_ITS_ERROR
    if head.known != 0 and head.last_step > 0.0:
        surprise = surprise or error > SURPRISE * c.last_error * max(1.0, h / head.last_step) ** 4
    return settings.rtol**0.2 if surprise else 1.0


@part
def growth(memory, c, h, error):
    """The next step after one that was taken, as a multiple of h (Gustafsson 1994)."""
    head, done = memory.head[0], memory.step[0].iterations
    fewer = (1.0 + 2.0 * MOST_ITERATIONS) / (done + 2.0 * MOST_ITERATIONS)
    ratio = SAFETY * fewer * error**-0.25
    if head.known != 0 and head.last_step > 0.0:
        ratio = min(ratio, SAFETY * h / head.last_step * (c.last_error / (error * error)) ** 0.25)
    ratio = min(max(ratio, SMALLEST_RATIO), LARGEST_RATIO)
    return min(ratio, 1.0) if head.refused != 0 else ratio


@kernel(run_type(RadauMemory))
def radau5_run(machine, data, memory, clock, y, samples, watch):
    n, watching, c = y.shape[0], watch.met.shape[0] > 0, clock[0]
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    head, step, state, work = memory.head[0], memory.step[0], memory.state, memory.work
    turning = data.turns.shape[0] > 0
    c.samples_written = 0
    if c.slopes_valid == 0:
        head.known, head.made, head.refused, head.planned = 0, NONE, 0, 0.0
        code = rhs_apart(machine, data, c.time, y, state.rates)
        if code == OK:
            code = health(state.rates[nq : nq + nv], data.dof_w)
        if code != OK:
            return code
        if watching:
            begin_watch(machine, data, watch, c.time, y)
        c.slopes_valid = 1
    if c.step <= 0.0:
        # from rest under large forces the guess may be less than time resolves
        c.step = min(max(first_step(memory, y), SHORTEST * resolution(c)), c.largest_step)
    span = c.sample_period * (samples.shape[0] - 2)  # whose samples fit into one call

    steps, dodged, since = 0, 0, c.elapsed
    while steps < c.steps_to_do and c.elapsed < c.duration:
        t, gone = c.time, c.elapsed
        h = min(c.step, c.duration - gone, span)
        if present(machine.penalty):
            code, h = step_to_contact(machine, data, t, y, h)
            if code != OK:
                return code
        last = h == c.duration - gone
        if h < SMALLEST * resolution(c) and not last:
            return STEP_TOO_SMALL
        if c.samples_written + h / c.sample_period + 1.0 > samples.shape[0]:
            break  # the samples of this step may not fit: the caller takes those that are there

        code, error = attempt(machine, data, memory, t, h, y)
        if code not in (OK, NO_CONVERGENCE, NEAR_SINGULAR):
            return code
        limit = accepted(memory, c, h, error)
        refused = code != OK or not error < limit  # also when it is not a number
        if code == NEAR_SINGULAR and (dodged == DODGES or step.nearest == 0.0):
            return NEAR_SINGULAR
        near = step.pivot < SENSITIVE and step.nearest > 0.0 and singular_pose(memory) < BEYOND
        if refused and dodged < DODGES and (near or code == NEAR_SINGULAR):
            c.steps_refused += 1
            dodged += 1
            c.step = dodge(memory, h)
            continue
        if refused:
            c.steps_refused += 1
            head.refused = max(head.refused, FOR_ITS_STAGES if code == NO_CONVERGENCE else FOR_ITS_ERROR)
            if code == NO_CONVERGENCE or not error < 1e10:
                c.step = h * (step.slow if code == NO_CONVERGENCE else 0.1)
            elif head.known == 0:
                c.step = 0.1 * h
            else:
                c.step = h * max(SMALLEST_RATIO, SAFETY * (error / limit) ** -0.25)
            head.made = head.made if head.made == PRESENT else NONE
            head.planned = 0.0
            if c.step < SMALLEST * resolution(c):
                return STEP_TOO_SMALL
            continue
        if present(machine.penalty) and passes_through(machine, data, t + h, work.new):
            c.steps_refused += 1
            head.made = head.made if head.made == PRESENT else NONE
            c.step, head.planned = 0.5 * h, 0.0
            continue

        # the step stands
        dodged = 0
        for j in range(n):
            work.Z[2, j] = work.new[j] - y[j]
        w = y, work.Z, work.error
        reached, elapsed = 1.0, c.duration if last else gone + h
        after = c.end_time if last else c.start_time + elapsed
        which = -1
        if watching:
            which, reached = locate(machine, data, w, work.new, watch, t, h, after)
            if which >= 0:
                elapsed = min(gone + reached * h, elapsed)
                after = min(c.start_time + elapsed, after)
        # the last sample is due at the end, regardless of rounding
        slack = 1e-12 * max(1.0, elapsed) if last and which < 0 else 0.0
        while True:
            ahead = (c.samples_total + 1) * c.sample_period
            if ahead > elapsed + slack:
                break
            due = c.start_time + ahead
            sample = samples[c.samples_written]
            at = sample[1 : 1 + n]
            dense_output(machine, w, min(1.0, (ahead - gone) / h), at)
            if present(machine.closed):
                code = project(machine, data, due, at)
                if code != OK:
                    return code
            if turning:
                turns_at(machine, data, due, at[:nq], at[nq : nq + nv])
            if present(machine.penalty):
                code = measure_contact(machine, data, due, at)
                if code != OK:
                    return code
            write_sample(data, due, at, sample)
            c.samples_written += 1
            c.samples_total += 1
        c.steps_done += 1
        steps += 1
        c.time, c.elapsed = after, elapsed
        if steps % MANY == 0:
            if elapsed - since < CREEP * c.duration:
                return STEP_TOO_SMALL
            since = elapsed
        if which >= 0:
            dense_output(machine, w, reached, work.trial)
            for j in range(n):
                y[j] = work.trial[j]
            code = project(machine, data, after, y)
            if code != OK:
                return code
            if turning:
                follow_turns(machine, data, after, y[:nq], y[nq : nq + nv])
            if present(machine.penalty):
                code = follow_bodies(machine, data, after, y)
                if code != OK:
                    return code
            c.event_index = which
            c.slopes_valid = 0
            c.step = h
            return EVENT
        ratio = growth(memory, c, h, error)
        for j in range(n):
            y[j] = work.new[j]
            state.rates[j] = work.new_rates[j]
            for i in range(3):
                state.last[i, j] = work.Z[i, j]
        if present(machine.penalty):
            code = arrive_at_contact(machine, data, after, y, state.rates)
            if code != OK:
                return code
        if turning:
            follow_turns(machine, data, after, y[:nq], y[nq : nq + nv])
        if watching:
            for e in range(watch.met.shape[0]):
                watch.before[e] = watch.work.after[e]
        head.known, head.last_step, head.refused = 1, h, 0
        c.last_error = max(error, 1e-2)
        if has_matrix(memory):
            head.made = EARLIER if head.contraction <= KEEP_MATRIX else NONE
            if head.made == EARLIER and 1.0 <= ratio <= KEEP_STEP:
                ratio = 1.0
        if head.planned > 0.0:
            c.step = min(head.planned, c.largest_step)
            head.planned = 0.0
        elif not last or ratio < 1.0:
            c.step = min(h * ratio, c.largest_step)
    return OK


@dataclass(frozen=True)
class Radau5(Adaptive):
    """Radau IIA of order 5: adaptive and implicit, for stiff machines; step lengths follow the error alone.

    O(n) for trees whose forces act on single axes; otherwise with a matrix, for a few hundred degrees of freedom.
    """

    kind: ClassVar[str] = "radau5"
    run: ClassVar[Any] = radau5_run
    supports: ClassVar[frozenset[str]] = EVERYTHING - {"vehicles"}

    def memory(self, sizes: Sizes) -> MethodMemory:
        return radau_memory(sizes, self.rtol, self.atol)

    def forget(self, memory: MethodMemory) -> None:
        for name in ("known", "made", "refused", "planned"):
            memory.head[name] = 0
        memory.step["factors"] = 0

    def counts(self, memory: MethodMemory) -> np.ndarray:
        return np.array([memory.head[name][0] for name in COUNTS], float)

    def report(self, count: np.ndarray) -> dict[str, Any]:
        return {"newton": dict(zip(COUNTS, (int(number) for number in count), strict=True))}
