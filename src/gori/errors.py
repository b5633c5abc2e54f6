"""Errors and warnings of Gori. Each message names the cause and what to try."""

from typing import Any


class GoriError(Exception):
    """Base of all errors of Gori."""


class SpecError(GoriError, ValueError):
    """A description that makes no machine: an unknown name, a loop, an impossible inertia.

    `problems` lists all that is wrong, each as (dotted place in the Spec, words), where the Spec found it.
    """

    problems: tuple[tuple[str, str], ...] = ()


class FileError(SpecError):
    """A file that cannot be read as a description; names the file and, where known, the line."""

    def __init__(self, message: str, file: object = None, line: int | None = None):
        self.file, self.line, self.reason = file, line, message
        where = "" if file is None else f"{file}: " if line is None else f"{file}, line {line}: "
        super().__init__(where + message)


class InputError(GoriError, ValueError):
    """An argument of the wrong shape, type or name, or with NaN in it."""


class UnsupportedError(GoriError):
    """Something that the Model describes and the called method does not handle."""


class SingularError(GoriError, ArithmeticError):
    """Equations without a solution: a joint that moves nothing that has mass."""


class ClosureError(GoriError, ValueError):
    """Loops that cannot be closed. `cut` is open the most, by `residual` [m or rad], at `time` [s]."""

    def __init__(self, message: str, cut: str = "", residual: float = 0.0, time: float = 0.0):
        super().__init__(message)
        self.cut, self.residual, self.time = cut, residual, time


class SimulationError(GoriError, ArithmeticError):
    """A run that could not go on. `time` is the last good time [s], `recording` holds all that was computed."""

    def __init__(self, message: str, time: float = 0.0, cause: BaseException | None = None):
        super().__init__(message)
        self.time, self.cause = time, cause
        self.recording: Any = None
        self.recordings: list[Any] = []  # of a batch: those of the good runs, None for the others


class RecordError(GoriError, OSError):
    """A recording that cannot be written, as on a full disk; says how many samples are safe in the file."""


class MissingPackageError(GoriError, ImportError):
    """An optional package is needed; the message says how to install it."""


class SpecWarning(UserWarning):
    """A description that can be used, with something in it that is probably wrong."""


class RestartWarning(UserWarning):
    """A State whose memory of a run does not fit: the run starts afresh from it, not bit for bit."""


class CouplingWarning(UserWarning):
    """An exchange with a subsystem that lags so much that it has made or lost energy worth mentioning."""


class ConditionWarning(UserWarning):
    """A mass matrix so badly scaled that digits are lost."""
