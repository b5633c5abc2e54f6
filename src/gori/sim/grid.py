"""Steps and samples of a run with a fixed step: whole numbers of steps. Times that do not fit are rounded, and told."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError, SampleWarning

FITS = 1e-6
"""share of a step by which a duration or a time between samples may miss it"""
LONGEST, MOST = 1e300, 1 << 53
"""seconds and steps of a run"""


class Grid(NamedTuple):
    """Steps of a run, and from sample to sample."""

    steps: int
    every: int


def require_seconds(name: str, value: Any) -> None:
    """Refuse what is not a positive number of seconds."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not (number and 0.0 < value <= LONGEST):
        raise InputError(f"{name} must be a positive number of seconds, not {value!r}")


def require_resolved(what: str, period: float, end: float) -> None:
    """Refuse times that cannot be told apart: `what` a period apart, up to the end [s]."""
    resolved = float(np.spacing(abs(end)))
    if not resolved <= 0.5 * period:
        raise InputError(
            f"the time itself is too large for {what} {period:.3g} s apart: at t = {end:.6g} s it is resolved to "
            f"{resolved:.2g} s only. Count it from a later start, as state.replace(time=0.0) does, or take longer ones"
        )


def grid_of(duration: float, sample: float | None, step: float) -> Grid:
    """The grid of a run of this duration with this time between samples; default: a thousandth of the duration [s]."""
    if not duration / step <= MOST:
        raise InputError(f"a duration of {duration:g} s is more than {MOST:.1g} steps of {step:g} s")
    steps = round(duration / step)
    if steps < 1:
        raise InputError(f"a duration of {duration:g} s is less than one step of {step:g} s")
    if abs(steps * step - duration) > FITS * step:
        _tell(f"a duration of {duration:.10g} s", f"the run takes {steps * step:.10g} s", duration, steps, step)
    if sample is None or sample >= duration:
        return Grid(steps, max(1, steps if sample is not None else round(duration / 1000.0 / step)))
    every = max(1, round(sample / step))
    if abs(every * step - sample) > FITS * step:
        _tell(f"a sample every {sample:.10g} s", f"they are {every * step:.10g} s apart", sample, every, step)
    return Grid(steps, every)


def _tell(what: str, instead: str, time: float, count: int, step: float) -> None:
    finer = time / (count if count * step >= time else count + 1)
    warnings.warn(
        f"{what} is not a whole number of steps of {step:.10g} s: {instead}. A step of {finer:.10g} s fits",
        SampleWarning,
        stacklevel=5,
    )
