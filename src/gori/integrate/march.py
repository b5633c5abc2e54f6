"""The compiled loop of all methods with a fixed step: step, check, watch for events, sample.

The state is one vector y = (q, v, z). A method is a function step(machine, data, memory, t, h, y) -> result code
that moves y from t to t + h, or leaves it and says why not.
"""

from numba import types

from gori.kernels.accelerations import accelerations, q_rate, unit_quaternions
from gori.kernels.codes import EVENT, OK
from gori.kernels.forces.apply import advance_outside
from gori.kernels.forces.signals import evaluate_signals
from gori.kernels.jit import block, call_at, part
from gori.kernels.machine import LAND, RATES, SETTLE, data_type, machine_type
from gori.kernels.tree.columns import NQ
from gori.kernels.tree.kinematics import place

# clock (N_CLOCK,) float64: start time, step, time reached; of adaptive methods also the end, the time between samples,
# the error of the last step and the largest step
START, STEP, NOW, END, PERIOD, LAST_ERROR, LARGEST = 0, 1, 2, 3, 4, 5, 6
N_CLOCK = 7
# count (N_COUNT,) int64: steps done since the start, steps to do now, steps between samples, samples written in this
# call, event met, samples written since the start, steps refused; whether slopes and event values of the last call
# still stand; whether an event has interrupted a step, the rest of which is still to do
DONE, TO_DO, EVERY, SAMPLES, WHICH, SAMPLED, REFUSED, STANDS, INSIDE = 0, 1, 2, 3, 4, 5, 6, 7, 8
N_COUNT = 9

EARLY, LATE = 1e-6, 1.0 - 1e-9
"""shares of a step: after the first an event that starts at zero has a side; after the other an event is at the end"""
CHANGED = 3.0
"""mark of an event that was met, and at which the state was changed"""

_f1, _f2, _i1, _i2 = types.float64[::1], types.float64[:, ::1], types.int64[::1], types.int64[:, ::1]
watch_type = types.Tuple([_i2, _f2, _i1, _f2])
"""events: signal_i, signal_f, directions (-1 falling, 1 rising, 0 both), and work rows (8, largest of n and events):
state and rates at the start of a step, rates at its end, trial state, event values at its start, at its end, and at
the trial state, and which events have just been met"""

RUN = types.int64(machine_type, data_type, _f2, _f1, _i1, _f1, _f2, watch_type)
"""signature of every run: machine, data, memory, clock, count, y, samples (rows: time, y, recorded), watch"""


@part
def rhs(machine, data, t, y, k):
    """k = dy/dt at (t, y). Returns a result code."""
    if machine.closed != 0:
        return call_at(machine.closed, machine, data, t, y, k, RATES)
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    q_rate(machine.body_i, y[:nq], y[nq : nq + nv], k[:nq])
    return accelerations(machine, t, y[:nq], y[nq : nq + nv], y[nq + nv :], k[nq : nq + nv], k[nq + nv :], data)


@block
def rhs_apart(machine, data, t, y, k):
    """The same for those who need it seldom."""
    return rhs(machine, data, t, y, k)


@part
def settle(machine, data, t, y):
    """Bring what a step leaves back to where states live: unit quaternions, closed loops. Returns a result code."""
    unit_quaternions(machine.body_i, y)
    if machine.closed != 0:
        return call_at(machine.closed, machine, data, t, y, y, SETTLE)
    return OK


@part
def arrive(machine, data, t, y):
    """`settle` at the end of a step, and what is outside follows. Returns a result code."""
    code = settle(machine, data, t, y)
    if code != OK or machine.outside == 0:
        return code
    return follow_outside(machine, data, t, y)


@block
def follow_outside(machine, data, t, y):
    """What is outside comes to t, where the bodies are. Returns a result code."""
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    place(machine.body_i, machine.body_f, y[:nq], data.body_w, data.dof_w)
    return advance_outside(machine, data, t, y[:nq], y[nq : nq + nv], y[nq + nv :])


@part
def land(machine, data, t, y, k):
    """`arrive`, then `rhs` there. Returns a result code."""
    unit_quaternions(machine.body_i, y)
    if machine.closed != 0:
        return call_at(machine.closed, machine, data, t, y, k, LAND)
    if machine.outside != 0:
        code = follow_outside(machine, data, t, y)
        if code != OK:
            return code
    return rhs(machine, data, t, y, k)


@part
def write_sample(data, t, y, row):
    """A row of samples: time, the state, and what is recorded besides."""
    n = y.shape[0]
    row[0] = t
    for i in range(n):
        row[1 + i] = y[i]
    for i in range(data.recorded.shape[0]):
        row[1 + n + i] = data.recorded[i]


@part
def event_values(watch, nq, nv, t, y, values, stack):
    evaluate_signals(watch[0], watch[1], t, y[:nq], y[nq : nq + nv], values, stack)


@part
def begin_watch(watch, nq, nv, t, y, stack):
    """Event values where a run begins. Those that have just passed zero are on the other side, however rounding has it;
    after a change of the state they are at zero.
    """
    work, count = watch[3], watch[2].shape[0]
    event_values(watch, nq, nv, t, y, work[4, :count], stack)
    for e in range(count):
        if work[7, e] == CHANGED:
            work[4, e] = 0.0
        elif work[7, e] != 0.0:
            work[4, e] = 1e-300 * work[7, e]
        work[7, e] = 0.0


