"""The compiled loop of all methods with a fixed step: step, check, watch for events, sample.

A method is a function step(machine, data, memory, t, h, y) -> result code that moves y from t to t + h, or leaves it
and says why not.
"""

from gori.integrate.events import begin_watch, locate
from gori.kernels.accelerations import finite
from gori.kernels.codes import EVENT, OK
from gori.kernels.jit import part
from gori.kernels.loops.coordinates import follow_turns
from gori.kernels.tree.columns import NQ

SURE = 0.5
"""change of an angle within which there is no doubt about full turns [rad]"""


@part
def write_sample(data, t, y, row):
    """A row of samples: time, state, and recorded outputs."""
    n = y.shape[0]
    row[0] = t
    for i in range(n):
        row[1 + i] = y[i]
    for i in range(data.recorded.shape[0]):
        row[1 + n + i] = data.recorded[i]


@part
def total_rate(v):
    """Sum of all velocities: no angle between two bodies changes faster."""
    total = 0.0
    for k in range(v.shape[0]):
        total += abs(v[k])
    return total


def fixed_steps(step):
    """The loop of a method with this step. (A compiled function that takes another as an argument is not cached.)"""

    @part
    def run(machine, data, memory, clock, y, samples, watch):
        """Take clock.steps_to_do steps. Time is start + k h, so that a run in pieces is bit for bit the same run.

        After an event the first step is only the rest of the one it has interrupted: the grid of times stays.
        """
        n, watching, c = y.shape[0], watch.met.shape[0] > 0, clock[0]
        nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
        work, turning = watch.work, data.turns.shape[0] > 0
        h, start = c.step, work.start
        if watching and c.slopes_valid == 0:
            begin_watch(machine, data, watch, c.time, y)
        c.slopes_valid = 1
        c.samples_written = 0
        met, turned = False, 0.0  # how far angles of cuts may have come since their turns were counted [rad]
        for _ in range(c.steps_to_do):
            t, end = c.time, c.start_time + (c.steps_done + 1) * h
            length = end - t if c.inside_step > 0 else h
            if length > 0.0:
                for i in range(n):
                    start[i] = y[i]
                code = step(machine, data, memory, t, length, y)
                if code == OK:
                    code = finite(y)  # coordinates may overflow before velocities do
                if code != OK:
                    for i in range(n):
                        y[i] = start[i]
                    if turning:
                        follow_turns(machine, data, t, y[:nq], y[nq : nq + nv])
                    return code
                if watching:
                    which, reached = locate(machine, data, watch, t, length, end, y)
                    if which >= 0:
                        c.event_index = which
                        c.slopes_valid = 0
                        if reached < 1.0:
                            c.inside_step = 1
                            c.time = min(t + reached * length, end)
                            if turning:
                                follow_turns(machine, data, c.time, y[:nq], y[nq : nq + nv])
                            return EVENT
                        met = True
                    for e in range(watch.met.shape[0]):
                        watch.before[e] = work.after[e]
            c.inside_step = 0
            c.steps_done += 1
            c.time = end
            sampled = (c.steps_done - c.first_step) % c.sample_every == 0
            if turning:
                turned += length * total_rate(y[nq : nq + nv])
                if sampled or met or turned > SURE:
                    follow_turns(machine, data, c.time, y[:nq], y[nq : nq + nv])
                    turned = 0.0
            if sampled:
                write_sample(data, c.time, y, samples[c.samples_written])
                c.samples_written += 1
            if met:
                return EVENT
        if turning:
            follow_turns(machine, data, c.time, y[:nq], y[nq : nq + nv])
        return OK

    return run
