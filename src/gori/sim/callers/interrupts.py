"""Ctrl-C during a run: it waits for the end of a block of steps, so that nothing is half done."""

import signal
import threading
from types import FrameType
from typing import Self


class InterruptsLater:
    """Ctrl-C waits until this is done: a step and the exchange at its end belong together. Twice, it does not wait.

    pressed   how often Ctrl-C was pressed meanwhile
    """

    def __init__(self) -> None:
        self.pressed = 0
        self._here = False

    def __enter__(self) -> Self:
        self.pressed = 0
        self._here = self._wanted()
        if self._here:
            self._before = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self._here:
            self._here = False
            signal.signal(signal.SIGINT, signal.SIG_DFL if self._before is None else self._before)
            if self.pressed and error is None:
                signal.raise_signal(signal.SIGINT)

    def _wanted(self) -> bool:
        return threading.current_thread() is threading.main_thread()  # others are not interrupted

    def _press(self, number: int, frame: FrameType | None) -> None:
        self.pressed += 1
        if self.pressed > 1:
            raise KeyboardInterrupt


class RunInterrupts(InterruptsLater):
    """Of a run: between two blocks of steps `check` ends it. A handler of the caller's own stays in place.

    on   False: there is nothing to be broken, and Ctrl-C ends the run wherever it arrives
    """

    def __init__(self, on: bool = True) -> None:
        super().__init__()
        self._on = on

    def _wanted(self) -> bool:
        return self._on and super()._wanted() and signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def check(self) -> None:
        """Raise KeyboardInterrupt if it was pressed."""
        if self.pressed:
            self.pressed = 0
            raise KeyboardInterrupt


ANYWHERE = RunInterrupts(on=False)
"""nothing waits"""
