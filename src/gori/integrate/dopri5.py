"""Dormand-Prince 5(4): adaptive, with dense output of order 4 (Hairer, Norsett, Wanner 1993, sections II.4 to II.6).

The step follows the error by a PI controller. Samples and events come from the dense output, so they do not disturb
the steps. The last slope of a step is the first of the next (FSAL).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gori.integrate.contract import Adaptive
from gori.integrate.march import (
    DONE,
    EARLY,
    END,
    LARGEST,
    LAST_ERROR,
    NOW,
    PERIOD,
    REFUSED,
    RUN,
    SAMPLED,
    SAMPLES,
    STANDS,
    START,
    STEP,
    TO_DO,
    WHICH,
    begin_watch,
    crossing,
    event_values,
    mark_met,
    rhs,
    settle,
)
from gori.kernels.accelerations import health, unit_quaternions
from gori.kernels.codes import EVENT, NEAR_SINGULAR, OK, STEP_TOO_SMALL
from gori.kernels.jit import kernel, part
from gori.kernels.tree.columns import NQ

# memory (N_MEMORY, n): seven slopes, trial state, new state, five dense coefficients, one row for rtol, atol, and the
# place of the last stage in its step
K, TRIAL, NEW, DENSE, TOLERANCE = 0, 7, 8, 9, 14
N_MEMORY = 15
_SAFETY, _BETA = 0.9, 0.04
GAP, DODGES = 0.55, 12
"""middle of the widest gap between the stages, and how often a step is changed that meets a singular pose there"""


@part
def slopes(machine, data, m, t, h, y):
    """Slopes 2 to 7 and the new state; the first slope stands already."""
    n = y.shape[0]
    x, new = m[TRIAL], m[NEW]
    for i in range(n):
        x[i] = y[i] + h * 0.2 * m[0, i]
    m[TOLERANCE, 2] = 0.2
    code = rhs(machine, data, t + 0.2 * h, x, m[1])
    if code != OK:
        return code
    for i in range(n):
        x[i] = y[i] + h * (3.0 / 40.0 * m[0, i] + 9.0 / 40.0 * m[1, i])
    m[TOLERANCE, 2] = 0.3
    code = rhs(machine, data, t + 0.3 * h, x, m[2])
    if code != OK:
        return code
    for i in range(n):
        x[i] = y[i] + h * (44.0 / 45.0 * m[0, i] - 56.0 / 15.0 * m[1, i] + 32.0 / 9.0 * m[2, i])
    m[TOLERANCE, 2] = 0.8
    code = rhs(machine, data, t + 0.8 * h, x, m[3])
    if code != OK:
        return code
    for i in range(n):
        x[i] = y[i] + h * (
            19372.0 / 6561.0 * m[0, i]
            - 25360.0 / 2187.0 * m[1, i]
            + 64448.0 / 6561.0 * m[2, i]
            - 212.0 / 729.0 * m[3, i]
        )
    m[TOLERANCE, 2] = 8.0 / 9.0
    code = rhs(machine, data, t + 8.0 / 9.0 * h, x, m[4])
    if code != OK:
        return code
    for i in range(n):
        x[i] = y[i] + h * (
            9017.0 / 3168.0 * m[0, i] - 355.0 / 33.0 * m[1, i] + 46732.0 / 5247.0 * m[2, i]
            + 49.0 / 176.0 * m[3, i] - 5103.0 / 18656.0 * m[4, i]
        )  # fmt: skip
    m[TOLERANCE, 2] = 1.0
    code = rhs(machine, data, t + h, x, m[5])
    if code != OK:
        return code
    for i in range(n):
        new[i] = y[i] + h * (
            35.0 / 384.0 * m[0, i] + 500.0 / 1113.0 * m[2, i] + 125.0 / 192.0 * m[3, i]
            - 2187.0 / 6784.0 * m[4, i] + 11.0 / 84.0 * m[5, i]
        )  # fmt: skip
    code = settle(machine, data, t + h, new)
    if code != OK:
        return code
    return rhs(machine, data, t + h, new, m[6])


@part
def error_norm(m, h, y):
    """Root mean square of the error over the tolerance; 1 is just acceptable."""
    n, rtol, atol = y.shape[0], m[TOLERANCE, 0], m[TOLERANCE, 1]
    total = 0.0
    for i in range(n):
        e = h * (
            71.0 / 57600.0 * m[0, i] - 71.0 / 16695.0 * m[2, i] + 71.0 / 1920.0 * m[3, i]
            - 17253.0 / 339200.0 * m[4, i] + 22.0 / 525.0 * m[5, i] - 1.0 / 40.0 * m[6, i]
        ) / (atol + rtol * max(abs(y[i]), abs(m[NEW, i])))  # fmt: skip
        total += e * e
    return (total / max(n, 1)) ** 0.5


@part
def make_dense(m, h, y):
    for i in range(y.shape[0]):
        change = m[NEW, i] - y[i]
        bend = h * m[0, i] - change
        m[DENSE, i], m[DENSE + 1, i], m[DENSE + 2, i] = y[i], change, bend
        m[DENSE + 3, i] = change - h * m[6, i] - bend
        m[DENSE + 4, i] = h * (
            -12715105075.0 / 11282082432.0 * m[0, i] + 87487479700.0 / 32700410799.0 * m[2, i]
            - 10690763975.0 / 1880347072.0 * m[3, i] + 701980252875.0 / 199316789632.0 * m[4, i]
            - 1453857185.0 / 822651844.0 * m[5, i] + 69997945.0 / 29380423.0 * m[6, i]
        )  # fmt: skip


@part
def dense(m, s, body_i, out):
    """State at the fraction s of the step; loops are closed only as well as the step is accurate."""
    for i in range(out.shape[0]):
        out[i] = m[DENSE, i] + s * (
            m[DENSE + 1, i] + (1.0 - s) * (m[DENSE + 2, i] + s * (m[DENSE + 3, i] + (1.0 - s) * m[DENSE + 4, i]))
        )
    unit_quaternions(body_i, out)


@part
def first_step(machine, data, m, t, y):
    """A careful first guess (Hairer, section II.4): a hundredth of the scale over which y changes."""
    size, rate, rtol, atol = 0.0, 0.0, m[TOLERANCE, 0], m[TOLERANCE, 1]
    for i in range(y.shape[0]):
        scale = atol + rtol * abs(y[i])
        size += (y[i] / scale) ** 2
        rate += (m[0, i] / scale) ** 2
    if size < 1e-10 or rate < 1e-10:
        return 1e-6
    return 0.01 * (size / rate) ** 0.5


@part
def locate_dense(machine, data, m, watch, t, h, end):
    """The earliest event in the step by bisection on the dense output: index (-1 if none) and fraction of the step.

    end    time after the whole step: t + h, rounded
    """
    nq, nv, count, n = machine.body_i[0, NQ], data.tau.shape[0], watch[2].shape[0], m.shape[1]
    work, trial = watch[3], watch[3][3, : m.shape[1]]
    before, after = work[4, :count], work[5, :count]
    event_values(watch, nq, nv, end, m[NEW], after, data.stack)
    found, place = -1, 1.0
    for e in range(count):
        low, high = 0.0, 1.0
        if before[e] == 0.0:  # it leaves zero to one side, and may be back within the step
            low = EARLY
            dense(m, low, machine.body_i, trial)
            event_values(watch, nq, nv, t + low * h, trial, work[6, :count], data.stack)
            before[e] = work[6, e]
        if not crossing(before[e], after[e], watch[2][e]):
            continue
        for _ in range(60):
            middle = 0.5 * (low + high)
            dense(m, middle, machine.body_i, trial[:n])
            event_values(watch, nq, nv, t + middle * h, trial, work[6, :count], data.stack)
            if (work[6, e] > 0.0) == (before[e] > 0.0) and work[6, e] != 0.0:
                low = middle
            else:
                high = middle
        if found < 0 or high < place:
            found, place = e, high
    if found >= 0:
        dense(m, place, machine.body_i, trial)
        mark_met(watch, nq, nv, min(t + place * h, end), trial, found, data.stack)
    return found, place


@kernel(RUN)
def dopri5_run(machine, data, memory, clock, count, y, samples, watch):
    m, n, watching = memory, y.shape[0], watch[2].shape[0] > 0
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    count[SAMPLES] = 0
    if count[STANDS] == 0:  # else the slope and the event values of the last call still stand
        code = rhs(machine, data, clock[NOW], y, m[0])
        if code == OK:
            code = health(m[0, nq : nq + nv], data.dof_w)
        if code != OK:
            return code
        if watching:
            begin_watch(watch, nq, nv, clock[NOW], y, data.stack)
        count[STANDS] = 1
    if clock[STEP] <= 0.0:
        clock[STEP] = min(first_step(machine, data, m, clock[NOW], y), clock[LARGEST])
    room = clock[PERIOD] * (samples.shape[0] - 2)

    steps, dodged = 0, 0
    while steps < count[TO_DO] and clock[NOW] < clock[END]:
        t = clock[NOW]
        h = min(clock[STEP], clock[END] - t, room)
        last = h == clock[END] - t
        if h < 1e-14 * max(1.0, abs(t)) and not last:
            return STEP_TOO_SMALL
        if count[SAMPLES] + h / clock[PERIOD] + 1.0 > samples.shape[0]:
            break  # the samples of this step may not fit: the caller makes room

        code = slopes(machine, data, m, t, h, y)
        if code == NEAR_SINGULAR:
            # a stage met a singular pose of the loops: come to where the next step has it between its stages
            count[REFUSED] += 1
            dodged += 1
            if dodged > DODGES:
                return NEAR_SINGULAR
            ahead = m[TOLERANCE, 2] * h
            clock[STEP] = ahead / GAP if ahead < 0.75 * h else ahead - GAP * h
            continue
        if code != OK:
            return code
        error = error_norm(m, h, y)
        if not error <= 1.0:  # also when it is not a number
            count[REFUSED] += 1
            shrink = 0.1 if not error < 1e10 else max(0.2, _SAFETY * error ** -(0.2 - 0.75 * _BETA))
            clock[STEP] = h * shrink
            if clock[STEP] < 1e-14 * max(1.0, abs(t)):
                return STEP_TOO_SMALL
            continue
        code = health(m[NEW, nq : nq + nv], data.dof_w)
        if code != OK:
            return code

        # the step stands
        dodged = 0
        make_dense(m, h, y)
        reached, after = 1.0, clock[END] if last else t + h
        which = -1
        if watching:
            which, reached = locate_dense(machine, data, m, watch, t, h, after)
            if which >= 0:
                after = min(t + reached * h, after)
        # the last sample is due at the end, however that was rounded
        slack = 1e-12 * max(1.0, abs(after)) if last and which < 0 else 0.0
        while True:
            due = clock[START] + (count[SAMPLED] + 1) * clock[PERIOD]
            if due > after + slack:
                break
            row = count[SAMPLES]
            samples[row, 0] = due
            dense(m, min(1.0, (due - t) / h), machine.body_i, samples[row, 1 : 1 + n])
            if machine.closed != 0:
                code = settle(machine, data, due, samples[row, 1 : 1 + n])
                if code != OK:
                    return code
            count[SAMPLES] += 1
            count[SAMPLED] += 1
        count[DONE] += 1
        steps += 1
        clock[NOW] = after
        if which >= 0:
            dense(m, reached, machine.body_i, y)
            code = settle(machine, data, after, y)
            if code != OK:
                return code
            count[WHICH] = which
            count[STANDS] = 0
            clock[STEP] = h
            return EVENT
        for i in range(n):
            y[i] = m[NEW, i]
            m[0, i] = m[6, i]
        if watching:
            for e in range(watch[2].shape[0]):
                watch[3][4, e] = watch[3][5, e]
        error = max(error, 1e-10)
        grow = _SAFETY * error ** -(0.2 - 0.75 * _BETA) * clock[LAST_ERROR] ** _BETA
        clock[LAST_ERROR] = max(error, 1e-4)
        if not last or grow < 1.0:
            clock[STEP] = min(h * min(max(grow, 0.2), 10.0), clock[LARGEST])
    return OK


@dataclass(frozen=True)
class Dopri5(Adaptive):
    """Dormand-Prince 5(4): chooses its step by the tolerances; the method to start with when nothing is stiff."""

    kind: ClassVar[str] = "dopri5"
    run: ClassVar[Any] = dopri5_run

    def memory(self, nrow: int, nq: int, nv: int, nz: int) -> np.ndarray:
        memory = np.zeros((N_MEMORY, max(nq + nv + nz, 3)))
        memory[TOLERANCE, :2] = self.rtol, self.atol
        return memory
