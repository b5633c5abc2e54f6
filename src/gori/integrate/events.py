"""Events: signals that cross zero within a step, found by bisection; and gaps that close (`kernels/impacts/gaps.py`).

Gaps are the last events of a run. Two bodies that touch part from zero, and may have a gap again only for a moment; and
bodies that fly past each other may touch within a step, at both ends of which they are apart. Both are looked for.
"""

from gori.integrate.clock import MET_AND_CHANGED
from gori.integrate.rates import project, rhs
from gori.kernels.forces.probes import read_probes
from gori.kernels.forces.signals import evaluate_signals
from gori.kernels.jit import block, call_at, part
from gori.kernels.loops.coordinates import extended
from gori.kernels.machine import GAPS
from gori.kernels.tree.columns import NQ
from gori.kernels.tree.kinematics import place, positions, velocities

EARLY, LATE = 1e-6, 1.0 - 1e-9
"""shares of a step: after the first an event that starts at zero has a side; after the other an event is at the end"""
BESIDE, PARTED, SOONER, LOOKS = 1e-3, 0.0625, 16.0, 11
"""share of a step beside its ends where slopes of gaps are seen; where one looks first whether bodies that touch have
parted, how much sooner then, and how often: the last bounces of a ball may be much shorter than a step"""
SOONEST = PARTED / SOONER ** (LOOKS - 1)
GOLDEN, NARROWINGS = 0.3819660112501051, 60


@part
def first_gap(data, watch):
    """Index of the first event that is a gap."""
    return watch.met.shape[0] - data.rest.pair.shape[0] - data.rest.stop.shape[0]


@part
def event_values(machine, data, watch, t, y, values):
    """Values of the events at (t, y). Bodies that they read are placed there; what they say of cuts is that of the
    present step.
    """
    nq, nv, work = machine.body_i[0, NQ], data.tau.shape[0], watch.work
    q, v = y[:nq], y[nq : nq + nv]
    if watch.probe.shape[0] > 0:
        data.loops.work.standing[0] = 0.0  # what loops have computed for another state holds no more
        place(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)
        positions(machine.body_i, data.body_w)
        velocities(machine.body_i, v, data.body_w, data.dof_w)
        read_probes(watch.probe, data.body_w, work.readings)
    if work.q.shape[0] > 0:
        extended(machine, data, t, y, work.q, work.v)
        evaluate_signals(watch.signal_i, watch.signal_f, t, work.q, work.v, work.readings, values, data.stack)
    else:
        evaluate_signals(watch.signal_i, watch.signal_f, t, q, v, work.readings, values, data.stack)
    if data.rest.pair.shape[0] + data.rest.stop.shape[0] > 0:
        call_at(machine.closed, machine, data, t, y, values, GAPS)


@part
def begin_watch(machine, data, watch, t, y):
    """Event values at the start of a run. Those that have just crossed zero are on the other side despite rounding;
    after a change of the state they are at zero.
    """
    event_values(machine, data, watch, t, y, watch.before)
    for e in range(watch.met.shape[0]):
        if watch.met[e] == MET_AND_CHANGED:
            watch.before[e] = 0.0
        elif watch.met[e] != 0.0:
            watch.before[e] = 1e-300 * watch.met[e]
        watch.met[e] = 0.0


@part
def mark_met(machine, data, watch, t, y, found):
    """Mark the events that cross zero at the state y, together with the one that was found: 1 rising, -1 falling; half
    of that where the direction is not the wanted one.
    """
    work = watch.work
    event_values(machine, data, watch, t, y, work.here)
    for e in range(watch.met.shape[0]):
        before, here, after = watch.before[e], work.here[e], work.after[e]
        rounding = 1e-12 * (abs(before) + abs(after))
        watch.met[e] = 0.0
        if e == found or crossing(before, here, 0) or (crossing(before, after, 0) and abs(here) <= rounding):
            wanted = e == found or crossing(before, -before, watch.direction[e])
            watch.met[e] = (1.0 if wanted else 0.5) * (1.0 if before < 0.0 else -1.0)


@part
def crossing(before, after, direction):
    """Whether a watched value crosses zero in the wanted direction; not if it starts there."""
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


