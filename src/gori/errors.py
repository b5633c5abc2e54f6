"""Errors and warnings of Gori. Each message names the cause and what to try."""

from typing import Any


class GoriError(Exception):
    """Base of all errors of Gori."""


class SpecError(GoriError, ValueError):
    """An invalid Spec: an unknown name, a loop, an impossible inertia.

    `problems` lists all errors as (dotted path in the Spec, message).
    """

    problems: tuple[tuple[str, str], ...] = ()


LONGEST_LINE = 400
"""characters of a line of a message about a file"""
MOST_LINES = 12
"""lines of a message; further mistakes of a file are counted"""


def readable(message: str) -> str:
    """A message that quotes a file, fit for a terminal: no control characters, long lines without their middle, and not
    too many lines.
    """
    lines, given = [], message.split("\n")
    for line in given[:MOST_LINES]:
        if len(line) > LONGEST_LINE:
            line = f"{line[: LONGEST_LINE // 2]} [...] {line[-LONGEST_LINE // 4 :]}"
        lines.append("".join(c if c.isprintable() else repr(c)[1:-1] for c in line))
    more = len(given) - MOST_LINES
    return "\n".join([*lines, *([f"and {more} more"] if more > 0 else [])])


class FileError(SpecError):
    """A file that cannot be read; names the file and, where known, the line."""

    def __init__(self, message: str, file: object = None, line: int | None = None):
        message = readable(message)
        self.file, self.line, self.reason = file, line, message
        where = "" if file is None else f"{file}: " if line is None else f"{file}, line {line}: "
        super().__init__(where + message)


class InputError(GoriError, ValueError):
    """An argument of the wrong shape, type or name, or with NaN in it."""


class UnsupportedError(GoriError):
    """Something in the Model that the called method does not support."""


class SingularError(GoriError, ArithmeticError):
    """Equations without a solution: a joint that moves no inertia."""


class ClosureError(GoriError, ValueError):
    """Loops that cannot be closed. `cut` has the largest gap, `residual` [m or rad], at `time` [s]; `recording` holds
    what a kinematic analysis found until then.
    """

    def __init__(self, message: str, cut: str = "", residual: float = 0.0, time: float = 0.0):
        super().__init__(message)
        self.cut, self.residual, self.time = cut, residual, time
        self.recording: Any = None


class SimulationError(GoriError, ArithmeticError):
    """A run that could not continue. `time` is the last valid time [s], `recording` holds everything computed."""

    def __init__(self, message: str, time: float = 0.0, cause: BaseException | None = None):
        super().__init__(message)
        self.time, self.cause = time, cause
        self.recording: Any = None
        self.recordings: list[Any] = []  # of a batch: those of the good runs, None for the others


class RecordError(GoriError, OSError):
    """A recording that cannot be written, as on a full disk; gives the number of samples saved."""


class MissingPackageError(GoriError, ImportError):
    """An optional package is needed; the message says how to install it."""


class BrowserError(GoriError):
    """A browser that did not start, or a page that failed in it."""


class SpecWarning(UserWarning):
    """A valid Spec that probably contains a mistake."""


class FormatWarning(UserWarning):
    """A file in another format that holds more than a Spec can say: lists by name what is missing."""


class AssemblyWarning(UserWarning):
    """A start that is not quite as given: coordinates had to move for the loops to close, or they close in two ways."""


class RestartWarning(UserWarning):
    """A State whose method memory does not match: the run restarts from it, not bit for bit."""


class CouplingWarning(UserWarning):
    """An exchange with a subsystem that lags so much that it has made or lost energy worth mentioning."""


class EnergyWarning(UserWarning):
    """A run in which more energy has appeared or vanished than the accuracy of its method explains."""


class SampleWarning(UserWarning):
    """A duration or time between samples that is not a whole number of steps: the nearest one is taken."""


class FrictionWarning(UserWarning):
    """Joint friction that sticks too fast for the step of an explicit method: it trembles instead of holding."""


class ContactWarning(UserWarning):
    """Contact that is too stiff for the step of an explicit method: it trembles, and energy may appear."""


class ImpactWarning(UserWarning):
    """An impact that gained energy, by a law that does not exclude it."""


class DeviceWarning(UserWarning):
    """A device that is not there: the work is done on another one, with the same results."""


class CacheWarning(UserWarning):
    """Compiled kernels that cannot be read or kept: they are compiled, and the run goes on."""


class DamageWarning(UserWarning):
    """A file that is damaged in a part of it: what is whole was read; says what is missing."""


class ConditionWarning(UserWarning):
    """An ill-conditioned mass matrix: accuracy is lost."""
