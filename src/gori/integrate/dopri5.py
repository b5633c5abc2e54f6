"""Dormand-Prince 5(4): adaptive, with dense output of order 4 (Hairer, Norsett, Wanner 1993, sections II.4 to II.6).

The step follows the error by a PI controller. Samples and events come from the dense output, so they do not affect
the steps. The last slope of a step is the first of the next (FSAL).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from gori.integrate.clock import MethodMemory, Sizes, method_memory, run_type
from gori.integrate.contract import EVERYTHING, Adaptive
from gori.integrate.events import begin_watch, earliest_with, event_values, mark_met
from gori.integrate.fixed_step import write_sample
from gori.integrate.rates import (
    arrive_at_contact,
    follow_bodies,
    measure_contact,
    passes_through,
    project,
    rhs,
    step_to_contact,
)
from gori.kernels.accelerations import health, unit_quaternions
from gori.kernels.codes import CONTACT_JAMMED, CONTACT_UNSOLVED, EVENT, NEAR_SINGULAR, OK, STEP_TOO_SMALL
from gori.kernels.impacts.ahead import step_to_impact
from gori.kernels.jit import kernel, part, present
from gori.kernels.layout import array, field, layout, record
from gori.kernels.loops.coordinates import follow_turns, turns_at
from gori.kernels.tree.columns import NQ

DOPRI5_HEAD = record("Dopri5Head", field("loosened", "", "times the tolerances, for a step over a singular pose; or 0"))
DOPRI5_SETTINGS = record(
    "Dopri5Settings", field("rtol", "", "relative tolerance"), field("atol", "", "absolute tolerance")
)
DOPRI5_STEP = record("Dopri5Step", field("stage", "", "position of the last stage in its step, 0 to 1"))
DOPRI5_STATE = layout("Dopri5State", ("n",), array("k1", "n", "", "dy/dt at the present state"))
DOPRI5_WORK = layout(
    "Dopri5Work",
    ("n",),
    array("k2", "n", "", "dy/dt of the stages"),
    array("k3", "n", "", ""),
    array("k4", "n", "", ""),
    array("k5", "n", "", ""),
    array("k6", "n", "", ""),
    array("k7", "n", "", "dy/dt at the new state"),
    array("trial", "n", "", "state of a stage"),
    array("new", "n", "", "state at the end of the step"),
    array("dense", "5 n", "", "coefficients of the dense output"),
)
Dopri5Memory = method_memory("Dopri5Memory", DOPRI5_HEAD, DOPRI5_STATE, DOPRI5_SETTINGS, DOPRI5_STEP, work=DOPRI5_WORK)

_SAFETY, _BETA = 0.9, 0.04
SMALLEST, SHORTEST = 1e-14, 1e-12
"""steps that the elapsed time does not resolve, and the first step at least: as shares of it, or of the run, or of a
second if the run is longer
"""
GAP, DODGES = 0.55, 12
"""middle of the widest gap between the stages, and how often a step is changed that meets a singular pose there"""
UNHELD, SHRINK = 1e-9, 0.1
"""steps so short, as above, whose stages still cannot hold contacts that rest end the run; longer ones are shortened"""
MANY, CREEP = 10_000, 1e-8
"""so many steps that cover less than this share of the run will not come to its end"""


@part
def resolution(c):
    """What steps are measured by to be too small [s]: time is counted from the start of the run, so that it does not
    matter how large it is there.
    """
    return max(c.elapsed, min(c.duration, 1.0))


@part
def tolerances(memory):
    """Relative and absolute tolerance of the next step."""
    loosened, settings = memory.head[0].loosened, memory.settings[0]
    factor = loosened if loosened > 0.0 else 1.0
    return factor * settings.rtol, factor * settings.atol


@part
def stages(machine, data, memory, t, h, y):
    """Slopes k2 to k7 and the new state; k1 is already known."""
    n, step = y.shape[0], memory.step[0]
    k1, w = memory.state.k1, memory.work
    k2, k3, k4, k5, k6, x, new = w.k2, w.k3, w.k4, w.k5, w.k6, w.trial, w.new
    for i in range(n):
        x[i] = y[i] + h * 0.2 * k1[i]
    step.stage = 0.2
    code = rhs(machine, data, t + 0.2 * h, x, k2)
    if code != OK:
        return code
    for i in range(n):
        x[i] = y[i] + h * (3.0 / 40.0 * k1[i] + 9.0 / 40.0 * k2[i])
    step.stage = 0.3
    code = rhs(machine, data, t + 0.3 * h, x, k3)
    if code != OK:
        return code
    for i in range(n):
        x[i] = y[i] + h * (44.0 / 45.0 * k1[i] - 56.0 / 15.0 * k2[i] + 32.0 / 9.0 * k3[i])
    step.stage = 0.8
    code = rhs(machine, data, t + 0.8 * h, x, k4)
    if code != OK:
        return code
    for i in range(n):
        x[i] = y[i] + h * (
            19372.0 / 6561.0 * k1[i] - 25360.0 / 2187.0 * k2[i] + 64448.0 / 6561.0 * k3[i] - 212.0 / 729.0 * k4[i]
        )
    step.stage = 8.0 / 9.0
    code = rhs(machine, data, t + 8.0 / 9.0 * h, x, k5)
    if code != OK:
        return code
    for i in range(n):
        x[i] = y[i] + h * (
            9017.0 / 3168.0 * k1[i] - 355.0 / 33.0 * k2[i] + 46732.0 / 5247.0 * k3[i]
            + 49.0 / 176.0 * k4[i] - 5103.0 / 18656.0 * k5[i]
        )  # fmt: skip
    step.stage = 1.0
    code = rhs(machine, data, t + h, x, k6)
    if code != OK:
        return code
    for i in range(n):
        new[i] = y[i] + h * (
            35.0 / 384.0 * k1[i] + 500.0 / 1113.0 * k3[i] + 125.0 / 192.0 * k4[i]
            - 2187.0 / 6784.0 * k5[i] + 11.0 / 84.0 * k6[i]
        )  # fmt: skip
    code = project(machine, data, t + h, new)
    if code != OK:
        return code
    return rhs(machine, data, t + h, new, w.k7)


@part
def error_norm(memory, h, y):
    """Root mean square of the error over the tolerance; 1 is the acceptance limit. The work, which is last, is free."""
    n = y.shape[0] - 1
    rtol, atol = tolerances(memory)
    k1, w = memory.state.k1, memory.work
    k3, k4, k5, k6, k7 = w.k3, w.k4, w.k5, w.k6, w.k7
    total = 0.0
    for i in range(n):
        e = h * (
            71.0 / 57600.0 * k1[i] - 71.0 / 16695.0 * k3[i] + 71.0 / 1920.0 * k4[i]
            - 17253.0 / 339200.0 * k5[i] + 22.0 / 525.0 * k6[i] - 1.0 / 40.0 * k7[i]
        ) / (atol + rtol * max(abs(y[i]), abs(w.new[i])))  # fmt: skip
        total += e * e
    return (total / max(n, 1)) ** 0.5


@part
def make_dense(k1, w, h, y):
    k3, k4, k5, k6, k7 = w.k3, w.k4, w.k5, w.k6, w.k7
    for i in range(y.shape[0]):
        change = w.new[i] - y[i]
        bend = h * k1[i] - change
        w.dense[0, i], w.dense[1, i], w.dense[2, i] = y[i], change, bend
        w.dense[3, i] = change - h * k7[i] - bend
        w.dense[4, i] = h * (
            -12715105075.0 / 11282082432.0 * k1[i] + 87487479700.0 / 32700410799.0 * k3[i]
            - 10690763975.0 / 1880347072.0 * k4[i] + 701980252875.0 / 199316789632.0 * k5[i]
            - 1453857185.0 / 822651844.0 * k6[i] + 69997945.0 / 29380423.0 * k7[i]
        )  # fmt: skip


@part
def dense(w, s, body_i, out):
    """State at the fraction s of the step; loops are closed only as well as the step is accurate."""
    c = w.dense
    for i in range(out.shape[0]):
        out[i] = c[0, i] + s * (c[1, i] + (1.0 - s) * (c[2, i] + s * (c[3, i] + (1.0 - s) * c[4, i])))
    unit_quaternions(body_i, out)


@part
def first_step(memory, k1, y):
    """A careful first guess (Hairer, section II.4): a hundredth of the scale over which y changes."""
    rtol, atol = tolerances(memory)
    size, rate = 0.0, 0.0
    for i in range(y.shape[0] - 1):  # without the work
        scale = atol + rtol * abs(y[i])
        size += (y[i] / scale) ** 2
        rate += (k1[i] / scale) ** 2
    if size < 1e-10 or rate < 1e-10:
        return 1e-6
    return 0.01 * (size / rate) ** 0.5


@part
def on_the_dense_output(machine, w, s, h, out):
    dense(w, s, machine.body_i, out)


_earliest = earliest_with(on_the_dense_output)


@part
def locate_dense(machine, data, w, watch, t, h, end):
    """The earliest event in the step on the dense output: index (-1 if none) and fraction of the step.

    end    time after the whole step: t + h, rounded
    """
    work = watch.work
    event_values(machine, data, watch, end, w.new, work.after)
    found, reached = _earliest(machine, data, watch, w, t, h)
    if found >= 0:
        dense(w, reached, machine.body_i, work.trial)
        mark_met(machine, data, watch, min(t + reached * h, end), work.trial, found)
    return found, reached


@kernel(run_type(Dopri5Memory))
def dopri5_run(machine, data, memory, clock, y, samples, watch):
    n, watching, c = y.shape[0], watch.met.shape[0] > 0, clock[0]
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    k1, w, turning = memory.state.k1, memory.work, data.turns.shape[0] > 0
    c.samples_written = 0
    if c.slopes_valid == 0:
        code = rhs(machine, data, c.time, y, k1)
        if code == OK:
            code = health(k1[nq : nq + nv], data.dof_w)
        if code != OK:
            return code
        if watching:
            begin_watch(machine, data, watch, c.time, y)
        c.slopes_valid = 1
    if c.step <= 0.0:
        # from rest under large forces the guess may be less than time resolves
        c.step = min(max(first_step(memory, k1, y), SHORTEST * resolution(c)), c.largest_step)
    span = c.sample_period * (samples.shape[0] - 2)  # whose samples fit into one call

    steps, dodged, since = 0, 0, c.elapsed
    while steps < c.steps_to_do and c.elapsed < c.duration:
        t, gone = c.time, c.elapsed
        h = min(c.step, c.duration - gone, span)
        if present(machine.penalty):
            code, h = step_to_contact(machine, data, t, y, h)
            if code != OK:
                return code
        if data.rest.pair.shape[0] > 0:
            h = step_to_impact(machine, data, y, k1, h)
        last = h == c.duration - gone
        if h < SMALLEST * resolution(c) and not last:
            return STEP_TOO_SMALL
        if c.samples_written + h / c.sample_period + 1.0 > samples.shape[0]:
            break  # the samples of this step may not fit: the caller takes those that are there

        code = stages(machine, data, memory, t, h, y)
        if code == NEAR_SINGULAR:
            # a stage met a singular pose of the loops: come to where the next step has it between its stages
            c.steps_refused += 1
            dodged += 1
            if dodged > DODGES:
                return NEAR_SINGULAR
            pose = memory.step[0].stage * h
            c.step = pose / GAP if pose < 0.75 * h else pose - GAP * h
            continue
        if code in (CONTACT_JAMMED, CONTACT_UNSOLVED) and h > UNHELD * resolution(c):
            # stages of a long step may be where contacts that rest cannot be held
            c.steps_refused += 1
            c.step = SHRINK * h
            continue
        if code != OK:
            return code
        error = error_norm(memory, h, y)
        if not error <= 1.0:  # also when it is not a number
            c.steps_refused += 1
            shrink = 0.1 if not error < 1e10 else max(0.2, _SAFETY * error ** -(0.2 - 0.75 * _BETA))
            c.step = h * shrink
            if c.step < SMALLEST * resolution(c):
                return STEP_TOO_SMALL
            continue
        code = health(w.new[nq : nq + nv], data.dof_w)
        if code != OK:
            return code
        if present(machine.penalty) and passes_through(machine, data, t + h, w.new):
            c.steps_refused += 1
            c.step = 0.5 * h
            continue

        # the step stands
        dodged = 0
        make_dense(k1, w, h, y)
        reached, elapsed = 1.0, c.duration if last else gone + h
        after = c.end_time if last else c.start_time + elapsed
        which = -1
        if watching:
            which, reached = locate_dense(machine, data, w, watch, t, h, after)
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
            state = sample[1 : 1 + n]
            dense(w, min(1.0, (ahead - gone) / h), machine.body_i, state)
            if present(machine.closed):
                code = project(machine, data, due, state)
                if code != OK:
                    return code
            if turning:
                turns_at(machine, data, due, state[:nq], state[nq : nq + nv])
            if present(machine.penalty):
                code = measure_contact(machine, data, due, state)
                if code != OK:
                    return code
            write_sample(data, due, state, sample)
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
            dense(w, reached, machine.body_i, y)
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
        for i in range(n):
            y[i] = w.new[i]
            k1[i] = w.k7[i]
        if present(machine.penalty):
            code = arrive_at_contact(machine, data, after, y, k1)
            if code != OK:
                return code
        if turning:
            follow_turns(machine, data, after, y[:nq], y[nq : nq + nv])
        if watching:
            for e in range(watch.met.shape[0]):
                watch.before[e] = watch.work.after[e]
        error = max(error, 1e-10)
        grow = _SAFETY * error ** -(0.2 - 0.75 * _BETA) * c.last_error**_BETA
        c.last_error = max(error, 1e-4)
        if not last or grow < 1.0:
            c.step = min(h * min(max(grow, 0.2), 10.0), c.largest_step)
    return OK


@dataclass(frozen=True)
class Dopri5(Adaptive):
    """Dormand-Prince 5(4): adaptive; the default choice for problems that are not stiff."""

    kind: ClassVar[str] = "dopri5"
    run: ClassVar[Any] = dopri5_run
    supports: ClassVar[frozenset[str]] = EVERYTHING - {"vehicles"}

    def memory(self, sizes: Sizes) -> MethodMemory:
        return Dopri5Memory.make(sizes.named(), rtol=self.rtol, atol=self.atol)