@part
def mark_met(watch, nq, nv, t, y, found, stack):
    """Note in work[7] which events pass zero at the state y, together with the one that was found: 1 rising, -1
    falling; half of that where the direction is not the wanted one.
    """
    work, count = watch[3], watch[2].shape[0]
    event_values(watch, nq, nv, t, y, work[6, :count], stack)
    for e in range(count):
        before, here, after = work[4, e], work[6, e], work[5, e]
        rounding = 1e-12 * (abs(before) + abs(after))
        work[7, e] = 0.0
        if e == found or crossing(before, here, 0) or (crossing(before, after, 0) and abs(here) <= rounding):
            wanted = e == found or crossing(before, -before, watch[2][e])
            work[7, e] = (1.0 if wanted else 0.5) * (1.0 if before < 0.0 else -1.0)


@part
def crossing(before, after, direction):
    """Whether a watched value passes zero in the wanted direction; not if it starts there."""
    falls = before > 0.0 and after <= 0.0
    rises = before < 0.0 and after >= 0.0
    return (falls and direction <= 0) or (rises and direction >= 0)


@part
def hermite(s, h, y0, k0, y1, k1, out):
    """Cubic between two ends with their rates: error of order 4."""
    a, b = 1.0 - s, s
    p0, p1 = a * a * (1.0 + 2.0 * b), b * b * (1.0 + 2.0 * a)
    m0, m1 = h * b * a * a, -h * a * b * b
    for i in range(y0.shape[0]):
        out[i] = p0 * y0[i] + p1 * y1[i] + m0 * k0[i] + m1 * k1[i]


@block
def locate(machine, data, watch, t, h, end, y):
    """The earliest event within the step from (t, work[0]) to (end, y), by bisection on the cubic.

    end is t + h, rounded. Returns the event's index, -1 if there is none, and its place s in (0, 1]; y becomes the
    state there.
    """
    nq, nv, n = machine.body_i[0, NQ], data.tau.shape[0], y.shape[0]
    work, count = watch[3], watch[2].shape[0]
    y0, k0, k1, trial = work[0, :n], work[1, :n], work[2, :n], work[3, :n]
    before, after = work[4, :count], work[5, :count]
    event_values(watch, nq, nv, end, y, after, data.stack)
    found, place, ready = -1, 1.0, False
    for e in range(count):
        low, high = 0.0, 1.0
        if before[e] != 0.0 and not crossing(before[e], after[e], watch[2][e]):
            continue
        if not ready:
            rhs(machine, data, t, y0, k0)
            rhs(machine, data, end, y, k1)
            ready = True
        if before[e] == 0.0:  # it leaves zero to one side, and may be back within the step
            low = EARLY
            hermite(low, h, y0, k0, y, k1, trial)
            event_values(watch, nq, nv, t + low * h, trial, work[6, :count], data.stack)
            before[e] = work[6, e]
            if not crossing(before[e], after[e], watch[2][e]):
                continue
        for _ in range(60):
            middle = 0.5 * (low + high)
            hermite(middle, h, y0, k0, y, k1, trial)
            event_values(watch, nq, nv, t + middle * h, trial, work[6, :count], data.stack)
            if (work[6, e] > 0.0) == (before[e] > 0.0) and work[6, e] != 0.0:
                low = middle
            else:
                high = middle
        if found < 0 or high < place:
            found, place = e, high
    if place > LATE:  # the rest of the step would be too short to be of use
        place = 1.0
    if found >= 0 and place < 1.0:
        hermite(place, h, y0, k0, y, k1, trial)
        for i in range(n):
            y[i] = trial[i]
        settle(machine, data, t + place * h, y)
    if found >= 0:
        mark_met(watch, nq, nv, min(t + place * h, end), y, found, data.stack)
    return found, place


def marching(step):
    """The loop of a method with this step. (A compiled function that takes another as an argument is not cached.)"""

    @part
    def march(machine, data, memory, clock, count, y, samples, watch):
        """Take count[TO_DO] steps. Time is start + k h, so that a run in pieces is the same run bit for bit.

        After an event the first step is only the rest of the one it has interrupted: the grid of times stays.
        """
        n, watching = y.shape[0], watch[2].shape[0] > 0
        nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
        h = clock[STEP]
        kept = watch[3][0, :n]
        if watching and count[STANDS] == 0:
            begin_watch(watch, nq, nv, clock[NOW], y, data.stack)
        count[STANDS] = 1
        count[SAMPLES] = 0
        met = False
        for _ in range(count[TO_DO]):
            t, end = clock[NOW], clock[START] + (count[DONE] + 1) * h
            length = end - t if count[INSIDE] > 0 else h
            if length > 0.0:
                for i in range(n):
                    kept[i] = y[i]
                code = step(machine, data, memory, t, length, y)
                if code != OK:
                    for i in range(n):
                        y[i] = kept[i]
                    return code
                if watching:
                    which, place = locate(machine, data, watch, t, length, end, y)
                    if which >= 0:
                        count[WHICH] = which
                        count[STANDS] = 0
                        if place < 1.0:
                            count[INSIDE] = 1
                            clock[NOW] = min(t + place * length, end)
                            return EVENT
                        met = True
                    for e in range(watch[2].shape[0]):
                        watch[3][4, e] = watch[3][5, e]
            count[INSIDE] = 0
            count[DONE] += 1
            clock[NOW] = end
            if count[DONE] % count[EVERY] == 0:
                write_sample(data, clock[NOW], y, samples[count[SAMPLES]])
                count[SAMPLES] += 1
            if met:
                return EVENT
        return OK

    return march
