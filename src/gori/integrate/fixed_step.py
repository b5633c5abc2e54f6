"""The compiled loop of all methods with a fixed step: step, check, watch for events, sample.

A method is a function step(machine, data, memory, t, h, y) -> result code that moves y from t to t + h, or leaves it
and says why not.
"""

from gori.integrate.events import begin_watch, locate
from gori.kernels.codes import EVENT, OK
from gori.kernels.jit import part


@part
def write_sample(data, t, y, row):
    """A row of samples: time, state, and recorded outputs."""
    n = y.shape[0]
    row[0] = t
    for i in range(n):
        row[1 + i] = y[i]
    for i in range(data.recorded.shape[0]):
        row[1 + n + i] = data.recorded[i]


def fixed_steps(step):
    """The loop of a method with this step. (A compiled function that takes another as an argument is not cached.)"""

    @part
    def run(machine, data, memory, clock, y, samples, watch):
        """Take clock.steps_to_do steps. Time is start + k h, so that a run in pieces is bit for bit the same run.

        After an event the first step is only the rest of the one it has interrupted: the grid of times stays.
        """
        n, watching, c = y.shape[0], watch.met.shape[0] > 0, clock[0]
        work = watch.work
        h, start = c.step, work.start
        if watching and c.slopes_valid == 0:
            begin_watch(machine, data, watch, c.time, y)
        c.slopes_valid = 1
        c.samples_written = 0
        met = False
        for _ in range(c.steps_to_do):
            t, end = c.time, c.start_time + (c.steps_done + 1) * h
            length = end - t if c.inside_step > 0 else h
            if length > 0.0:
                for i in range(n):
                    start[i] = y[i]
                code = step(machine, data, memory, t, length, y)
                if code != OK:
                    for i in range(n):
                        y[i] = start[i]
                    return code
                if watching:
                    which, reached = locate(machine, data, watch, t, length, end, y)
                    if which >= 0:
                        c.event_index = which
                        c.slopes_valid = 0
                        if reached < 1.0:
                            c.inside_step = 1
                            c.time = min(t + reached * length, end)
                            return EVENT
                        met = True
                    for e in range(watch.met.shape[0]):
                        watch.before[e] = work.after[e]
            c.inside_step = 0
            c.steps_done += 1
            c.time = end
            if (c.steps_done - c.first_step) % c.sample_every == 0:
                write_sample(data, c.time, y, samples[c.samples_written])
                c.samples_written += 1
            if met:
                return EVENT
        return OK

    return run