def earliest_with(interpolate):
    """The search for the earliest event of a step. (Compiled functions that take others as arguments are not cached.)

    interpolate(machine, path, s, h, out)   the state at the fraction s of the step
    """

    @part
    def values_at(machine, data, watch, path, t, h, s):
        """Values of the events at the fraction s of the step into `here`."""
        work = watch.work
        interpolate(machine, path, s, h, work.trial)
        event_values(machine, data, watch, t + s * h, work.trial, work.here)

    @block
    def parted(machine, data, watch, path, t, h, e):
        """Fraction of the step at which bodies that touch at its start have a gap; -1 if they never have."""
        s = PARTED
        for _ in range(LOOKS):
            values_at(machine, data, watch, path, t, h, s)
            if watch.work.here[e] > 0.0:
                return s
            s /= SOONER
        return -1.0

    @block
    def touched(machine, data, watch, path, t, h, e):
        """Fraction of the step at which a gap that falls and rises again is closed; -1 if it stays open.

        By golden sections of the interval with its minimum.
        """
        here, low, high = watch.work.here, 0.0, 1.0
        left, right = GOLDEN, 1.0 - GOLDEN
        values_at(machine, data, watch, path, t, h, left)
        at_left = here[e]
        values_at(machine, data, watch, path, t, h, right)
        at_right = here[e]
        for _ in range(NARROWINGS):
            if at_left <= 0.0:
                return left
            if at_right <= 0.0:
                return right
            if high - low < EARLY:
                break
            if at_left < at_right:
                high, right, at_right = right, left, at_left
                left = low + GOLDEN * (high - low)
                values_at(machine, data, watch, path, t, h, left)
                at_left = here[e]
            else:
                low, left, at_left = left, right, at_right
                right = high - GOLDEN * (high - low)
                values_at(machine, data, watch, path, t, h, right)
                at_right = here[e]
        return -1.0

    @part
    def earliest(machine, data, watch, path, t, h):
        """Index of the event, -1 if there is none, and its fraction of the step, in (0, 1]; by bisection.

        `watch.work.after` holds the values at the end of the step.
        """
        work = watch.work
        before, after, here = watch.before, work.after, work.here
        found, reached, gaps = -1, 1.0, first_gap(data, watch)
        if gaps < watch.met.shape[0]:
            interpolate(machine, path, BESIDE, h, work.trial)
            event_values(machine, data, watch, t + BESIDE * h, work.trial, work.early)
            interpolate(machine, path, 1.0 - BESIDE, h, work.trial)
            event_values(machine, data, watch, t + (1.0 - BESIDE) * h, work.trial, work.late)
        for e in range(watch.met.shape[0]):
            low, high, last = 0.0, 1.0, after[e]
            if e >= gaps and before[e] <= 0.0:
                low = parted(machine, data, watch, path, t, h, e)
                if low >= 0.0:
                    before[e] = here[e]
                elif last < 0.0:
                    return e, SOONEST  # they come nearer at once
                else:
                    continue
            elif before[e] == 0.0:  # it leaves zero to one side, and may be back within the step
                low = EARLY
                values_at(machine, data, watch, path, t, h, low)
                before[e] = here[e]
            if e >= gaps and last > 0.0 and work.early[e] < before[e] and work.late[e] < last:
                high = touched(machine, data, watch, path, t, h, e)
                if high <= low:
                    continue
                last = 0.0
            if not crossing(before[e], last, watch.direction[e]):
                continue
            for _ in range(60):
                middle = 0.5 * (low + high)
                values_at(machine, data, watch, path, t, h, middle)
                if (here[e] > 0.0) == (before[e] > 0.0) and here[e] != 0.0:
                    low = middle
                else:
                    high = middle
            if found < 0 or high < reached:
                found, reached = e, high
        return found, reached

    return earliest


@part
def on_the_cubic(machine, path, s, h, out):
    """The state at the fraction s; path: states and rates at both ends."""
    y0, k0, y1, k1 = path
    hermite(s, h, y0, k0, y1, k1, out)


_earliest = earliest_with(on_the_cubic)


@block
def locate(machine, data, watch, t, h, end, y):
    """The earliest event within the step from (t, work.start) to (end, y), on the cubic.

    end is t + h, rounded. Returns the event's index, -1 if there is none, and its position s in (0, 1]; y becomes the
    state there.
    """
    work = watch.work
    event_values(machine, data, watch, end, y, work.after)
    possible, gaps = False, first_gap(data, watch)
    for e in range(watch.met.shape[0]):
        before = watch.before[e]
        possible = possible or before == 0.0 or crossing(before, work.after[e], watch.direction[e])
        possible = possible or (e >= gaps and before < 0.0)
    if not possible:
        return -1, 1.0
    rhs(machine, data, t, work.start, work.start_rates)
    rhs(machine, data, end, y, work.end_rates)
    path = work.start, work.start_rates, y, work.end_rates
    found, reached = _earliest(machine, data, watch, path, t, h)
    if reached > LATE:  # the rest of the step would be too short
        reached = 1.0
    if found >= 0 and reached < 1.0:
        on_the_cubic(machine, path, reached, h, work.trial)
        for i in range(y.shape[0]):
            y[i] = work.trial[i]
        project(machine, data, t + reached * h, y)
    if found >= 0:
        mark_met(machine, data, watch, min(t + reached * h, end), y, found)
    return found, reached
