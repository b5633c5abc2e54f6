"""Signals that end a run: Ctrl-C, SIGTERM of a batch system, SIGHUP of a terminal that is closed.

Where a run has a file, SIGTERM and SIGHUP end it at the next moment at which it can be taken up again: with a
checkpoint, and marked as interrupted. A handler that the program has set itself stays as it is.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

NUMBERS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""signals that ask a program to end; not all systems have both"""


class Stopped(KeyboardInterrupt):
    """A signal other than Ctrl-C asks for the end."""

    def __init__(self, number: int):
        super().__init__(signal.Signals(number).name)
        self.number = number


class StopRequest:
    """Whether a signal has asked for the end of the run.

    listening   a run looks here between its blocks of steps; else, or if asked twice, Stopped is raised at once
    number      of the signal, or 0
    """

    def __init__(self) -> None:
        self.listening, self.number = False, 0

    def receive(self, number: int, frame: FrameType | None) -> None:
        if not self.listening or self.number:
            raise Stopped(number)
        self.number = number


_request = StopRequest()
_receive = _request.receive


def in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()  # no other is interrupted


@contextmanager
def stop_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP are received inside."""
    before: dict[int, Any] = {}
    if in_main_thread():
        for number in NUMBERS:
            if signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, _receive)
    try:
        yield
    finally:
        restore(before)


@contextmanager
def listening() -> Iterator[StopRequest]:
    """For a run that looks at the request itself. A signal that nobody around it receives takes effect at the end."""
    around = any(signal.getsignal(number) is _receive for number in NUMBERS)
    here = in_main_thread() and not _request.listening
    if not here:
        yield StopRequest()
        return
    with stop_signals():
        _request.listening, _request.number = True, 0
        try:
            yield _request
        finally:
            _request.listening = False
    if _request.number and not around:
        signal.raise_signal(_request.number)


@contextmanager
def without_interrupts() -> Iterator[None]:
    """These signals wait until this is done: a worker waits at barriers for the others, for ever if one is gone."""
    if not in_main_thread():
        yield
        return
    waiting: list[int] = []
    before = handle(lambda number, frame: waiting.append(number))
    try:
        yield
    finally:
        restore(before)
    if waiting:
        signal.raise_signal(waiting[0])


def handle(handler: Callable[[int, FrameType | None], None]) -> dict[int, Any]:
    """Take over Ctrl-C, and what `stop_signals` receives; what was there before."""
    before: dict[int, Any] = {signal.SIGINT: signal.signal(signal.SIGINT, handler)}
    for number in NUMBERS:
        if signal.getsignal(number) is _receive:
            before[number] = signal.signal(number, handler)
    return before


def restore(before: dict[int, Any]) -> None:
    for number, handler in before.items():
        signal.signal(number, signal.SIG_DFL if handler is None else handler)
